import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Breaks } from '../base/breaks.js';
import { AtomicFiles } from '../report/atomic-file.js';
import { jsonLine, TextWriter } from '../report/output.js';
import { SearchWriter } from '../store/corpus-search.js';
import type { StatePage } from '../store/corpus-state.js';
import type { Chunk } from './chunks.js';
import { fullText, llmsHead, llmsLink, llmsSection, pageLine, sectionOf, sharedFolder } from './corpus-files.js';
import type { CorpusOptions, CorpusReport } from './corpus-options.js';
import { withoutFragment } from './document.js';
import { decideDuplicates } from './duplicates.js';
import { type IndexEntry, isLow, type RemovedEntry, type State } from './index-entry.js';
import { CORPUS_SCHEMA, writeIndex } from './index-file.js';
import { isIndexPage } from './index-page.js';
import { FILES, fileOf, isWorkFile, partialOf } from './layout.js';
import { relinkMarkdown, renderPage } from './page-file.js';
import { PagePaths } from './page-paths.js';
import { searchableOf } from './passages.js';
import { readChunks } from './prepare.js';
import { languageOf } from './search-words.js';
import { Flusher, filesBelow, isFileEqual, linkFile, removeEmptyFolders, writePageFile } from './tree.js';

/** The section of llms.txt that may be passed over; the convention names it so. */
const OPTIONAL = 'Optional';

/** Files that get a piece of each page as it is finished. */
const STREAMED = ['llmsFull', 'pages', 'chunks', 'changes'] as const;
type OutputName = (typeof STREAMED)[number] | 'llms' | 'index';

/** Makes a complete corpus in DIR.partial of the pages in the state. One page at a time is in memory. */
export class CorpusFinisher {
  readonly #dir: string;
  readonly #partial: string;
  readonly #state: State;
  readonly #options: CorpusOptions;
  readonly #report: CorpusReport;
  /** The page that a link leads to. */
  readonly #pageAt: (url: string) => { url?: string; path: string } | null;
  /** Images that are in the new corpus by now. */
  readonly #images = new Set<string>();
  /** Of these, written and not yet flushed. */
  readonly #newImages: string[] = [];
  readonly #flusher = new Flusher();
  readonly #breaks: Breaks;
  #root = '';

  constructor(dir: string, state: State, options: CorpusOptions) {
    this.#dir = dir;
    this.#partial = partialOf(dir);
    this.#state = state;
    this.#options = options;
    this.#breaks = options.breaks ?? new Breaks();
    const page = remembered((url) => state.keptPageOf(url), options.linkEnds);
    const image = remembered((url) => this.#imageAt(url));
    this.#pageAt = (url) => page(url) ?? image(url);
    this.#report = {
      pages: 0,
      bytes: 0,
      tokens: 0,
      tokensEstimated: options.tokens.isEstimate,
      chunks: 0,
      low: 0,
      indexPages: 0,
      duplicates: 0,
      changes: { added: 0, changed: 0, rewritten: 0, removed: 0, unchanged: 0 },
    };
  }

