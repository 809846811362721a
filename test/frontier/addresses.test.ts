import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { Addresses } from '../../src/frontier/addresses.js';
import { Host } from '../../src/frontier/host.js';

/** Hosts on addresses, and a ready heap that is nothing but a list. */
function street(options: { maxInflightPerIp?: number; delayPerIpMs?: number; resumed?: boolean }) {
  const time = { now: 1_000 };
  const clock: Clock = { now: () => time.now, wall: () => time.now, at: () => () => {} };
  const heap: Host[] = [];
  const idle = new Set<Host>();
  const lookedUp: string[] = [];
  const groups: Addresses = new Addresses(
    { maxInflightPerIp: options.maxInflightPerIp ?? 0, delayPerIpMs: options.delayPerIpMs ?? 0 },
    options.resumed ?? false,
    {
      clock,
      refresh: (host, now) => {
        if (!idle.has(host) && !host.isEvicted && host.heapAt === null) {
          host.heapAt = Math.max(now, groups.calledAt(host));
          heap.push(host);
        }
      },
      resolve: async (name) => {
        lookedUp.push(name);
        return null;
      },
      wake: () => {},
    },
  );
  let ids = 0;
  return {
    time,
    groups,
    heap,
    idle,
    lookedUp,
    host: (address: string | null = '192.0.2.1') => {
      const host = new Host(++ids, `h${ids}.test`, 0, { ceiling: 10, tunes: false, tunedLimit: 10 });
      if (address !== null) {
        host.answeredFrom(address);
      }
      return host;
    },
    /** Takes the first host of the heap whose time has come. */
    pop: () => {
      const place = heap.findIndex(({ heapAt }) => heapAt! <= time.now);
      const [host] = place < 0 ? [] : heap.splice(place, 1);
      if (host !== undefined) {
        host.heapAt = null;
      }
      return host;
    },
    /** Asks, if its address allows it. */
    go: (host: Host): boolean => {
      const goes = groups.admits(host, time.now);
      if (goes) {
        host.started();
        groups.started(host);
      }
      return goes;
    },
    end: (host: Host) => {
      host.ended();
      host.neverSent();
      groups.ended(host, false, time.now);
    },
  };
}

describe('a line at an address', () => {
  it('is served in its order, and only as many are called as there are places', () => {
    const { host, go, end, pop, heap, groups } = street({ maxInflightPerIp: 2 });
    const [a, b, c, d, e] = [host(), host(), host(), host(), host()] as const;
    expect([a, b, c, d, e].map(go)).toEqual([true, true, false, false, false]);
    expect([groups.waiting, heap]).toEqual([3, []]);
    end(a);
    expect(heap).toEqual([c]);
    end(b);
    expect(heap).toEqual([c, d]);
    expect([go(pop()!), go(pop()!), groups.waiting]).toEqual([true, true, 1]);
  });

  it('is not jumped by one that comes when its first is called and has not gone yet', () => {
    const { host, go, end, pop } = street({ maxInflightPerIp: 1 });
    const [a, b, late] = [host(), host(), host()] as const;
    expect([go(a), go(b)]).toEqual([true, false]);
    end(a);
    expect(go(late)).toBe(false);
    expect(pop()).toBe(b);
    expect(go(b)).toBe(true);
  });

  it('keeps the distance from the answer of one name to the request of another', () => {
    const { host, go, end, pop, time } = street({ delayPerIpMs: 500 });
    const [a, b] = [host(), host()] as const;
    expect([go(a), go(b)]).toEqual([true, false]);
    time.now += 100;
    end(a);
    expect([b.heapAt, pop()]).toEqual([time.now + 500, undefined]);
    time.now += 500;
    expect(go(pop()!)).toBe(true);
  });

  it('waits for headers, not for bodies', () => {
    const { host, go, groups, time, pop } = street({ delayPerIpMs: 500 });
    const [a, b] = [host(), host()] as const;
    go(a);
    go(b);
    a.headersArrived(time.now, 1);
    groups.headers(a, time.now);
    time.now += 500;
    expect([a.inFlight, go(pop()!)]).toEqual([1, true]);
  });

  it('does not move the clock for what was never sent', () => {
    const { host, go, groups, time, pop } = street({ delayPerIpMs: 500 });
    const [a, b] = [host(), host()] as const;
    go(a);
    go(b);
    a.ended();
    groups.ended(a, false, null);
    expect(pop()).toBe(b);
    expect([time.now, go(b)]).toEqual([1_000, true]);
  });

  it.each(['evicted', 'deferred', 'without work'] as const)('goes on past a called host that is %s', (what) => {
    const { host, go, end, pop, idle, groups } = street({ maxInflightPerIp: 1 });
    const [a, b, c] = [host(), host(), host()] as const;
    [a, b, c].forEach(go);
    end(a);
    expect(pop()).toBe(b);
    if (what === 'evicted') {
      b.evict();
    }
    if (what === 'without work') {
      idle.add(b);
    }
    groups.pass(b);
    expect(pop()).toBe(c);
    expect(go(c)).toBe(true);
  });

  it('goes on past those that left memory or have nothing to ask any more while they stood in it', () => {
    const { host, go, end, pop, idle, groups } = street({ maxInflightPerIp: 1 });
    const [a, b, c, d] = [host(), host(), host(), host()] as const;
    [a, b, c, d].forEach(go);
    b.evict();
    idle.add(c);
    end(a);
    expect(pop()).toBe(d);
    // The one without work has lost nothing: it stands in line as soon as it has some.
    expect([groups.holds(c), go(d), go(c)]).toEqual([false, true, false]);
  });

  it('counts a request for the address at which it began, though the name moves', () => {
    const { host, go, end, groups } = street({ maxInflightPerIp: 1 });
    const [a, b, c] = [host(), host(), host('192.0.2.2')] as const;
    go(a);
    a.answeredFrom('192.0.2.2');
    expect([go(b), go(c)]).toEqual([false, true]);
    end(a);
    expect([groups.calledAt(b), groups.waiting]).toEqual([1_000, 0]);
    expect(go(a), 'at its new address there is somebody else').toBe(false);
  });
});

