import { expect, it } from 'vitest';
import { Pace } from '../../src/watch/pace.js';

it('near --max-urls the time left is that of what is in flight', () => {
  const pace = new Pace({ maxUrls: 400, msAPage: null });
  pace.note({ at: 0, settled: 0, bytes: 0 });
  pace.note({ at: 1_000, settled: 40, bytes: 0 });
  const latest = { at: 10_000, settled: 394, bytes: 0 };
  pace.note(latest);
  const left = pace.leftMs(latest, {
    ...{ waiting: 1_006, dispatched: 400, inFlight: 6, endsAt: Number.POSITIVE_INFINITY, isStopping: false },
  });
  expect(left).toBeGreaterThan(100);
  expect(left).toBeLessThan(200);
});
