import { existsSync, mkdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StateError } from '../../base/errors.js';
import type { ExportFormat, ReportTarget } from '../../config/option-spec.js';
import { changedOptions } from '../../config/stored.js';
import { KeyTable, type KeyTableData } from '../../frontier/embedded/key-table.js';
import { writeFileAtomically } from '../../report/atomic-file.js';
import { exportFormat, refuseUnwritable } from '../../report/index.js';
import { PagesStream } from '../../report/pages-stream.js';
import { type RunFacts, type Summary, summarise, summaryJson } from '../../report/summary.js';
import { takeCrashNote } from '../../store/crash-note.js';
import { clearUnbegun } from '../../store/directory.js';
import { DirectoryLock } from '../../store/lock.js';
import { Reader } from '../../store/reader.js';
import { type KeptAnswer, type PageToRender, RenderingReader } from '../../store/rendering-reader.js';
import { openStoreFile, Store, TEMPORARY } from '../../store/store.js';
import { SurveyReader } from '../../store/survey-reader.js';
import type {
  BadSeed,
  CommitAnswer,
  HostSnapshot,
  QueuedUrl,
  QueueLoad,
  SeedRow,
  StoreSnapshot,
} from '../../store/transaction.js';
import { CrawlScope, type CrawlScopeData } from '../crawl-scope.js';
import { type Survey, type SurveyQuestion, survey } from '../preview/survey.js';
import { RenderShapes, type ShapeFacts } from '../render-shapes.js';
import { type TransactionMail, unpackTransaction } from './transaction-mail.js';

export interface StoreSetup {
  /** Null: a store that leaves nothing behind. */
  directory: string | null;
  create: boolean;
  /** What is written into a new store before anything else. */
  meta: Record<string, string>;
  seeds: SeedRow[];
  badSeeds: BadSeed[];
  /** Outputs that are written at the end, beside those that every crawl has. */
  reports: ReportTarget<ExportFormat>[];
  /** All pages that are kept are to be rendered, those of earlier runs too. */
  rendersAll: boolean;
  /** pages.jsonl, sitemap.xml and summary.json are written. */
  hasOutputs: boolean;
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
}

export interface FinishOrders {
  facts: Omit<RunFacts, 'sitemap'>;
  /** Outputs asked for beside those that every crawl has. */
  reports: ReportTarget<ExportFormat>[];
  wall: number;
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

const UNASKED_BATCH = 1_000;

/** The store with everything that follows a commit: it lives in a thread of its own, the only one that writes. */
export class StoreHost {
  #store: Store | null = null;
  #lock: DirectoryLock | null = null;
  #reader: Reader | null = null;
  #renderingReader: RenderingReader | null = null;
  #stream: PagesStream | null = null;
  #directory: string | null = null;
  #hasOutputs = false;
  #streamedSeq = 0;
  /** Settled by the last commit, and not in the file yet. */
  #unwritten: number[] = [];
  #commits = 0;
  #commitMs = 0;

  open(setup: StoreSetup): StoreOpened {
    this.#directory = setup.directory;
    this.#hasOutputs = setup.directory !== null && setup.hasOutputs;
    const path = setup.directory === null ? TEMPORARY : join(setup.directory, 'crawl.sqlite');
    if (setup.directory !== null) {
      makeDirectory(setup.directory);
      this.#lock = DirectoryLock.take(setup.directory);
      // Once the directory is there, for an output may go into it, and before there is a store: a crawl that is refused has not begun.
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
    });
    this.#store = store;
    this.#reader = new Reader(database);
    if (!setup.create) {
      refuseOtherFunctions(store.meta(), setup);
      store.lookAgain(changedSince(store.meta(), setup.meta), setup.meta.options!);
    }
    if (setup.rendersAll) {
      store.renderAll();
    }
    if (setup.create) {
      store.addSeeds(setup.seeds, setup.badSeeds);
      // Last: a store that knows its options has been begun.
      store.setMeta({ ...setup.meta, inForce: setup.meta.options! });
    }
    this.#openStream(store);
    const crashed = setup.directory === null ? [] : takeCrashNote(setup.directory);
    const snapshot = store.begin({ ...setup, crashed });
    return { snapshot, keys: this.#loadKeys(store, snapshot, setup.keyBudgetBytes) };
  }

  #openStream(store: Store): void {
    if (!this.#hasOutputs) {
      return;
    }
    const kept = store.meta().pagesStream;
    const position: { offset: number; seq: number } = kept === undefined ? { offset: 0, seq: 0 } : JSON.parse(kept);
    this.#stream = PagesStream.open(join(this.#directory!, 'pages.jsonl'), position, this.#reader!);
    this.#streamedSeq = store.writer.lastSeq;
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

