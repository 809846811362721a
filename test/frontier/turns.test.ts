import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Host, Origin } from '../../src/frontier/host.js';
import type { Order } from '../../src/frontier/outcome.js';
import { FIRST_IN_A_ROW, type HeapItem, ReadyHeap, Turns } from '../../src/frontier/turns.js';
import { UrlQueue } from '../../src/frontier/url-queue.js';
import { QueueClass, UrlKind } from '../../src/store/url-state.js';

let ids = 0;

/** A host at which one URL of this class waits. */
function hostWith(place: QueueClass): Host {
  const id = ++ids;
  const host = new Host(id, `h${id}.test`, 0, { ceiling: 20, tunes: false, tunedLimit: null });
  const origin = new Origin(id, `http://h${id}.test`, host, new UrlQueue(false));
  const url = `http://h${id}.test/`;
  const times = { attempts: 0, notBefore: 0, hops: 0, flags: 0 };
  origin.queue.add({ id, url, kind: UrlKind.page, depth: 0, seed: 0, class: place, ...times }, true);
  host.addOrigin(origin);
  return host;
}

function turnsOf(order: Order): Turns<Host> {
  return new Turns(order, () => {});
}

describe('whose turn it is in the order of priority', () => {
  it('is that of a host with a home page, but after a thousand of those one of the others', () => {
    const turns = turnsOf('priority');
    const other = hostWith(QueueClass.rest);
    const first = hostWith(QueueClass.seed);
    turns.push(other, 0);
    turns.push(first, 5);
    let before = 0;
    for (let host = turns.popDue(10); host === first && before < 5_000; host = turns.popDue(10)) {
      before++;
      turns.push(first, 5);
    }
    expect(before).toBe(FIRST_IN_A_ROW);
    expect(turns.popDue(10), 'and then theirs again').toBe(first);
  });

  it('counts only turns for which another waits, and nobody goes before its time', () => {
    const turns = turnsOf('priority');
    const first = hostWith(QueueClass.seed);
    for (let turn = 0; turn < 2 * FIRST_IN_A_ROW; turn++) {
      turns.push(first, 0);
      expect(turns.popDue(0)).toBe(first);
    }
    const other = hostWith(QueueClass.rest);
    turns.push(other, 0);
    turns.push(first, 7);
    expect(turns.nextAt).toBe(0);
    expect(turns.popDue(3)).toBe(other);
    expect(turns.popDue(3)).toBeUndefined();
    expect(turns.popDue(7)).toBe(first);
  });

  it('goes by time alone in the other orders', () => {
    for (const order of ['bfs', 'dfs'] as const) {
      const turns = turnsOf(order);
      const hosts = [hostWith(QueueClass.rest), hostWith(QueueClass.seed)];
      hosts.forEach((host, at) => {
        turns.push(host, at);
      });
      expect([turns.popDue(9), turns.popDue(9)]).toEqual(hosts);
    }
  });
});

interface Named extends HeapItem {
  name: number;
}

const named = (name: number): Named => ({ name, heapAt: null, heapPlace: 0 });

describe('the ready heap', () => {
  it('gives hosts by time, and at equal times in the order they came, like a sorted list', () => {
    const command = fc.oneof(fc.nat(5), fc.constant('pop' as const), fc.record({ remove: fc.nat(200) }));
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const heap = new ReadyHeap<Named>();
        const list: { at: number; item: Named }[] = [];
        for (const [name, each] of commands.entries()) {
          if (each === 'pop') {
            const first = list.shift()?.item;
            expect(heap.pop()).toBe(first);
            expect(first?.heapAt ?? null).toBeNull();
          } else if (typeof each === 'object') {
            const [gone] = list.splice(each.remove % (list.length + 1), 1);
            if (gone !== undefined) {
              heap.remove(gone.item);
            }
            expect(gone?.item.heapAt ?? null).toBeNull();
          } else {
            const item = named(name);
            heap.push(item, each);
            list.push({ at: each, item });
            // A stable sort: those of one time stay in the order they came.
            list.sort((a, b) => a.at - b.at);
          }
          expect(heap.size).toBe(list.length);
          expect(heap.nextAt).toBe(list[0]?.at ?? Number.POSITIVE_INFINITY);
          expect(heap.peek()).toBe(list[0]?.item);
        }
        expect(new Set(heap)).toEqual(new Set(list.map(({ item }) => item)));
      }),
    );
  });

  it('refuses a host that is in it already', () => {
    const heap = new ReadyHeap<Named>();
    const host = named(1);
    heap.push(host, 5);
    expect(() => heap.push(host, 6)).toThrow('only once');
    heap.pop();
    heap.push(host, 6);
    expect(heap.nextAt).toBe(6);
  });
});
