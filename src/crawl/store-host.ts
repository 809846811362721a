import { existsSync, mkdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StateError } from '../base/errors.js';
import type { ExportFormat, ReportTarget } from '../config/option-spec.js';
import { changedOptions } from '../config/stored.js';
import { KeyTable, type KeyTableData } from '../frontier/key-table.js';
import { CrawlScope, type CrawlScopeData } from '../lane/crawl-scope.js';
import { type ArchiveNotes, ArchiveWriter } from '../report/archive.js';
import { refuseUnwritable, sinksIn, writeOutputs } from '../report/index.js';
import { Sinks } from '../report/sinks.js';
import { type RunFacts, type Summary, summarise } from '../report/summary.js';
import { ArchiveTable, archiveMark, NO_ARCHIVE_YET } from '../store/archive-table.js';
import { CookieStore, type SiteCookie } from '../store/cookie-store.js';
import { clearUnbegun, openForReading, stateOf, takeCrashNote } from '../store/directory.js';
import { type EarlierIndex, indexEarlier } from '../store/earlier-crawl.js';
import { DirectoryLock } from '../store/lock.js';
import type { Mail, Outbox, Peer } from '../store/outbox.js';
import type { PageResult } from '../store/page-types.js';
import { type EdgeResult, Reader } from '../store/reader.js';
import { type KeptAnswer, type PageToRender, RenderingReader } from '../store/rendering-reader.js';
import { Store } from '../store/store.js';
import { openStoreFile, TEMPORARY } from '../store/store-file.js';
import { SurveyReader } from '../store/survey-reader.js';
import type {
  BadSeed,
  CommitAnswer,
  HostSnapshot,
  QueuedUrl,
  QueueLoad,
  SeedRow,
  StoreSnapshot,
  Transaction,
} from '../store/transaction.js';
import type { CookieChange } from '../url/kept-cookie.js';
import { RenderShapes, type ShapeFacts } from './render-shapes.js';
import { type Survey, type SurveyQuestion, survey } from './survey/survey.js';

export interface StoreSetup {
  /** Null for a store that leaves nothing behind. */
  directory: string | null;
  create: boolean;
  /** Whether cookies are kept with the crawl. */
  keepsCookies: boolean;
  /** What is written into a new store before anything else. */
  meta: Record<string, string>;
  seeds: SeedRow[];
  badSeeds: BadSeed[];
  /** Outputs that are written at the end, besides those that every crawl has. */
  reports: ReportTarget<ExportFormat>[];
  /** Whether all kept pages are to be rendered, including those of earlier runs. */
  rendersAll: boolean;
  /** Without a browser, and without keeping pages: those that an earlier run left waiting are reported as they came. */
  leavesUnrendered: boolean;
  /** Pages are not kept once a browser has rendered them: the record of a page waits for that. */
  dropsBodies: boolean;
  /** Pages are kept, even after the browser has rendered them. */
  keepsBodies: boolean;
  /** pages.jsonl, sitemap.xml and summary.json are written. */
  hasOutputs: boolean;
  /** Set if every exchange is archived: what the archive's beginning says of the crawl. A resumed crawl keeps to what it began with. */
  archives: ArchiveNotes | null;
  scope: Omit<CrawlScopeData, 'seeds'>;
  pid: number;
  wall: number;
  hostsInMemory: number;
  keyBudgetBytes: number;
  expectedUrls: number;
  falsePositiveRate: number;
  lookupBatch: number;
}

export interface StoreOpened {
  snapshot: StoreSnapshot;
  keys: KeyTableData;
  /** Cookies that earlier runs have kept. */
  cookies: SiteCookie[];
}

export interface FinishOrders {
  facts: Omit<RunFacts, 'sitemap'>;
  /** Outputs that the user wants besides those that every crawl has. */
  reports: ReportTarget<ExportFormat>[];
  /** Sitemaps name images and other languages. */
  sitemapExtras: boolean;
  wall: number;
}

/** Parked hosts whose time has come. */
export interface DueHosts {
  hosts: HostSnapshot[];
  nextDue: number | null;
  parked: number;
}

/** How far the seen set on disk and the look-ups behind its filter were used. */
export interface StoreUse {
  asked: number;
  saved: number;
  hits: number;
  peakBatch: number;
  peakWaiting: number;
  commits: number;
  commitMs: number;
}

