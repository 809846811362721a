import { parentPort } from 'node:worker_threads';
import { GossamerError } from '../../base/errors.js';
import { StoreHost } from './store-host.js';
import { HALT, HALTED } from './store-orders.js';
import type { StoreReply, StoreRequest } from './store-thread.js';

const host = new StoreHost();
const port = parentPort!;

// One request after the other: an asynchronous one (finish) holds the next back.
let queue: Promise<void> = Promise.resolve();

port.on('message', (request: StoreRequest | typeof HALT) => {
  if (request === HALT) {
    port.postMessage(HALTED);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return;
  }
  queue = queue.then(() => answer(request));
});

async function answer({ call, method, args }: StoreRequest): Promise<void> {
  let reply: StoreReply;
  try {
    const run = host[method] as (...values: unknown[]) => unknown;
    reply = { call, value: await run.apply(host, args) };
  } catch (error) {
    reply = { call, error: portable(error) };
  }
  port.postMessage(reply);
  if (method === 'commit') {
    writeLines();
  } else if (method === 'close') {
    port.close();
  }
}

function writeLines(): void {
  try {
    host.writeLines();
  } catch {
    // What keeps it from being written keeps the next commit from it too, and that one is answered with the error.
  }
}

/** Errors lose their class and fields on the way between threads. */
function portable(error: unknown): NonNullable<StoreReply['error']> {
  if (error instanceof GossamerError) {
    return { code: error.code, exitCode: error.exitCode, message: error.message, stack: error.stack ?? '' };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const isOfMachine = typeof (error as NodeJS.ErrnoException | null)?.code === 'string';
  return { code: isOfMachine ? 'store' : 'store_defect', exitCode: 3, message, stack: stack ?? '' };
}