  /** @param run how often the corpus will have been written */
  async run(run: number): Promise<CorpusReport> {
    const outputs = new Map<OutputName, AtomicFiles>();
    const texts: TextWriter[] = [];
    const create = (name: OutputName): TextWriter => {
      const files = new AtomicFiles(join(this.#partial, FILES[name]));
      outputs.set(name, files);
      const text = new TextWriter(files.create());
      texts.push(text);
      return text;
    };
    try {
      await decideDuplicates(this.#state.duplicates, this.#breaks);
      this.#state.begin();
      this.#assignPaths();
      this.#sweep();
      const removed = await this.#writePages(create);
      this.#state.commit();
      await this.#writeLlms(create('llms'));
      await this.#writeIndex(create('index'), run, removed);
      for (const text of texts) {
        text.flush();
      }
      await this.#flusher.flush();
      const index = outputs.get('index')!;
      await AtomicFiles.commitTogether(
        [...outputs.values()].filter((each) => each !== index),
        index,
      );
    } catch (error) {
      for (const output of outputs.values()) {
        output.discard();
      }
      this.#state.rollBack();
      throw error;
    }
    return this.#report;
  }

  /** Gives each page its path. Pages that already had one choose first. */
  #assignPaths(): void {
    const pagePaths = new PagePaths(this.#options.origin, this.#state.claims());
    for (const { url, path } of this.#state.takePaths()) {
      this.#state.setPath(url, pagePaths.assign(url, path));
    }
    const paths = this.#state.firstAndLastPath();
    this.#root = paths === null ? '' : sharedFolder(paths.first, paths.last);
  }

  /** Puts the image there when the first page shows it. */
  #imageAt(url: string): { path: string } | null {
    const image = this.#options.imageAt?.(url) ?? null;
    if (image !== null && !this.#images.has(image.path)) {
      this.#images.add(image.path);
      if (isFileEqual(this.#dir, image.path, image.bytes)) {
        linkFile(this.#dir, this.#partial, image.path);
      } else {
        writePageFile(this.#partial, image.path, image.bytes);
        this.#newImages.push(image.path);
      }
    }
    return image === null ? null : { path: image.path };
  }

  /** What an interrupted run has left under names that no page has now. */
  #sweep(): void {
    for (const path of filesBelow(this.#partial)) {
      if (!isWorkFile(path) && !this.#state.hasPath(path)) {
        rmSync(fileOf(this.#partial, path));
      }
    }
    removeEmptyFolders(this.#partial);
  }

  async #writePages(create: (name: OutputName) => TextWriter): Promise<RemovedEntry[]> {
    const search = new SearchWriter(join(this.#partial, FILES.search));
    try {
      const [full, pages, chunks, changes] = STREAMED.map(create) as [TextWriter, TextWriter, TextWriter, TextWriter];
      for (const page of this.#state.kept()) {
        const made = this.#makePage(page, changes);
        pages.write(pageLine(page));
        if (made.entry.kind !== 'index') {
          full.write(fullText(page));
          chunks.write(page.chunks);
          const { whole, passages } = searchableOf(made.entry, made.chunks);
          search.addLinks(this.#linkedFrom(page));
          search.add({ ...made.entry, lang: languageOf(made.entry.lang) }, whole, passages);
        }
        for (const path of this.#newImages.splice(0)) {
          await this.#flusher.add(fileOf(this.#partial, path));
        }
        if (made.isNew) {
          await this.#flusher.add(fileOf(this.#partial, page.path));
        }
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

  /** Other pages of the corpus, each once. */
  #linkedFrom({ links, path: from }: StatePage): Set<string> {
    const paths = links.flatMap(({ url }) => this.#pageAt(withoutFragment(url))?.path ?? []);
    return new Set(paths.filter((path) => path !== from));
  }

  #makePage(page: StatePage, changes: TextWriter): { entry: IndexEntry; chunks: Chunk[]; isNew: boolean } {
    const before = this.#state.before(page.url)?.entry ?? null;
    const isIndex = this.#options.indexPages !== true && isIndexPage(page.path, page.markdown);
    const chunks = isIndex ? [] : readChunks(page.chunks);
    const isSame = before !== null && isSameContent(before, page);
    // The date tells when the content was first seen, not when it was last fetched.
    const crawled = isSame ? before.crawled : page.crawled;
    const bytes = renderPage({ ...page, crawled }, relinkMarkdown(page, this.#pageAt), this.#options.tokens.isEstimate);
    const isUntouched = isSame && isFileEqual(this.#dir, page.path, bytes);
    if (isUntouched) {
      linkFile(this.#dir, this.#partial, page.path);
    } else {
      writePageFile(this.#partial, page.path, bytes);
    }
    const chunkIds = chunkChanges(before, page.title, chunks);
    const isRechunked = chunkIds.upsert.length + chunkIds.delete.length > 0;
    const change =
      before === null ? 'added' : !isSame || isRechunked ? 'changed' : isUntouched ? 'unchanged' : 'rewritten';
    if (change !== 'unchanged') {
      changes.write(changeLine(change, page, chunkIds));
    }
    const made = entryOf(page, { crawled, bytes: bytes.length, chunks: chunks.map(({ id }) => id) });
    const entry: IndexEntry = { ...made, ...(isIndex ? { kind: 'index' } : {}) };
    this.#state.addEntry(this.#report.pages, isIndex ? OPTIONAL : sectionOf(page.path, this.#root), entry);
    this.#count(change, entry);
    return { entry, chunks, isNew: !isUntouched };
  }

  #count(change: 'added' | 'changed' | 'rewritten' | 'unchanged', entry: IndexEntry): void {
    const { tokens, bytes, chunks, kind } = entry;
    this.#report.changes[change]++;
    this.#report.pages++;
    this.#report.tokens += tokens;
    this.#report.bytes += bytes;
    this.#report.chunks += chunks.length;
    this.#report.low += isLow(entry) ? 1 : 0;
    this.#report.indexPages += kind === 'index' ? 1 : 0;
  }

  /** Tombstones: those of this run, and of earlier ones those that have runs left. */
  #bury(changes: TextWriter): RemovedEntry[] {
    const removed: RemovedEntry[] = [];
    for (const tomb of this.#state.tombstones()) {
      if (tomb.runsLeft > 1) {
        removed.push({ ...tomb, runsLeft: tomb.runsLeft - 1 });
      }
    }
    for (const { entry, duplicateOf } of this.#state.gone()) {
      const { url, path } = entry;
      this.#report.changes.removed++;
      changes.write(changeLine('removed', entry, { upsert: [], delete: entry.chunks }, duplicateOf));
      if (duplicateOf === null) {
        removed.push({ url, path, removed: this.#options.now, runsLeft: TOMBSTONE_RUNS });
      }
    }
    return removed.sort((a, b) => (a.url < b.url ? -1 : 1));
  }

  async #writeLlms(file: TextWriter): Promise<void> {
    file.write(llmsHead(this.#options.title, this.#options.summary));
    const sections = this.#state.sections();
    const optional = sections.filter((section) => section === OPTIONAL);
    for (const section of [...sections.filter((each) => each !== OPTIONAL), ...optional]) {
      file.write(llmsSection(section));
      for (const entry of this.#state.entries(section)) {
        file.write(llmsLink(entry));
      }
    }
  }

  async #writeIndex(file: TextWriter, run: number, removed: RemovedEntry[]): Promise<void> {
    const { title, summary, source, origin, chunkTokens, ignoredRobots } = this.#options;
    const { pages, bytes, tokens, tokensEstimated, chunks, low, indexPages, changes } = this.#report;
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
      ...(low > 0 ? { low } : {}),
      ...(indexPages > 0 ? { indexPages } : {}),
      ...(ignoredRobots ? ({ ignoredRobots } as const) : {}),
      changes,
    };
    const duplicates = [...this.#state.duplicates.all()];
    this.#report.duplicates = duplicates.length;
    await writeIndex(file, head, { documents: this.#state.entries(), duplicates, removed });
  }
}

function entryOf(
  { url, path, title, description, lang, hash, tokens, canonical, etag, lastModified, kept = 1 }: StatePage,
  { crawled, bytes, chunks }: { crawled: string; bytes: number; chunks: string[] },
): IndexEntry {
  const facts = { url, path, title, description, lang, hash, tokens, bytes, crawled, canonical, etag, lastModified };
  return { ...facts, chunks, ...(kept < 1 ? { kept } : {}) };
}

const MOST_REMEMBERED = 50_000;

/** Remembers answers, because most pages link to the same few pages. */
function remembered<T>(
  find: (url: string) => T | null,
  linkEnds = (url: string): readonly string[] => [url],
): (url: string) => T | null {
  const known = new Map<string, T | null>();
  return (url) => {
    let found = known.get(url);
    if (found === undefined) {
      found = firstOf(linkEnds(url), find);
      if (known.size === MOST_REMEMBERED) {
        known.clear();
      }
      known.set(url, found);
    }
    return found;
  };
}

function firstOf<T>(urls: readonly string[], find: (url: string) => T | null): T | null {
  for (const url of urls) {
    const found = find(url);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

type Change = 'added' | 'changed' | 'rewritten' | 'removed' | 'unchanged';

/** By how many runs a page that is gone is still named. */
const TOMBSTONE_RUNS = 10;

type Content = Pick<IndexEntry, 'hash' | 'title' | 'description' | 'lang'>;

const isSameContent = (a: Content, b: Content): boolean =>
  a.hash === b.hash && a.title === b.title && a.description === b.description && a.lang === b.lang;

/** Ids of chunks to write to a vector store, and to delete from it. */
interface ChunkChanges {
  upsert: string[];
  delete: string[];
}

/** An id stands for URL, headings and text; only the title of the page can have changed beside it. */
function chunkChanges(
  before: Pick<IndexEntry, 'title' | 'chunks'> | null,
  title: string,
  now: readonly Pick<Chunk, 'id'>[],
): ChunkChanges {
  const ids = now.map(({ id }) => id);
  const known = new Set(before === null || before.title !== title ? [] : before.chunks);
  const kept = new Set(ids);
  return { upsert: ids.filter((id) => !known.has(id)), delete: (before?.chunks ?? []).filter((id) => !kept.has(id)) };
}

/** A line of changes.jsonl. */
const changeLine = (
  change: Exclude<Change, 'unchanged'>,
  { url, path }: { url: string; path: string },
  chunks: ChunkChanges,
  duplicateOf: string | null = null,
): string => jsonLine({ change, url, path, ...chunks, ...(duplicateOf === null ? {} : { duplicateOf }) });
