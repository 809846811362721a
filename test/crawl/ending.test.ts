import { describe, expect, it } from 'vitest';
import { Ending, type LeftToDo, Limits } from '../../src/crawl/ending.js';
import { Batching } from '../../src/crawl/waiting-work.js';
import { VirtualClock } from '../sim/virtual-clock.js';

const NOTHING: LeftToDo = {
  inFlight: 0,
  unsettled: 0,
  hasWaitingWork: false,
  outstanding: 0,
  deferred: 0,
  secondLooks: 0,
  isSeeding: false,
  canGoOn: false,
  spent: null,
  goesOnRendering: () => false,
};

function ending(limits: { durationMs?: number; maxBytes?: number } = {}) {
  const clock = new VirtualClock();
  const { durationMs = null, maxBytes = null } = limits;
  const kept = new Limits({ startedAt: clock.now(), durationMs, maxBytes, bytesBefore: 0 });
  return { clock, limits: kept, ending: new Ending(clock, kept, 5_000) };
}

describe('the end of a run', () => {
  it('has come when nothing is left, and says whether something was put off', () => {
    expect(ending().ending.reason(NOTHING)).toBe('complete');
    expect(ending().ending.reason({ ...NOTHING, deferred: 3 })).toBe('complete_with_deferred');
  });

  it.each([
    ['a request is under way', { inFlight: 1, outstanding: 1 }],
    ['an outcome is not settled', { unsettled: 1 }],
    ['work waits for its turn', { hasWaitingWork: true }],
    ['third parties are asked', { isSeeding: true }],
    ['a browser has pages to see', { goesOnRendering: () => true }],
    ['a URL waits for its host', { outstanding: 1, canGoOn: true }],
  ])('has not come while %s', (_what, left) => {
    expect(ending().ending.reason({ ...NOTHING, ...left })).toBeNull();
  });

  it('is a defect where URLs wait and nothing can happen', () => {
    const { ending: end } = ending();
    expect(end.reason({ ...NOTHING, outstanding: 2 })).toBe('error');
    expect(end.error?.message).toBe('2 URLs wait and nothing can happen any more');
  });

  it('is that of the limit on URLs where only they are left', () => {
    expect(ending().ending.reason({ ...NOTHING, outstanding: 2, spent: 'max_urls' })).toBe('max_urls');
  });

  it('waits after a stop for what is under way, and no longer than its grace; a second stop makes it shorter, never longer', () => {
    const { clock, ending: end } = ending();
    const left = { ...NOTHING, inFlight: 1, outstanding: 1 };
    end.stop('interrupted', 1_000, null);
    expect(end.reason(left)).toBeNull();
    end.stop('interrupted', 60_000, null);
    expect(end.lastAt).toBe(clock.now() + 1_000);
    end.stop('terminated', 0, null);
    expect(end.reason(left)).toBe('terminated');
    expect(end.isClosing).toBe(true);
  });

  it('comes with the bytes that are allowed, once what is under way is in', () => {
    const { limits, ending: end } = ending({ maxBytes: 100 });
    limits.addBytes(99);
    expect(end.isClosing).toBe(false);
    limits.addBytes(1);
    expect(end.isClosing).toBe(true);
    expect(end.reason({ ...NOTHING, outstanding: 5, inFlight: 1 })).toBeNull();
    expect(end.reason({ ...NOTHING, outstanding: 5, canGoOn: true })).toBe('max_bytes');
    expect(end.end('max_bytes', null, []).truncated).toBe('max_bytes');
    expect(end.end('complete', null, []).truncated).toBeNull();
  });
});

describe('a batch', () => {
  const busy = { inFlight: 40, unsettled: 2, isStopping: false };

  it('waits a moment for company while much is under way', () => {
    const batching = new Batching();
    expect(batching.isRipe(true, 1_000, busy)).toBe(false);
    expect(batching.ripeAt(busy)).toBe(1_005);
    expect(batching.isRipe(true, 1_004, busy)).toBe(false);
    expect(batching.isRipe(true, 1_005, busy)).toBe(true);
    expect(batching.ripeAt(busy)).toBeNull();
  });

  it.each([
    ['little is under way', { inFlight: 7 }],
    ['it is full', { unsettled: 10 }],
    ['the run is ending', { isStopping: true }],
  ])('waits for nobody when %s', (_what, load) => {
    expect(new Batching().isRipe(true, 1_000, { ...busy, ...load })).toBe(true);
  });

  it('forgets since when it waited once there is nothing to exchange', () => {
    const batching = new Batching();
    batching.isRipe(true, 1_000, busy);
    expect(batching.isRipe(false, 1_002, busy)).toBe(false);
    expect(batching.isRipe(true, 1_010, busy)).toBe(false);
    expect(batching.ripeAt(busy)).toBe(1_015);
  });
});
