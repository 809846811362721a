import { StateError } from '../base/errors.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Offer, PagePiece, RenderedOutcome } from '../frontier/outcome.js';
import type { Gift } from '../store/transaction.js';

/** Work that waits for an exchange with the frontier, and when an exchange is worth its commit. */

/** The code of its error is stable. */
const runIsOver = (): StateError => new StateError('run_over', 'the run is over');

interface Work {
  /** Whether it only brings URLs in and has no results. */
  isAdmission: boolean;
  run(): Promise<void>;
  reject(error: unknown): void;
}

/**
 * Work for the frontier other than the outcomes of leases: URLs from outside a page, rendered pages, and the
 * pieces of pages with very many links. Pieces go behind everything else; while memory is short, one goes out each second.
 */
export class WaitingWork {
  readonly #slowsPieces: () => boolean;
  #work: Work[] = [];
  #pieces: Work[] = [];
  #isOver = false;
  /** Both since the last tick. */
  #pieceTaken = false;
  #pieceCame = false;

  constructor(slowsPieces: () => boolean) {
    this.#slowsPieces = slowsPieces;
  }

  /** Resolves with the result once its turn is over; rejects if it fails, or if the run ends first. */
  add<T>(run: () => Promise<T>): Promise<T> {
    return this.#enter(run, this.#work, false);
  }

  /** The same for work that only brings URLs in: it does not wait until results are taken, since their taker may be the one that adds URLs. */
  addAdmission<T>(run: () => Promise<T>): Promise<T> {
    return this.#enter(run, this.#work, true);
  }

  addPiece<T>(run: () => Promise<T>): Promise<T> {
    this.#pieceCame = true;
    return this.#enter(run, this.#pieces, false);
  }

  get isEmpty(): boolean {
    return this.#work.length + this.#pieces.length === 0;
  }

  /** Something may be run now. @param admitsOnly there is no place for results */
  isReady(admitsOnly: boolean): boolean {
    return admitsOnly ? this.#work.some(({ isAdmission }) => isAdmission) : this.#work.length > 0 || this.#maySendPiece;
  }

  /** Runs what comes first, if something is ready. A failure goes to whoever added it, and is thrown. */
  async runNext(admitsOnly: boolean): Promise<void> {
    const next = admitsOnly ? this.#nextAdmission() : (this.#work.shift() ?? this.#nextPiece());
    try {
      await next?.run();
    } catch (error) {
      next?.reject(error);
      throw error;
    }
  }

  /** Called once a second. Returns whether pages in pieces were under way in that second. */
  tick(): boolean {
    const hasPieces = this.#pieceCame || this.#pieces.length > 0;
    this.#pieceTaken = false;
    this.#pieceCame = false;
    return hasPieces;
  }

  /** Nothing is run any more. */
  close(): void {
    this.#isOver = true;
    for (const { reject } of [...this.#work.splice(0), ...this.#pieces.splice(0)]) {
      reject(runIsOver());
    }
  }

  #nextAdmission(): Work | undefined {
    const place = this.#work.findIndex(({ isAdmission }) => isAdmission);
    return place < 0 ? undefined : this.#work.splice(place, 1)[0];
  }

  #enter<T>(run: () => Promise<T>, queue: Work[], isAdmission: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(runIsOver());
        return;
      }
      queue.push({ isAdmission, run: async () => resolve(await run()), reject });
    });
  }

  get #maySendPiece(): boolean {
    return this.#pieces.length > 0 && !(this.#slowsPieces() && this.#pieceTaken);
  }

  #nextPiece(): Work | undefined {
    const next = this.#maySendPiece ? this.#pieces.shift() : undefined;
    this.#pieceTaken ||= next !== undefined;
    return next;
  }
}

type IntakeFrontier = Pick<Frontier, 'admit' | 'widen' | 'give' | 'admitFrom' | 'rendered' | 'letTrapIn'>;

/**
 * What comes to the frontier beside the outcomes of leases. Each waits for its turn between two exchanges of the loop, and is answered when it
 * is durable.
 */
