import type { Clock } from '../../base/clock.js';
import { StateError } from '../../base/errors.js';
import {
  type Conversion,
  isLearned,
  type Job,
  type Learned,
  type Problem,
  type Result,
  type Step,
  type Task,
} from './conversion.js';

/** A thread that converts, as the pool sees it. */
export interface ConverterPort {
  /** How many jobs it has begun in all; it is told without a message, so that it is known of a thread that hangs. */
  begun(): number;
  take(task: Task, jobs: readonly Job[]): void;
  close(): Promise<void>;
}

export interface ConverterListener {
  /** In the order in which jobs were given. */
  results(results: readonly Result[]): void;
  died(error: Error): void;
}

export type OpenConverter = (listener: ConverterListener) => ConverterPort;

export interface PoolLimits {
  /** Pages that are with threads, or wait for an earlier one. */
  pages: number;
  /** Of the bodies of these; one may be larger. */
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
  task: Task;
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

/** Several threads that convert pages. Results come in the order of the pages, whichever thread was first. */
export class ConversionPool implements Conversion {
  readonly #open: OpenConverter;
  readonly #clock: Clock;
  readonly #limits: PoolLimits;
  readonly #members = new Set<Member>();
  /** Taken from the caller and not given back. */
  #window: Slot[] = [];
  #bytes = 0;
  /** Of those, not with a thread. */
  #queue: Slot[] = [];
  /** Pages that took a thread with them; none of them gets a second one. */
  readonly #givenUp = new Map<number, Problem>();
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(threads: number, open: OpenConverter, clock: Clock, limits: PoolLimits = POOL_LIMITS) {
    this.#open = open;
    this.#clock = clock;
    this.#limits = limits;
    for (let i = 0; i < threads; i++) this.#start();
  }

  async learn(jobs: Iterable<Job>, learned: (facts: Learned) => void): Promise<void> {
    for await (const { result } of this.#run('learn', asSteps(jobs))) {
      if (isLearned(result)) learned(result);
    }
  }

  convert(steps: Iterable<Step>): AsyncIterableIterator<{ step: Step; result: Result }> {
    return this.#run('convert', steps);
  }

  async close(): Promise<void> {
    const members = [...this.#members];
    this.#members.clear();
    await Promise.all(members.map((member) => this.#end(member)));
  }

  async *#run(task: Task, steps: Iterable<Step>): AsyncIterableIterator<{ step: Step; result: Result }> {
    const source = steps[Symbol.iterator]();
    let isAtEnd = false;
    for (;;) {
      while (!isAtEnd && this.#hasRoom()) {
        const { value, done } = source.next();
        if (done === true) isAtEnd = true;
        else this.#admit(task, value);
      }
      this.#dispatch();
      const first = this.#window[0];
      if (first === undefined) return;
      if (this.#failure !== null) throw this.#failure;
      if (first.result === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#window.shift();
      this.#bytes -= bytesOf(first.step);
      yield { step: first.step, result: first.result };
    }
  }

  #hasRoom(): boolean {
    return this.#window.length < this.#limits.pages && (this.#window.length === 0 || this.#bytes < this.#limits.bytes);
  }

  #admit(task: Task, step: Step): void {
    const slot: Slot = { task, step, result: 'input' in step ? null : this.#givenUp.get(step.job.id) };
    this.#window.push(slot);
    this.#bytes += bytesOf(step);
    if (slot.result === undefined) this.#queue.push(slot);
  }

  /** To whoever has least to do. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const member = [...this.#members]
        .filter(({ batches }) => batches.length < BATCHES_AHEAD)
        .sort((a, b) => a.batches.length - b.batches.length)[0];
      if (member === undefined) return;
      const batch = this.#nextBatch();
      member.slots.push(...batch);
      member.batches.push(batch.length);
      member.port.take(batch[0]!.task, batch.map(jobOf));
      if (member.cancel === null) this.#watch(member);
    }
  }

  #nextBatch(): Slot[] {
    let bytes = 0;
    let count = 0;
    while (count < Math.min(BATCH_PAGES, this.#queue.length) && bytes < BATCH_BYTES) {
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
    for (const [i, slot] of member.slots.splice(0, results.length).entries()) slot.result = results[i]!;
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
    if (!this.#members.delete(member)) return;
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
      for (const done of culprit.task === 'learn' ? member.slots.slice(0, at) : []) done.result = null;
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
      } else this.#watch(member);
    });
  }

  async #end(member: Member): Promise<void> {
    member.cancel?.();
    member.cancel = null;
    await member.port.close();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

function* asSteps(jobs: Iterable<Job>): IterableIterator<Step> {
  for (const job of jobs) yield { job };
}

const jobOf = ({ step }: Slot): Job => (step as { job: Job }).job;

const bytesOf = (step: Step): number => ('job' in step ? step.job.bytes : 0);
