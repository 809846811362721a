import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Breaks } from '../base/breaks.js';
import { AtomicFiles } from '../report/atomic-file.js';
import type { OutputFile } from '../report/output.js';
import type { Database } from '../store/sqlite.js';
import { changeLine, chunkChanges, isSameContent, TOMBSTONE_RUNS } from './change.js';
import type { Chunk } from './chunks.js';
import type { CorpusOptions, CorpusReport } from './corpus-options.js';
import { decideDuplicates, duplicateEntries, keptPages } from './duplicates.js';
import type { IndexEntry, RemovedEntry } from './index-entry.js';
import { CORPUS_SCHEMA, writeIndex } from './index-file.js';
import { FILES, fileOf, isWorkFile, partialOf } from './layout.js';
import { llmsHead, llmsLink, llmsSection, sectionOf, sharedFolder } from './llms-text.js';
import { relinked, renderPage } from './page-file.js';
import { fullText, pageLine } from './page-lines.js';
import { PathBook } from './path-book.js';
import { readChunks } from './prepare.js';
import { SearchIndex } from './search-index.js';
import type { State, StatePage } from './state.js';
import { carryFile, Flusher, filesBelow, holds, placeFile, removeEmptyFolders } from './tree.js';

/** Files that get a piece of each page as it is finished. */
const STREAMED = ['llmsFull', 'pages', 'chunks', 'changes'] as const;
type OutputName = (typeof STREAMED)[number] | 'llms' | 'index';

/** Makes a complete corpus in DIR.partial of the pages in the state. One page at a time is in memory. */
export class Finish {
  readonly #dir: string;
  readonly #partial: string;
  readonly #state: State;
  readonly #options: CorpusOptions;
  readonly #report: CorpusReport;
  /** The page that a link leads to. */
  readonly #pageAt: ReturnType<typeof keptPages>;
  readonly #flusher = new Flusher();
  readonly #breaks: Breaks;
  #root = '';

