import { expect, it } from 'vitest';
import { Budget } from '../../src/frontier/budget.js';
import { Host } from '../../src/frontier/host.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import type { QueuedUrl } from '../../src/store/transaction.js';
import { MAX_SITEMAP_FILES, QueueClass, UrlKind } from '../../src/store/url-state.js';

const newHost = () => new Host(1, 'a.test', 0, { ceiling: 20, tunes: false, tunedLimit: null });
const page = (seed = 0): QueuedUrl => ({
  ...{ id: 1, url: 'http://a.test/', kind: UrlKind.page, depth: 0, seed, class: QueueClass.rest },
  ...{ attempts: 1, notBefore: 0, hops: 0, flags: 0 },
});
const budgetOf = (limits: Partial<SchedulerOptions>, meta: Record<string, string> = {}) =>
  new Budget({ maxUrls: 0, maxUrlsPerHost: 0, maxUrlsOfSeeds: new Map(), ...limits } as SchedulerOptions, {
    meta,
    seedUse: [[3, 1]],
  });

it('a crawl is spent when as many pages were asked for as it may ask for, those of earlier runs included', () => {
  const budget = budgetOf({ maxUrls: 6 }, { dispatched: '5', refetched: '2' });
  expect(budget.isSpent).toBe(false);
  budget.count(page(), newHost());
  expect([budget.isSpent, budget.meta]).toEqual([true, { dispatched: '6', refetched: '2' }]);
});

it('a host and a seed have budgets of their own, and what was not asked for after all does not count', () => {
  const budget = budgetOf({ maxUrlsPerHost: 2, maxUrlsOfSeeds: new Map([[3, 2]]) });
  const [first, second] = [newHost(), newHost()];
  budget.count(page(), first);
  budget.count(page(3), first);
  expect([budget.allows(page(), first), budget.allows(page(), second), budget.allows(page(3), second)]).toEqual([
    ...[false, true, false],
  ]);
  budget.uncount(page(3), first);
  expect([budget.allows(page(), first), budget.allows(page(3), second), first.dispatched]).toEqual([true, true, 1]);
});

it('so many sitemap files of a host are read', () => {
  const [budget, host] = [budgetOf({}), newHost()];
  for (let files = 0; files < MAX_SITEMAP_FILES; files++) {
    expect(budget.takeSitemap(host)).toBe(true);
  }
  expect(budget.takeSitemap(host)).toBe(false);
  budget.uncount({ ...page(), kind: UrlKind.sitemap }, host);
  expect(budget.takeSitemap(host)).toBe(true);
});
