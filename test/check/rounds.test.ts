import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFragments } from '../../src/check/anchors.js';
import { LinkTable } from '../../src/check/link-table.js';
import { openKeptCheck } from '../../src/check/plan-check.js';
import { prepareRound, reopenBroken } from '../../src/check/rounds.js';
import { CheckReader } from '../../src/store/check-reader.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { SmallStore } from './small-store.js';

let store: SmallStore;
beforeEach(() => {
  store = new SmallStore();
});
afterEach(() => store.close());

const ROUND = {
  round: 1,
  maxRedirects: 10,
  truncated: null,
  spentMs: 0,
  ownOrigins: [],
  hashRoutes: false,
  rules: { accepts: () => false },
};
const prepare = () => prepareRound({ ...ROUND, directory: store.directory });

async function standings(): Promise<string[]> {
  const reader = new CheckReader(store.database);
  const { fragments } = await LinkTable.build(reader);
  return [...checkFragments(reader, fragments, reader.redirectChains(10))].map(({ standing }) => standing);
}

const FAILED = { state: UrlState.failed, reason: 'http_4xx', status: 404 };

it('keeps how long second looks have taken, so that a kill does not renew their budget', async () => {
  store.put(1, FAILED);
  store.database.exec("INSERT INTO meta (key, value) VALUES ('command', 'check'), ('options', '{}')");
  await prepareRound({ ...ROUND, directory: store.directory, round: 2, spentMs: 1_234 });
  expect(openKeptCheck(store.directory).state).toMatchObject({ round: 2, spentMs: 1_234 });
  await reopenBroken(store.directory, 10);
  expect(openKeptCheck(store.directory).state).toMatchObject({ round: 0, spentMs: 0 });
});

describe('a second look', () => {
  it('asks again for an external link that a HEAD was redirected to an error page', async () => {
    store.put(1, { status: 302, flags: UrlFlag.external, redirectTo: 2 });
    store.put(2, { ...FAILED, flags: UrlFlag.external });
    await prepare();
    expect(store.queued).toEqual([1, 2]);
  });

  it('does not ask again for what a GET was redirected from, or where the end is well', async () => {
    store.put(1, { status: 302, redirectTo: 2 });
    store.put(2, FAILED);
    store.put(3, { status: 302, flags: UrlFlag.external, redirectTo: 4 });
    store.put(4, { flags: UrlFlag.external | UrlFlag.rangedGet });
    await prepare();
    expect(store.queued).toEqual([2]);
  });

  it('asks for a page that an earlier run knows where a link names a place on it', async () => {
    const known = { state: UrlState.skipped, reason: 'known', flags: UrlFlag.external };
    store.put(1, { flags: UrlFlag.wholeGet });
    store.put(2, known);
    store.put(3, known);
    store.link(1, 'a', 2, 'http://a.test/2#part');
    await prepare();
    expect(store.queued).toEqual([2]);
  });
});

describe('a recheck', () => {
  it('asks for redirects that led to something broken, and for those of a loop', async () => {
    store.put(1, { status: 301, redirectTo: 2 });
    store.put(2, FAILED);
    store.put(3, { status: 301, redirectTo: 4 });
    store.put(4, { status: 301, redirectTo: 3 });
    store.put(5, { status: 301, redirectTo: 6 });
    store.put(6, {});
    expect(await reopenBroken(store.directory, 10)).toBe(4);
    expect(store.queued).toEqual([1, 2, 3, 4]);
  });
});

describe('a fragment of a link that redirects', () => {
  it.each([
    ['/3', ['missing']],
    ['/3#other', ['unknown', 'there']],
    ['/3#another', ['unknown', 'missing']],
    ['/3#', ['unknown']],
  ])('to %s is %s, and so is the one of the redirect', async (location, expected) => {
    store.put(1, {});
    store.put(2, { status: 301, redirectTo: 3 });
    store.put(3, {});
    store.link(1, 'a', 2, '/2#part');
    store.link(2, 'redirect', 3, location);
    store.anchors(3, 'other');
    expect(await standings()).toEqual(expected);
  });
});