  /** Where the streamed file stands goes into the next commit: on resume the file is cut there and written on from the store. */
  commit(mail: TransactionMail): CommitAnswer {
    const store = this.#opened();
    const transaction = unpackTransaction(mail);
    this.writeLines();
    if (this.#stream !== null) {
      transaction.meta.pagesStream = JSON.stringify({ offset: this.#stream.offset, seq: this.#streamedSeq });
    }
    const answer = store.writer.commit(transaction);
    this.#commits++;
    this.#commitMs += answer.commitMs;
    this.#unwritten = [...transaction.settled.filter(({ retry }) => retry === null), ...transaction.skipped].map(
      ({ id }) => id,
    );
    return answer;
  }

  /** The lines of the last commit; nobody has to wait for them, so they follow once it has been answered. */
  writeLines(): void {
    if (this.#stream !== null && this.#unwritten.length > 0) {
      this.#stream.append(this.#reader!.pagesById(this.#unwritten));
      this.#streamedSeq = this.#opened().writer.lastSeq;
      this.#unwritten = [];
    }
  }

  loadQueue(loads: QueueLoad[]): QueuedUrl[][] {
    return this.#opened().loadQueue(loads);
  }

  loadDue(wall: number, limit: number): { hosts: HostSnapshot[]; nextDue: number | null; parked: number } {
    return this.#opened().loadDue(wall, limit);
  }

  /** What earlier runs have found out about the shapes of pages. */
  renderShapes(): ShapeFacts {
    return RenderShapes.of(this.#rendering().pages()).facts;
  }

  toRender(beyond: number, limit: number): PageToRender[] {
    return this.#rendering().waiting(beyond, limit);
  }

  kept(id: number): KeptAnswer | null {
    return this.#rendering().kept(id);
  }

  #rendering(): RenderingReader {
    this.#renderingReader ??= new RenderingReader(this.#opened().database);
    return this.#renderingReader;
  }

  use(): StoreUse {
    return { ...this.#opened().writer.seen.use, commits: this.#commits, commitMs: this.#commitMs };
  }

  /** Bytes free where the crawl is kept; Infinity for one that is kept nowhere. */
  async freeBytes(): Promise<number> {
    if (this.#directory === null) {
      return Number.POSITIVE_INFINITY;
    }
    const { bavail, bsize } = await statfs(this.#directory);
    return Number(bavail) * Number(bsize);
  }

  /** The end of a run: its reason is kept, and the outputs are written from what is in the store. */
  async finish(orders: FinishOrders): Promise<Summary> {
    const store = this.#opened();
    const reader = this.#reader!;
    const { facts } = orders;
    const { reason, truncated } = facts;
    store.setMeta({
      ended: JSON.stringify({ reason, truncated, isWritten: !this.#hasOutputs }),
      // The file is written anew below, in another order: a resume begins it from the store.
      pagesStream: JSON.stringify({ offset: 0, seq: 0 }),
    });
    store.end(reason, orders.wall);
    if (!this.#hasOutputs) {
      return summarise(reader, { ...facts, sitemap: null });
    }
    const directory = this.#directory!;
    this.#stream?.close();
    this.#stream = null;
    const fresh = new Reader(store.database);
    await exportFormat(fresh, 'jsonl', { path: join(directory, 'pages.jsonl') });
    const sitemap = await exportFormat(fresh, 'sitemap', { path: join(directory, 'sitemap.xml') });
    const summary = summarise(fresh, { ...facts, sitemap });
    writeFileAtomically(join(directory, 'summary.json'), summaryJson(summary));
    // Last: a path of the user's that cannot be written must not cost what is always there.
    for (const { format, path } of orders.reports) {
      await exportFormat(fresh, format, { path });
    }
    store.setMeta({ ended: JSON.stringify({ reason, truncated }) });
    return summary;
  }

  /** After the end: URLs that nothing was settled for. */
  unasked(beyond: number): ReturnType<Reader['unasked']> {
    return new Reader(this.#opened().database).unasked(beyond, UNASKED_BATCH);
  }

  /** After the end: what robots.txt and sitemaps, or a sample, say about the site. */
  survey(question: SurveyQuestion): Survey {
    return survey(new SurveyReader(this.#opened().database), question);
  }

  /** Lines that are not written yet are none of its concern: it must not fail, and whoever resumes writes them from the store. */
  close(): void {
    this.#stream?.close();
    this.#store?.close();
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

/** Keys of the options that are not what they were in the run before. */
function changedSince(kept: Record<string, string>, now: Record<string, string>): ReadonlySet<string> {
  const before = kept.inForce ?? kept.options;
  return before === undefined ? new Set() : changedOptions(JSON.parse(before), JSON.parse(now.options!));
}

/** A crawl goes on with the functions it began with: what they give cannot be had from the net, nor the other way round. */
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

/** Not `recursive`: Node never comes back from that where a folder exists but takes no new ones, as /proc. */
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
