import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import type { LoggedRequest } from '../web/log.js';
import { html, linkPage, notFound, type Site, text } from '../web/site.js';
import { openWeb } from '../web/web.js';
import { check } from './checking.js';

const PER_SECOND = 5;
const LINKS = 40;

/** Says whether a request that comes now may pass. */
type Limiter = () => boolean;

/** At most five in any second; what is refused does not count. */
function slidingWindow(): Limiter {
  const passed: number[] = [];
  return () => {
    const now = systemClock.now();
    while (passed.length > 0 && passed[0]! <= now - 1000) {
      passed.shift();
    }
    const may = passed.length < PER_SECOND;
    if (may) {
      passed.push(now);
    }
    return may;
  };
}

/** A bucket of five that fills at five a second. */
function tokenBucket(): Limiter {
  let tokens = PER_SECOND;
  let at = systemClock.now();
  return () => {
    const now = systemClock.now();
    tokens = Math.min(PER_SECOND, tokens + ((now - at) / 1000) * PER_SECOND);
    at = now;
    const may = tokens >= 1;
    if (may) {
      tokens--;
    }
    return may;
  };
}

function limited(mayPass: Limiter, retryAfter: string | null): Site {
  return {
    handle({ path }) {
      if (!mayPass()) {
        return { ...text('Slower.', 429), headers: retryAfter === null ? {} : { 'retry-after': retryAfter } };
      }
      if (path === '/') {
        return html(linkPage('Home', urls('/')));
      }
      return /^\/p\d+$/.test(path) ? html(linkPage(path, ['/'])) : notFound;
    },
  };
}

const urls = (base: string): string[] => Array.from({ length: LINKS }, (_, n) => `${base}p${n}`);

/** The most requests that began within a second of one another. */
function busiestSecond(log: readonly LoggedRequest[]): number {
  const starts = log.map(({ at }) => at).sort((a, b) => a - b);
  return Math.max(0, ...starts.map((from) => starts.filter((at) => at >= from && at < from + 1000).length));
}

const CASES = [
  { name: 'a sliding window, with Retry-After', limiter: slidingWindow, retryAfter: '1', where: 'inside' },
  { name: 'a sliding window, without Retry-After', limiter: slidingWindow, retryAfter: null, where: 'elsewhere' },
  { name: 'a token bucket, with Retry-After', limiter: tokenBucket, retryAfter: '1', where: 'elsewhere' },
  { name: 'a token bucket, without Retry-After', limiter: tokenBucket, retryAfter: null, where: 'inside' },
  { name: 'a token bucket on this machine', limiter: tokenBucket, retryAfter: null, where: 'here' },
] as const;

describe.concurrent('a server that takes five requests a second', () => {
  it.each(CASES)('$name: no link is broken, and the limit is learned', async ({ limiter, retryAfter, where }) => {
    const web = await openWeb();
    try {
      const host = where === 'here' ? '127.0.0.1' : 'limited.test';
      web.site(host, limited(limiter(), retryAfter));
      web.site('site.test', {
        handle: ({ path }) => (path === '/' ? html(linkPage('Home', urls('http://limited.test/'))) : notFound),
      });
      const seed = { inside: 'http://limited.test/', elsewhere: 'http://site.test/', here: `${web.origin}/` }[where];
      const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
      // Without a delay even a busy machine is too fast at first; all else is as it is for everyone.
      const checked = await check([seed, ...connectTo, '--delay', '0'], { code: 0 });
      expect(checked.summary.verdicts).toEqual({ ok: LINKS + 1 });

      const log = web.log.filter((request) => request.host === host);
      const refused = log.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThanOrEqual(5);
      // What was under way at the first refusal may be refused too; from then on the pace is the server's.
      const learned = log.filter(({ at }) => at > refused[0]!.at + 1000);
      expect(learned.length).toBeGreaterThan(LINKS / 4);
      expect(busiestSecond(learned)).toBeLessThanOrEqual(PER_SECOND);
    } finally {
      await web.close();
    }
  });
});
