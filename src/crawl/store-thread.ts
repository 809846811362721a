import { StateError } from '../base/errors.js';
import { ownUrl } from '../base/own-url.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { Summary } from '../report/summary.js';
import type { Mail, Peer } from '../store/outbox.js';
import type { PageResult } from '../store/page-types.js';
import type { KeptAnswer, PageToRender } from '../store/rendering-reader.js';
import type { CommitAnswer, QueuedUrl, QueueLoad, StorePort, Transaction } from '../store/transaction.js';
import type { CookieChange } from '../url/kept-cookie.js';
import type { ShapeFacts } from './render-shapes.js';
import type {
  DueHosts,
  EarlierOpened,
  FinishOrders,
  SeenPage,
  StoreOpened,
  StoreSetup,
  StoreUse,
} from './store-host.js';
import { STORE_NEWS, STORE_ORDERS } from './store-messages.js';
import type { Survey, SurveyQuestion } from './survey/survey.js';

let early: StoreThread | null = null;
const live = new Set<StoreThread>();
/** How long an immediate end waits for a commit that is under way. */
const HALT_PATIENCE_MS = 2_000;

/** The store's thread as the rest of the program calls it. When the thread dies, every call fails and `onDeath` is called. */
export class StoreThread implements StorePort {
  readonly #thread: WorkerThread<typeof STORE_ORDERS, typeof STORE_NEWS>;
  #halted: (() => void) | null = null;
  onDeath: ((error: Error) => void) | null = null;

  /** Starts the next store's thread early, so that it loads its code while this thread loads its own. */
  static startEarly(): void {
    early ??= new StoreThread();
    early.#thread.holdProcess(false);
  }

  /** One that was started early, or a new one. */
  static take(): StoreThread {
    const taken = early ?? new StoreThread();
    early = null;
    taken.#thread.holdProcess(true);
    return taken;
  }

  /**
   * Brings all of them to rest, between two calls of SQLite. A process that ends while one is in such a call is aborted by the carried
   * SQLite, whatever its exit code should have been.
   */
  static async haltAll(): Promise<void> {
    const atRest = [...live].map((thread) => thread.#halt());
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, HALT_PATIENCE_MS);
    });
    await Promise.race([Promise.all(atRest), patience]);
    clearTimeout(timer);
  }

  private constructor() {
    this.#thread = new WorkerThread({
      file: new URL('./store-worker.js', ownUrl(import.meta.url)),
      orders: STORE_ORDERS,
      news: STORE_NEWS,
      on: { halted: () => this.#halted?.() },
      errorOfDeath: ({ message }) =>
        new StateError('store_died', `the store stopped working: ${message}; what was committed is kept`),
      died: (error) => this.onDeath?.(error),
    });
    live.add(this);
    void this.#thread.exited.then(() => live.delete(this));
  }

  open(setup: StoreSetup): Promise<StoreOpened> {
    return this.#thread.ask('open', setup);
  }

  /** What can be carried over from the crawl that is kept in another directory, which is only read. */
  earlier(directory: string): Promise<EarlierOpened> {
    return this.#thread.ask('earlier', directory);
  }

  commit(transaction: Transaction): Promise<CommitAnswer> {
    return this.#thread.ask('commit', transaction);
  }

  keepCookies(changes: CookieChange[]): Promise<void> {
    return this.#thread.ask('keepCookies', changes);
  }

  loadQueue(loads: QueueLoad[]): Promise<QueuedUrl[][]> {
    return this.#thread.ask('loadQueue', loads);
  }

  loadDue(wall: number, limit: number): Promise<DueHosts> {
    return this.#thread.ask('loadDue', { wall, limit });
  }

  renderShapes(): Promise<{ facts: ShapeFacts; waiting: number }> {
    return this.#thread.ask('renderShapes', undefined);
  }

  toRender(beyond: number, limit: number): Promise<PageToRender[]> {
    return this.#thread.ask('toRender', { beyond, limit });
  }

  kept(id: number): Promise<KeptAnswer | null> {
    return this.#thread.ask('kept', id);
  }

  seen(ids: readonly number[], withEdges: boolean): Promise<SeenPage[]> {
    return this.#thread.ask('seen', { ids, withEdges });
  }

  dropAssets(): Promise<void> {
    return this.#thread.ask('dropAssets', undefined);
  }

  /** How much of the mail to the other slots is written. */
  mailPeers(): Promise<Peer[]> {
    return this.#thread.ask('mailPeers', undefined);
  }

  takeMail(slot: number, from: number, size: number): Promise<Mail[]> {
    return this.#thread.ask('takeMail', { slot, from, size });
  }

  acknowledgedMail(slot: number, seq: number): Promise<void> {
    return this.#thread.ask('acknowledgedMail', { slot, seq });
  }

  beginMail(slot: number, incarnation: string, after: number): Promise<Peer> {
    return this.#thread.ask('beginMail', { slot, incarnation, after });
  }

  keepMeta(meta: Record<string, string>): Promise<void> {
    return this.#thread.ask('keepMeta', meta);
  }

  use(): Promise<StoreUse> {
    return this.#thread.ask('use', undefined);
  }

  /** Infinity for a crawl that is not kept. */
  async freeBytes(): Promise<number> {
    return (await this.#thread.ask('freeBytes', undefined)) ?? Number.POSITIVE_INFINITY;
  }

  finish(orders: FinishOrders): Promise<Summary> {
    return this.#thread.ask('finish', orders);
  }

  unasked(beyond: number, withWaiting: boolean): Promise<{ pages: PageResult[]; last: number | null }> {
    return this.#thread.ask('unasked', { beyond, withWaiting });
  }

  survey(question: SurveyQuestion): Promise<Survey> {
    return this.#thread.ask('survey', question);
  }

  async close(): Promise<void> {
    if (!this.#thread.isGone) {
      await this.#thread.ask('close', undefined);
    }
    await this.#thread.end();
  }

  #halt(): Promise<void> {
    const halted = new Promise<void>((resolve) => {
      this.#halted = resolve;
    });
    this.#thread.tell('halt', undefined);
    return Promise.race([halted, this.#thread.exited]);
  }
}
