import { expect, test } from 'vitest';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { Lease } from '../../src/frontier/outcome.js';
import { LanePool } from '../../src/lane/lane-pool.js';
import type { LaneListener, LanePort } from '../../src/lane/lane-port.js';
import { WirePlaces } from '../../src/lane/stock.js';

/** A pool whose lanes look names up as they are told, the first lane first. */
function poolOf(...lookUps: ((listener: LaneListener) => Promise<string>)[]): LanePool {
  let opened = 0;
  const open = (_lane: number, listener: LaneListener): LanePort => {
    const lookUp = lookUps[opened++]!;
    return {
      take: () => {},
      widenScope: () => {},
      forgetRules: () => {},
      flow: () => {},
      recall: () => {},
      dropCaches: () => {},
      admitted: () => {},
      read: () => Promise.reject(new Error('unused')),
      resolve: () => lookUp(listener),
      peakWaiting: () => 0,
      close: async () => {},
    };
  };
  const pool = new LanePool(
    { lanes: 1, wire: new WirePlaces(2), sockets: 1, openInline: open, openThread: null, isWorthThreads: () => false },
    new KeyTable(1024 ** 2),
    { headers: () => {}, outcomes: () => {}, piece: () => {} },
  );
  pool.onDeath = () => {};
  return pool;
}

test('a look-up whose lane dies is made by the next lane', async () => {
  const dies = (listener: LaneListener) => {
    listener.died(0, new Error('gone'));
    return Promise.reject(new Error('the lane that looked the name up is gone'));
  };
  expect(await poolOf(dies, dies, async () => '192.0.2.1').resolve('a.test')).toBe('192.0.2.1');
});

test('a look-up that fails is not made again', async () => {
  const fails = () => Promise.reject(new Error('there is no such name'));
  await expect(poolOf(fails, async () => '192.0.2.1').resolve('a.test')).rejects.toThrow('there is no such name');
});

/** A pool of two threads whose lanes write down what they are told about sockets. */
class Sockets {
  readonly told: string[] = [];
  readonly listeners = new Map<number, LaneListener>();
  readonly pool: LanePool;
  isWorthThreads = false;

  constructor() {
    const open = (lane: number, listener: LaneListener, sockets: number): LanePort => {
      this.told.push(`open ${lane} with ${sockets}`);
      this.listeners.set(lane, listener);
      return {
        take: (jobs) => void this.told.push(...jobs.map(({ lease }) => `${lease.id} to ${lane}`)),
        widenScope: () => {},
        forgetRules: () => {},
        flow: () => {},
        recall: () => {},
        dropCaches: () => {},
        admitted: () => {},
        read: () => Promise.reject(new Error('unused')),
        resolve: () => Promise.reject(new Error('unused')),
        resizeSockets: (count) => void this.told.push(`resize ${lane} to ${count}`),
        retireSockets: () => 2,
        peakWaiting: () => 0,
        close: async () => void this.told.push(`close ${lane}`),
      };
    };
    this.pool = new LanePool(
      {
        lanes: 2,
        wire: new WirePlaces(3),
        sockets: 5,
        openInline: open,
        openThread: open,
        isWorthThreads: () => this.isWorthThreads,
      },
      new KeyTable(1024 ** 2),
      { headers: () => {}, outcomes: () => {}, piece: () => {} },
    );
    this.pool.onDeath = ({ held }) => {
      for (const { lease, failure } of held) {
        this.told.push(`${lease.id} ${failure !== null ? 'failed' : 'again'}`);
        this.pool.returned(lease.id);
      }
    };
  }

  dispatch(id: number): string[] {
    this.told.length = 0;
    this.pool.dispatch([{ id, host: 'a.test', rules: null } as Lease]);
    return [...this.told];
  }
}

test('the sockets of all lanes together are never more than the limit, while the threads take over and afterwards', async () => {
  const sockets = new Sockets();
  expect(sockets.dispatch(1)).toEqual(['open 0 with 5', '1 to 0']);
  sockets.isWorthThreads = true;
  // Two are in use in the lane that was there before.
  expect(sockets.dispatch(2).slice(0, 2)).toEqual(['open 1 with 2', 'open 2 with 1']);
  sockets.told.length = 0;
  sockets.pool.returned(1);
  await Promise.resolve();
  expect(sockets.told).toEqual(['close 0', 'resize 1 to 3', 'resize 2 to 2']);
});

test('a thread that there is no descriptor for is done without, and no URL is blamed for it', () => {
  const sockets = new Sockets();
  sockets.isWorthThreads = true;
  const dies = (lane: number) =>
    sockets.listeners.get(lane)!.died(lane, Object.assign(new Error('none'), { code: 'ERR_WORKER_INIT_FAILED' }));
  for (let times = 0; times < 5; times++) {
    const told = sockets.dispatch(1);
    const lane = Number(told.at(-1)!.at(-1));
    expect(told.at(-1)).toBe(times < 2 ? `1 to ${lane}` : '1 to 0');
    sockets.told.length = 0;
    if (times < 2) {
      dies(lane);
      expect(sockets.told).toEqual(['1 again']);
    } else {
      sockets.pool.returned(1);
    }
  }
});

