import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { StateError, UsageError } from '../base/errors.js';
import { renameNow } from '../base/rename.js';
import { printable } from '../base/text.js';
import { checkKeys, describeValue, readDirectory, readOptions, readTextArgument } from '../config/arguments.js';
import { nounOf } from '../config/commands.js';
import type { StoredOptions } from '../config/stored.js';
import { textOfPage } from '../content/page-text.js';
import { parseQuery, type Query, segmented, unsegmented } from '../corpus/query.js';
import { MOST_HITS } from '../corpus/search.js';
import { PageSearch } from '../lane/page-search.js';
import { SearchReader, SearchWriter } from '../store/corpus-search.js';
import { openForReading } from '../store/directory.js';
import { type KeptPage, KeptTexts } from '../store/kept-texts.js';
import { READABLE_TYPE } from '../store/page-row.js';

/** A page of a kept crawl that has what was looked for. */
export interface CrawlHit {
  /** Its URL. */
  url: string;
  /** Its title; empty where it has none. */
  title: string;
  /** Where it stands; one line, without control characters. */
  snippet: string;
  /** The higher the better; only to be compared within one answer. For an expression, how often it matches. */
  score: number;
}

const EXPRESSION = 're:';
const DEFAULT_HITS = 10;
const LONGEST_SNIPPET = 400;
/** A passage is about so many characters: a snippet comes from one, and words that stand in one count for more. */
const PASSAGE = 2_000;
const PAGES_A_TURN = 50;
/** The index is named after the last page that is in it: a crawl that went on gets another. */
const INDEX_NAME = /^search-\d+\.db(?:\.tmp)?$/;

/**
 * Pages of a kept crawl that have some of the words, the best first; `re:EXPRESSION` goes through all of them and takes the first that match. The
 * crawl must have kept its pages (`--keep text` or `body`). The first search writes an index into the directory.
 */
export async function searchCrawl(
  directory: string,
  query: string,
  options: { limit?: number } = {},
): Promise<CrawlHit[]> {
  const call = "searchCrawl('gossamer-data/example.com', 'rate limit', { limit: 5 })";
  const path = resolve(readDirectory(call, directory));
  const text = readTextArgument(call, query, 'query').trim();
  const given = readOptions(call, options);
  checkKeys('searchCrawl', given, ['limit']);
  const limit = given.limit ?? DEFAULT_HITS;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_HITS) {
    throw new UsageError(`limit must be a whole number from 1 to ${MOST_HITS}, got ${describeValue(limit)}`);
  }
  const search = text.startsWith(EXPRESSION) ? new PageSearch([text]) : parseQuery(text);
  refuseEmpty(path);
  const texts = KeptTexts.open(path);
  try {
    return search instanceof PageSearch
      ? await byExpression(texts, search, limit)
      : byWords(await indexOf(path, texts), search, limit);
  } finally {
    texts.close();
  }
}

function refuseEmpty(directory: string): void {
  openForReading(directory, (reader) => {
    const command = reader.command();
    if (command !== 'crawl') {
      throw new StateError('other_command', `${directory} holds a ${nounOf(command)}, not a crawl`);
    }
    const { values } = JSON.parse(reader.meta().options!) as StoredOptions;
    if ((values.keep ?? 'none') === 'none') {
      throw new StateError(
        'nothing_kept',
        `the crawl in ${directory} kept none of its pages, so there is nothing to search: crawl again with --keep text or --keep body`,
      );
    }
  });
}

async function byExpression(texts: KeptTexts, search: PageSearch, limit: number): Promise<CrawlHit[]> {
  const hits: CrawlHit[] = [];
  for await (const { url, title, text } of inTurns(texts)) {
    const [found] = search.find(text).found;
    if (found !== undefined) {
      hits.push({ url, title: title ?? '', snippet: found.snippet, score: found.count });
    }
    if (hits.length === limit) {
      break;
    }
  }
  return hits;
}

function byWords(index: string, query: Query, limit: number): CrawlHit[] {
  const reader = SearchReader.open(index);
  if (reader === null) {
    throw new StateError('search_version', `${index} was not written by this version: delete it`);
  }
  try {
    return reader.best(query, { limit }).map(({ url, title, sections, score }) => ({
      url,
      title,
      snippet: printable(unsegmented((sections[0]?.snippet ?? '').replace(/\s+/g, ' ')).trim(), LONGEST_SNIPPET),
      score,
    }));
  } finally {
    reader.close();
  }
}

/** The file of the index, made where there is none of the pages that are kept by now. */
async function indexOf(directory: string, texts: KeptTexts): Promise<string> {
  const name = `search-${texts.lastSeq()}.db`;
  const path = join(directory, name);
  if (existsSync(path) && isReadable(path)) {
    return path;
  }
  const unfinished = `${path}.tmp`;
  let writer: SearchWriter;
  try {
    writer = new SearchWriter(unfinished);
  } catch (error) {
    throw new StateError('unwritable', `cannot write the index of ${directory}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  try {
    for await (const { url, title, text } of inTurns(texts)) {
      writer.add(
        { url, path: '', title: title ?? '', tokens: 0, lang: 'en' },
        { title: segmented(title ?? '') },
        passagesOf(text).map((passage) => ({ headings: [], words: { headings: '', text: segmented(passage) } })),
      );
    }
    writer.finish();
  } catch (error) {
    writer.discard();
    throw error;
  }
  renameNow(unfinished, path);
  for (const old of readdirSync(directory).filter((file) => INDEX_NAME.test(file) && file !== name)) {
    try {
      rmSync(join(directory, old), { force: true });
    } catch {
      // On Windows it stays while another search reads it, and goes with a later index.
    }
  }
  return path;
}

/** One that another version has written is made anew. */
function isReadable(index: string): boolean {
  const reader = SearchReader.open(index);
  reader?.close();
  return reader !== null;
}

/** Lets other work run from time to time. */
async function* inTurns(texts: KeptTexts): AsyncGenerator<Pick<KeptPage, 'url' | 'title'> & { text: string }> {
  let count = 0;
  for (const { url, title, type, packed } of texts.pages()) {
    const text = textOf(type, packed);
    if (text !== null) {
      yield { url, title, text };
    }
    if (++count % PAGES_A_TURN === 0) {
      await setImmediate();
    }
  }
}

function textOf(type: string | null, packed: Uint8Array): string | null {
  const body = inflateRawSync(packed);
  return type === READABLE_TYPE ? body.toString('utf8') : textOfPage(body, type);
}

/** At the end of a line where there is one. */
function passagesOf(text: string): string[] {
  const passages: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.lastIndexOf('\n', from + PASSAGE);
    const to = from + PASSAGE >= text.length ? text.length : end > from ? end : from + PASSAGE;
    passages.push(text.slice(from, to));
    from = to;
  }
  return passages;
}
