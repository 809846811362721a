import { expect, it } from 'vitest';
import { OriginRobots } from '../../src/frontier/origin-robots.js';

it('rules are good until they expire, and those of a clock that was set back since are not', () => {
  const robots = new OriginRobots();
  expect([robots.state, robots.isNeeded(1_000)]).toEqual(['unknown', true]);
  robots.started();
  expect(robots.isNeeded(1_000)).toBe(false);
  robots.read('rules', 500, 1_000, 9_000);
  expect([robots.isNeeded(8_999), robots.state, robots.crawlDelayMs]).toEqual([false, 'ready', 500]);
  expect([robots.isNeeded(9_000), robots.state, robots.rules]).toEqual([true, 'unknown', 'rules']);
  robots.read('rules', null, 5_000, 9_000);
  expect(robots.isNeeded(4_999)).toBe(true);
});

it('a series of tries goes on in the next run, and ends with an answer', () => {
  const robots = new OriginRobots();
  expect([robots.missed(), robots.missed()]).toEqual([1, 2]);
  robots.retry(700);
  const next = new OriginRobots();
  next.restore(robots.toRow(1, 10_000), { state: 'unknown', obeys: true, retryAt: 50 });
  expect([robots.toRow(1, 10_000).robotsRetryAt, next.tries, next.retryAt]).toEqual([10_700, 2, 50]);
  next.read(null, null, 1, 2);
  expect([next.tries, next.retryAt]).toEqual([0, 0]);
});

it('what did not answer and is crawled all the same is kept as such', () => {
  const robots = new OriginRobots();
  robots.read(null, null, 1, 2);
  expect(robots.toRow(1, 0).robotsState).toBe('ready');
  robots.passedOver(true, 2);
  expect([robots.toRow(1, 0).robotsState, robots.isUnanswered]).toEqual(['unanswered', true]);
});

it('sitemaps are looked for at an origin once, and a change is saved once', () => {
  const robots = new OriginRobots();
  expect([robots.seekSitemaps(), robots.seekSitemaps()]).toEqual([true, false]);
  robots.leased(7);
  expect([robots.takeChanged(), robots.takeChanged(), robots.id]).toEqual([true, false, 7]);
});
