import { Worker } from 'node:worker_threads';
import { StateError } from '../../base/errors.js';
import { ownUrl, threadFile } from '../../base/own-url.js';
import type { Summary } from '../../report/summary.js';
import type { PageResult } from '../../store/reader.js';
import type { KeptAnswer, PageToRender } from '../../store/rendering-reader.js';
import type {
  CommitAnswer,
  HostSnapshot,
  QueuedUrl,
  QueueLoad,
  StorePort,
  Transaction,
} from '../../store/transaction.js';
import type { Survey, SurveyQuestion } from '../preview/survey.js';
import type { ShapeFacts } from '../render-shapes.js';
import type { FinishOrders, StoreHost, StoreOpened, StoreSetup, StoreUse } from './store-host.js';
import { HALT, HALTED } from './store-orders.js';
import { packTransaction } from './transaction-mail.js';
import { workerArguments } from './worker-arguments.js';

type Method =
  | 'open'
  | 'commit'
  | 'loadQueue'
  | 'loadDue'
  | 'renderShapes'
  | 'toRender'
  | 'kept'
  | 'use'
  | 'freeBytes'
  | 'finish'
  | 'unasked'
  | 'survey'
  | 'close';

export interface StoreRequest {
  call: number;
  method: Method & keyof StoreHost;
  args: unknown[];
}
export interface StoreReply {
  call: number;
  value?: unknown;
  error?: { code: string; exitCode: number; message: string; stack: string };
}

interface Waiter {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

let early: StoreThread | null = null;
const live = new Set<StoreThread>();
/** So long an end at once waits for a commit that is under way. */
const HALT_PATIENCE_MS = 2_000;

/** The store's thread as the rest of the program calls it. When the thread dies, every call fails and `died` resolves. */
export class StoreThread implements StorePort {
  readonly #worker: Worker;
  readonly #waiters = new Map<number, Waiter>();
  #calls = 0;
  #dead: StateError | null = null;
  #closing = false;
  onDeath: ((error: StateError) => void) | null = null;

  /** Starts the thread of the next one before anybody asks for it: while this thread loads its own code, that one can load its. */
  static startEarly(): void {
    early ??= new StoreThread();
    early.#worker.unref();
  }

  /** One that was started early, or a new one. */
  static take(): StoreThread {
    const taken = early ?? new StoreThread();
    early = null;
    taken.#worker.ref();
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
    this.#worker = new Worker(threadFile(new URL('./store-worker.js', ownUrl(import.meta.url))), workerArguments());
    live.add(this);
    this.#worker.on('message', (reply: StoreReply | typeof HALTED) => {
      if (reply !== HALTED) {
        this.#take(reply);
      }
    });
    this.#worker.on('error', (error: unknown) => this.#die(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', (code) => this.#die(`its thread ended with code ${code}`));
  }

  open(setup: StoreSetup): Promise<StoreOpened> {
    return this.#call('open', [setup]) as Promise<StoreOpened>;
  }

  commit(transaction: Transaction): Promise<CommitAnswer> {
    const mail = packTransaction(transaction);
    return this.#call('commit', [mail], [mail.edges.words.buffer]) as Promise<CommitAnswer>;
  }

  loadQueue(loads: QueueLoad[]): Promise<QueuedUrl[][]> {
    return this.#call('loadQueue', [loads]) as Promise<QueuedUrl[][]>;
  }

  loadDue(wall: number, limit: number): Promise<{ hosts: HostSnapshot[]; nextDue: number | null; parked: number }> {
    return this.#call('loadDue', [wall, limit]) as Promise<{
      hosts: HostSnapshot[];
      nextDue: number | null;
      parked: number;
    }>;
  }

  renderShapes(): Promise<ShapeFacts> {
    return this.#call('renderShapes', []) as Promise<ShapeFacts>;
  }

  toRender(beyond: number, limit: number): Promise<PageToRender[]> {
    return this.#call('toRender', [beyond, limit]) as Promise<PageToRender[]>;
  }

  kept(id: number): Promise<KeptAnswer | null> {
    return this.#call('kept', [id]) as Promise<KeptAnswer | null>;
  }

  use(): Promise<StoreUse> {
    return this.#call('use', []) as Promise<StoreUse>;
  }

  freeBytes(): Promise<number> {
    return this.#call('freeBytes', []) as Promise<number>;
  }

  finish(orders: FinishOrders): Promise<Summary> {
    return this.#call('finish', [orders]) as Promise<Summary>;
  }

  unasked(beyond: number): Promise<{ pages: PageResult[]; last: number | null }> {
    return this.#call('unasked', [beyond]) as Promise<{ pages: PageResult[]; last: number | null }>;
  }

  survey(question: SurveyQuestion): Promise<Survey> {
    return this.#call('survey', [question]) as Promise<Survey>;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#dead === null) {
      await this.#call('close', []);
    }
    await this.#worker.terminate();
  }

  #call(method: Method, args: unknown[], moved: ArrayBuffer[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#dead !== null) {
        reject(this.#dead);
        return;
      }
      const call = this.#calls++;
      this.#waiters.set(call, { resolve, reject });
      this.#worker.postMessage({ call, method, args } satisfies StoreRequest, moved);
    });
  }

  #take({ call, value, error }: StoreReply): void {
    const waiter = this.#waiters.get(call);
    this.#waiters.delete(call);
    if (error === undefined) {
      waiter?.resolve(value);
    } else {
      const failure = new StateError(error.code, error.message);
      failure.stack = error.stack;
      waiter?.reject(failure);
    }
  }

  #halt(): Promise<void> {
    return new Promise((resolve) => {
      this.#worker.on('message', (reply) => reply === HALTED && resolve());
      this.#worker.on('exit', () => resolve());
      this.#worker.postMessage(HALT);
    });
  }

  #die(cause: string): void {
    live.delete(this);
    if (this.#dead !== null) {
      return;
    }
    this.#dead = new StateError('store_died', `the store stopped working: ${cause}; what was committed is kept`);
    for (const waiter of this.#waiters.values()) {
      waiter.reject(this.#dead);
    }
    this.#waiters.clear();
    if (!this.#closing) {
      this.onDeath?.(this.#dead);
    }
  }
}
