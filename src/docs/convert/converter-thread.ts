import { ownUrl } from '../../base/own-url.js';
import type { Shape } from '../../base/parcel.js';
import { asked, WorkerThread, YOUNG_MIB_FOR_PAGES } from '../../base/worker-thread.js';
import type { Job, Result, Task } from './conversion.js';
import type { ConverterListener, ConverterPort, Work } from './conversion-pool.js';
import type { ShapeOptions } from './page-shape.js';

export interface ConverterSetup {
  /** Where the crawl is kept: the thread opens its store. */
  directory: string;
  chunkTokens: number;
  shape: ShapeOptions;
}

export type ConverterWork = ConverterSetup & { begun: SharedArrayBuffer };

/** Pages of one site. */
export interface ConverterBatch {
  task: Task;
  /** Of the site. */
  memory: SharedArrayBuffer;
  jobs: readonly Job[];
}

/** Long texts: within the JSON each of their line ends and quotes would be written as two characters. */
const RESULT: Shape<Result> = {
  markdown: 'text',
  text: 'text',
  prepared: { links: 'text', measured: { chunks: 'text' } },
};

export const CONVERTER_ORDERS = { convert: asked<ConverterBatch, Result[]>({ memory: 'clone' }, [RESULT]) };

/** The largest page that is fetched makes a tree of a few hundred megabytes. */
const HEAP_MB = 1_024;

/** A converter in a thread of its own. */
export class ConverterThread implements ConverterPort {
  readonly #thread: WorkerThread<typeof CONVERTER_ORDERS, Record<never, never>>;
  readonly #listener: ConverterListener;
  readonly #begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(setup: ConverterSetup, listener: ConverterListener) {
    const data: ConverterWork = { ...setup, begun: this.#begun.buffer as SharedArrayBuffer };
    this.#listener = listener;
    this.#thread = new WorkerThread({
      file: new URL('./converter-worker.js', ownUrl(import.meta.url)),
      data,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MIB_FOR_PAGES },
      orders: CONVERTER_ORDERS,
      news: {},
      on: {},
      died: (error) => listener.died(error),
    });
  }

  begun(): number {
    return Atomics.load(this.#begun, 0);
  }

  take({ task, memory }: Work, jobs: readonly Job[]): void {
    const answer = this.#thread.ask('convert', { task, memory: memory.shared, jobs });
    answer.then(
      (results) => this.#listener.results(results),
      // It has died, which the listener is told, or is closed.
      () => {},
    );
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}
