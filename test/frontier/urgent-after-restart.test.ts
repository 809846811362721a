import { describe, expect, it } from 'vitest';
import { UrlQueue } from '../../src/frontier/url-queue.js';
import type { QueuedUrl } from '../../src/store/transaction.js';
import { QueueClass, UrlKind } from '../../src/store/url-state.js';
import { newUrl, openStore, transaction } from '../store/support.js';
import { FrontierOnStore } from './on-store.js';

const always = () => true;

const urgent = (id: number, place: QueueClass = QueueClass.urgent): QueuedUrl => ({
  ...{ id, url: `http://a.test/${id}`, kind: UrlKind.page, depth: 0, seed: 0, class: place },
  ...{ attempts: 0, notBefore: 0, hops: 0, flags: 0 },
});

describe('urgent URLs that a restart finds on disk', () => {
  it('are not queued twice when they are loaded after others came', () => {
    const queue = new UrlQueue(false);
    queue.reset([2, 0, 0]);
    queue.add(urgent(7), true);
    expect(queue.addLoaded(QueueClass.urgent, [urgent(3), urgent(5), urgent(7)])).toBe(2);
    const taken = Array.from({ length: 4 }, () => queue.take(0, always)?.id);
    expect(taken).toEqual([7, 3, 5, undefined]);
  });

  it('come in pieces, each beyond the one before, and all of them before the rest', () => {
    const queue = new UrlQueue(false);
    queue.reset([5, 0, 0]);
    queue.add(urgent(9, QueueClass.rest), true);
    queue.add(urgent(3), true);
    const order: (number | undefined)[] = [];
    for (const piece of [
      [1, 2, 3],
      [4, 5, 6],
    ]) {
      expect(queue.wanting()).toMatchObject({ class: QueueClass.urgent, beyond: piece[0]! - 1 });
      queue.addLoaded(
        QueueClass.urgent,
        piece.map((id) => urgent(id)),
      );
      for (let n = 0; n < 3; n++) {
        order.push(queue.take(0, always)?.id);
      }
    }
    expect([queue.urgentOnDisk, queue.wanting()]).toEqual([0, null]);
    expect([...order, queue.take(0, always)?.id]).toEqual([3, 1, 2, 4, 5, 6, 9]);
  });

  it('hold nobody up where they are gone by the time they are loaded', () => {
    const queue = new UrlQueue(false);
    queue.reset([3, 0, 0]);
    queue.add(urgent(9, QueueClass.rest), true);
    queue.addLoaded(QueueClass.urgent, [urgent(1)]);
    expect([queue.take(0, always)?.id, queue.take(0, always)]).toEqual([1, undefined]);
    queue.addLoaded(QueueClass.urgent, []);
    expect(queue.take(0, always)?.id).toBe(9);
  });

  it('are never more than a thousand in memory, and all are fetched, first come first served', async () => {
    const store = openStore();
    const rows = Array.from({ length: 3_500 }, (_, n) =>
      newUrl(n + 1, `http://a.test/${n + 1}`, { class: n % 7 === 0 ? QueueClass.rest : QueueClass.urgent }),
    );
    store.writer.commit(transaction({ newUrls: rows }));
    const box = new FrontierOnStore({}, undefined, store);
    let most = 0;
    const fetched = await box.fetchAll(() => {
      most = Math.max(most, box.frontier.counts().queuedInMemory);
      return {};
    });
    expect(most).toBeLessThan(1_000);
    const inOrder = [...rows].sort((a, b) => a.class - b.class || a.id - b.id);
    expect(fetched).toEqual(inOrder.map(({ url }) => url));
  });
});
