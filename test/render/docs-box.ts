import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { findBrowser } from '../../src/crawl/render/browser.js';
import { type Run, start, temporaryFolder } from '../crawl/support.js';
import { inStore } from '../kill/killing.js';
import { openWeb, type WebInABox } from '../web/web.js';

export interface DocsRun extends Run {
  directory: string;
  output: string;
  /** How many browsers were started. */
  browsers: number;
  /** The Markdown of a page; null where it is not in the corpus. */
  page(path: string): string | null;
}

export interface DocsBox {
  readonly web: WebInABox;
  readonly folder: string;
  docs(seeds: readonly string[], args?: readonly string[], options?: DocsOptions): Promise<DocsRun>;
  begin(seeds: readonly string[], args?: readonly string[], options?: DocsOptions): Begun;
  crawl(seeds: readonly string[], args?: readonly string[], options?: DocsOptions): Promise<DocsRun>;
  check(seeds: readonly string[], args?: readonly string[], options?: DocsOptions): Promise<DocsRun>;
}

export interface DocsOptions {
  /** Left out: `docs`. */
  command?: 'crawl' | 'check';
  /** Of an earlier run: goes on with it. */
  name?: string;
  env?: Record<string, string>;
  /** Names lead where they do, not all to the box. */
  isDirect?: true;
}

export interface Begun {
  child: ReturnType<typeof start>['child'];
  ended: Promise<DocsRun>;
  directory: string;
  /** Process ids of the browsers that were started so far. */
  browsers(): number[];
}

/** A web, a folder, and a browser that tells when it is started. */
export function docsBox(): DocsBox {
  const folder = temporaryFolder();
  let web: WebInABox;
  let runs = 0;
  let chromium = '';
  beforeAll(async () => {
    web = await openWeb();
    chromium = (await findBrowser()) ?? '';
    if (chromium === '') {
      throw new Error('these tests need Chromium: apt-get install chromium');
    }
  });
  afterAll(async () => {
    await web.close();
    folder.remove();
  });
  const begin = (seeds: readonly string[], args: readonly string[] = [], options: DocsOptions = {}): Begun => {
    const run = runs++;
    const name = options.name ?? `docs-${run}`;
    const started = join(folder.path, `started-${run}`);
    const wrapper = join(folder.path, `browser-${run}`);
    writeFileSync(wrapper, `#!/bin/sh\necho $$ >> '${started}'\nexec '${chromium}' "$@"\n`);
    chmodSync(wrapper, 0o755);
    const directory = join(folder.path, name);
    const output = join(folder.path, `${name}-corpus`);
    const connectTo = options.isDirect ? [] : web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const program = start(
      [
        ...[options.command ?? 'docs', ...seeds, '--data-dir', directory, '--delay', '0', ...connectTo, ...args],
        ...(options.command === undefined ? ['--output', output] : []),
      ],
      { cwd: folder.path, env: { CHROME_PATH: wrapper, HOME: folder.path, ...options.env } },
    );
    const browsers = (): number[] =>
      existsSync(started) ? readFileSync(started, 'utf8').trim().split('\n').map(Number) : [];
    const ended = program.ended.then((ran) => ({
      ...ran,
      directory,
      output,
      browsers: browsers().length,
      page: (path: string) => {
        const file = join(output, path);
        return existsSync(file) ? readFileSync(file, 'utf8') : null;
      },
    }));
    return { child: program.child, ended, directory, browsers };
  };
  return {
    get web() {
      return web;
    },
    folder: folder.path,
    begin,
    docs: (seeds, args, options) => begin(seeds, args, options).ended,
    crawl: (seeds, args, options) => begin(seeds, args, { ...options, command: 'crawl' }).ended,
    check: (seeds, args, options) => begin(seeds, args, { ...options, command: 'check' }).ended,
  };
}

/** What the store says of the pages that a browser has seen, or is to see: their paths by the state of it. */
export const renderings = (directory: string): Record<string, string> =>
  inStore(directory, (all) =>
    Object.fromEntries(
      all('SELECT url, rendering FROM bodies JOIN urls ON urls.id = bodies.page WHERE kind = 0 ORDER BY url').map(
        ({ url, rendering }) => [
          new URL(String(url)).pathname,
          ['none', 'wanted', 'rendered', 'futile', 'untried'][Number(rendering)]!,
        ],
      ),
    ),
  );

/** The lines of pages.jsonl by URL; a URL that is there twice fails the test. */
export function pagesOf(directory: string): Record<string, Record<string, unknown>> {
  const lines = readFileSync(join(directory, 'pages.jsonl'), 'utf8').trim().split('\n');
  const pages = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const byUrl = Object.fromEntries(pages.map((page) => [page.url as string, page]));
  if (Object.keys(byUrl).length !== pages.length) {
    throw new Error(`a page is there twice: ${lines.join('\n')}`);
  }
  return byUrl;
}

/** Bytes of bodies that the store still has. */
export const keptBytes = (directory: string): number =>
  Number(inStore(directory, (all) => all('SELECT total(length(packed)) AS n FROM contents'))[0]!.n);

export const isAlive = (pid: number): boolean => {
  try {
    return /^[^Z]/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  } catch {
    return false;
  }
};
