import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Host, Origin } from '../../src/frontier/host.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import { failure, pageOffer } from '../../src/frontier/outcome.js';
import { RobotsAnswers } from '../../src/frontier/robots-answers.js';
import { SeedBook } from '../../src/frontier/seed-book.js';
import { UrlQueue } from '../../src/frontier/url-queue.js';
import type { QueuedUrl } from '../../src/store/transaction.js';
import { QueueClass, UrlKind } from '../../src/store/url-state.js';
import { slotOf } from '../../src/url/slots.js';

const ORIGIN = 'https://a.test';
const seed = (fallbacks: string[]) => ({
  ...{ seed: 0, url: `${ORIGIN}/`, label: 'a.test', scope: 'subdomains', depth: null, maxUrls: null },
  ...{ fallbacks, scopeUrls: [`${ORIGIN}/`, ...fallbacks] },
});
const item: QueuedUrl = {
  ...{ id: 1, url: `${ORIGIN}/robots.txt`, kind: UrlKind.robots, depth: 0, seed: 0, class: QueueClass.urgent },
  ...{ attempts: 1, notBefore: 0, hops: 0, flags: 0 },
};

/** How often robots.txt is asked for until its host is given up. */
function askedOf(book: SeedBook): number {
  const options = { obeyRobots: true, retries: 2, retryDelayMs: 1_000 } as SchedulerOptions;
  const answers = new RobotsAnswers(options, systemClock, (origin) => book.hasOtherSpelling(origin));
  const host = new Host(1, 'a.test', 0, { ceiling: 20, tunes: false, tunedLimit: null });
  const owner = new Origin(1, ORIGIN, host, new UrlQueue(false));
  const refused = {
    ...failure(item, 0, 'connection_refused', null),
    robots: { standing: 'failed', errorClass: 'connection_refused' } as const,
  };
  for (let asked = 1; asked < 10; asked++) {
    if (answers.answer(owner, item, refused).bulk !== null) {
      return asked;
    }
  }
  return Number.POSITIVE_INFINITY;
}

describe('a host that refuses connections', () => {
  it('is asked once more for each retry', () => {
    expect(askedOf(new SeedBook([seed([])]))).toBe(3);
  });

  it('is asked once where a bare domain can be tried in another way, and as often as any host in the last', () => {
    const book = new SeedBook([seed(['http://a.test/'])]);
    expect(askedOf(book)).toBe(1);
    book.failed(0, failure({ id: 1 }, 0, 'connection_refused', null));
    expect(book.hasOtherSpelling('http://a.test')).toBe(false);
    expect(askedOf(book)).toBe(3);
  });
});

it('a circle of redirects that a cookie does not open cannot be had, and nothing is let in for it', () => {
  const answers = new RobotsAnswers({ obeyRobots: true } as SchedulerOptions, systemClock, () => false);
  const owner = new Origin(
    1,
    ORIGIN,
    new Host(1, 'a.test', 0, { ceiling: 20, tunes: false, tunedLimit: null }),
    new UrlQueue(false),
  );
  const back = {
    ...failure(item, 0, null, null),
    ...{ status: 302, redirect: { offer: 0 }, offers: [pageOffer(item.url, 0)] },
    cookies: [{ name: 'r', value: '1', path: '/' }],
  };
  for (let tries = 1; tries <= 3; tries++) {
    const { hop } = answers.answer(owner, item, back);
    answers.follows(2, owner, ORIGIN, hop!.walk);
    const again = { ...item, id: 2, hops: 1 };
    expect(answers.cookieFor(item)).toBeNull();
    expect(answers.cookieFor(again)).toBe('r=1');
    const { bulk } = answers.answer(owner, again, back);
    expect([owner.robots.state, bulk?.reason]).toEqual(
      tries < 3 ? ['unknown', undefined] : ['unreachable', 'robots_unreachable'],
    );
  }
});

it('a robots.txt that has moved to a host of another machine is not read, and nothing is let in for it', () => {
  const there = 'https://b.test/robots.txt';
  const nodes = 3;
  const elsewhere = { slot: (slotOf(there, nodes) + 1) % nodes, nodes };
  const moved = { ...failure(item, 0, null, null), status: 301, redirect: { offer: 0 }, offers: [pageOffer(there, 0)] };
  const stepOf = (options: Partial<SchedulerOptions>) => {
    const answers = new RobotsAnswers({ obeyRobots: true, ...options } as SchedulerOptions, systemClock, () => false);
    const host = new Host(1, 'a.test', 0, { ceiling: 20, tunes: false, tunedLimit: null });
    const owner = new Origin(1, ORIGIN, host, new UrlQueue(false));
    const { hop, bulk, settled } = answers.answer(owner, item, moved);
    return [hop !== null, bulk?.reason ?? null, settled];
  };
  expect(stepOf({})).toEqual([true, null, false]);
  expect(stepOf({ seat: { slot: slotOf(there, nodes), nodes } })).toEqual([true, null, false]);
  expect(stepOf({ seat: elsewhere })).toEqual([false, 'robots_unreachable', false]);
  expect(stepOf({ seat: elsewhere, robotsUnreachable: 'allow' })).toEqual([false, null, true]);
  expect(stepOf({ seat: elsewhere, obeyRobots: false })).toEqual([false, null, true]);
});

describe('a robots.txt whose time runs out', () => {
  const late = {
    ...failure(item, 0, 'timeout', null),
    robots: { standing: 'unreachable' } as const,
  };

  /** What comes of each try until there is a result. */
  function triesWith(options: Partial<SchedulerOptions>, hops = 0): { tries: number; fate: string } {
    const answers = new RobotsAnswers(
      { obeyRobots: true, retries: 2, retryDelayMs: 1_000, ...options } as SchedulerOptions,
      systemClock,
      () => false,
    );
    const owner = new Origin(
      1,
      ORIGIN,
      new Host(1, 'a.test', 0, { ceiling: 20, tunes: false, tunedLimit: null }),
      new UrlQueue(false),
    );
    for (let tries = 1; tries < 10; tries++) {
      const { bulk, settled } = answers.answer(owner, { ...item, hops }, late);
      if (bulk !== null || settled) {
        return { tries, fate: bulk?.reason ?? 'let go' };
      }
    }
    throw new Error('it is asked for without end');
  }

  it('is asked for three times in a crawl, and its URLs are put off', () => {
    expect(triesWith({})).toEqual({ tries: 3, fate: 'robots_unreachable' });
  });

  it('is asked for twice in a check, and that is the result of its URLs', () => {
    expect(triesWith({ givesUpOnSilence: true })).toEqual({ tries: 2, fate: 'timeout' });
  });

  it('says nothing of a host that only redirects there', () => {
    expect(triesWith({ givesUpOnSilence: true }, 1)).toEqual({ tries: 2, fate: 'robots_unreachable' });
  });

  it('is passed over after the same tries where the user says so', () => {
    expect(triesWith({ givesUpOnSilence: true, robotsUnreachable: 'allow' })).toEqual({ tries: 2, fate: 'let go' });
  });
});
