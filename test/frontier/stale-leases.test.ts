import { expect, it } from 'vitest';
import { FrontierOnStore, offer } from './on-store.js';

const LINKS = [1, 2, 3, 4, 5].map((n) => offer(`http://a.test/${n}`));

it('a lease may not go out any more when its host got into trouble while it was committed', async () => {
  const box = new FrontierOnStore({ maxInflightPerHost: 2, leasesInStock: 8, retries: 0, maxWaitMs: 3_600_000 });
  await box.frontier.admit(LINKS);
  const [first, ...others] = await box.frontier.settle([], 2, { most: 5, leaving: 0 });
  expect([others.length, others.every((lease) => box.frontier.mayGo(lease))]).toEqual([4, true]);
  box.frontier.ended(box.outcome(first!, { status: 429, retryAfterMs: 60_000 }));
  expect(others.some((lease) => box.frontier.mayGo(lease))).toBe(false);
  box.now += 61_000;
  expect(others.every((lease) => box.frontier.mayGo(lease))).toBe(true);
});
