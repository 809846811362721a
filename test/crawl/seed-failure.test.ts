import { describe, expect, it } from 'vitest';
import { seedFailure } from '../../src/crawl/seed-failure.js';
import type { SeedFate } from '../../src/frontier/seed-book.js';

const OPEN: SeedFate = {
  ...{ seed: 0, label: 'https://a.test/', fate: 'open', detail: null, reason: null, status: null, redirectsTo: null },
};

describe('the last line where no seed gave a page', () => {
  it.each([
    [
      { reason: 'robots_unreachable', until: null, detail: 'robots.txt was answered with HTTP 500' },
      'https://a.test/ was not asked for: robots.txt was answered with HTTP 500, so nothing may be asked for; --robots-unreachable allow asks all the same',
    ],
    [
      { reason: 'retry_after', until: '2026-01-02T03:04:00.000Z', detail: null },
      'https://a.test/ was put off with a.test (retry_after, until 2026-01-02 03:04 UTC)',
    ],
  ])('names why its host was put off: %j', (host, line) => {
    const others = { host: 'b.test', urls: 9, reason: 'backoff', until: null, detail: null };
    const summary = { byClass: {}, deferredHosts: [others, { host: 'a.test', urls: 1, ...host }] };
    expect(seedFailure([OPEN], summary).message).toBe(line);
  });
});
