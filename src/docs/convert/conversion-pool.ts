import type { Clock } from '../../base/clock.js';
import { StateError } from '../../base/errors.js';
import type { SiteMemory } from '../../content/extract/site-memory.js';
import {
  type Conversion,
  isLearned,
  type Job,
  type Problem,
  type Result,
  type SiteConversion,
  type Step,
  type Task,
} from './conversion.js';

/** What is to be done with pages, and with what their site's pages have in common. */
export interface Work {
  task: Task;
  memory: SiteMemory;
}

/** A thread that converts, as the pool sees it. */
export interface ConverterPort {
  /** How many jobs it has begun in all; it is told without a message, so that it is known of a thread that hangs. */
  begun(): number;
  take(work: Work, jobs: readonly Job[]): void;
  close(): Promise<void>;
}

export interface ConverterListener {
  /** In the order in which jobs were given. */
  results(results: readonly Result[]): void;
  died(error: Error): void;
}

export type OpenConverter = (listener: ConverterListener) => ConverterPort;

export interface PoolLimits {
  /** Pages of all sites that are with threads, or wait for an earlier one; each site may have one more. */
  pages: number;
  /** Of the bodies of these. */
  bytes: number;
  /** A page that takes longer is given up, and its thread with it. */
  pageMs: number;
}

export const POOL_LIMITS: PoolLimits = { pages: 128, bytes: 64 * 1024 * 1024, pageMs: 60_000 };

/** What a thread is given at once. It has a second batch when it is done with one, so that it never waits. */
const BATCH_PAGES = 8;
const BATCH_BYTES = 512 * 1024;
const BATCHES_AHEAD = 2;

interface Slot {
  work: Work;
  step: Step;
  result: Result | undefined;
}

interface Member {
  port: ConverterPort;
  /** Given and not answered, in that order. */
  slots: Slot[];
  batches: number[];
  answered: number;
  /** Of a look that nothing hangs; null while there is nothing to do. */
  cancel: (() => void) | null;
  tooSlow: boolean;
}

/**
 * Several threads that convert pages, the same for all sites of a run. Results come in the order of a site's pages, whichever thread was
 * first.
 */
export class ConversionPool implements Conversion {
  readonly #open: OpenConverter;
  readonly #clock: Clock;
  readonly #limits: PoolLimits;
  readonly #members = new Set<Member>();
  /** Taken from callers and not given back. */
  #pages = 0;
  #bytes = 0;
  /** Of those, not with a thread. */
  #queue: Slot[] = [];
  /** Pages that took a thread with them; none of them gets a second one. */
  readonly #givenUp = new Map<number, Problem>();
  #failure: Error | null = null;
  /** Wakes those who wait for a result. */
  readonly #waiting = new Set<() => void>();

  constructor(threads: number, open: OpenConverter, clock: Clock, limits: PoolLimits = POOL_LIMITS) {
    this.#open = open;
    this.#clock = clock;
    this.#limits = limits;
    for (let i = 0; i < threads; i++) {
      this.#start();
    }
  }

  site(memory: SiteMemory): SiteConversion {
    return {
      learn: async (jobs, learned) => {
        for await (const { step, result } of this.#run({ task: 'learn', memory }, asSteps(jobs))) {
          if (isLearned(result)) {
            learned(result, (step as { job: Job }).job);
          }
        }
      },
      convert: (steps) => this.#run({ task: 'convert', memory }, steps),
    };
  }

