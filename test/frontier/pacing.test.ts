import { describe, expect, it } from 'vitest';
import { Host } from '../../src/frontier/host.js';
import { blockFor, isHostTrouble, Tuner } from '../../src/frontier/pace.js';

const BACKOFF = { maxBackoffMs: 3_600_000, quarantineAfter: 10, maxRetryAfterMs: 3_600_000 };

describe('backoff of a failing host', () => {
  it('doubles from 2 s, a quarter more or less, up to the longest pause', () => {
    expect([1, 2, 3, 9].map((failures) => blockFor(failures, null, 0.5, BACKOFF).ms)).toEqual([
      2_000, 4_000, 8_000, 512_000,
    ]);
    expect(blockFor(1, null, 0, BACKOFF).ms).toBe(1_500);
    expect(blockFor(1, null, 0.999_999, BACKOFF).ms).toBeCloseTo(2_500, 1);
    expect(blockFor(9, null, 0.5, { ...BACKOFF, maxBackoffMs: 60_000 }).ms).toBe(60_000);
  });

  it('does what Retry-After says, up to its own limit', () => {
    expect(blockFor(1, 7_000, 0, BACKOFF)).toEqual({ ms: 7_000, reason: 'retry_after' });
    expect(blockFor(1, 1e12, 0, BACKOFF)).toEqual({ ms: 3_600_000, reason: 'retry_after' });
  });

  it('is quarantine from the tenth failure in a row on, whatever the server asks for', () => {
    expect(blockFor(10, null, 0, BACKOFF)).toEqual({ ms: 3_600_000, reason: 'quarantine' });
    expect(blockFor(10, 1_000, 0, BACKOFF)).toEqual({ ms: 3_600_000, reason: 'quarantine' });
  });

  it('counts connect errors, time-outs, 5xx and 429, never other 4xx', () => {
    expect([200, 301, 401, 404, 418, 499].filter((status) => isHostTrouble(status, null))).toEqual([]);
    expect([429, 500, 503, 599].every((status) => isHostTrouble(status, null))).toBe(true);
    expect(
      (['timeout', 'connection_refused', 'connection_reset', 'dns', 'tls', 'too_slow'] as const).every((e) =>
        isHostTrouble(null, e),
      ),
    ).toBe(true);
    expect(
      (['internal', 'too_large', 'blocked_address', 'malformed_html'] as const).some((e) => isHostTrouble(null, e)),
    ).toBe(false);
  });

  it('takes many requests that fail together for one failure', () => {
    const host = new Host(1, 'a.test', 0, { ceiling: 20, tunes: true, tunedLimit: null });
    for (let n = 0; n < 12; n++) {
      host.troubled({ sentAt: 100, isKnown: false }, 200 + n, null, 0.5, BACKOFF);
    }
    expect(host.failures).toBe(1);
    expect(host.blockedUntil).toBe(2_200);
    host.troubled({ sentAt: 2_300, isKnown: false }, 2_400, null, 0.5, BACKOFF);
    expect([host.failures, host.blockedUntil]).toEqual([2, 6_400]);
    host.succeeded();
    expect(host.failures).toBe(0);
  });

  it('adds up no failures of what is known to fail', () => {
    const host = new Host(1, 'a.test', 0, { ceiling: 20, tunes: true, tunedLimit: null });
    for (let n = 1; n <= 12; n++) {
      host.troubled({ sentAt: n * 10_000, isKnown: true }, n * 10_000, null, 0.5, BACKOFF);
    }
    expect([host.failures, host.blockedUntil]).toEqual([1, 122_000]);
  });
});

describe('one host at a time', () => {
  it('has one request awaiting headers while it has a delay, and its clock runs from the headers', () => {
    const host = new Host(1, 'a.test', 1_000, { ceiling: 20, tunes: true, tunedLimit: null });
    host.started();
    expect(host.hasPlace).toBe(false);
    host.headersArrived(5_000, 1);
    expect([host.hasPlace, host.readyAt]).toEqual([true, 6_000]);
  });

  it('has as many requests at once as its tuned limit without a delay, and one while it is probed', () => {
    const host = new Host(1, 'a.test', 0, { ceiling: 20, tunes: true, tunedLimit: 3 });
    for (let n = 0; n < 3; n++) {
      expect(host.hasPlace).toBe(true);
      host.started();
    }
    expect(host.hasPlace).toBe(false);
    const probed = new Host(2, 'b.test', 0, { ceiling: 20, tunes: true, tunedLimit: 3 });
    probed.probe();
    probed.started();
    expect(probed.hasPlace).toBe(false);
  });
});

describe('auto-tune', () => {
  const answers = (tuner: Tuner, count: number, ttfbMs: (limit: number) => number) => {
    for (let n = 0; n < count; n++) {
      tuner.answered(ttfbMs(tuner.limit));
    }
  };

  it('starts at 2 and creeps up to its ceiling while the server does not slow down', () => {
    const tuner = new Tuner({ ceiling: 20, start: 2, tunes: true });
    expect(tuner.limit).toBe(2);
    answers(tuner, 400, () => 50);
    expect(tuner.limit).toBe(20);
  });

  it.each([2, 5, 12])(
    'settles within k…1.3 k + 2 for a server that serves %i at once, and again after that changes',
    (k) => {
      const tuner = new Tuner({ ceiling: 100, start: 2, tunes: true });
      for (const served of [k, k + 3]) {
        const time = (limit: number) => 100 * Math.max(1, limit / served);
        answers(tuner, 150, time);
        for (let n = 0; n < 50; n++) {
          answers(tuner, 1, time);
          expect(tuner.limit).toBeGreaterThanOrEqual(Math.min(served, k));
          expect(tuner.limit).toBeLessThanOrEqual(1.3 * served + 2);
        }
      }
    },
  );

  it('halves when the server has had enough, never below 1, and recovers', () => {
    const tuner = new Tuner({ ceiling: 20, start: 16, tunes: true });
    tuner.overloaded();
    expect(tuner.limit).toBe(8);
    for (let n = 0; n < 10; n++) {
      tuner.overloaded();
    }
    expect(tuner.limit).toBe(1);
    answers(tuner, 400, () => 50);
    expect(tuner.limit).toBe(20);
  });

  it('is fixed at the ceiling when it is switched off', () => {
    const tuner = new Tuner({ ceiling: 7, start: 2, tunes: false });
    tuner.overloaded();
    answers(tuner, 50, () => 5_000);
    expect(tuner.limit).toBe(7);
  });
});
