import { getEventListeners } from 'node:events';
import { crawl, pageAsMarkdown, preview, robotsVerdict, StateError } from 'gossamer';
import { describe, expect, it } from 'vitest';
import { asKey, collect } from './support.js';

/** Pages without end, each a link to the next. */
const endless = (key: string) => ({ links: [`${key}x`] });
const never = new Promise<void>(() => {});

describe('a signal stops a crawl as stop() does', () => {
  it('with what is done so far, and leaves no listener', async () => {
    const stop = new AbortController();
    const run = crawl({ seeds: ['root'], fetch: endless, resolve: asKey, signal: stop.signal });
    let pages = 0;
    for await (const page of run) {
      expect(page.state).toBe('done');
      pages++;
      if (pages === 3) {
        stop.abort();
      }
    }
    const { reason, truncated, summary } = await run.finished;
    expect({ reason, truncated }).toEqual({ reason: 'stopped', truncated: null });
    expect(pages).toBe(summary.done);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('before it begins: nothing is asked for', async () => {
    const asked: string[] = [];
    const fetch = (key: string) => {
      asked.push(key);
      return endless(key);
    };
    const run = crawl({ seeds: ['root'], fetch, resolve: asKey, signal: AbortSignal.abort() });
    expect(await collect(run)).toEqual([]);
    expect((await run.finished).reason).toBe('stopped');
    expect(asked).toEqual([]);
  });

  it('after the end it means nothing', async () => {
    const stop = new AbortController();
    const run = crawl({ seeds: ['root'], fetch: () => ({ links: [] }), resolve: asKey, signal: stop.signal });
    const { reason } = await run.finished;
    stop.abort();
    expect(reason).toBe('complete');
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});

describe('functions that answer a question are rejected', () => {
  const stopped = { name: 'StateError', code: 'stopped' };

  it.each([
    ['preview', (signal: AbortSignal) => preview({ seeds: ['http://127.0.0.1:9/'], signal })],
    ['pageAsMarkdown', (signal: AbortSignal) => pageAsMarkdown('http://127.0.0.1:9/', { signal })],
    ['robotsVerdict', (signal: AbortSignal) => robotsVerdict('http://127.0.0.1:9/', { signal })],
  ])('%s', async (name, ask) => {
    const signal = AbortSignal.abort();
    const error = await ask(signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(stopped);
    expect(error).toBeInstanceOf(StateError);
    expect((error as Error).message).toBe(`${name} was stopped by its signal`);
    expect((error as Error).cause).toBe(signal.reason);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a function of the user that never comes back', () => {
  it.each(['stop()', 'signal', 'durationMs', 'break'])('onEdge cannot hold %s', async (how) => {
    const stop = new AbortController();
    const notices: string[] = [];
    const edges: string[] = [];
    let begun = (): void => {};
    const stuck = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const run = crawl({
      seeds: ['root'],
      fetch: endless,
      resolve: asKey,
      graceMs: 20,
      signal: stop.signal,
      ...(how === 'durationMs' ? { durationMs: 1_000 } : {}),
      onEdge: (_from, to) => {
        edges.push(to);
        begun();
        return never;
      },
    });
    run.on('notice', (text) => notices.push(text));
    const iterator = how === 'break' ? run[Symbol.asyncIterator]() : null;
    const { finished } = run;
    await stuck;
    if (how === 'stop()') {
      void run.stop();
    }
    if (how === 'signal') {
      stop.abort();
    }
    if (iterator !== null) {
      await iterator.return?.();
    }
    const { reason, undelivered, summary } = await finished;
    expect(reason).toBe(how === 'durationMs' ? 'duration' : 'stopped');
    expect(edges).toEqual(['rootx']);
    expect(summary.done).toBeGreaterThanOrEqual(1);
    expect(undelivered).toBe(summary.done);
    expect(notices).toContainEqual(
      expect.stringMatching(/^onEdge has not come back: \d+ pages? (?:is|are) committed and not handed on$/),
    );
  });

  it('fetch cannot hold stop()', async () => {
    let asked = (): void => {};
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const fetch = () => {
      asked();
      return never as Promise<never>;
    };
    const run = crawl({ seeds: ['root'], fetch, resolve: asKey, graceMs: 20 });
    const { finished } = run;
    await begun;
    void run.stop();
    expect((await finished).reason).toBe('stopped');
  });
});

describe('what a function of the user throws is what the run ends with', () => {
  const error = new RangeError('of the user');
  const world = { seeds: ['root'], fetch: endless, resolve: asKey };

  it.each([
    ['a listener that throws', () => crawl(world).on('page', () => raise(error))],
    ['a listener that rejects', () => crawl(world).on('page', async () => raise(error))],
    ['an onEdge that throws', () => crawl({ ...world, onEdge: () => raise(error) })],
    ['an onEdge that rejects', () => crawl({ ...world, onEdge: async () => raise(error) })],
  ])('%s', async (_what, begin) => {
    const unhandled: unknown[] = [];
    const note = (thrown: unknown): void => {
      unhandled.push(thrown);
    };
    process.on('unhandledRejection', note);
    await expect(begin().finished).rejects.toBe(error);
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

function raise(error: Error): never {
  throw error;
}

it('two crawls in one process do not disturb each other', async () => {
  const fetchTo = (most: number) => (key: string) => ({ links: key.length < most ? [`${key}x`] : [] });
  const runs = [10, 20].map((most) => crawl({ seeds: ['r'], fetch: fetchTo(most), resolve: asKey }));
  const results = await Promise.all(runs.map((run) => run.finished));
  expect(results.map(({ summary }) => summary.done)).toEqual([10, 20]);
});
