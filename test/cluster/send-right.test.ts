import { describe, expect, it } from 'vitest';
import { maySend } from '../../src/base/send-until.js';
import { SendRight } from '../../src/cluster/send-right.js';
import { SimClock } from './sim-clock.js';

const LEASE_MS = 1_000;
const MARGIN_MS = 125;

function open() {
  const clock = new SimClock();
  const right = new SendRight(clock, () => {});
  const moment = () => ({ now: clock.now(), wall: clock.wall() });
  return { clock, right, moment };
}

describe('the right to send', () => {
  it('is over a lease after the call went out that renewed it, however late its answer came', () => {
    const { clock, right, moment } = open();
    right.claimed(moment(), LEASE_MS, 0);
    const sentAt = moment();
    clock.advance(600);
    right.renewed(sentAt, LEASE_MS, MARGIN_MS);
    clock.advance(399);
    expect(right.isOpen).toBe(true);
    clock.advance(1);
    expect(right.isOpen).toBe(false);
  });

  it('begins a whole lease and a margin after a claim, where somebody may have had the slot', () => {
    const { clock, right, moment } = open();
    right.claimed(moment(), LEASE_MS, LEASE_MS + MARGIN_MS);
    for (let passed = 0; passed < LEASE_MS + MARGIN_MS; passed += 225) {
      expect(right.isOpen).toBe(false);
      right.renewed(moment(), LEASE_MS, MARGIN_MS);
      clock.advance(225);
    }
    expect(right.isOpen).toBe(true);
  });

  it('begins anew, as after a claim, where the lease had run out before it was renewed', () => {
    const { clock, right, moment } = open();
    right.claimed(moment(), LEASE_MS, 0);
    clock.advance(LEASE_MS + 1);
    right.renewed(moment(), LEASE_MS, MARGIN_MS);
    expect(right.isOpen).toBe(false);
  });

  it('goes on until it is over where the slot is claimed once more, and not beyond', () => {
    const { clock, right, moment } = open();
    right.claimed(moment(), LEASE_MS, 0);
    clock.advance(300);
    right.claimed(moment(), LEASE_MS, LEASE_MS + MARGIN_MS);
    clock.advance(699);
    expect(right.isOpen).toBe(true);
    right.renewed(moment(), LEASE_MS, MARGIN_MS);
    clock.advance(1);
    expect(right.isOpen).toBe(false);
  });

  it('does not begin before the time that is quiet, however often the slot is claimed and the lease renewed', () => {
    const { clock, right, moment } = open();
    right.notBefore(clock.now() + 4 * LEASE_MS);
    right.claimed(moment(), LEASE_MS, LEASE_MS + MARGIN_MS);
    for (let passed = 0; passed < 4 * LEASE_MS; passed += 200) {
      expect(right.isOpen).toBe(false);
      if (passed === 2_000) {
        right.claimed(moment(), LEASE_MS, LEASE_MS + MARGIN_MS);
      }
      right.renewed(moment(), LEASE_MS, MARGIN_MS);
      clock.advance(200);
    }
    expect(right.isOpen).toBe(true);
  });

  it('is over when either clock says so', () => {
    const until = new Float64Array([100, 100]);
    const at = (now: number, wall: number) => maySend(until, { now: () => now, wall: () => wall, at: () => () => {} });
    expect([at(99, 99), at(100, 99), at(99, 100)]).toEqual([true, false, false]);
  });
});
