import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HeapItem, ReadyHeap } from '../../src/frontier/embedded/ready-heap.js';

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
            if (gone !== undefined) heap.remove(gone.item);
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
