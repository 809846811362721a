import { printable } from '../base/text.js';
import type { PageResult, Reader } from '../store/reader.js';
import type { SeedRow } from '../store/transaction.js';
import { recordOutput } from './output.js';

/** The seeds as a file that --seeds-file takes again, each with what became of it; then the lines that were none, with what is wrong with them. */
export const seedsFile = recordOutput(records, (reader) => reader.remarks().map(comment).join(''));

function* records(reader: Reader): IterableIterator<string> {
  const pages = new Map<string, PageResult>();
  for (const page of reader.seedPages()) {
    pages.set(page.url, page);
  }
  for (const seed of reader.seeds()) {
    yield comment(outcome(seed, pages)) + seedLine(seed);
  }
  for (const { place, text, problem } of reader.badSeeds()) {
    yield comment(`${place} is no seed: ${text} (${problem})`);
  }
}

function outcome(seed: SeedRow, pages: ReadonlyMap<string, PageResult>): string {
  const tried = [seed.url, ...seed.fallbacks].flatMap((url) => pages.get(url) ?? []);
  // Of the spellings of a bare domain the one that answered counts, else the last that was tried.
  const page = tried.find((candidate) => candidate.state === 'done') ?? tried.at(-1);
  if (page === undefined) {
    return 'not fetched yet';
  }
  const facts = [page.state, page.reason, page.status].filter((fact) => fact !== null).join(' ');
  const end = page.finalUrl === null || page.finalUrl === seed.url ? '' : ` -> ${page.finalUrl}`;
  return `${facts}${end}${page.message === null ? '' : ` (${page.message})`}`;
}

function seedLine({ url, fallbacks, scope, depth, maxUrls }: SeedRow): string {
  // Written without its scheme, a bare domain gets the same fallbacks again.
  const written = fallbacks.length > 0 ? url.replace(/^https?:\/\//, '') : url;
  const settings = [`scope=${scope}`];
  if (depth !== null) {
    settings.push(`depth=${depth}`);
  }
  if (maxUrls !== null) {
    settings.push(`max-urls=${maxUrls}`);
  }
  return `${written} ${settings.join(' ')}\n`;
}

/** Free of line ends, whatever a page or server put into it: the next line is a seed. */
const comment = (text: string): string => `# ${printable(text)}\n`;
