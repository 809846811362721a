import { mainContent } from '../src/content/extract/main-content.js';
import { toMarkdown } from '../src/content/markdown/markdown.js';
import { parseTree } from '../src/content/tree-builder.js';
import { DEFAULT_CHUNK_TOKENS as CHUNK_TOKENS } from '../src/corpus/corpus-options.js';
import type { CorpusDocument } from '../src/corpus/document.js';
import { preparePage } from '../src/corpus/prepare.js';
import { loadTokenCounter, type TokenCounter } from '../src/corpus/tokens.js';
import { linkPlaces } from '../src/docs/convert/link-places.js';
import { say } from './compete.js';
import { installedSites, readInstalled } from './extraction/installed-sites.js';
import { table } from './figures.js';
import type { Scenario } from './scenario.js';

const PAGES = 300;
const ROUNDS = 3;
const STEPS = ['tree MB/s', 'extraction MB/s', 'Markdown MB/s', 'tokens, chunks, links MB/s'];
const HEADINGS = ['', 'pages', 'MB', ...STEPS, 'all MB/s', 'pages/s'];
const URL_OF_ALL = 'https://site.test/folder/page.html';

/** How fast one thread makes Markdown of pages, step by step, in CPU time: other load on the machine does not count. */
export const conversion: Scenario = {
  word: 'conversion',
  sentence:
    'pages of real sites to Markdown and what a corpus needs of it, in megabytes of HTML a second of one thread',
  run: async ({ rounds }) => {
    const sites = installedSites();
    if (sites.length === 0) {
      say('none of the documentation sites is installed');
    }
    const tokens = await loadTokenCounter();
    const rows = sites.map((site) => rowOf(site, readInstalled(site, PAGES), rounds ?? ROUNDS, tokens));
    process.stdout.write(table(HEADINGS, rows));
  },
};

function rowOf(site: string, pages: readonly string[], rounds: number, tokens: TokenCounter): string[] {
  const bytes = pages.reduce((sum, page) => sum + Buffer.byteLength(page), 0);
  let best = STEPS.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    const seconds = convert(pages, tokens);
    if (total(seconds) < total(best)) {
      best = seconds;
    }
  }
  const speed = (seconds: number): string => (bytes / 1e6 / seconds).toFixed(1);
  const pagesPerSecond = (pages.length / total(best)).toFixed(0);
  return [site, String(pages.length), (bytes / 1e6).toFixed(1), ...best.map(speed), speed(total(best)), pagesPerSecond];
}

const total = (seconds: readonly number[]): number => seconds.reduce((sum, each) => sum + each, 0);

/** CPU seconds of each step. All pages go through one step before the next, since the clock of the CPU is a coarse one. */
function convert(pages: readonly string[], tokens: TokenCounter): number[] {
  const seconds: number[] = [];
  const timed = <T>(run: () => T): T => {
    const before = process.cpuUsage();
    const result = run();
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
    return result;
  };
  const trees = timed(() => pages.map((page) => parseTree(page)));
  const contents = timed(() => trees.map((tree) => mainContent(tree, { url: URL_OF_ALL })));
  const linkFor = (url: string, fragment: string) => (fragment === '' ? url : `${url}#${fragment}`);
  const texts = timed(() => contents.map(({ nodes }) => toMarkdown(nodes, { pageUrl: URL_OF_ALL, linkFor })));
  const documents = texts.map(({ markdown, text }, i) => documentOf(contents[i]!.title, markdown, text));
  timed(() => {
    for (const document of documents) {
      preparePage(document, { chunkTokens: CHUNK_TOKENS, tokens }, linkPlaces);
    }
  });
  return seconds;
}

const documentOf = (title: string, markdown: string, text: string): CorpusDocument => ({
  ...{ url: URL_OF_ALL, finalUrl: URL_OF_ALL, title, description: null, lang: null, markdown, text },
  ...{ canonical: null, etag: null, lastModified: null, crawledAt: '' },
});
