import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UrgentQueue } from '../../src/frontier/url-queue.js';
import type { QueuedUrl } from '../../src/store/transaction.js';
import { QueueClass, UrlKind } from '../../src/store/url-state.js';

const SORTS = ['robots', 'tried', 'new'] as const;
type SortName = (typeof SORTS)[number];

const sortOf = ({ kind, attempts }: QueuedUrl): SortName =>
  kind === UrlKind.robots ? 'robots' : attempts > 0 ? 'tried' : 'new';

const waiting = (id: number, sort: SortName, notBefore: number): QueuedUrl => ({
  ...{ id, url: `http://a.test/${id}`, kind: sort === 'robots' ? UrlKind.robots : UrlKind.page, depth: 0, seed: 0 },
  ...{ class: QueueClass.urgent, attempts: sort === 'tried' ? 1 : 0, notBefore, hops: 0, flags: 0 },
});

describe('urgent URLs in memory', () => {
  it('go as from a list that is searched from its beginning, whatever may go and whenever', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        sort: fc.constantFrom(...SORTS),
        inMs: fc.constantFrom(-1, 0, 3, 9),
      }),
      fc.record({ do: fc.constant('take' as const), afterMs: fc.nat(4), may: fc.subarray([...SORTS]) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new UrgentQueue();
        const list: QueuedUrl[] = [];
        let now = 100;
        for (const [id, each] of steps.entries()) {
          if (each.do === 'add') {
            const item = waiting(id, each.sort, each.inMs < 0 ? 0 : now + each.inMs);
            queue.add(item);
            list.push(item);
          } else {
            now += each.afterMs;
            const allowed = (item: QueuedUrl) => each.may.includes(sortOf(item));
            const first = list.find((item) => item.notBefore <= now && allowed(item));
            const readyAt = Math.min(...list.filter(allowed).map(({ notBefore }) => notBefore));
            expect(Math.max(now, queue.readyAt(allowed))).toBe(Math.max(now, readyAt));
            expect(queue.take(now, allowed)).toBe(first);
            if (first !== undefined) {
              list.splice(list.indexOf(first), 1);
            }
          }
          expect(queue.size).toBe(list.length);
        }
        expect(queue.clear()).toBe(list.length);
      }),
      { numRuns: 500 },
    );
  });

  it('are not looked through for the next one, however many wait for their time or may not go', () => {
    const queue = new UrgentQueue();
    for (let id = 1; id <= 20_000; id++) {
      queue.add(waiting(id, 'tried', 50_000 + (id % 100)));
    }
    for (let id = 20_001; id <= 40_000; id++) {
      queue.add(waiting(id, 'new', 0));
    }
    for (let id = 40_001; id <= 40_100; id++) {
      queue.add(waiting(id, 'robots', 0));
    }
    let asked = 0;
    const allowed = (item: QueuedUrl) => {
      asked++;
      return sortOf(item) !== 'new';
    };
    for (let n = 0; n < 100; n++) {
      expect(queue.readyAt(allowed)).toBe(0);
      expect(queue.take(1_000, allowed)?.id).toBe(40_001 + n);
    }
    expect(queue.take(1_000, allowed)).toBeUndefined();
    expect(asked).toBeLessThan(1_000);
  });
});
