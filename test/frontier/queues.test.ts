import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { Host, Origin } from '../../src/frontier/host.js';
import type { Hosts } from '../../src/frontier/hosts.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import { Queues } from '../../src/frontier/queues.js';
import { UrlQueue } from '../../src/frontier/url-queue.js';
import type { QueuedUrl, StorePort } from '../../src/store/transaction.js';
import { QueueClass, UrlFlag, UrlKind } from '../../src/store/url-state.js';

const clock: Clock = { now: () => 1_000, wall: () => 5_000, at: () => () => {} };
const always = () => true;

function waiting(id: number, fields: Partial<QueuedUrl> = {}): QueuedUrl {
  const url = `http://a.test/${id}`;
  const times = { attempts: 0, notBefore: 0, hops: 0, flags: 0 };
  return { id, url, kind: UrlKind.page, depth: 0, seed: 0, class: QueueClass.rest, ...times, ...fields };
}

const secondLook = (id: number): QueuedUrl =>
  waiting(id, { class: QueueClass.urgent, attempts: 1, flags: UrlFlag.secondLook });

/** So many hosts with one origin each. */
function queuesOf(count: number, options: Partial<SchedulerOptions>) {
  const origins = Array.from({ length: count }, (_, n) => {
    const host = new Host(n, `h${n}.test`, 0, { ceiling: 20, tunes: false, tunedLimit: null });
    const origin = new Origin(n, `http://h${n}.test`, host, new UrlQueue(false));
    host.addOrigin(origin);
    return origin;
  });
  const hosts = { all: () => origins.map(({ host }) => host).values() } as unknown as Hosts;
  return { queues: new Queues({ surveyOnly: false, ...options } as SchedulerOptions, clock, hosts), origins };
}

describe('the queues of all origins', () => {
  it('hold no more in memory than they may, and count it, whatever comes and goes', () => {
    const { queues, origins } = queuesOf(2, { frontierLimit: 3 });
    for (let id = 1; id <= 10; id++) {
      queues.add(origins[id % 2]!, waiting(id));
    }
    expect([queues.inMemory, queues.peakInMemory]).toEqual([3, 3]);
    expect(queues.take(origins[0]!, 0, always)?.id).toBe(2);
    queues.clear(origins[1]!, [0, 0, 5]);
    expect([queues.inMemory, queues.peakInMemory, origins[0]!.waiting + origins[1]!.waiting]).toEqual([0, 3, 9]);
  });

  it('load what is on disk for those that wait for it, as many as there is room for, and make room first', async () => {
    const { queues, origins } = queuesOf(2, { frontierLimit: 4 });
    const [full, empty] = origins as [Origin, Origin];
    for (let id = 1; id <= 6; id++) {
      queues.add(full, waiting(id));
    }
    empty.queue.reset([0, 0, 7]);
    queues.want(empty);
    expect([queues.wantLoad, empty.isLoading]).toEqual([true, true]);
    const { origins: loading, each } = queues.takeLoads(false);
    expect([loading, each]).toEqual([[empty], 1]);
    const asked: number[] = [];
    const store = {
      loadQueue: async (loads: { limit: number }[]) => {
        asked.push(...loads.map(({ limit }) => limit));
        return loads.map(() => [waiting(20)]);
      },
    };
    const told: Host[] = [];
    await queues.load(store as unknown as StorePort, loading, each, (host) => told.push(host));
    expect([asked, told, empty.isLoading, empty.queue.inMemory]).toEqual([[1], [empty.host], false, 1]);
    expect([queues.inMemory, empty.waiting]).toEqual([4, 7]);
  });

  it('load one URL past those that fill the memory where none of them may go', () => {
    const { queues, origins } = queuesOf(2, { frontierLimit: 1 });
    queues.add(origins[0]!, waiting(1, { class: QueueClass.urgent, notBefore: 99_000 }));
    queues.want(origins[1]!);
    expect(queues.takeLoads(false).origins).toEqual([]);
    expect(queues.wantLoad, 'until something leaves').toBe(false);
    expect(queues.takeLoads(true).origins).toEqual([origins[1]]);
  });

  it('give a URL from disk its time on the monotonic clock, never further away than a retry may be', () => {
    const { queues } = queuesOf(0, {});
    const timed = (notBefore: number) => queues.timed(waiting(1, { notBefore })).notBefore;
    expect([timed(4_000), timed(5_700), timed(9_000_000)]).toEqual([0, 1_700, 31_000]);
  });

  it('count the second looks that wait in memory, and not those that left it with their host', () => {
    const { queues, origins } = queuesOf(2, { frontierLimit: 10 });
    queues.add(origins[0]!, secondLook(1));
    queues.add(origins[1]!, secondLook(2));
    queues.add(origins[1]!, secondLook(3));
    expect(queues.secondLooks).toBe(3);
    queues.leftWith(origins[1]!.host);
    expect([queues.secondLooks, queues.inMemory]).toEqual([1, 1]);
    expect(queues.take(origins[0]!, 0, always)?.id).toBe(1);
    expect(queues.secondLooks).toBe(0);
  });
});
