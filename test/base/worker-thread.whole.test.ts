import { describe, expect, it, onTestFinished } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import { PLAIN } from '../../src/base/parcel.js';
import { asked, told, WorkerThread } from '../../src/base/worker-thread.js';

const ORDERS = {
  add: asked<{ a: number; b: number }, number>(PLAIN, PLAIN),
  flip: asked<Uint8Array, Uint8Array>('bytes', 'bytes'),
  fail: asked<'ours' | 'other', void>(PLAIN, PLAIN),
  wait: asked<void, void>(PLAIN, PLAIN),
  count: told<number>(PLAIN),
  throw: told<void>(PLAIN),
  exit: told<number>(PLAIN),
  data: asked<void, unknown>(PLAIN, PLAIN),
};
const NEWS = { counted: told<number>(PLAIN) };

function start(errorOfDeath?: (cause: Error) => Error) {
  const heard: number[] = [];
  const deaths: Error[] = [];
  const thread = new WorkerThread({
    file: new URL('./answering-thread.js', import.meta.url),
    data: { name: 'one' },
    orders: ORDERS,
    news: NEWS,
    on: { counted: (n) => void heard.push(n) },
    died: (error) => void deaths.push(error),
    ...(errorOfDeath === undefined ? {} : { errorOfDeath }),
  });
  onTestFinished(() => thread.end());
  return { thread, heard, deaths };
}

describe('a thread', () => {
  it('answers each call with what was asked for, in whatever order it comes to it', async () => {
    const { thread } = start();
    const sums = Array.from({ length: 50 }, (_, i) => thread.ask('add', { a: i, b: 1 }));
    expect(await Promise.all(sums)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(await thread.ask('flip', Uint8Array.of(0, 255))).toEqual(Uint8Array.of(255, 0));
    const large = await thread.ask('flip', new Uint8Array(1 << 20));
    expect([large.length, large[0], large.at(-1)]).toEqual([1 << 20, 255, 255]);
    expect(await thread.ask('data', undefined)).toEqual({ name: 'one' });
  });

  it('takes letters in the order in which they were sent, and so are its own taken', async () => {
    const { thread, heard } = start();
    thread.tell('count', 1_000);
    await thread.ask('add', { a: 1, b: 1 });
    expect(heard).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
  });

  it('answers with the error where a call throws: one of ours with its code, and the thread lives on', async () => {
    const { thread, deaths } = start();
    const ours = await thread.ask('fail', 'ours').catch((error: unknown) => error);
    expect(ours).toBeInstanceOf(StateError);
    expect(ours).toMatchObject({ code: 'full', message: 'the disk is full' });
    const other = await thread.ask('fail', 'other').catch((error: unknown) => error);
    expect(other).toMatchObject({ message: 'a defect', stack: expect.stringContaining('answering-thread') });
    expect(await thread.ask('add', { a: 1, b: 2 })).toBe(3);
    expect(deaths).toEqual([]);
  });
});

describe('a thread that dies', () => {
  it.each([
    ['of an error that nobody catches', 'throw', 'uncaught'],
    ['by ending itself', 'exit', 'its thread ended with code 7'],
  ] as const)('%s fails all that is open and all that is asked later, and tells it once', async (_, how, message) => {
    const { thread, deaths } = start();
    const open = [thread.ask('wait', undefined), thread.ask('wait', undefined)];
    const failed = Promise.allSettled(open);
    if (how === 'exit') {
      thread.tell('exit', 7);
    } else {
      thread.tell('throw', undefined);
    }
    expect(await failed).toMatchObject([{ reason: { message } }, { reason: { message } }]);
    expect(deaths.map((error) => error.message)).toEqual([message]);
    expect(thread.isGone).toBe(true);
    await expect(thread.ask('add', { a: 1, b: 1 })).rejects.toThrow(message);
    thread.tell('count', 3);
    await thread.exited;
  });

  it('is spoken of in the words of its owner', async () => {
    const { thread, deaths } = start(({ message }) => new StateError('gone', `it is gone: ${message}`));
    const open = thread.ask('wait', undefined).catch((error: unknown) => error);
    thread.tell('exit', 7);
    expect(await open).toMatchObject({ code: 'gone', message: 'it is gone: its thread ended with code 7' });
    expect(deaths).toEqual([await open]);
  });
});

describe('a thread that is ended', () => {
  it('fails what is open and is no death', async () => {
    const { thread, deaths } = start();
    const open = thread.ask('wait', undefined).catch((error: unknown) => error);
    await thread.end();
    expect(await open).toBeInstanceOf(Error);
    expect(deaths).toEqual([]);
  });
});

it('a value that cannot be packed fails its call alone', async () => {
  const { thread, deaths } = start();
  const endless = { toJSON: () => 'x'.repeat(2 ** 29) } as unknown as { a: number; b: number };
  await expect(thread.ask('add', endless)).rejects.toThrow(RangeError);
  expect(await thread.ask('add', { a: 2, b: 2 })).toBe(4);
  expect(deaths).toEqual([]);
});
