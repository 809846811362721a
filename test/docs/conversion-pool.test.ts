import { describe, expect, it } from 'vitest';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import type { Job, Result, Step, Task } from '../../src/docs/convert/conversion.js';
import {
  ConversionPool,
  type ConverterListener,
  type ConverterPort,
  type Work,
} from '../../src/docs/convert/conversion-pool.js';
import { FakeClock } from '../fetch/support.js';

const LIMITS = { pages: 20, bytes: 1_000, pageMs: 60_000 };

/** A thread that does as it is told: each job is one call of `work`. */
class FakeThread implements ConverterPort {
  isClosed = false;
  readonly learned: number[] = [];
  /** Of each batch, what it was given with. */
  readonly batches: { memory: SiteMemory; ids: number[] }[] = [];
  #begun = 0;

  constructor(
    readonly listener: ConverterListener,
    readonly work: (id: number, task: Task) => Result | 'hang' | 'die',
  ) {}

  begun = (): number => this.#begun;

  take({ task, memory }: Work, jobs: readonly Job[]): void {
    this.batches.push({ memory, ids: jobs.map(({ id }) => id) });
    queueMicrotask(() => {
      const results: Result[] = [];
      for (const { id } of jobs) {
        if (this.isClosed) {
          return;
        }
        this.#begun++;
        const result = this.work(id, task);
        if (result === 'hang') {
          return;
        }
        if (result === 'die') {
          this.isClosed = true;
          this.listener.died(new Error('out of memory'));
          return;
        }
        if (task === 'learn') {
          this.learned.push(id);
        }
        results.push(result);
      }
      this.listener.results(results);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const job = (id: number, bytes = 10): Job => ({
  id,
  url: `https://docs.test/${id}`,
  bytes,
  knownHash: null,
  linkedIds: [],
});
const steps = (count: number, bytes = 10): Step[] =>
  Array.from({ length: count }, (_, id) => ({ job: job(id, bytes) }));
const page = (id: number): Result => ({ title: String(id) }) as Result;

function open(work: FakeThread['work'], threads = 3, clock = new FakeClock()) {
  const opened: FakeThread[] = [];
  const pool = new ConversionPool(
    threads,
    (listener) => {
      const thread = new FakeThread(listener, work);
      opened.push(thread);
      return thread;
    },
    clock,
    LIMITS,
  );
  return { pool, opened, clock };
}

async function titles(results: AsyncIterable<{ result: Result }>): Promise<string[]> {
  const all: string[] = [];
  for await (const { result } of results) {
    all.push(
      result === null ? '-' : 'problem' in result ? result.problem : 'title' in result ? result.title : 'learned',
    );
  }
  return all;
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

describe('threads that convert', () => {
  it('give pages in their order, with what is ready in its place', async () => {
    const { pool, opened } = open(page);
    const mixed: Step[] = [
      ...steps(50),
      { input: { url: 'https://docs.test/known', isKnown: true } },
      { job: job(99) },
    ];
    expect(await titles(pool.site(new SiteMemory()).convert(mixed))).toEqual([...numbers(50), '-', '99']);
    expect(opened.length).toBe(3);
    await pool.close();
    expect(opened.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('take only so many pages ahead of what is asked for', async () => {
    const { pool } = open(page);
    let taken = 0;
    function* counted(): IterableIterator<Step> {
      for (const step of steps(200)) {
        taken++;
        yield step;
      }
    }
    const results = pool.site(new SiteMemory()).convert(counted());
    for (let given = 1; given <= 100; given++) {
      await results.next();
      expect(taken).toBeLessThanOrEqual(given + LIMITS.pages);
    }
    expect(taken).toBeGreaterThan(100);
  });

  it('take only so many bytes ahead, and a page that has more by itself all the same', async () => {
    const { pool } = open(page);
    let taken = 0;
    function* counted(): IterableIterator<Step> {
      for (const step of steps(40, 600)) {
        taken++;
        yield step;
      }
    }
    const results = pool.site(new SiteMemory()).convert(counted());
    await results.next();
    expect(taken).toBe(2);
    expect(await titles(open(page).pool.site(new SiteMemory()).convert(steps(5, 5_000)))).toEqual(numbers(5));
  });

  it('are replaced when a page kills one: it costs that page and no other', async () => {
    const { pool, opened } = open((id) => (id === 5 ? 'die' : page(id)));
    const expected = numbers(30);
    expected[5] = 'it cannot be converted: out of memory';
    expect(await titles(pool.site(new SiteMemory()).convert(steps(30)))).toEqual(expected);
    expect(opened.length).toBe(4);
  });

  it('are replaced when a page never ends, once it had its time', async () => {
    const { pool, opened, clock } = open((id) => (id === 3 ? 'hang' : page(id)));
    const all = titles(pool.site(new SiteMemory()).convert(steps(30)));
    // Everything that can be done without that page is done before time goes on.
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened.length).toBe(3);
    clock.advance(2 * LIMITS.pageMs);
    const expected = numbers(30);
    expected[3] = 'it cannot be converted: it took over 60 s';
    expect(await all).toEqual(expected);
    expect(opened[0]!.isClosed).toBe(true);
    await pool.close();
    expect(clock.armed).toBe(0);
  });

  it('learn from each page once, also when one of them dies; what killed one is not tried again', async () => {
    const tried: string[] = [];
    const { pool, opened } = open((id, task) => {
      if (id === 5) {
        tried.push(task);
      }
      return id === 5 ? 'die' : task === 'learn' ? null : page(id);
    });
    const site = pool.site(new SiteMemory());
    await site.learn(
      steps(30).map((step) => (step as { job: Job }).job),
      () => {},
    );
    const learned = opened.flatMap((thread) => thread.learned).sort((a, b) => a - b);
    expect(learned).toEqual(Array.from({ length: 30 }, (_, i) => i).filter((id) => id !== 5));
    expect((await titles(site.convert(steps(30))))[5]).toContain('out of memory');
    expect(tried).toEqual(['learn']);
  });

  it('that cannot even begin end the conversion with a sentence', async () => {
    const { pool } = open(page);
    const dead = new ConversionPool(
      1,
      (listener) => ({
        begun: () => 0,
        take: () => queueMicrotask(() => listener.died(new Error('no such file'))),
        close: async () => {},
      }),
      new FakeClock(),
      LIMITS,
    );
    await expect(titles(dead.site(new SiteMemory()).convert(steps(3)))).rejects.toThrow(
      'pages cannot be converted: no such file',
    );
    await pool.close();
  });

  it('are the same for all sites: each has its pages in their order, its own memory, and no batch with pages of another', async () => {
    const { pool, opened } = open(page);
    const sites = Array.from({ length: 40 }, (_, n) => ({
      site: pool.site(new SiteMemory()),
      steps: Array.from({ length: (n % 3) + 1 }, (_, i): Step => ({ job: job(n * 10 + i) })),
    }));
    const all = await Promise.all(sites.map(({ site, steps }) => titles(site.convert(steps))));
    expect(all).toEqual(sites.map(({ steps }) => steps.map((step) => String((step as { job: Job }).job.id))));
    expect(opened.length).toBe(3);
    const memories = new Map<number, SiteMemory>();
    for (const { memory, ids } of opened.flatMap(({ batches }) => batches)) {
      const [site, ...others] = new Set(ids.map((id) => Math.floor(id / 10)));
      expect(others).toEqual([]);
      expect(memories.get(site!) ?? memory).toBe(memory);
      memories.set(site!, memory);
    }
    expect(new Set(memories.values()).size).toBe(40);
  });

  it('give back the room of a site that nobody takes pages of any more', async () => {
    const { pool } = open(page);
    for (let n = 0; n < 5; n++) {
      const left = pool.site(new SiteMemory()).convert(steps(200));
      await left.next();
      await left.return!();
    }
    let taken = 0;
    function* counted(): IterableIterator<Step> {
      for (const step of steps(200)) {
        taken++;
        yield step;
      }
    }
    await pool.site(new SiteMemory()).convert(counted()).next();
    expect(taken).toBe(LIMITS.pages);
  });
});
