import { Worker } from 'node:worker_threads';
import { ownUrl, threadFile } from '../../base/own-url.js';
import type { FetchOptions } from '../../fetch/fetcher.js';
import type { SegmentUpdate } from '../../frontier/embedded/key-table.js';
import type { Outcome, PagePiece } from '../../frontier/frontier.js';
import type { Job, LaneSetup, RenderedHtml } from '../lane.js';
import type { LaneListener, LanePort } from '../lane-pool.js';
import { type OutcomeMail, unpackOutcomes } from './outcome-mail.js';
import { workerArguments } from './worker-arguments.js';

export type LaneOrder =
  /** Jobs as text: as objects they would be cloned field by field. */
  | { what: 'take'; jobs: string; updates: SegmentUpdate[] }
  | { what: 'widen'; version: number; seed: number; scopeUrls: string[] }
  | { what: 'forget'; origins: number[] }
  | { what: 'flow' }
  | { what: 'admitted'; id: number; ids: readonly number[] }
  | { what: 'drop' }
  | { what: 'sockets'; count: number }
  | { what: 'resolve'; call: number; host: string }
  | { what: 'read'; call: number; page: RenderedHtml };

export type LaneMessage =
  | { what: 'headers'; ids: number[]; ats: number[] }
  | { what: 'outcomes'; mail: OutcomeMail; peakWaiting: number }
  /** As text, like jobs. */
  | { what: 'piece'; piece: string }
  | { what: 'resolved'; call: number; address: string | null }
  | { what: 'read'; call: number; mail: OutcomeMail }
  | { what: 'unread'; call: number; problem: string };

/** A lane in a thread of its own. */
export class LaneThread implements LanePort {
  readonly #worker: Worker;
  readonly #resolving = new Map<number, { resolve(address: string): void; reject(error: Error): void }>();
  readonly #reading = new Map<number, { resolve(outcome: Outcome): void; reject(error: Error): void }>();
  #calls = 0;
  #peakWaiting = 0;
  #closing = false;
  readonly #exited: Promise<void>;

  constructor(setup: LaneSetup, fetchOptions: FetchOptions, listener: LaneListener) {
    this.#worker = new Worker(threadFile(new URL('./lane-worker.js', ownUrl(import.meta.url))), {
      workerData: { setup, fetchOptions },
      ...workerArguments(),
    });
    let failure: Error | null = null;
    this.#worker.on('message', (message: LaneMessage) => this.#take(message, listener));
    this.#worker.on('error', (error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        resolve();
        for (const { reject } of [...this.#resolving.values(), ...this.#reading.values()]) {
          reject(new Error('the thread that was asked has ended'));
        }
        this.#resolving.clear();
        this.#reading.clear();
        if (!this.#closing) {
          listener.died(setup.lane, failure ?? new Error(`a lane's thread ended with code ${code}`));
        }
      });
    });
  }

  take(jobs: Job[], updates: SegmentUpdate[]): void {
    this.#order({ what: 'take', jobs: JSON.stringify(jobs), updates });
  }

  widenScope(version: number, seed: number, scopeUrls: string[]): void {
    this.#order({ what: 'widen', version, seed, scopeUrls });
  }

  forgetRules(origins: number[]): void {
    this.#order({ what: 'forget', origins });
  }

  flow(): void {
    this.#order({ what: 'flow' });
  }

  dropCaches(): void {
    this.#order({ what: 'drop' });
  }

  admitted(id: number, ids: readonly number[]): void {
    this.#order({ what: 'admitted', id, ids });
  }

  resizeSockets(count: number): void {
    this.#order({ what: 'sockets', count });
  }

  resolve(host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const call = this.#calls++;
      this.#resolving.set(call, { resolve, reject });
      this.#order({ what: 'resolve', call, host });
    });
  }

  read(page: RenderedHtml): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const call = this.#calls++;
      this.#reading.set(call, { resolve, reject });
      this.#order({ what: 'read', call, page });
    });
  }

  peakWaiting(): number {
    return this.#peakWaiting;
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#worker.terminate();
    await this.#exited;
  }

  #order(order: LaneOrder): void {
    this.#worker.postMessage(order);
  }

  #take(message: LaneMessage, listener: LaneListener): void {
    switch (message.what) {
      case 'headers':
        listener.headers(message.ids, message.ats);
        break;
      case 'outcomes':
        this.#peakWaiting = message.peakWaiting;
        listener.outcomes(unpackOutcomes(message.mail));
        break;
      case 'piece':
        listener.piece(JSON.parse(message.piece) as PagePiece);
        break;
      case 'read':
        this.#reading.get(message.call)?.resolve(unpackOutcomes(message.mail)[0]!);
        this.#reading.delete(message.call);
        break;
      case 'unread':
        this.#reading.get(message.call)?.reject(new Error(message.problem));
        this.#reading.delete(message.call);
        break;
      case 'resolved': {
        const waiter = this.#resolving.get(message.call);
        this.#resolving.delete(message.call);
        if (message.address === null) {
          waiter?.reject(new Error('the name has no address'));
        } else {
          waiter?.resolve(message.address);
        }
        break;
      }
    }
  }
}
