import { type HeapItem, ReadyHeap } from '../../src/frontier/turns.js';

/**
 * What is in each ready heap, kept beside it and without asking it: every push and removal (a pop is one) of every heap is looked at, which costs
 * nothing beside a walk through ten thousand hosts at every step.
 */
const contents = new WeakMap<ReadyHeap<HeapItem>, Set<HeapItem>>();
const violations: string[] = [];

const { push, remove } = ReadyHeap.prototype;

let lastHeap: ReadyHeap<HeapItem> | null = null;
let lastContent = new Set<HeapItem>();

function contentOf(heap: ReadyHeap<HeapItem>): Set<HeapItem> {
  if (heap !== lastHeap) {
    lastHeap = heap;
    lastContent = contents.get(heap) ?? new Set();
    contents.set(heap, lastContent);
  }
  return lastContent;
}

ReadyHeap.prototype.push = function (this: ReadyHeap<HeapItem>, item: HeapItem, at: number): void {
  const content = contentOf(this);
  if (content.has(item)) {
    violations.push('a host was put into the ready heap a second time');
  }
  content.add(item);
  push.call(this, item, at);
};

ReadyHeap.prototype.remove = function (this: ReadyHeap<HeapItem>, item: HeapItem): void {
  remove.call(this, item);
  if (!contentOf(this).delete(item)) {
    violations.push('the ready heap gave out a host that was not in it');
  }
};

/** What went wrong since it was last asked. */
export const heapViolations = (): string[] => violations.splice(0);

/** Walks through the whole heap; for small ones and now and then. */
export function doubled<T>(heap: Iterable<T>): T | undefined {
  const seen = new Set<T>();
  for (const item of heap) {
    if (seen.has(item)) {
      return item;
    }
    seen.add(item);
  }
  return undefined;
}