describe('what is known of addresses', () => {
  it('is asked for once, and a name without one shares its pacing with nobody', async () => {
    const { host, go, groups, heap, lookedUp } = street({ maxInflightPerIp: 1 });
    const [a, b] = [host(null), host(null)] as const;
    expect([go(a), go(b)]).toEqual([false, false]);
    groups.lookUp();
    groups.lookUp();
    await vi.waitFor(() => expect(groups.isLookingUp).toBe(false));
    expect(lookedUp).toEqual([a.name, b.name]);
    expect(heap).toEqual([a, b]);
    expect([go(a), go(b), a.address]).toEqual([true, true, null]);
  });

  it('is nothing where addresses are not paced', () => {
    const { host, go, end, groups, lookedUp } = street({});
    const a = host(null);
    expect(go(a)).toBe(true);
    end(a);
    groups.pass(a);
    groups.lookUp();
    expect([groups.size, lookedUp]).toEqual([0, []]);
  });

  it('does not grow with the number of addresses, and forgets none before its time', () => {
    const { host, go, end, groups, time } = street({ delayPerIpMs: 500 });
    const first = host('192.0.2.0');
    go(first);
    end(first);
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      const each = host(`2001:db8::${i.toString(16)}`);
      expect(go(each)).toBe(true);
      end(each);
      time.now += 1;
      most = Math.max(most, groups.size);
      if (i === 400) {
        expect(go(host('192.0.2.0')), 'too early for the first').toBe(false);
      }
    }
    expect(most).toBeLessThan(2_100);
  });

  it('does not grow with hosts that left memory while they stood in line', () => {
    const { host, go, groups } = street({ maxInflightPerIp: 1 });
    go(host());
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      const gone = host();
      expect(go(gone)).toBe(false);
      gone.evict();
      most = Math.max(most, groups.waiting);
    }
    expect(most).toBeLessThan(2_100);
  });

  it('a run that goes on with another waits the whole delay at every address', () => {
    const { host, go, heap, time, pop } = street({ delayPerIpMs: 500, resumed: true });
    const [a, b] = [host(), host('192.0.2.2')] as const;
    expect([go(a), go(b)]).toEqual([false, false]);
    expect(heap.map(({ heapAt }) => heapAt)).toEqual([1_500, 1_500]);
    time.now = 1_500;
    expect([go(pop()!), go(pop()!), go(host('192.0.2.3'))]).toEqual([true, true, true]);
  });
});
