import { expect, it } from 'vitest';
import { type Obstacles, waitingWords } from '../../src/watch/waiting.js';

const NONE: Obstacles = {
  ...{ now: 0, inFlight: 0, isStopping: false, isDiskLow: false, hostsDelayed: 0, seeding: null, rendering: 0 },
  waitingFor: { name: 'a.test', at: 3_000 },
};
const words = (parts: Partial<Obstacles>): string | null => waitingWords({ ...NONE, ...parts })[0];

it('tells hosts that keep their delay from those that are left alone after trouble', () => {
  expect(words({ hostsDelayed: 2 })).toMatch(/^2 hosts delayed, next a\.test in /);
  expect(words({ hostsDelayed: 1, hostsBackingOff: 1 })).toMatch(/^1 host backing off, next a\.test in /);
  expect(words({ hostsDelayed: 3, hostsBackingOff: 1 })).toMatch(/^2 hosts delayed and 1 backing off, next /);
});
