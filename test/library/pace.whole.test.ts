import { crawl, type LibraryOptions } from 'gossamer';
import { describe, expect, it } from 'vitest';
import { asKey, collect } from './support.js';

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A star of `leaves` pages, and how far the fetcher was ever ahead of the reader. */
function star(leaves: number) {
  const links = Array.from({ length: leaves }, (_, i) => `leaf ${i}`);
  const use = { asked: 0, taken: 0, ahead: 0, inFlight: 0, peakInFlight: 0 };
  const fetch: NonNullable<LibraryOptions['fetch']> = async (key) => {
    use.asked++;
    use.ahead = Math.max(use.ahead, use.asked - use.taken);
    use.inFlight++;
    use.peakInFlight = Math.max(use.peakInFlight, use.inFlight);
    await turn();
    use.inFlight--;
    return { links: key === 'root' ? links : ['root'] };
  };
  return { fetch, use };
}

describe('queueSize', () => {
  it.each([1, 2, 7, 100])(
    '%i: no more pages are asked for than that ahead of a reader who takes his time',
    async (queueSize) => {
      const { fetch, use } = star(150);
      for await (const _page of crawl({ seeds: ['root'], fetch, resolve: asKey, queueSize, downloaders: 50 })) {
        for (let turns = 0; turns < 3; turns++) {
          await turn();
        }
        use.taken++;
      }
      expect(use.asked).toBe(151);
      // The page that the reader is busy with has left the queue.
      expect(use.ahead).toBeLessThanOrEqual(queueSize + 1);
      if (queueSize < 50) {
        expect(use.ahead).toBeGreaterThanOrEqual(queueSize);
      }
    },
  );

  it('1, and a page with 100,000 links: every page comes, every edge is reported, nothing is stuck', async () => {
    const links = Array.from({ length: 100_000 }, (_, i) => `leaf ${i % 500}`);
    let edges = 0;
    const run = crawl({
      seeds: ['root'],
      queueSize: 1,
      resolve: asKey,
      fetch: (key) => ({ links: key === 'root' ? links : ['root'] }),
      onEdge: (from, to) => {
        if (from === 'root' && to !== `leaf ${edges % 500}`) {
          throw new Error(`edge ${edges} leads to ${to}`);
        }
        edges++;
      },
    });
    const pages = await collect(run);
    expect(pages).toHaveLength(501);
    expect(pages[0]).toMatchObject({ url: 'root', links: 100_000 });
    expect(edges).toBe(100_500);
  });

  it('holds nobody back where nobody iterates', async () => {
    const { fetch, use } = star(50);
    const told: string[] = [];
    const run = crawl({ seeds: ['root'], fetch, resolve: asKey, queueSize: 1, downloaders: 8 }).on('page', ({ url }) =>
      told.push(url),
    );
    const result = await run.finished;
    expect(result.summary.done).toBe(51);
    expect(new Set(told).size).toBe(51);
    expect(use.peakInFlight).toBe(8);
  });

  it('bounds what is told at the end too: thousands of skipped URLs and a queue of one', async () => {
    const links = Array.from({ length: 3_000 }, (_, i) => `leaf ${i}`);
    const run = crawl({ seeds: ['root'], queueSize: 1, depth: 0, resolve: asKey, fetch: () => ({ links }) });
    let most = 0;
    let skipped = 0;
    for await (const page of run) {
      skipped += page.state === 'skipped' ? 1 : 0;
      most = Math.max(most, run.stats().waitingResults);
    }
    expect(skipped).toBe(3_000);
    expect(most).toBe(1);
  });
});

describe('downloaders', () => {
  it.each([1, 3, 40])('%i pages are asked for at the same time, and never more', async (downloaders) => {
    const { fetch, use } = star(100);
    await collect(crawl({ seeds: ['root'], fetch, resolve: asKey, downloaders }));
    expect(use.peakInFlight).toBe(downloaders);
  });
});

describe('parsers', () => {
  it.each([1, 4])('%i pages hand on their edges at the same time, each in order', async (parsers) => {
    let busy = 0;
    let peak = 0;
    const targets = new Map<string, string[]>();
    const run = crawl({
      seeds: ['root'],
      parsers,
      downloaders: 20,
      resolve: asKey,
      fetch: (key) => ({
        links: key === 'root' ? Array.from({ length: 20 }, (_, i) => `leaf ${i}`) : ['root', key, 'root'],
      }),
      onEdge: async (from, to) => {
        busy++;
        peak = Math.max(peak, busy);
        await turn();
        busy--;
        targets.set(from, [...(targets.get(from) ?? []), to]);
      },
    });
    const pages = await collect(run);
    expect(pages).toHaveLength(21);
    expect(peak).toBe(parsers);
    expect(targets.get('leaf 7')).toEqual(['root', 'leaf 7', 'root']);
  });
});