export class Intake {
  readonly waiting: WaitingWork;
  readonly #frontier: IntakeFrontier;
  readonly #wake: () => void;
  /** Ids of the pages whose pieces are with the frontier now. */
  readonly settling = new Set<number>();

  constructor(frontier: IntakeFrontier, slowsPieces: () => boolean, wake: () => void) {
    this.#frontier = frontier;
    this.waiting = new WaitingWork(slowsPieces);
    this.#wake = wake;
  }

  /** URLs from outside a page. */
  admit(offers: Offer[], meta: Record<string, string> = {}, granted = 0): Promise<number[]> {
    return this.#woken(this.waiting.addAdmission(() => this.#frontier.admit(offers, meta, granted)));
  }

  /** Gives other machines of the crawl a part of this one's grant. */
  give(gifts: readonly Gift[]): Promise<void> {
    return this.#woken(this.waiting.addAdmission(() => this.#frontier.give(gifts)));
  }

  /** Widens scopes, as another machine of the same crawl has found out. */
  widen(widened: readonly { seed: number; scopeUrls: readonly string[] }[]): Promise<void> {
    return this.#woken(
      this.waiting.addAdmission(async () => {
        for (const { seed, scopeUrls } of widened) {
          await this.#frontier.widen(seed, scopeUrls);
        }
      }),
    );
  }

  /** Takes a part of a page's links; `answer` gets the ids. A run that is over answers nobody. */
  piece(piece: PagePiece, answer: (ids: readonly number[]) => void): void {
    const admitted = this.waiting.addPiece(async () => {
      this.settling.add(piece.page.id);
      const ids = await this.#frontier.admitFrom(piece);
      this.settling.delete(piece.page.id);
      return ids;
    });
    this.#woken(admitted).then(answer, () => {});
  }

  /** Takes rendered pages. `whenDurable` runs before results are handed on. */
  rendered(pages: RenderedOutcome[], whenDurable: () => Promise<void>): Promise<void> {
    return this.#woken(this.waiting.add(() => this.#frontier.rendered(pages).then(whenDurable)));
  }

  /** Lets a pattern in that counted as a trap. Returns false if no such pattern was ever seen. */
  async letTrapIn(pattern: string): Promise<boolean> {
    for (let isKnown = false; ; ) {
      const step = await this.#woken(this.waiting.add(() => this.#frontier.letTrapIn(pattern)));
      isKnown ||= step.isKnown;
      if (step.queued === 0) {
        return isKnown;
      }
    }
  }

  #woken<T>(work: Promise<T>): Promise<T> {
    this.#wake();
    return work;
  }
}

const PATIENCE_MS = 5;
const LARGEST_WANTED_BATCH = 64;
const FEWEST_TO_WAIT_FOR = 8;

export interface Load {
  inFlight: number;
  /** Outcomes that wait to be settled. */
  unsettled: number;
  isStopping: boolean;
}

/**
 * Decides when an exchange with the frontier is worth its commit. A commit costs the same for one page as for thirty: while enough is under
 * way to fill one, outcomes wait a moment for others. A crawl with little under way never waits.
 */
export class Batching {
  /** Since when there is something to exchange; null if there is nothing. */
  #since: number | null = null;

  /** Whether there is something, and it has waited long enough. */
  isRipe(hasBusiness: boolean, now: number, load: Load): boolean {
    if (!hasBusiness) {
      this.#since = null;
      return false;
    }
    this.#since ??= now;
    if (now < this.ripeAt(load)!) {
      return false;
    }
    this.#since = null;
    return true;
  }

  /** Null if nothing waits. */
  ripeAt({ inFlight, unsettled, isStopping }: Load): number | null {
    const enough = Math.min(LARGEST_WANTED_BATCH, inFlight / 4);
    const waits = inFlight >= FEWEST_TO_WAIT_FOR && unsettled < enough && !isStopping;
    return this.#since === null ? null : this.#since + (waits ? PATIENCE_MS : 0);
  }
}
