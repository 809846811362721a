import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { makeReport } from '../../src/check/make-report.js';
import { ResultCache } from '../../src/check/result-cache.js';
import { CheckRules } from '../../src/check/rules.js';
import { completeOptionsOf } from '../../src/config/resolve.js';
import type { EndReason } from '../../src/crawl/ending.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { checkedLink } from './links.js';
import { SmallStore } from './small-store.js';

const DAY_MS = 86_400_000;
const names = { url: (url: string) => url, page: (url: string) => Promise.resolve(url) };

let store: SmallStore;
beforeEach(() => {
  store = new SmallStore();
});
afterEach(() => store.close());

async function report(
  cache: ResultCache | null = null,
  rules: unknown = null,
  { end = 'duration', failOn = null }: { end?: EndReason; failOn?: string | null } = {},
) {
  const { options } = completeOptionsOf('check', { cache: join(store.directory, 'cache.jsonl') });
  const made = await makeReport({
    ...{ directory: store.directory, options, cache, names, truncated: null, end, durationMs: 1 },
    rules: new CheckRules({ accept: null, failOn, rules }, (name, problem) => {
      throw new Error(`${name} ${problem}`);
    }),
    clock: systemClock,
    suggest: null,
  });
  made.close();
  return made;
}

describe('the report of a check that the time for second looks has ended', () => {
  it('is cut short where pages that came to light so late were never asked', async () => {
    store.put(1, {});
    store.put(2, { state: UrlState.queued, attempts: 0 });
    expect((await report()).summary.truncated).toBe('second_look_budget');
  });

  it('is whole where only second looks are missing', async () => {
    store.put(1, {});
    store.put(2, { state: UrlState.queued, flags: UrlFlag.secondLook });
    expect((await report()).summary.truncated).toBeNull();
  });
});

describe('what was not looked at', () => {
  const counts = async (end: 'complete' | 'interrupted' = 'complete', failOn: string | null = null) => {
    const { summary } = await report(null, null, { end, failOn });
    return [summary.unchecked, summary.exitCode];
  };

  it('is what waits when the run is stopped, and what a limit left', async () => {
    store.put(1, {});
    store.put(2, { state: UrlState.queued, attempts: 0, flags: UrlFlag.seed });
    store.put(3, { state: UrlState.skipped, reason: 'limit', attempts: 0, flags: UrlFlag.seed });
    expect(await counts('interrupted')).toEqual([{ stop: 1, limit: 1 }, 130]);
    expect(await counts('interrupted', '+unchecked')).toEqual([{ stop: 1, limit: 1 }, 130]);
  });

  it('is a page of a trap that answers; what redirects there, or is no page, or is gone, is what it is', async () => {
    const { external, trap, asset, seed } = UrlFlag;
    store.put(1, { flags: seed | external | trap });
    store.put(2, { flags: seed | external | trap, state: UrlState.failed, reason: 'http_4xx', status: 404 });
    store.put(3, { flags: seed | external | trap | asset });
    store.put(4, { flags: seed | external | trap });
    store.database.exec("UPDATE pages SET content_type = 'application/pdf' WHERE id = 4");
    store.put(5, { redirectTo: 1, status: 301 });
    store.put(6, { flags: seed });
    store.link(6, 'a', 5, '/5');
    const { summary } = await report(null, null, { end: 'complete' });
    expect(summary.unchecked).toEqual({ trap: 2 });
    expect(summary.verdicts).toEqual({ unchecked: 2, unverifiable: 1, ok: 3 });
  });

  it('is a fragment on a page that was never read for its ids', async () => {
    store.put(1, {});
    store.put(2, { flags: UrlFlag.external });
    store.link(1, 'a', 2, '/2#part');
    expect(await counts()).toEqual([{ limit: 1 }, 0]);
    expect(await counts('interrupted')).toEqual([{ stop: 1 }, 130]);
    store.anchors(2, 'part');
    expect(await counts()).toEqual([{}, 0]);
  });
});

it('a result that was too old to be used makes way for the new one, though a rule keeps others longer', async () => {
  const now = Date.now();
  let at = now - 2 * DAY_MS;
  const cache = new ResultCache({ maxAgeMs: 30 * DAY_MS, now: () => at });
  cache.put(checkedLink('http://a.test/2', 'dead'));
  at = now;
  store.put(1, { flags: UrlFlag.wholeGet });
  store.put(2, { flags: UrlFlag.external });
  store.link(1, 'a', 2, '/2');
  await report(cache, [{ match: 'https://slow.test/**', maxAge: '30d' }]);
  const [line] = readFileSync(join(store.directory, 'cache.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(line!)).toMatchObject({ url: 'http://a.test/2', verdict: 'ok' });
});

it('lets others have their turn while many targets are judged', async () => {
  store.database.exec('BEGIN');
  for (let id = 1; id <= 1_001; id++) {
    store.put(id, { state: UrlState.skipped, reason: 'limit' });
  }
  store.database.exec('COMMIT');
  let turns = 0;
  const turn = setImmediate(() => turns++);
  await report();
  clearImmediate(turn);
  expect(turns).toBe(1);
});
