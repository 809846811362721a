import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UrlQueue } from '../../src/frontier/url-queue.js';
import type { QueuedUrl } from '../../src/store/transaction.js';
import { QueueClass, UrlKind } from '../../src/store/url-state.js';

const always = () => true;

function waiting(id: number, place: QueueClass = QueueClass.rest, notBefore = 0): QueuedUrl {
  const url = `http://a.test/${id}`;
  return { id, url, kind: UrlKind.page, depth: 0, seed: 0, class: place, attempts: 0, notBefore, hops: 0, flags: 0 };
}

/** The rows of one origin that are queued, as the store has them: those in memory too. */
class Rows {
  readonly ids: number[] = [];

  load({ beyond, newestFirst }: { beyond: number; newestFirst: boolean }, limit: number): QueuedUrl[] {
    const ids = newestFirst ? this.ids.filter((id) => id < beyond).reverse() : this.ids.filter((id) => id > beyond);
    return ids.slice(0, limit).map((id) => waiting(id));
  }

  remove(id: number): void {
    this.ids.splice(this.ids.indexOf(id), 1);
  }
}

type Step = { do: 'add'; room: boolean } | { do: 'take' } | { do: 'trim' | 'load'; count: number } | { do: 'reset' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), room: fc.boolean() }) },
  { weight: 5, arbitrary: fc.constant({ do: 'take' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('trim' as const), count: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('load' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reset' as const }) },
);

function play(newestFirst: boolean, steps: Step[]): void {
  const queue = new UrlQueue(newestFirst);
  const rows = new Rows();
  let nextId = 1;
  const load = (count: number) => {
    const wanted = queue.wanting();
    if (wanted !== null) {
      queue.addLoaded(wanted.class, rows.load(wanted, count));
    }
  };
  const takeNext = () => {
    if (queue.inMemory === 0) {
      load(2);
    }
    const expected = newestFirst ? rows.ids.at(-1) : rows.ids[0];
    expect(queue.take(0, always)?.id).toBe(expected);
    if (expected !== undefined) {
      rows.remove(expected);
    }
  };
  for (const each of steps) {
    const before = queue.inMemory;
    if (each.do === 'add') {
      rows.ids.push(nextId);
      const came = queue.add(waiting(nextId++), each.room);
      expect(queue.inMemory - before, 'what add says came into memory').toBe(came);
    } else if (each.do === 'take') {
      takeNext();
    } else if (each.do === 'load') {
      load(each.count);
    } else {
      const left = each.do === 'trim' ? queue.trim(each.count) : queue.reset([0, 0, rows.ids.length]);
      expect(before - queue.inMemory, `what ${each.do} says left memory`).toBe(left);
    }
    expect(queue.inMemory + queue.onDisk, 'in memory and on disk').toBe(rows.ids.length);
  }
  while (rows.ids.length > 0) {
    takeNext();
  }
  expect(queue.wanting()).toBeNull();
}

describe('the waiting URLs of an origin, a window in memory over rows on disk', () => {
  it('gives them oldest first (bfs), none lost and none twice, whatever comes, leaves and is loaded', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => play(false, steps)),
      { numRuns: 500 },
    );
  });

  it('gives them newest first (dfs), none lost and none twice, whatever comes, leaves and is loaded', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => play(true, steps)),
      { numRuns: 500 },
    );
  });

  it('gives those that are chosen, none lost and none twice, whatever comes, leaves and is loaded', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.nat(), { minLength: 1 }), (steps, lots) => {
        let draws = 0;
        const choose = (size: number) => lots[draws++ % lots.length]! % size;
        const queue = new UrlQueue(false, choose);
        const rows = new Rows();
        let nextId = 1;
        const load = (count: number) => {
          const wanted = queue.wanting();
          if (wanted !== null) {
            queue.addLoaded(wanted.class, rows.load(wanted, count));
          }
        };
        const takeNext = () => {
          if (queue.inMemory === 0) {
            load(2);
          }
          const taken = queue.take(0, always)?.id;
          expect(taken === undefined).toBe(rows.ids.length === 0);
          if (taken !== undefined) {
            expect(rows.ids).toContain(taken);
            rows.remove(taken);
          }
        };
        for (const each of steps) {
          if (each.do === 'add') {
            rows.ids.push(nextId);
            queue.add(waiting(nextId++), each.room);
          } else if (each.do === 'take') {
            takeNext();
          } else if (each.do === 'load') {
            load(each.count);
          } else if (each.do === 'trim') {
            queue.trim(each.count);
          } else {
            queue.reset([0, 0, rows.ids.length]);
          }
          expect(queue.inMemory + queue.onDisk, 'in memory and on disk').toBe(rows.ids.length);
        }
        while (rows.ids.length > 0) {
          takeNext();
        }
        expect(queue.wanting()).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('asks once which goes next, and gives that one', () => {
    const asked: number[] = [];
    const queue = new UrlQueue(false, (size) => {
      asked.push(size);
      return size - 1;
    });
    for (const id of [1, 2, 3]) {
      queue.add(waiting(id), true);
    }
    expect([queue.readyAt(always), queue.readyAt(always)]).toEqual([0, 0]);
    queue.add(waiting(4), true);
    expect([0, 0, 0, 0].map(() => queue.take(0, always)?.id)).toEqual([3, 4, 2, 1]);
    expect(asked).toEqual([3, 3, 2, 1]);
  });

  it.each([false, true])('lets go of a quarter of a million at once (newest first: %s)', (newestFirst) => {
    const queue = new UrlQueue(newestFirst);
    for (let id = 1; id <= 250_000; id++) {
      queue.add(waiting(id), true);
    }
    expect(queue.trim(10)).toBe(249_990);
    expect(queue.take(0, always)?.id).toBe(newestFirst ? 250_000 : 1);
  });

  it('lets urgent ones go first, seeds before the rest, and none before its time', () => {
    const queue = new UrlQueue(false);
    queue.add(waiting(1), true);
    queue.add(waiting(2, QueueClass.seed), true);
    queue.add(waiting(3, QueueClass.urgent, 500), true);
    queue.add(waiting(4, QueueClass.urgent), true);
    const order = [100, 100, 500, 600, 600].map((now) => queue.take(now, always)?.id);
    expect(order).toEqual([4, 2, 3, 1, undefined]);
  });

  it('says when the first of its urgent ones may go, and that others may go at once', () => {
    const queue = new UrlQueue(false);
    queue.add(waiting(1, QueueClass.urgent, 900), true);
    queue.add(waiting(2, QueueClass.urgent, 700), true);
    expect(queue.readyAt(always)).toBe(700);
    expect(queue.readyAt((item) => item.kind === UrlKind.robots)).toBe(Number.POSITIVE_INFINITY);
    queue.add(waiting(3), true);
    expect(queue.readyAt(always)).toBe(0);
    expect(queue.readyAt(() => false)).toBe(Number.POSITIVE_INFINITY);
  });
});
