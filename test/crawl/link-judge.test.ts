import { describe, expect, it } from 'vitest';
import { CrawlScope } from '../../src/crawl/crawl-scope.js';
import { JudgedLinks, LinkJudge } from '../../src/crawl/link-judge.js';
import { KeyTable } from '../../src/frontier/embedded/key-table.js';
import { FOLLOWED } from '../../src/store/packed-edges.js';
import { QueueClass, UrlState } from '../../src/store/url-state.js';

const SEED = 'http://a.test/';
const OUTSIDE = 'http://b.test/';

function judgeOf(external: boolean): LinkJudge {
  const seed = { seed: 0, url: SEED, label: SEED, scope: 'host', depth: null, maxUrls: null, fallbacks: [] };
  const scope = new CrawlScope({
    seeds: [{ ...seed, scopeUrls: [SEED] }],
    patterns: { include: [], exclude: [] },
    maxDepth: null,
    traps: {
      ...{ maxUrlLength: 2_000, maxPathSegments: 50, maxSegmentRepeats: 5 },
      ...{ maxQueryVariants: 1_000, maxShapeVariants: 1_000, allow: [] },
    },
    ownKeys: false,
    external,
    checksBeyond: true,
    ignore: [],
  });
  return new LinkJudge(new KeyTable(1_000_000), scope);
}

describe('two links of one page to one URL out of scope, the first of which is not to be asked', () => {
  it.each([
    [true, UrlState.queued, null],
    [false, UrlState.unlisted, 'scope'],
  ])('external links checked: %s', (external, state, reason) => {
    const judge = judgeOf(external);
    const links = new JudgedLinks(() => QueueClass.rest);
    judge.judge(judge.recall(OUTSIDE), 0, 1, 0, links);
    judge.judge(judge.recall(OUTSIDE), FOLLOWED, 1, 0, links);
    expect(links.offers).toMatchObject([{ url: OUTSIDE, state, reason }]);
  });
});

it('remembers no URL that is as long as a page: 50,000 of them would fill the memory', () => {
  const judge = judgeOf(true);
  const long = `data:image/png;base64,${'A'.repeat(5_000)}`;
  expect(judge.recall(OUTSIDE)).toBe(judge.recall(OUTSIDE));
  expect(judge.recall(long)).not.toBe(judge.recall(long));
});

it('takes nothing out of scope for a trap: it is asked for once and leads nowhere', () => {
  const judge = judgeOf(true);
  const links = new JudgedLinks(() => QueueClass.rest);
  const path = 'x/'.repeat(60);
  judge.judge(judge.recall(OUTSIDE + path), FOLLOWED, 1, 0, links);
  judge.judge(judge.recall(SEED + path), FOLLOWED, 1, 0, links);
  expect(links.offers).toMatchObject([
    { state: UrlState.queued, reason: null },
    { state: UrlState.skipped, reason: 'trap' },
  ]);
});
