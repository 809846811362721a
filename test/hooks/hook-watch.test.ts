import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { hookCells, LaneCells } from '../../src/hooks/hook-cells.js';
import { jsonOf, MOST_DATA_BYTES } from '../../src/hooks/hook-data.js';
import { HookWatch } from '../../src/lane/hook-watch.js';

/** Time that the test moves. */
class HandClock implements Clock {
  time = 1_000;
  readonly #timers = new Set<{ at: number; fire: () => void }>();
  now = () => this.time;
  wall = () => this.time;
  at(at: number, fire: () => void): () => void {
    const timer = { at, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How often a timer has rung until then. */
  moveTo(time: number): number {
    for (let rung = 0; ; rung++) {
      const [next] = [...this.#timers].filter(({ at }) => at <= time).sort((a, b) => a.at - b.at);
      if (next === undefined) {
        this.time = time;
        return rung;
      }
      this.time = Math.max(this.time, next.at);
      this.#timers.delete(next);
      next.fire();
    }
  }
}

function watched({ answers = true } = {}) {
  const clock = new HandClock();
  const cells = hookCells(3);
  const over: string[] = [];
  const watch = new HookWatch({
    ...{ clock, cells, lanes: 2, timeoutMs: 10_000, isNeeded: () => true },
    ping: () => (answers ? Promise.resolve() : new Promise(() => {})),
    over: (lane, hook) =>
      void over.push(`${clock.time} lane ${lane} ${hook === null ? '?' : `${hook.name} ${hook.id}`}`),
  });
  watch.arm();
  return { clock, over, watch, cells, lane: (n: number) => new LaneCells(cells, n, clock.now) };
}

describe('the watch over hooks', () => {
  it('ends a hook when its time is over, to the millisecond, and rings once a bound', () => {
    const { clock, over, lane } = watched();
    expect(clock.moveTo(40_000)).toBe(3);
    lane(2).enter('page', 7);
    clock.moveTo(49_999);
    expect(over).toEqual([]);
    clock.moveTo(60_000);
    expect(over).toEqual(['50000 lane 2 page 7']);
  });

  it('leaves alone what came back, and what waits for its own requests', () => {
    const { clock, over, lane } = watched();
    const cells = lane(1);
    cells.enter('link', 3);
    clock.moveTo(9_000);
    cells.leave();
    const start = { id: 0, name: 'start', since: clock.time } as const;
    const open = { ...start };
    cells.wait(open);
    cells.pause(open);
    clock.moveTo(60_000);
    cells.resume(open);
    clock.moveTo(69_000);
    cells.over(open);
    clock.moveTo(100_000);
    expect(over).toEqual([]);
  });

  it.each([
    [true, 'page 1'],
    [false, '?'],
  ])('of several that wait it blames the oldest only where the thread answers (%s)', async (answers, blamed) => {
    const { clock, over, lane } = watched({ answers });
    const cells = lane(1);
    cells.wait({ id: 1, name: 'page', since: clock.time });
    cells.wait({ id: 2, name: 'page', since: clock.time });
    clock.moveTo(11_000);
    await Promise.resolve().then(() => {});
    clock.moveTo(12_500);
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(over.map((line) => line.replace(/^\d+ /, ''))).toEqual([`lane 1 ${blamed}`]);
  });

  it('begins anew with the lane that takes the place', () => {
    const { clock, over, watch, lane } = watched();
    lane(1).enter('page', 7);
    clock.moveTo(20_000);
    watch.laneGone(1);
    clock.moveTo(50_000);
    expect(over).toHaveLength(1);
    lane(1).enter('page', 8);
    clock.moveTo(70_000);
    expect(over).toEqual(['11000 lane 1 page 7', '60000 lane 1 page 8']);
  });
});

describe('what a hook returns', () => {
  it('is JSON as it stands', () => {
    const shared = { a: 1 };
    const value = {
      text: 'é',
      list: [1, null, undefined, true],
      date: new Date(0),
      twice: [shared, shared],
      none: undefined,
    };
    expect(JSON.parse(jsonOf(value, 'data'))).toEqual(JSON.parse(JSON.stringify(value)));
    expect(jsonOf(Object.create(null), 'data')).toBe('{}');
  });

  it('is no more than a mebibyte of bytes, not of characters', () => {
    expect(jsonOf({ a: 'x'.repeat(MOST_DATA_BYTES - 8) }, 'data')).toHaveLength(MOST_DATA_BYTES);
    expect(() => jsonOf({ a: 'x'.repeat(MOST_DATA_BYTES - 7) }, 'data')).toThrow('more than 1 MiB');
    expect(() => jsonOf({ a: 'é'.repeat(MOST_DATA_BYTES / 2) }, 'data')).toThrow('more than 1 MiB');
  });

  it('is read once, and no further than a mebibyte, whatever it says of itself', () => {
    let reads = 0;
    const counted = {
      get a() {
        return ++reads;
      },
    };
    expect(jsonOf(counted, 'data')).toBe('{"a":1}');
    let asked = 0;
    const endless = new Proxy([] as string[], {
      get(list, key) {
        asked++;
        return key === 'length' ? 1e9 : key === 'toJSON' ? undefined : (Reflect.get(list, key) ?? 'x');
      },
    });
    expect(() => jsonOf({ endless }, 'data')).toThrow('more than 1 MiB');
    expect(asked).toBeLessThan(MOST_DATA_BYTES * 2);
  });

  it('has no circles and no classes, and no key is anything else than a key', () => {
    const circle: { a?: object } = {};
    circle.a = [circle];
    expect(() => jsonOf(circle, 'data')).toThrow('returned an object in data.a[0] that leads back to itself');
    expect(() => jsonOf({ when: new (class When {})() }, 'data')).toThrow('returned a When in data.when');
    expect(() => jsonOf({ toJSON: () => undefined }, 'data')).toThrow('returned undefined in data');
    expect(jsonOf(JSON.parse('{"__proto__":{"a":1}}'), 'data')).toBe('{"__proto__":{"a":1}}');
  });

  it('is not deeper than a hundred levels', () => {
    let deep: object = {};
    for (let i = 0; i < 101; i++) {
      deep = { deep };
    }
    expect(() => jsonOf(deep, 'data')).toThrow('more than 100 levels deep');
  });
});