/** Two threads and the lane in this one, with cookies; each job is written down with its lane and the cookies that came along. */
class Homes {
  readonly told: string[] = [];
  readonly listeners = new Map<number, LaneListener>();
  readonly pool: LanePool;
  isWorthThreads = true;

  constructor() {
    const open = (lane: number, listener: LaneListener): LanePort => {
      this.listeners.set(lane, listener);
      return {
        take: (jobs) =>
          void this.told.push(
            ...jobs.map(
              ({ lease, session }) => `${lease.id} to ${lane}${session!.cookies === null ? '' : ' with all'}`,
            ),
          ),
        forgetCookies: (sites) => void this.told.push(`${lane} forgets ${sites}`),
        widenScope: () => {},
        forgetRules: () => {},
        flow: () => {},
        recall: () => {},
        dropCaches: () => {},
        admitted: () => {},
        read: () => Promise.reject(new Error('unused')),
        resolve: () => Promise.reject(new Error('unused')),
        resizeSockets: () => {},
        retireSockets: () => 0,
        peakWaiting: () => 0,
        close: async () => {},
      };
    };
    this.pool = new LanePool(
      {
        ...{ lanes: 2, wire: new WirePlaces(3), sockets: 4, openInline: open, openThread: open },
        isWorthThreads: () => this.isWorthThreads,
        cookies: { siteOf: (url) => new URL(url).hostname.split('.').slice(-2).join('.'), cookiesOf: () => [] },
      },
      new KeyTable(1024 ** 2),
      { headers: () => {}, outcomes: () => {}, piece: () => {} },
    );
    this.pool.onDeath = ({ held }) => {
      for (const { lease } of held) {
        this.pool.returned(lease.id);
      }
    };
  }

  dispatch(...leases: [id: number, host: string][]): string[] {
    this.told.length = 0;
    this.pool.dispatch(
      leases.map(([id, host]) => ({ id, host, url: `http://${host}/${id}`, rules: null, paced: true }) as Lease),
    );
    return [...this.told];
  }

  returned(id: number): string[] {
    this.told.length = 0;
    this.pool.returned(id);
    return [...this.told];
  }
}

test('all hosts of a site with cookies are with one lane, however busy it is', () => {
  const homes = new Homes();
  const leases = Array.from({ length: 60 }, (_, id): [number, string] => [id, `${id % 3}.site.test`]);
  const told = homes.dispatch(...leases);
  const lane = /to (\d)/.exec(told[0]!)![1];
  expect(told).toEqual(leases.map(([id]) => `${id} to ${lane}${id === 0 ? ' with all' : ''}`));
});

test('a site moves from one lane to another when all of its jobs are back, and its cookies go along', () => {
  const homes = new Homes();
  homes.isWorthThreads = false;
  expect(homes.dispatch([1, 'a.site.test'])).toEqual(['1 to 0 with all']);
  homes.isWorthThreads = true;
  // The threads are there, but what the first job sets is not known to them yet.
  expect(homes.dispatch([2, 'b.site.test'])).toEqual([]);
  expect(homes.pool.waiting).toBe(1);
  // Nobody has sent it: when nothing more may go out, it comes back as it is.
  expect(homes.pool.recallAll().map(({ id }) => id)).toEqual([2]);
  expect(homes.dispatch([2, 'b.site.test'])).toEqual([]);
  expect(homes.returned(1)).toEqual([expect.stringMatching(/^2 to [12] with all$/)]);
});

test('a lane that dies takes no cookies with it', () => {
  const homes = new Homes();
  const [first] = homes.dispatch([1, 'a.site.test']);
  const lane = Number(/to (\d)/.exec(first!)![1]);
  homes.listeners.get(lane)!.died(lane, new Error('gone'));
  expect(homes.dispatch([1, 'a.site.test'])).toEqual([expect.stringMatching(/^1 to [12] with all$/)]);
});

test('a lane keeps the cookies of a few hundred sites that it has no job of, and no more', () => {
  const homes = new Homes();
  for (let site = 0; site < 300; site++) {
    homes.dispatch([site, `s${site}.test`]);
    expect(homes.returned(site)).toEqual(site < 256 ? [] : [expect.stringMatching(/^[12] forgets s\d+\.test$/)]);
  }
  expect(homes.dispatch([0, 's0.test'])[0]).toContain('with all');
  expect(homes.dispatch([299, 's299.test'])[0]).not.toContain('with all');
});