/** A crawl whose pages are to be carried over. */
export interface EarlierOpened extends EarlierIndex {
  isFinished: boolean;
}

/** A page whose record had to wait for a browser. */
export interface SeenPage {
  page: PageResult;
  edges: EdgeResult[];
}

const UNASKED_BATCH = 1_000;
/** Packed. Scripts that many pages share are few; what each page has for itself is used once. */
const MOST_ASSET_BYTES = 64 * 1024 * 1024;

/** The store with everything that follows a commit: it lives in a thread of its own, the only one that writes. */
export class StoreHost {
  #store: Store | null = null;
  #lock: DirectoryLock | null = null;
  #cookies: CookieStore | null = null;
  #archive: ArchiveWriter | null = null;
  #renderingReader: RenderingReader | null = null;
  #sinks = new Sinks([]);
  #waitsForBrowser: Reader | null = null;
  #directory: string | null = null;
  #hasOutputs = false;
  #commits = 0;
  #commitMs = 0;
  /** Why a commit was not made; none is made after it. */
  #failure: Error | null = null;

  open(setup: StoreSetup): StoreOpened {
    this.#directory = setup.directory;
    this.#hasOutputs = setup.directory !== null && setup.hasOutputs;
    this.#sinks = new Sinks(setup.directory === null ? [] : sinksIn(setup.directory));
    const path = setup.directory === null ? TEMPORARY : join(setup.directory, 'crawl.sqlite');
    if (setup.directory !== null) {
      makeDirectory(setup.directory);
      this.#lock = DirectoryLock.take(setup.directory);
      // This runs after the directory is made, because an output may go into it, and before there is a store: a refused crawl has not begun.
      for (const { path } of setup.reports) {
        refuseUnwritable(path);
      }
    }
    if (setup.directory !== null && setup.create) {
      clearUnbegun(setup.directory);
    }
    const database = openStoreFile(path, { create: setup.create });
    const scope = new CrawlScope({ seeds: setup.seeds, ...setup.scope });
    const store = new Store(database, {
      expectedUrls: setup.expectedUrls,
      falsePositiveRate: setup.falsePositiveRate,
      lookupBatch: setup.lookupBatch,
      scope,
      ...(setup.dropsBodies && !setup.keepsBodies ? { mostAssetBytes: MOST_ASSET_BYTES } : {}),
      keepsBodies: setup.keepsBodies,
    });
    this.#store = store;
    this.#waitsForBrowser = setup.dropsBodies ? new Reader(database) : null;
    if (!setup.create) {
      refuseOtherFunctions(store.meta(), setup);
      // Sinks have been told that these URLs are skipped.
      store.lookAgain(changedSince(store.meta(), setup.meta), setup.meta.options!, this.#sinks.beginnings());
    }
    if (setup.rendersAll) {
      store.renderAll();
    }
    if (setup.leavesUnrendered) {
      store.writer.leaveUnrendered();
    }
    if (setup.create) {
      store.addSeeds(setup.seeds, setup.badSeeds);
      // This comes last: a store that knows its options counts as begun.
      store.setMeta({ ...setup.meta, inForce: setup.meta.options! });
    }
    this.#openArchive(store, setup);
    if (this.#hasOutputs) {
      this.#sinks.open(store.meta(), new Reader(database), store.writer.lastSeq);
    }
    const crashed = setup.directory === null ? [] : takeCrashNote(setup.directory);
    const snapshot = store.begin({ ...setup, crashed });
    if (setup.directory !== null && setup.keepsCookies) {
      this.#cookies = new CookieStore(setup.directory);
    }
    const cookies = this.#cookies?.all() ?? [];
    return { snapshot, keys: this.#loadKeys(store, snapshot, setup.keyBudgetBytes), cookies };
  }

  #openArchive(store: Store, { directory, create, archives, seeds }: StoreSetup): void {
    const mark = archiveMark(store.meta());
    if (directory === null || (create ? archives === null : mark === null)) {
      return;
    }
    const table = new ArchiveTable(store.database, create);
    store.writer.keepArchive(table);
    const notes = { ...(archives ?? { userAgent: store.meta().userAgent ?? '', robots: 'obey' }), seeds };
    this.#archive = new ArchiveWriter(directory, table, notes);
    this.#archive.open(mark ?? NO_ARCHIVE_YET);
    store.setMeta(this.#archive.mark());
  }

  /** Reads the crawl in another directory, which is opened only for this. */
  earlier(directory: string): EarlierOpened {
    const isFinished = stateOf(directory) === 'finished';
    return { isFinished, ...openForReading(directory, (_reader, database) => indexEarlier(database)) };
  }

  /** Keys of segments that are on disk stay there. */
  #loadKeys(store: Store, snapshot: StoreSnapshot, budgetBytes: number): KeyTableData {
    const table = new KeyTable(budgetBytes, snapshot.spilledSegments);
    store.eachKey((key, id, depth, standing) => {
      if (!table.mayBeOnDisk(key)) {
        table.insert(key, id, depth, standing);
      }
    });
    return table.handOver();
  }

  /** How far the sinks have come goes into the next commit: on resume they are cut there and go on from the store. */
  commit(transaction: Transaction): CommitAnswer {
    if (this.#failure !== null) {
      throw this.#failure;
    }
    try {
      return this.#commit(transaction);
    } catch (error) {
      // The next commit may be on its way, and builds on this one.
      this.#failure = error as Error;
      throw error;
    }
  }

  #commit(transaction: Transaction): CommitAnswer {
    const store = this.#opened();
    this.#sinks.write();
    Object.assign(transaction.meta, this.#sinks.marks());
    if (this.#archive !== null) {
      transaction.archived = this.#archive.add(transaction);
      Object.assign(transaction.meta, this.#archive.mark());
    }
    const answer = store.writer.commit(transaction);
    this.#commits++;
    this.#commitMs += answer.commitMs;
    const settled = transaction.settled.filter(({ retry }) => retry === null);
    const ids = [...settled, ...transaction.skipped].map(({ id }) => id);
    this.#sinks.settled(
      this.#waitsForBrowser === null ? ids : this.#toldNow(this.#waitsForBrowser, ids, transaction),
      store.writer.lastSeq,
    );
    return answer;
  }

  /** In the order of their numbers: a page that a browser was to render is reported when that is over. */
  #toldNow(reader: Reader, ids: readonly number[], { rendered }: Transaction): number[] {
    const waiting = reader.waiting(ids);
    return [...ids.filter((id) => !waiting.has(id)), ...rendered.map(({ id }) => id)];
  }

