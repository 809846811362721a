import { expect, it } from 'vitest';
import { MOST_LET_IN, TrapReader } from '../../src/store/traps.js';
import { TrapWatch } from '../../src/url/traps.js';
import { TestScope } from '../store/support.js';
import { FrontierOnStore, offer } from './on-store.js';

const LIMIT = 12;
const pages = (count: number) => Array.from({ length: count }, (_, n) => `http://a.test/day/${n + 1}`);
const PATTERN = 'http://a.test/day/0';

/** A crawl that has cut the pattern, with so many pages of it known. */
async function cutCrawl(count: number) {
  const traps = new TrapWatch({ maxQueryVariants: 0, maxShapeVariants: LIMIT, allow: [] });
  const box = new FrontierOnStore({}, new TestScope(), undefined, undefined, traps);
  await box.frontier.admit(pages(count).map((url) => offer(url)));
  const fetched = await box.fetchAll(() => ({ textHash: 1 }), 1);
  expect(fetched).toHaveLength(LIMIT - 1);
  return box;
}

it('URLs that were cut are fetched once their pattern is let in, each once, and those found later too', async () => {
  const box = await cutCrawl(40);
  expect(await box.frontier.letTrapIn(PATTERN)).toEqual({ isKnown: true, queued: 40 - LIMIT + 1 });
  expect(await box.frontier.letTrapIn(PATTERN)).toEqual({ isKnown: true, queued: 0 });
  box.checkCounts();
  const later = 'http://a.test/day/999';
  await box.frontier.admit([offer(later)]);
  const fetched = await box.fetchAll(() => ({ textHash: 1 }), 1);
  expect(fetched.sort()).toEqual([...pages(40).slice(LIMIT - 1), later].sort());
  expect(box.frontier.counts()).toMatchObject({ done: 41, skipped: 0, outstanding: 0 });
  expect(new TrapReader(box.store.database).named(PATTERN)).toBeNull();
});

it('very many are let in piece by piece', async () => {
  const count = MOST_LET_IN + LIMIT + 9;
  const box = await cutCrawl(count);
  expect(await box.frontier.letTrapIn(PATTERN)).toEqual({ isKnown: true, queued: MOST_LET_IN });
  expect(await box.frontier.letTrapIn(PATTERN)).toEqual({ isKnown: true, queued: 10 });
  expect(await box.fetchAll(() => ({ textHash: 1 }), 500)).toHaveLength(count - LIMIT + 1);
});

it('a pattern that nobody has seen changes nothing', async () => {
  const box = await cutCrawl(20);
  expect(await box.frontier.letTrapIn('http://a.test/night/0')).toEqual({ isKnown: false, queued: 0 });
  expect(await box.fetchAll()).toEqual([]);
});