  constructor(dir: string, state: State, options: CorpusOptions) {
    this.#dir = dir;
    this.#partial = partialOf(dir);
    this.#state = state;
    this.#options = options;
    this.#breaks = options.breaks ?? new Breaks();
    this.#pageAt = remembered(keptPages(state.database), options.linkEnds);
    this.#report = {
      pages: 0,
      bytes: 0,
      tokens: 0,
      tokensEstimated: options.tokens.isEstimate,
      chunks: 0,
      duplicates: 0,
      changes: { added: 0, changed: 0, rewritten: 0, removed: 0, unchanged: 0 },
    };
  }

  /** @param run how often the corpus will have been written */
  async run(run: number): Promise<CorpusReport> {
    const { database } = this.#state;
    const outputs = new Map<OutputName, AtomicFiles>();
    const create = (name: OutputName): OutputFile => {
      const files = new AtomicFiles(join(this.#partial, FILES[name]));
      outputs.set(name, files);
      return files.create();
    };
    try {
      await decideDuplicates(database, this.#breaks);
      database.exec('BEGIN');
      this.#assignPaths();
      this.#sweep();
      const removed = await this.#writePages(create);
      database.exec('COMMIT');
      await this.#writeLlms(create('llms'));
      await this.#writeIndex(create('index'), run, removed);
      await this.#flusher.flush();
      const index = outputs.get('index')!;
      await AtomicFiles.commitTogether(
        [...outputs.values()].filter((each) => each !== index),
        index,
      );
    } catch (error) {
      for (const output of outputs.values()) output.discard();
      rollBack(database);
      throw error;
    }
    return this.#report;
  }

  /** Pages that had a path ask first. */
  #assignPaths(): void {
    const book = new PathBook(this.#options.origin, this.#state.claims());
    const { database } = this.#state;
    const rows = database
      .prepare(
        `SELECT pages.url AS url, entry ->> 'path' AS path FROM pages LEFT JOIN before USING (url)
         WHERE duplicate_of IS NULL ORDER BY entry IS NULL, length(pages.url), pages.url`,
      )
      .all();
    database.exec('UPDATE pages SET path = NULL');
    for (const { url, path } of rows) this.#state.setPath(url, book.assign(url, path));
    const { first, last } = database.prepare('SELECT min(path) AS first, max(path) AS last FROM pages').get()!;
    this.#root = first === null ? '' : sharedFolder(first, last);
  }

  /** What an interrupted run has left under names that no page has now. */
  #sweep(): void {
    for (const path of filesBelow(this.#partial)) {
      if (!isWorkFile(path) && !this.#state.hasPath(path)) rmSync(fileOf(this.#partial, path));
    }
    removeEmptyFolders(this.#partial);
  }

  async #writePages(create: (name: OutputName) => OutputFile): Promise<RemovedEntry[]> {
    const search = new SearchIndex(join(this.#partial, FILES.search));
    try {
      const [full, pages, chunks, changes] = STREAMED.map(create) as [OutputFile, OutputFile, OutputFile, OutputFile];
      for (const page of this.#state.kept()) {
        const made = this.#makePage(page, changes);
        full.write(fullText(page));
        pages.write(pageLine(page));
        chunks.write(page.chunks);
        search.add(made.entry, made.chunks);
        if (made.isNew) await this.#flusher.add(fileOf(this.#partial, page.path));
        await this.#breaks.take();
      }
      const removed = this.#bury(changes);
      search.finish();
      await this.#flusher.add(join(this.#partial, FILES.search));
      return removed;
    } catch (error) {
      search.discard();
      throw error;
    }
  }

  #makePage(page: StatePage, changes: OutputFile): { entry: IndexEntry; chunks: Chunk[]; isNew: boolean } {
    const before = this.#state.before(page.url)?.entry ?? null;
    const chunks = readChunks(page.chunks);
    const isSame = before !== null && isSameContent(before, page);
    // The date is that of the content, not of the last look at it.
    const crawled = isSame ? before.crawled : page.crawled;
    const bytes = renderPage({ ...page, crawled }, relinked(page, this.#pageAt), this.#options.tokens.isEstimate);
    const isUntouched = isSame && holds(this.#dir, page.path, bytes);
    if (isUntouched) carryFile(this.#dir, this.#partial, page.path);
    else placeFile(this.#partial, page.path, bytes);
    const chunkIds = chunkChanges(before, page.title, chunks);
    const isRechunked = chunkIds.upsert.length + chunkIds.delete.length > 0;
    const change =
      before === null ? 'added' : !isSame || isRechunked ? 'changed' : isUntouched ? 'unchanged' : 'rewritten';
    if (change !== 'unchanged') changes.write(changeLine(change, page, chunkIds));
    const entry = entryOf(page, { crawled, bytes: bytes.length, chunks: chunks.map(({ id }) => id) });
    this.#state.addEntry(this.#report.pages, sectionOf(page.path, this.#root), entry);
    this.#count(change, entry);
    return { entry, chunks, isNew: !isUntouched };
  }

  #count(change: 'added' | 'changed' | 'rewritten' | 'unchanged', { tokens, bytes, chunks }: IndexEntry): void {
    this.#report.changes[change]++;
    this.#report.pages++;
    this.#report.tokens += tokens;
    this.#report.bytes += bytes;
    this.#report.chunks += chunks.length;
  }

  /** Tombstones: those of this run, and of earlier ones those that have runs left. */
  #bury(changes: OutputFile): RemovedEntry[] {
    const removed: RemovedEntry[] = [];
    for (const tomb of this.#state.tombstones()) {
      if (tomb.runsLeft > 1) removed.push({ ...tomb, runsLeft: tomb.runsLeft - 1 });
    }
    for (const { entry, duplicateOf } of this.#state.gone()) {
      const { url, path } = entry;
      this.#report.changes.removed++;
      changes.write(changeLine('removed', entry, { upsert: [], delete: entry.chunks }, duplicateOf));
      if (duplicateOf === null) removed.push({ url, path, removed: this.#options.now, runsLeft: TOMBSTONE_RUNS });
    }
    return removed.sort((a, b) => (a.url < b.url ? -1 : 1));
  }

  async #writeLlms(file: OutputFile): Promise<void> {
    file.write(llmsHead(this.#options.title, this.#options.summary));
    for (const section of this.#state.sections()) {
      file.write(llmsSection(section));
      for (const entry of this.#state.entries(section)) file.write(llmsLink(entry));
    }
  }

  async #writeIndex(file: OutputFile, run: number, removed: RemovedEntry[]): Promise<void> {
    const { title, summary, source, origin, chunkTokens, ignoredRobots } = this.#options;
    const { pages, bytes, tokens, tokensEstimated, chunks, changes } = this.#report;
    const head = {
      schema: CORPUS_SCHEMA,
      title,
      summary,
      source,
      origin,
      run,
      pages,
      bytes,
      tokens,
      tokensEstimated,
      chunkTokens,
      chunks,
      ...(ignoredRobots ? ({ ignoredRobots } as const) : {}),
      changes,
    };
    const duplicates = [...duplicateEntries(this.#state.database)];
    this.#report.duplicates = duplicates.length;
    await writeIndex(file, head, { documents: this.#state.entries(), duplicates, removed });
  }
}

function entryOf(
  { url, path, title, description, lang, hash, tokens, canonical, etag, lastModified }: StatePage,
  { crawled, bytes, chunks }: { crawled: string; bytes: number; chunks: string[] },
): IndexEntry {
  return { url, path, title, description, lang, hash, tokens, bytes, crawled, canonical, etag, lastModified, chunks };
}

/** A connection that is closed while its rows are read keeps its transaction, and with it the next run out. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // It was between two transactions.
  }
}

const MOST_REMEMBERED = 50_000;

/** Pages link to the same pages, most of all to those that all of them link to. */
function remembered<T>(
  find: (url: string) => T | null,
  linkEnds = (url: string): readonly string[] => [url],
): (url: string) => T | null {
  const known = new Map<string, T | null>();
  return (url) => {
    let found = known.get(url);
    if (found === undefined) {
      found = firstOf(linkEnds(url), find);
      if (known.size === MOST_REMEMBERED) known.clear();
      known.set(url, found);
    }
    return found;
  };
}

function firstOf<T>(urls: readonly string[], find: (url: string) => T | null): T | null {
  for (const url of urls) {
    const found = find(url);
    if (found !== null) return found;
  }
  return null;
}