  /** Pages that a browser was to render, now that it has or will not, each with its links. */
  seen({ ids, withEdges }: { ids: readonly number[]; withEdges: boolean }): SeenPage[] {
    const reader = this.#waitsForBrowser ?? new Reader(this.#opened().database);
    return ids.flatMap((id) =>
      [...reader.pagesById([id])].map((page) => ({ page, edges: withEdges ? [...reader.edgesOf([id])] : [] })),
    );
  }

  dropAssets(): void {
    this.#opened().writer.dropAssets();
  }

  /** Gives the sinks the results of the last commit; nobody has to wait for that, so it follows once the commit has been answered. */
  writeResults(): void {
    this.#sinks.write();
  }

  /** Called before the commit of the pages that set them. */
  keepCookies(changes: CookieChange[]): void {
    this.#cookies?.keep(changes);
  }

  loadQueue(loads: QueueLoad[]): QueuedUrl[][] {
    return this.#opened().loadQueue(loads);
  }

  loadDue({ wall, limit }: { wall: number; limit: number }): DueHosts {
    return this.#opened().loadDue(wall, limit);
  }

  /** What earlier runs have found out about the shapes of pages, and how many pages wait. */
  renderShapes(): { facts: ShapeFacts; waiting: number } {
    const reader = this.#rendering();
    return { facts: RenderShapes.of(reader.pages()).facts, waiting: reader.count() };
  }

  toRender({ beyond, limit }: { beyond: number; limit: number }): PageToRender[] {
    return this.#rendering().waiting(beyond, limit);
  }

  kept(id: number): KeptAnswer | null {
    return this.#rendering().kept(id);
  }

