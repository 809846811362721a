import { StateError } from '../base/errors.js';
import { ownUrl } from '../base/own-url.js';
import { WorkerThread } from '../base/worker-thread.js';
import { READER_NEWS, READER_ORDERS } from './messages.js';
import type { Question } from './questions.js';

type Thread = WorkerThread<typeof READER_ORDERS, typeof READER_NEWS>;

/** More than a few browsers ask at once. */
const MOST_WAITING = 64;
/** So long the end waits for an answer that is being made. */
const PATIENCE_MS = 2_000;

/** Whoever answers questions from the disk. */
export interface Disk {
  ask(question: Question): Promise<string>;
  close(): Promise<void>;
}

/**
 * Has questions answered in threads with read-only connections of their own, so that neither the crawl nor its store waits for a reader.
 * Lists have one thread, long questions another: somebody who scrolls does not wait for the links of a whole crawl. Threads are started by
 * the first question.
 */
export class DiskReader implements Disk {
  #lists: Thread | null = null;
  #long: Thread | null = null;
  #waiting = 0;

  async ask(question: Question): Promise<string> {
    if (this.#waiting >= MOST_WAITING) {
      throw new StateError('busy', 'too many questions at once');
    }
    this.#waiting++;
    try {
      return await this.#threadOf(question).ask('ask', question);
    } finally {
      this.#waiting--;
    }
  }

  async close(): Promise<void> {
    const threads = [this.#lists, this.#long].flatMap((thread) => thread ?? []);
    this.#lists = null;
    this.#long = null;
    await Promise.all(threads.map(end));
  }

  #threadOf({ about }: Question): Thread {
    if (about === 'hosts' || about === 'pages') {
      this.#lists = alive(this.#lists);
      return this.#lists;
    }
    this.#long = alive(this.#long);
    return this.#long;
  }
}

function alive(thread: Thread | null): Thread {
  if (thread !== null && !thread.isGone) {
    return thread;
  }
  const started: Thread = new WorkerThread({
    file: new URL('./dashboard-worker.js', ownUrl(import.meta.url)),
    orders: READER_ORDERS,
    news: READER_NEWS,
    on: {},
    // Whoever waited has the error, and the next question starts another.
    died: () => {},
  });
  started.holdProcess(false);
  return started;
}

/** Between two calls of SQLite where that comes soon: a thread that is ended within one may take the process along. */
async function end(thread: Thread): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([thread.ask('close', undefined).catch(() => {}), patience]);
  clearTimeout(timer);
  await thread.end();
}
