import { printable } from '../base/text.js';
import { LINK_KINDS } from '../parse/links.js';
import type { HostResult } from '../store/host-reader.js';
import type { PageResult } from '../store/page-types.js';
import type { EdgeResult, Reader } from '../store/reader.js';
import type { SeedRow } from '../store/transaction.js';
import { jsonLine, recordOutput } from './output.js';

/** A line of JSON for every link, one per occurrence, in document order. */
export const edgesJsonl = recordOutput(function* (reader: Reader) {
  for (const edge of reader.edges()) {
    yield edgeLine(edge);
  }
});

function edgeLine({ from, to, kind, rel, text, outside }: EdgeResult): string {
  const name = LINK_KINDS[kind] ?? String(kind);
  return jsonLine({ from, to, kind: name, rel, text, ...(outside === null ? {} : { outside }) });
}

/** A line of JSON for every host: how many of its URLs ended how, and what its robots.txt asks for. */
export const hostsJsonl = recordOutput(function* (reader: Reader) {
  for (const host of reader.hosts.all()) {
    yield hostLine(host);
  }
});

/** Its two names stand together. */
const hostLine = ({ name, unicodeName, ...rest }: HostResult): string => jsonLine({ name, unicodeName, ...rest });

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