  #rendering(): RenderingReader {
    this.#renderingReader ??= new RenderingReader(this.#opened().database);
    return this.#renderingReader;
  }

  mailPeers(): Peer[] {
    return this.#outbox().peers();
  }

  takeMail({ slot, from, size }: { slot: number; from: number; size: number }): Mail[] {
    return this.#outbox().take(slot, from, size);
  }

  acknowledgedMail({ slot, seq }: { slot: number; seq: number }): void {
    this.#outbox().acknowledged(slot, seq);
  }

  beginMail({ slot, incarnation, after }: { slot: number; incarnation: string; after: number }): Peer {
    return this.#outbox().begin(slot, incarnation, after);
  }

  keepMeta(meta: Record<string, string>): void {
    this.#opened().setMeta(meta);
  }

  #outbox(): Outbox {
    const { outbox } = this.#opened().writer;
    if (outbox === null) {
      throw new StateError('store', 'the store is no part of a crawl on several machines');
    }
    return outbox;
  }

  use(): StoreUse {
    return { ...this.#opened().writer.seen.use, commits: this.#commits, commitMs: this.#commitMs };
  }

  /** Free bytes where the crawl is kept; null if it is not kept. */
  async freeBytes(): Promise<number | null> {
    if (this.#directory === null) {
      return null;
    }
    const { bavail, bsize } = await statfs(this.#directory);
    return Number(bavail) * Number(bsize);
  }

  /** The end of a run: its reason is kept, and the outputs are written from what is in the store. */
  async finish({ facts, reports, sitemapExtras, wall }: FinishOrders): Promise<Summary> {
    const store = this.#opened();
    const { reason, truncated } = facts;
    store.setMeta({
      ended: JSON.stringify({ reason, truncated, isWritten: !this.#hasOutputs }),
      ...this.#sinks.finish(),
    });
    store.end(reason, wall);
    const reader = new Reader(store.database);
    this.#archive?.writeIndex();
    if (!this.#hasOutputs) {
      return summarise(reader, { ...facts, sitemap: null });
    }
    const summary = await writeOutputs(reader, this.#directory!, facts, reports, { sitemapExtras });
    store.setMeta({ ended: JSON.stringify({ reason, truncated }) });
    return summary;
  }

  /** After the end: URLs that were not settled one by one. */
  unasked({ beyond, withWaiting }: { beyond: number; withWaiting: boolean }): ReturnType<Reader['unasked']> {
    return new Reader(this.#opened().database).unasked(beyond, UNASKED_BATCH, withWaiting);
  }

  /** After the end: what robots.txt and sitemaps, or a sample, say about the site. */
  survey(question: SurveyQuestion): Survey {
    return survey(new SurveyReader(this.#opened().database), question);
  }

  close(): void {
    this.#sinks.close();
    this.#archive?.close();
    this.#archive = null;
    this.#store?.close();
    this.#cookies?.close();
    this.#cookies = null;
    this.#lock?.release();
    this.#store = null;
  }

  #opened(): Store {
    if (this.#store === null) {
      throw new StateError('store', 'the store is not open');
    }
    return this.#store;
  }
}

function makeDirectory(directory: string): void {
  try {
    makePath(directory);
  } catch (error) {
    throw new StateError('unwritable', `cannot make the directory ${directory}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Keys of the options that have changed since the run before. */
function changedSince(kept: Record<string, string>, now: Record<string, string>): ReadonlySet<string> {
  const before = kept.inForce ?? kept.options;
  return before === undefined ? new Set() : changedOptions(JSON.parse(before), JSON.parse(now.options!));
}

/** A crawl resumes with the kind of functions it began with: the network cannot give what they give, nor the other way round. */
function refuseOtherFunctions(kept: Record<string, string>, setup: StoreSetup): void {
  for (const [key, name] of [
    ['customFetch', 'fetch'],
    ['ownKeys', 'resolve'],
  ] as const) {
    const had = kept[key] === 'true';
    if (had !== (setup.meta[key] === 'true')) {
      const how = had
        ? `was made by a program with a \`${name}\` of its own and goes on only with that`
        : `was made without a \`${name}\` of one's own`;
      throw new StateError('other_functions', `the crawl in ${setup.directory} ${how}`);
    }
  }
}

/** `recursive` is not used: in a folder that takes no new ones, such as /proc, Node never returns from it. */
function makePath(directory: string): void {
  const parent = dirname(directory);
  if (parent !== directory && !existsSync(parent)) {
    makePath(parent);
  }
  try {
    mkdirSync(directory);
  } catch (error) {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
      throw error;
    }
  }
}