  async close(): Promise<void> {
    const members = [...this.#members];
    this.#members.clear();
    await Promise.all(members.map((member) => this.#end(member)));
  }

  async *#run(work: Work, steps: Iterable<Step>): AsyncIterableIterator<{ step: Step; result: Result }> {
    const source = steps[Symbol.iterator]();
    const window: Slot[] = [];
    let isAtEnd = false;
    try {
      for (;;) {
        while (!isAtEnd && (window.length === 0 || this.#hasRoom())) {
          const { value, done } = source.next();
          if (done === true) {
            isAtEnd = true;
          } else {
            window.push(this.#admit(work, value));
          }
        }
        this.#dispatch();
        const first = window[0];
        if (first === undefined) {
          return;
        }
        if (this.#failure !== null) {
          throw this.#failure;
        }
        if (first.result === undefined) {
          await new Promise<void>((resolve) => {
            this.#waiting.add(resolve);
          });
          continue;
        }
        window.shift();
        this.#release(first);
        yield { step: first.step, result: first.result };
      }
    } finally {
      // Nobody waits for the rest: what no thread has begun is not begun.
      for (const slot of window) {
        this.#release(slot);
      }
      const left = new Set(window);
      this.#queue = this.#queue.filter((slot) => !left.has(slot));
    }
  }

  #hasRoom(): boolean {
    return this.#pages < this.#limits.pages && this.#bytes < this.#limits.bytes;
  }

  #admit(work: Work, step: Step): Slot {
    const slot: Slot = { work, step, result: 'input' in step ? null : this.#givenUp.get(step.job.id) };
    this.#pages++;
    this.#bytes += bytesOf(step);
    if (slot.result === undefined) {
      this.#queue.push(slot);
    }
    return slot;
  }

  #release({ step }: Slot): void {
    this.#pages--;
    this.#bytes -= bytesOf(step);
  }

  /** To whoever has least to do. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const member = [...this.#members]
        .filter(({ batches }) => batches.length < BATCHES_AHEAD)
        .sort((a, b) => a.batches.length - b.batches.length)[0];
      if (member === undefined) {
        return;
      }
      const batch = this.#nextBatch();
      member.slots.push(...batch);
      member.batches.push(batch.length);
      member.port.take(batch[0]!.work, batch.map(jobOf));
      if (member.cancel === null) {
        this.#watch(member);
      }
    }
  }

  /** Pages of one site, for one kind of work. */
  #nextBatch(): Slot[] {
    const { work } = this.#queue[0]!;
    let bytes = 0;
    let count = 0;
    while (count < BATCH_PAGES && this.#queue[count]?.work === work && bytes < BATCH_BYTES) {
      bytes += bytesOf(this.#queue[count]!.step);
      count++;
    }
    return this.#queue.splice(0, count);
  }

  #start(): void {
    const member = { slots: [], batches: [], answered: 0, cancel: null, tooSlow: false } as unknown as Member;
    member.port = this.#open({
      results: (results) => this.#take(member, results),
      died: (error) => this.#lose(member, error),
    });
    this.#members.add(member);
  }

  #take(member: Member, results: readonly Result[]): void {
    for (const [i, slot] of member.slots.splice(0, results.length).entries()) {
      slot.result = results[i]!;
    }
    member.answered += results.length;
    member.batches.shift();
    if (member.slots.length === 0) {
      member.cancel?.();
      member.cancel = null;
    }
    this.#dispatch();
    this.#wakeUp();
  }

  /** The page that it was at is given up; what it had not begun goes to others. */
  #lose(member: Member, error: Error): void {
    if (!this.#members.delete(member)) {
      return;
    }
    void this.#end(member);
    const at = member.port.begun() - member.answered - 1;
    const culprit = member.slots[at];
    if (culprit === undefined) {
      // It died at nothing: another would too.
      this.#failure ??= new StateError('internal', `pages cannot be converted: ${error.message}`, { cause: error });
    } else {
      const cause = member.tooSlow ? `it took over ${this.#limits.pageMs / 1000} s` : error.message;
      culprit.result = { problem: `it cannot be converted: ${cause}` };
      this.#givenUp.set(jobOf(culprit).id, culprit.result);
      for (const done of member.slots.slice(0, at)) {
        if (done.work.task === 'learn') {
          done.result = null;
        }
      }
      this.#queue.unshift(...member.slots.filter(({ result }) => result === undefined));
      this.#start();
      this.#dispatch();
    }
    this.#wakeUp();
  }

  /** Looks whether the thread is still at the same page when that should be long done. */
  #watch(member: Member): void {
    const begun = member.port.begun();
    member.cancel = this.#clock.at(this.#clock.now() + this.#limits.pageMs, () => {
      if (member.port.begun() === begun) {
        member.tooSlow = true;
        this.#lose(member, new Error('it hangs'));
      } else {
        this.#watch(member);
      }
    });
  }

  async #end(member: Member): Promise<void> {
    member.cancel?.();
    member.cancel = null;
    await member.port.close();
  }

  #wakeUp(): void {
    for (const wake of this.#waiting) {
      wake();
    }
    this.#waiting.clear();
  }
}

function* asSteps(jobs: Iterable<Job>): IterableIterator<Step> {
  for (const job of jobs) {
    yield { job };
  }
}

const jobOf = ({ step }: Slot): Job => (step as { job: Job }).job;

const bytesOf = (step: Step): number => ('job' in step ? step.job.bytes : 0);
