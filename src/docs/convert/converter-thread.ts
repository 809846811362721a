import { Worker } from 'node:worker_threads';
import { ownUrl, threadFile } from '../../base/own-url.js';
import { workerArguments } from '../../crawl/threads/worker-arguments.js';
import type { Job, Result, Task } from './conversion.js';
import type { ConverterListener, ConverterPort, Work } from './conversion-pool.js';

export interface ConverterSetup {
  /** The store's file. */
  store: string;
  chunkTokens: number;
}

export type ConverterWork = ConverterSetup & { begun: SharedArrayBuffer };

/** Ids and hashes by themselves: as objects they would be cloned field by field. */
export interface ConverterOrder {
  task: Task;
  /** Of the site that the pages are of. */
  memory: SharedArrayBuffer;
  ids: number[];
  knownHashes: (string | null)[];
  linkedIds: (readonly string[])[];
}

/** The largest page that is fetched makes a tree of a few hundred megabytes. */
const HEAP_MB = 1_024;

/** A converter in a thread of its own. */
export class ConverterThread implements ConverterPort {
  readonly #worker: Worker;
  readonly #begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #isClosing = false;

  constructor(setup: ConverterSetup, listener: ConverterListener) {
    const workerData: ConverterWork = { ...setup, begun: this.#begun.buffer as SharedArrayBuffer };
    this.#worker = new Worker(threadFile(new URL('./converter-worker.js', ownUrl(import.meta.url))), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      ...workerArguments(),
    });
    let failure: Error | null = null;
    this.#worker.on('message', (results: Result[]) => listener.results(results));
    this.#worker.on('error', (error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    this.#worker.on('exit', (code) => {
      if (!this.#isClosing) listener.died(failure ?? new Error(`its thread ended with code ${code}`));
    });
  }

  begun(): number {
    return Atomics.load(this.#begun, 0);
  }

  take({ task, memory }: Work, jobs: readonly Job[]): void {
    const order: ConverterOrder = {
      task,
      memory: memory.shared,
      ids: jobs.map(({ id }) => id),
      knownHashes: jobs.map(({ knownHash }) => knownHash),
      linkedIds: jobs.map(({ linkedIds }) => linkedIds),
    };
    this.#worker.postMessage(order);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#worker.terminate();
  }
}
