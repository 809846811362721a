import { describe, expect, it } from 'vitest';
import { CrawlScope } from '../../src/crawl/crawl-scope.js';
import { JudgedLinks, LinkJudge } from '../../src/crawl/link-judge.js';
import { KeyTable } from '../../src/frontier/embedded/key-table.js';
import { FOLLOWED } from '../../src/store/packed-edges.js';
import { QueueClass, UrlFlag, UrlState } from '../../src/store/url-state.js';

const SEED = 'http://a.test/';
const OUTSIDE = 'http://b.test/';

function judgeOf(external: boolean, checksBeyond = true): LinkJudge {
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
    checksBeyond,
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

describe('a URL that looks like a trap', () => {
  const DEEP = 'x/'.repeat(60);
  const LONG = 'y'.repeat(3_000);
  const cut = { state: UrlState.skipped, reason: 'trap', flags: 0 };
  const asked = (flags: number) => ({ state: UrlState.queued, reason: null, flags });

  it.each([
    ['in a crawl is cut', false, cut],
    ['in a check is asked for, and leads nowhere', true, asked(UrlFlag.external | UrlFlag.trap)],
  ])('%s; out of scope it is none', (_name, checksBeyond, expected) => {
    const judge = judgeOf(true, checksBeyond);
    const links = new JudgedLinks(() => QueueClass.rest);
    judge.judge(judge.recall(OUTSIDE + DEEP), FOLLOWED, 1, 0, links);
    judge.judge(judge.recall(SEED + DEEP), FOLLOWED, 1, 0, links);
    judge.judge(judge.recall(SEED + LONG), FOLLOWED, 1, 0, links);
    expect(links.offers).toMatchObject([
      { ...asked(UrlFlag.external), pattern: null },
      { ...expected, pattern: 'segments>50' },
      { ...cut, pattern: 'length>2000' },
    ]);
  });
});
