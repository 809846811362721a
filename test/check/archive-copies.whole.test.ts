import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { suggestCopies } from '../../src/check/archive-copies.js';
import { FindingTable } from '../../src/check/finding-table.js';
import type { Verdict } from '../../src/check/report/result.js';
import { FindingRows } from '../../src/store/check-tables.js';
import { type Database, openDatabase } from '../../src/store/sqlite.js';
import { OPTIONS } from '../fetch/support.js';
import { text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { checkedLink } from './links.js';

let web: WebInABox;
let database: Database;
let answer: (asked: string) => ReturnType<typeof text>;

const COPY = 'http://web.archive.test/web/2020/';
const snapshot = (url: unknown) => text(JSON.stringify({ archived_snapshots: { closest: { available: true, url } } }));

beforeAll(async () => {
  web = await openWeb();
  web.site('archive.test', {
    handle: ({ path }) => answer(new URL(path, 'http://x').searchParams.get('url') ?? ''),
  });
});
beforeEach(() => {
  database = openDatabase('', { readOnly: false });
  web.log.length = 0;
});
afterEach(() => database.close());
afterAll(() => web.close());

/** The suggestions by URL, and what was said. */
async function copiesOf(
  links: readonly (readonly [url: string, verdict: Verdict])[],
  signal = new AbortController().signal,
) {
  const table = new FindingTable(new FindingRows(database));
  for (const [url, verdict] of links) {
    table.add(checkedLink(url, verdict), 1);
  }
  table.complete();
  const notices: string[] = [];
  await suggestCopies(table, {
    ...{
      url: 'http://archive.test/available',
      clock: systemClock,
      delayMs: 0,
      maxWaitMs: 0,
      idleTimeoutMs: 5_000,
      signal,
    },
    fetch: { ...OPTIONS, connectTo: [...web.connectTo] },
    notice: (words) => notices.push(words),
  });
  const found = [...table.links()].map(({ url, suggestion }) => [url, suggestion]);
  return { found: Object.fromEntries(found), notices, asked: web.log.map(({ path }) => path) };
}

it('asks for each link that is gone, once, and for none that only this network knows', async () => {
  answer = (asked) => snapshot(COPY + asked);
  const { found, asked, notices } = await copiesOf([
    ['https://a.test/x?y=1&z=2', 'dead'],
    ['https://gone.test/', 'dns'],
    ['https://a.test/later', 'server_error'],
    ['https://a.test/fine', 'ok'],
    ['http://127.0.0.1:80/x', 'dead'],
    ['http://10.0.0.1/x', 'dead'],
    ['http://intranet/x', 'dead'],
    ['docs/lost.md', 'dead'],
  ]);
  expect(asked).toEqual([
    '/available?url=https%3A%2F%2Fa.test%2Fx%3Fy%3D1%26z%3D2',
    '/available?url=https%3A%2F%2Fgone.test%2F',
  ]);
  expect(Object.entries(found).filter(([, copy]) => copy !== null)).toEqual([
    ['https://a.test/x?y=1&z=2', `${COPY}https://a.test/x?y=1&z=2`],
    ['https://gone.test/', `${COPY}https://gone.test/`],
  ]);
  expect(notices).toEqual([]);
});

it.each([
  ['no copy', () => text('{"archived_snapshots":{}}')],
  [
    'a copy that is not there',
    () => text('{"archived_snapshots":{"closest":{"available":false,"url":"http://a.test/"}}}'),
  ],
  ['a program instead of a URL', () => snapshot('javascript:alert(1)')],
  ['something else than text', () => snapshot({ a: 1 })],
])('suggests nothing where the archive says %s', async (_, says) => {
  answer = says;
  const { found, notices } = await copiesOf([['https://a.test/', 'dead']]);
  expect([found, notices]).toEqual([{ 'https://a.test/': null }, []]);
});

it.each([
  ['what is no JSON', () => text('<html>')],
  ['null', () => text('null')],
  ['a list', () => text('[null]')],
  [
    'more than anybody reads',
    () =>
      text(JSON.stringify({ x: 'x'.repeat(100_000), archived_snapshots: { closest: { available: true, url: COPY } } })),
  ],
])('says so where the archive says %s', async (_, says) => {
  answer = says;
  const { found, notices } = await copiesOf([['https://a.test/', 'dead']]);
  expect(found).toEqual({ 'https://a.test/': null });
  expect(notices).toEqual([
    expect.stringMatching(/^the archive could not be asked: (?:what it answers is not|its answer is larger)/),
    '1 of 1 dead links were not looked for in the archive',
  ]);
});

it('says so where the archive refuses, and asks it no more', async () => {
  answer = () => text('no', 403);
  const { asked, notices } = await copiesOf([
    ['https://a.test/', 'dead'],
    ['https://b.test/', 'dead'],
  ]);
  expect(asked).toHaveLength(1);
  expect(notices).toEqual([
    'the archive could not be asked: it answered 403',
    '2 of 2 dead links were not looked for in the archive',
  ]);
});

it('asks for no more than 500, and nothing once the run is stopped', async () => {
  answer = () => text('{"archived_snapshots":{}}');
  const many = Array.from({ length: 502 }, (_, i) => [`https://a.test/${i}`, 'dead'] as const);
  const { asked, notices } = await copiesOf(many);
  expect(asked).toHaveLength(500);
  expect(notices).toEqual(['2 of 502 dead links were not looked for in the archive']);
  web.log.length = 0;
  expect((await copiesOf(many, AbortSignal.abort())).asked).toEqual([]);
});
