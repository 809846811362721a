import { GossamerError, StateError } from '../base/errors.js';
import { type Handlers, serve } from '../base/worker-thread.js';
import { StoreHost } from './store-host.js';
import { STORE_NEWS, STORE_ORDERS } from './store-messages.js';

type Answers = Omit<Handlers<typeof STORE_ORDERS>, 'halt'>;

const host = new StoreHost();
// Orders run one after the other: an asynchronous one (finish) holds the next back.
let queue: Promise<unknown> = Promise.resolve();

const coordinator = serve(
  STORE_ORDERS,
  {
    ...inTurn(host),
    halt: () => {
      coordinator.tell('halted', undefined);
      coordinator.post();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
  STORE_NEWS,
);

function inTurn(answers: Answers): Answers {
  const names = Object.keys(STORE_ORDERS).filter((name) => name !== 'halt') as (keyof Answers)[];
  const waiting = names.map((name) => [
    name,
    (value: unknown) => {
      const answer = queue.then(() => answerTo(answers, name, value));
      queue = answer.catch(() => {});
      return answer;
    },
  ]);
  return Object.fromEntries(waiting) as Answers;
}

async function answerTo(answers: Answers, name: keyof Answers, value: unknown): Promise<unknown> {
  try {
    return await answers[name](value as never);
  } catch (error) {
    throw error instanceof GossamerError ? error : failureOf(error);
  } finally {
    if (name === 'commit') {
      // This runs once the commit has been answered.
      setImmediate(writeResults);
    }
  }
}

function writeResults(): void {
  try {
    host.writeResults();
  } catch {
    // An error that keeps them from being written also stops the next commit, which is answered with it.
  }
}

/** An error that the program did not throw on purpose is trouble with the machine, or a defect. */
function failureOf(error: unknown): StateError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const isOfMachine = typeof (error as NodeJS.ErrnoException | null)?.code === 'string';
  const failure = new StateError(isOfMachine ? 'store' : 'store_defect', message);
  failure.stack = stack ?? '';
  return failure;
}
