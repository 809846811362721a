import { describe, expect, it } from 'vitest';
import { Host } from '../../src/frontier/host.js';
import { type RobotsEnd, RobotsPlaces } from '../../src/frontier/robots-places.js';

let ids = 0;
function host(name: string, address: string | null = null): Host {
  const made = new Host(++ids, name, 0, { ceiling: 20, tunes: false, tunedLimit: null });
  if (address !== null) {
    made.answeredFrom(address);
  }
  return made;
}

/** Takes a place, or waits for one. */
function ask(places: RobotsPlaces, asking: Host): boolean {
  const isFree = places.isFreeFor(asking);
  if (isFree) {
    places.take(asking);
  } else {
    places.wait(asking);
  }
  return isFree;
}

const askAll = (places: RobotsPlaces, hosts: readonly Host[]): Host[] => hosts.filter((each) => ask(places, each));
const many = (count: number, make: (n: number) => Host): Host[] => Array.from({ length: count }, (_, n) => make(n));

function end(places: RobotsPlaces, hosts: readonly Host[], how: RobotsEnd): void {
  for (const each of hosts) {
    places.giveBack(each, how);
  }
}

describe('places for robots.txt', () => {
  it('go to an eighth to a domain that nothing is known of, and to three quarters once it answers', () => {
    const places = new RobotsPlaces(64);
    const all = many(200, (n) => host(`h${n}.a.test`));
    const first = askAll(places, all);
    expect(first).toHaveLength(8);
    end(places, first, 'answered');
    for (let rounds = 0; rounds < 3; rounds++) {
      askAll(places, places.called());
    }
    expect(places.inFlight).toBe(48);
    expect(ask(places, host('b.test'))).toBe(true);
  });

  it('are the same for an address, whatever the domains', () => {
    const places = new RobotsPlaces(64);
    expect(
      askAll(
        places,
        many(50, (n) => host(`d${n}.test`, '10.0.0.1')),
      ),
    ).toHaveLength(8);
    expect(ask(places, host('d99.test', '10.0.0.2'))).toBe(true);
  });

  it('say nothing of a host where the connection was refused', () => {
    const places = new RobotsPlaces(64);
    const all = many(200, (n) => host(`h${n}.a.test`));
    end(places, askAll(places, all), 'other');
    expect(askAll(places, places.called()).length).toBe(8);
  });

  it('come to silent domains last: behind whoever waits, a quarter of them; half where nobody does', () => {
    const places = new RobotsPlaces(16);
    const silent = many(40, (n) => host(`h${n}.a.test`));
    end(places, askAll(places, silent), 'silent');
    const held = askAll(places, places.called());
    expect(places.inFlight).toBe(8);
    const others = many(30, (n) => host(`d${n}.test`));
    expect(askAll(places, others)).toHaveLength(8);
    end(places, held, 'silent');
    const next = places.called();
    expect(next.every(({ name }) => name.startsWith('d'))).toBe(true);
  });

  it('are lost to nobody: not to hosts that were called and want nothing any more, nor to those that left memory', () => {
    const places = new RobotsPlaces(16);
    const all = many(100, (n) => host(`h${n}.a.test`, '10.0.0.1'));
    const first = askAll(places, all);
    // Its group has what it may have: the others wait for these two.
    expect([first.length, places.called()]).toEqual([2, []]);
    for (const each of all.slice(50)) {
      each.evict();
    }
    end(places, first, 'silent');
    const seen = new Set(first);
    for (let rounds = 0; rounds < 100; rounds++) {
      // None of those that are called takes its place.
      for (const each of places.called()) {
        seen.add(each);
      }
    }
    expect(seen).toEqual(new Set(all.slice(0, 50)));
    expect([places.inFlight, places.waiting]).toEqual([0, 0]);
  });

  it('are never more than there are, and are all used in the end', () => {
    const places = new RobotsPlaces(3);
    const all = many(60, (n) => host(`h${n}.d${n % 4}.test`, `10.0.0.${n % 5}`));
    const answered = new Set<Host>();
    let under = askAll(places, all);
    for (let rounds = 0; under.length > 0; rounds++) {
      expect(under.length).toBeLessThanOrEqual(3);
      end(places, under, rounds % 3 === 0 ? 'silent' : rounds % 3 === 1 ? 'answered' : 'other');
      for (const each of under) {
        answered.add(each);
      }
      under = askAll(places, places.called());
    }
    expect(answered.size).toBe(60);
    expect([places.inFlight, places.waiting]).toEqual([0, 0]);
  });
});
