import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gfm } from '@truto/turndown-plugin-gfm';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { toMarkdown } from '../src/content/markdown/markdown.js';
import { parseTree } from '../src/content/tree-builder.js';
import { say } from './compete.js';
import { median, table, whole } from './figures.js';
import { realSites } from './real-sites.js';
import type { Scenario } from './scenario.js';

const PAGES_A_SITE = 100;
const ROUNDS = 5;

/** Pages to trees and to Markdown on one core, in CPU time, beside the usual libraries in the same process. */
export const markdown: Scenario = {
  word: 'markdown',
  sentence: `${PAGES_A_SITE} pages of each documentation site to Markdown, beside turndown with linkedom`,
  run: async ({ rounds }) => {
    const { sites } = await realSites(say);
    for (const { name, root } of sites) {
      const pages = samplePages(root);
      const bytes = pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0);
      const times = measure(pages, rounds ?? ROUNDS);
      const usual = times.at(-1)!.ms;
      const rows = times.map(({ what, ms }) => [
        what,
        whole((pages.length / ms) * 1000),
        (bytes / 1000 / ms).toFixed(1),
        (usual / ms).toFixed(1),
      ]);
      process.stdout.write(`\n${name}: ${pages.length} pages, ${(bytes / 1e6).toFixed(1)} MB\n`);
      process.stdout.write(table(['what', 'pages/s', 'MB/s', 'times turndown'], rows));
    }
  },
};

/** Spread evenly over the site, so that each kind of page is there. */
function samplePages(root: string): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, Math.floor(files.length / PAGES_A_SITE));
  return files
    .filter((_, i) => i % step === 0)
    .slice(0, PAGES_A_SITE)
    .map((file) => readFileSync(file, 'utf8'));
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' }).use(gfm);
const linkFor = (url: string, fragment: string): string => (fragment === '' ? url : `${url}#${fragment}`);

const CONTESTANTS: Readonly<Record<string, (page: string) => unknown>> = {
  'tree alone': parseTree,
  'tree and Markdown': (page) => toMarkdown(parseTree(page).children, { pageUrl: 'http://a.test/b/c.html', linkFor }),
  'linkedom alone': parseHTML,
  'linkedom and turndown': (page) => turndown.turndown(parseHTML(page).document.documentElement),
};

/** In turn, so that what else the machine does meets all of them. */
function measure(pages: readonly string[], rounds: number): { what: string; ms: number }[] {
  const laps = Object.entries(CONTESTANTS).map(([what, run]) => ({ what, run, times: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { run, times } of laps) {
      const before = process.cpuUsage();
      for (const page of pages) {
        run(page);
      }
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
  }
  return laps.map(({ what, times }) => ({ what, ms: median(times) }));
}
