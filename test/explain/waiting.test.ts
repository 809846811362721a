import { describe, expect, it } from 'vitest';
import { CrawlRules } from '../../src/explain/crawl-rules.js';
import { waitedOn, waitsOn } from '../../src/explain/waiting.js';
import { UrlFacts } from '../../src/store/url-facts.js';
import { UrlState } from '../../src/store/url-state.js';
import { StoreFixture } from '../report/store-fixture.js';

const NOW = 1_000_000;
const READY = "UPDATE origins SET robots_state = 'ready'";

/** Three URLs of a host wait; the second is asked about. */
function ask(changes: string, options: Record<string, unknown> = {}, running = true) {
  const store = new StoreFixture(
    [1, 2, 3].map((n) => ({ url: `https://a.test/${n}`, state: UrlState.queued, page: null })),
  );
  store.database.exec(changes);
  const facts = new UrlFacts(store.database);
  const row = facts.byId(2)!;
  const rules = new CrawlRules({ options: JSON.stringify({ values: options, withheld: [] }) }, []);
  return waitsOn(row, { facts, rules, place: facts.place(row.origin)!, running, now: NOW });
}

describe('what a URL that is queued waits for', () => {
  it.each([
    ['a crawl that does not run', READY, {}, false, { layer: null, why: 'the crawl is not running' }],
    ['a host that is on disk', `UPDATE hosts SET parked_until = ${NOW + 5}`, {}, true, { layer: 10, until: NOW + 5 }],
    ['robots.txt', '', {}, true, { layer: 8, name: 'robots.txt fetches' }],
    [
      'a host in trouble',
      `${READY}; UPDATE hosts SET blocked_until = ${NOW + 9_000}, block_reason = 'retry_after'`,
      {},
      true,
      { layer: 5, until: NOW + 9_000, why: 'a.test is left alone (retry_after)' },
    ],
    ['its own retry', `${READY}; UPDATE urls SET not_before = ${NOW + 70}`, {}, true, { layer: 5, until: NOW + 70 }],
    [
      'the delay of its host, and that of the URL before it',
      `${READY}; UPDATE hosts SET next_allowed_at = ${NOW + 300}`,
      {},
      true,
      { layer: 4, until: NOW + 300 + 1_000, why: 'a.test is asked every 1 s (--delay)', queued: { all: 3, before: 1 } },
    ],
    [
      'the Crawl-delay, where that is longer',
      `${READY}; UPDATE origins SET crawl_delay_ms = 2500`,
      {},
      true,
      { layer: 4, until: NOW + 2_500, why: 'a.test is asked every 2.5 s (Crawl-delay of its robots.txt)' },
    ],
    [
      'a delay below a second, which is not none',
      READY,
      { delayMs: 40 },
      true,
      { layer: 4, why: 'a.test is asked every 40 ms (--delay)' },
    ],
    ['those before it, where there is no delay', READY, { delayMs: 0 }, true, { layer: 2 }],
    [
      'the limit on all requests',
      `${READY}; UPDATE urls SET state = 1 WHERE id = 1; UPDATE urls SET state = 2 WHERE id = 3`,
      { delayMs: 0, workers: 1 },
      true,
      { layer: 1, why: '1 request under way (--workers 1)' },
    ],
    [
      'nothing',
      `${READY}; UPDATE urls SET state = 2 WHERE id <> 2`,
      { delayMs: 0 },
      true,
      { layer: null, queued: { all: 1, before: 0 } },
    ],
    ['no robots.txt with --ignore-robots', '', { ignoreRobots: true }, true, { layer: 4 }],
    [
      'those that are newer, depth first',
      READY,
      { order: 'dfs' },
      true,
      { layer: 4, queued: { all: 3, before: 1 }, until: NOW + 1_000 },
    ],
  ])('%s', (_name, changes, options, running, expected) => {
    expect(ask(changes, options, running)).toMatchObject(expected);
  });
});

describe('what a URL that was fetched had waited for', () => {
  it('is told from its first parent on, with what paces its host', () => {
    const store = new StoreFixture([
      { url: 'https://a.test/', page: { fetched_at: 5_000 } },
      { url: 'https://a.test/2', parent: 1, page: { fetched_at: 12_500 } },
    ]);
    const facts = new UrlFacts(store.database);
    const rules = new CrawlRules({ options: '{"values":{"delayMs":2000},"withheld":[]}' }, []);
    const row = facts.byId(2)!;
    const parts = { facts, rules, place: facts.place(row.origin)!, running: false, now: NOW };
    expect(waitedOn(row, 12_500, parts)).toMatchObject({ layer: 4, waitedMs: 7_500, queued: null });
    expect(waitedOn({ ...row, attempts: 3 }, 12_500, parts)).toMatchObject({ layer: 5 });
  });
});
