import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Summary } from '../../src/report/summary.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { inProcess } from './in-process.js';
import { type PageLine, type Run, readLines, readPages, readSummary, temporaryFolder } from './support.js';

/** One crawl, from its command line to its files. */
export interface Crawled {
  run: Run;
  directory: string;
  pages: Map<string, PageLine>;
  summary: Summary;
}

export interface Box {
  readonly web: WebInABox;
  readonly folder: string;
  /** Crawls the box with delay 0, unless the arguments say otherwise, and expects the exit code 0. */
  crawl(seeds: readonly string[], args?: readonly string[], expected?: { code?: number }): Promise<Crawled>;
  /** All URLs that edges of a crawl lead to. */
  edgeTargets(directory: string): Promise<Set<string>>;
}

/** A web and a folder for the tests of one `describe`. */
export function box(): Box {
  const folder = temporaryFolder();
  let web: WebInABox;
  let crawls = 0;
  beforeAll(async () => {
    web = await openWeb();
  });
  afterAll(async () => {
    await web.close();
    folder.remove();
  });
  return {
    get web() {
      return web;
    },
    folder: folder.path,
    async crawl(seeds, args = [], { code = 0 } = {}) {
      const directory = join(folder.path, `crawl-${crawls++}`);
      const given = args.includes('--connect-to') ? [] : web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
      const delay = args.includes('--delay') ? [] : ['--delay', '0'];
      const run = await inProcess(['crawl', ...seeds, '--data-dir', directory, ...delay, ...given, ...args]);
      if (run.code !== code) {
        throw new Error(`exit code ${run.code}, expected ${code}\n${run.stderr}`);
      }
      const pages = new Map(readPages(directory).map((page) => [page.url, page]));
      return { run, directory, pages, summary: readSummary(directory) };
    },
    async edgeTargets(directory) {
      const { stdout } = await inProcess(['export', directory, '--format', 'edges']);
      return new Set(readLines<{ to: string }>(stdout).map(({ to }) => to));
    },
  };
}

/** URLs by state and reason, for a look at the whole of a small crawl. */
export function fates(pages: ReadonlyMap<string, PageLine>): Record<string, string> {
  const entries = [...pages.values()].map(
    ({ url, state, reason }) => [url, reason === null ? state : `${state} ${reason}`] as const,
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
