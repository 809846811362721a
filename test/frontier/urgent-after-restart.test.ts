import { expect, it } from 'vitest';
import { UrlQueue, type Waiting } from '../../src/frontier/embedded/url-queue.js';
import { QueueClass, UrlKind } from '../../src/store/url-state.js';

const urgent = (id: number): Waiting => ({
  ...{ id, url: `http://a.test/${id}`, kind: UrlKind.page, depth: 0, seed: 0, class: QueueClass.urgent },
  ...{ attempts: 0, notBefore: 0, hops: 0, flags: 0 },
});

it('an urgent URL that came after a restart is not queued twice when those on disk are loaded', () => {
  const queue = new UrlQueue(false);
  queue.reset([2, 0, 0]);
  queue.add(urgent(7), true);
  expect(queue.urgentRows).toBe(3);
  expect(queue.addLoaded(QueueClass.urgent, [urgent(3), urgent(5), urgent(7)])).toBe(2);
  const taken = Array.from({ length: 4 }, () => queue.take(0, () => true)?.id);
  expect(taken).toEqual([7, 3, 5, undefined]);
});
