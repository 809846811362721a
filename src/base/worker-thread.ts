import { type MessagePort, parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { GossamerError, StateError } from './errors.js';
import { threadFile } from './own-url.js';
import { type Gathered, gather, type Parcel, PLAIN, pack, type Shape, spread, unpack } from './parcel.js';

/**
 * Threads talk in letters: each has a name, a value and, where it asks for something, a number that its answer brings back. What a thread
 * understands is a table of messages; both ends use the same one. Letters arrive in the order in which they were sent.
 */
export interface Message<V, A> {
  readonly value: Shape<unknown>;
  readonly answer: Shape<unknown>;
  /** Only for the compiler. */
  readonly types?: (value: V) => A;
}
// biome-ignore lint/suspicious/noExplicitAny: a table has messages of any kind.
export type Messages = Readonly<Record<string, Message<any, any>>>;
type ValueOf<M> = M extends Message<infer V, infer _> ? V : never;
type AnswerOf<M> = M extends Message<infer _, infer A> ? A : never;
export type Handlers<M extends Messages> = {
  readonly [K in keyof M]: (value: ValueOf<M[K]>) => AnswerOf<M[K]> | Promise<AnswerOf<M[K]>>;
};

/**
 * V8's young generation in a thread that reads pages, of which a third is filled before it is looked through: twice what V8 takes. What a page
 * has made, a tree above all, is garbage by then. Else a part of it would be copied, grow old, and have to be looked for among all that is alive.
 */
export const YOUNG_MIB_FOR_PAGES = 96;

/** A message that nobody answers. */
export const told = <V>(value: Shape<V>): Message<V, void> => ({ value: value as Shape<unknown>, answer: PLAIN });
/** One that is answered. */
export const asked = <V, A>(value: Shape<V>, answer: Shape<A>): Message<V, A> => ({
  value: value as Shape<unknown>,
  answer: answer as Shape<unknown>,
});

interface Waiter {
  answer: Shape<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface WorkerThreadParts<Orders extends Messages, News extends Messages> {
  file: URL;
  /** What `workerData` is there. */
  data?: unknown;
  resourceLimits?: ResourceLimits;
  orders: Orders;
  news: News;
  on: Handlers<News>;
  /** The thread is gone without having been ended. Whoever waited for an answer has the error already. */
  died(error: Error): void;
  /** What everybody is told of the death; the cause itself where it is left out. */
  errorOfDeath?(cause: Error): Error;
}

/** Another thread as the one that started it sees it. */
export class WorkerThread<Orders extends Messages, News extends Messages> {
  readonly #parts: WorkerThreadParts<Orders, News>;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #waiters = new Map<number, Waiter>();
  #lastCall = 0;
  #death: Error | null = null;
  #isEnding = false;

  constructor(parts: WorkerThreadParts<Orders, News>) {
    const { file, data, resourceLimits } = parts;
    this.#parts = parts;
    this.#worker = new Worker(threadFile(file), {
      ...(data === undefined ? {} : { workerData: data }),
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
      ...withoutInputType(),
    });
    let failure: Error | null = null;
    this.#worker.on('message', (mail: Mail) => readMail(mail, (letter) => this.#take(letter)));
    this.#worker.on('error', (error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#die(failure ?? new Error(`its thread ended with code ${code}`));
        resolve();
      });
    });
  }

  tell<K extends keyof Orders & string>(name: K, value: ValueOf<Orders[K]>): void {
    this.#send(name, TOLD, value);
  }

  ask<K extends keyof Orders & string>(name: K, value: ValueOf<Orders[K]>): Promise<AnswerOf<Orders[K]>> {
    return new Promise((resolve, reject) => {
      if (this.#death !== null) {
        reject(this.#death);
        return;
      }
      const call = ++this.#lastCall;
      // First: what cannot be packed is never waited for.
      this.#send(name, call, value);
      const { answer } = this.#parts.orders[name]!;
      this.#waiters.set(call, { answer, resolve: resolve as Waiter['resolve'], reject });
    });
  }

  get isGone(): boolean {
    return this.#death !== null;
  }

  /** Resolves when the thread is gone, in whatever way. */
  get exited(): Promise<void> {
    return this.#exited;
  }

  /** Whether it keeps the process running. */
  holdProcess(holds: boolean): void {
    if (holds) {
      this.#worker.ref();
    } else {
      this.#worker.unref();
    }
  }

  /** At once: what is under way there is not finished. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
    await this.#exited;
  }

  #send(name: string, call: number, value: unknown): void {
    const outbox = new Outbox(this.#worker);
    outbox.add(name, call, pack(this.#parts.orders[name]!.value, value));
    outbox.post();
  }

  #take({ name, call, parcel }: Letter): void {
    if (call === TOLD) {
      const { news, on } = this.#parts;
      on[name]!(unpack<unknown>(news[name]!.value, parcel) as never);
      return;
    }
    const waiter = this.#waiters.get(call);
    this.#waiters.delete(call);
    if (name === FAILED) {
      waiter?.reject(errorOf(unpack<PortableError>(PLAIN, parcel)));
    } else {
      waiter?.resolve(unpack(waiter.answer, parcel));
    }
  }

  #die(cause: Error): void {
    this.#death = this.#parts.errorOfDeath?.(cause) ?? cause;
    for (const { reject } of this.#waiters.values()) {
      reject(this.#death);
    }
    this.#waiters.clear();
    if (!this.#isEnding) {
      this.#parts.died(this.#death);
    }
  }
}

/** This thread as whoever started it is told of it. */
export interface Service<News extends Messages> {
  /** What is told in one turn of the event loop goes out in one message at its end. */
  tell<K extends keyof News & string>(name: K, value: ValueOf<News[K]>): void;
  /** Sends what waits for the end of the turn. */
  post(): void;
}

/** Begins to take orders in this thread. An order that throws and was to be answered is answered with the error; any other ends the thread. */
export function serve<Orders extends Messages, News extends Messages>(
  orders: Orders,
  handlers: Handlers<Orders>,
  news: News,
): Service<News> {
  const port = parentPort!;
  const outbox = new Outbox(port);
  const answer = (name: string, call: number, parcel: Parcel): void => {
    outbox.add(name, call, parcel);
    outbox.post();
  };
  const answerLater = async (name: string, call: number, value: unknown): Promise<void> => {
    try {
      answer(ANSWERED, call, pack<unknown>(orders[name]!.answer, await handlers[name]!(value as never)));
    } catch (error) {
      answer(FAILED, call, pack(PLAIN, portable(error)));
    }
  };
  port.on('message', (mail: Mail) => {
    readMail(mail, ({ name, call, parcel }) => {
      const value = unpack(orders[name]!.value, parcel);
      if (call === TOLD) {
        void handlers[name]!(value as never);
      } else {
        void answerLater(name, call, value);
      }
    });
  });
  return {
    tell(name, value) {
      if (outbox.isEmpty) {
        queueMicrotask(() => outbox.post());
      }
      outbox.add(name, TOLD, pack<unknown>(news[name]!.value, value));
    },
    post: () => outbox.post(),
  };
}

/** In place of a call's number: nobody waits. */
const TOLD = 0;
/** Names of answers. */
const ANSWERED = 'answered';
const FAILED = 'failed';

interface Letter {
  name: string;
  call: number;
  parcel: Parcel;
}

/** What a message is: of each letter its name, its call, its text and the number of its parts; the parts of all of them are gathered. */
interface Mail extends Gathered {
  letters: (string | number)[];
}

class Outbox {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  #letters: Mail['letters'] = [];
  #parts: Parcel['parts'] = [];

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#port = port;
  }

  get isEmpty(): boolean {
    return this.#letters.length === 0;
  }

  add(name: string, call: number, { text, parts }: Parcel): void {
    this.#parts = this.isEmpty ? parts : this.#parts.concat(parts);
    this.#letters.push(name, call, text, parts.length);
  }

  post(): void {
    if (this.isEmpty) {
      return;
    }
    const moved: ArrayBuffer[] = [];
    const mail: Mail = { letters: this.#letters, ...gather(this.#parts, moved) };
    this.#letters = [];
    this.#parts = [];
    this.#port.postMessage(mail, moved);
  }
}

function readMail({ letters, ...gathered }: Mail, take: (letter: Letter) => void): void {
  const parts = spread(gathered);
  let from = 0;
  for (let i = 0; i < letters.length; i += 4) {
    const [name, call, text, count] = letters.slice(i, i + 4) as [string, number, string, number];
    take({ name, call, parcel: { text, parts: parts.slice(from, from + count) } });
    from += count;
  }
}

/** Errors lose their class and their fields on the way between threads. */
interface PortableError {
  /** Of an error that the program throws on purpose. */
  code: string | null;
  message: string;
  stack: string;
}

function portable(error: unknown): PortableError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: error instanceof GossamerError ? error.code : null, message, stack: stack ?? '' };
}

function errorOf({ code, message, stack }: PortableError): Error {
  const error = code === null ? new Error(message) : new StateError(code, message);
  error.stack = stack;
  return error;
}

/**
 * Flags of the program that a thread must not inherit: `--input-type` is for the text of `node -e` and makes Node refuse any file. They are
 * left alone otherwise: given by hand, flags that hold for the whole process would be refused too.
 */
const withoutInputType = (): { execArgv?: string[] } =>
  process.execArgv.some((flag) => flag.startsWith('--input-type')) ? { execArgv: [] } : {};
