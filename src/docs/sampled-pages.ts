import { setImmediate } from 'node:timers/promises';
import { SiteMemory } from '../content/extract/site-memory.js';
import { textHash } from '../corpus/fingerprint.js';
import type { TokenCounter } from '../corpus/tokens.js';
import type { SampledUrl } from '../crawl/preview/corpus-size.js';
import { firstPartOf } from '../crawl/preview/sample-order.js';
import type { Database, Row } from '../store/sqlite.js';
import { UrlKind, UrlState } from '../store/url-state.js';
import { NOINDEX } from './documents.js';
import { factsOf, type KeptPage, readPage } from './page-content.js';

const NO_IDS: ReadonlySet<string> = new Set();

const SAMPLED = `SELECT urls.url AS url, urls.state AS state, pages.redirect_to AS redirectTo, pages.robots_meta AS robots,
    bodies.type AS type, bodies.packed AS packed, parents.id IS NULL OR parents.kind = ${UrlKind.sitemap} AS given
  FROM pages JOIN urls ON urls.id = pages.id LEFT JOIN urls AS parents ON parents.id = urls.parent
    LEFT JOIN bodies ON bodies.page = urls.id
  WHERE urls.kind = ${UrlKind.page} AND urls.state IN (${UrlState.done}, ${UrlState.failed}) ORDER BY pages.seq`;

/**
 * How long the pages of a sample are as Markdown, in the order they were answered.
 *
 * @param isNamed only seeds and what sitemaps name are pages of the corpus
 */
export async function sampledPages(
  database: Database,
  sample: number,
  isNamed: boolean,
  counter: TokenCounter,
): Promise<SampledUrl[]> {
  const memory = await learned(database);
  const seen = new Set<string | null>();
  const urls: SampledUrl[] = [];
  const firstPart = firstPartOf(sample);
  let place = 0;
  for (const row of database.prepare(SAMPLED).iterate()) {
    const isDrawn = place++ >= firstPart;
    if (isNamed && row.given === 0) {
      continue;
    }
    const page = isPage(row) ? readPage(row as KeptPage, memory, NO_IDS) : null;
    const hash = page === null ? null : textHash(page.text);
    urls.push({ tokens: page === null || seen.has(hash) ? null : counter.count(page.markdown), isDrawn });
    // A copy is no page of its own.
    if (hash !== null) {
      seen.add(hash);
    }
    await setImmediate();
  }
  return urls;
}

const isPage = ({ state, redirectTo, packed, robots }: Row): boolean =>
  state === UrlState.done && redirectTo === null && packed !== null && !NOINDEX.test(robots ?? '');

async function learned(database: Database): Promise<SiteMemory> {
  const memory = new SiteMemory();
  for (const row of database.prepare(SAMPLED).iterate()) {
    if (row.state === UrlState.done && row.packed !== null) {
      memory.learn(factsOf(row as KeptPage).fingerprints);
      await setImmediate();
    }
  }
  return memory;
}
