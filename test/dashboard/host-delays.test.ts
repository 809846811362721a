import { expect, it } from 'vitest';
import { HostDelays, type SetDelays } from '../../src/dashboard/host-delays.js';
import type { StoredHost } from '../../src/store/watch-rows.js';

const NONE_SET: SetDelays = { all: null, hosts: {} };
const host = (parts: Partial<StoredHost> = {}): StoredHost => ({
  ...{ id: 1, name: 'a.test', state: 'ready', reason: null, until: null, queue: 0, isQueueLonger: false },
  ...{ crawlDelayMs: null, learnedDelayMs: 0, robots: null, failures: 0, tunedLimit: null, requests: 0, address: null },
  ...parts,
});
const delays = (values: Record<string, unknown> = {}): HostDelays =>
  new HostDelays({ command: 'crawl', options: JSON.stringify({ values }) });

it('is that of --delay where nobody says more', () => {
  expect(delays({ delayMs: 700 }).of(host(), NONE_SET)).toEqual({ delayMs: 700, delayFrom: 'option' });
});

it('is none on loopback where --delay was not given', () => {
  expect(delays().of(host({ name: '127.0.0.1:80' }), NONE_SET)).toEqual({ delayMs: 0, delayFrom: 'option' });
});

it('is the longer one of robots.txt or of refusals', () => {
  const some = delays({ delayMs: 700 });
  expect(some.of(host({ crawlDelayMs: 2_000 }), NONE_SET)).toEqual({ delayMs: 2_000, delayFrom: 'robots.txt' });
  expect(some.of(host({ crawlDelayMs: 500, learnedDelayMs: 9_000 }), NONE_SET)).toEqual({
    delayMs: 9_000,
    delayFrom: 'refusals',
  });
  expect(delays({ delayMs: 700, ignoreRobots: true }).of(host({ crawlDelayMs: 2_000 }), NONE_SET).delayMs).toBe(700);
});

it('is what somebody set, for the host or for all, and never shorter than robots.txt asks', () => {
  const some = delays({ delayMs: 700 });
  expect(some.of(host(), { all: 100, hosts: {} })).toEqual({ delayMs: 100, delayFrom: 'user' });
  expect(some.of(host(), { all: 100, hosts: { 'a.test': 50 } })).toEqual({ delayMs: 50, delayFrom: 'user' });
  expect(some.of(host({ crawlDelayMs: 2_000 }), { all: 100, hosts: {} }).delayFrom).toBe('robots.txt');
});
