import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/frontier/outcome.js';
import { FrontierOnStore, offer } from './on-store.js';

const links = (host: string, count: number) =>
  Array.from({ length: count }, (_, n) => offer(`http://${host}.test/${n}`));
const hostsOf = (leases: readonly Lease[]) => leases.map(({ host }) => host.slice(0, 1)).join('');

describe('what lanes take in stock', () => {
  it('takes no place among the requests that are out', async () => {
    const box = new FrontierOnStore({ maxInflightPerHost: 2, leasesInStock: 3 });
    await box.frontier.admit(links('a', 10));
    const leases = await box.frontier.settle([], 9, { most: 100, leaving: 1 });
    expect([leases.length, box.frontier.inStock]).toEqual([5, 3]);
    box.frontier.ended(box.outcome(leases[0]!));
    expect(box.frontier.inStock).toBe(2);
    for (const lease of leases.slice(2)) {
      box.frontier.ended({ ...box.outcome(lease), status: null, unsent: 'returned' });
    }
    expect(box.frontier.inStock).toBe(0);
  });

  it('is nothing while another host waits for a place, and nothing where few are left', async () => {
    const box = new FrontierOnStore({ maxInflightPerHost: 2, leasesInStock: 8 });
    await box.frontier.admit([...links('a', 20), ...links('b', 20)]);
    expect(
      hostsOf(await box.frontier.settle([], 3, { most: 100, leaving: 0 }))
        .split('')
        .sort()
        .join(''),
    ).toBe('aab');
    expect(box.frontier.inStock).toBe(0);
    expect(hostsOf(await box.frontier.settle([], 1, { most: 100, leaving: 1 }))).toBe('b');
    expect(hostsOf(await box.frontier.settle([], 1, { most: 100, leaving: 1 })).length).toBe(16);
  });

  it('is no more than there are places for results', async () => {
    const box = new FrontierOnStore({ maxInflightPerHost: 2, leasesInStock: 8 });
    await box.frontier.admit(links('a', 20));
    expect(await box.frontier.settle([], 10, { most: 5, leaving: 1 })).toHaveLength(5);
  });

  it('counts a host whose limit fell by what is still on the wire', async () => {
    const box = new FrontierOnStore({ maxInflightPerHost: 8, autoTune: true });
    await box.frontier.admit(links('a', 30));
    const leases = await box.frontier.settle([], 8, { most: 100, leaving: 0 });
    for (const lease of leases.slice(0, 2)) {
      box.frontier.ended(box.outcome(lease, { status: 503 }));
    }
    // The others are under way, however low the limit is now.
    expect(box.frontier.inStock).toBe(0);
  });
});
