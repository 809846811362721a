import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { UrlState } from '../../src/store/url-state.js';
import { WatchReader } from '../../src/store/watch-reader.js';
import {
  HOST_SORTS,
  type HostQuestion,
  type PageQuestion,
  type PageRow,
  type StoredHost,
} from '../../src/store/watch-rows.js';
import { temporaryFolder } from '../crawl/support.js';
import { hostName, makeStore } from '../dashboard/made-store.js';

const HOSTS = 300;
const PAGES = 120_000;
const NOW = Date.UTC(2024, 0, 1);
const folder = temporaryFolder();
const directory = join(folder.path, 'made');
let reader: WatchReader;

beforeAll(() => {
  makeStore(directory, HOSTS, PAGES);
  reader = WatchReader.open(directory);
});
afterAll(() => {
  reader.close();
  folder.remove();
});

const HOST_QUESTION: HostQuestion = { sort: 'name', text: '', after: null, limit: 70, name: null, delays: {} };
const PAGE_QUESTION: PageQuestion = {
  ...{ state: null, reason: null, status: null, depth: null, host: null, text: '', isNewestFirst: false },
  ...{ after: null, limit: 500 },
};

/** All rows, screenful by screenful. */
function allHosts(question: Partial<HostQuestion>): StoredHost[] {
  const rows: StoredHost[] = [];
  for (let after: string | null = null; ; ) {
    const answer = reader.hosts({ ...HOST_QUESTION, ...question, after }, NOW);
    rows.push(...answer.rows);
    if (answer.next === null) {
      return rows;
    }
    after = answer.next;
  }
}

function allPages(question: Partial<PageQuestion>): { rows: PageRow[]; answers: number } {
  const rows: PageRow[] = [];
  for (let after: number | null = null, answers = 1; ; answers++) {
    const answer = reader.pages({ ...PAGE_QUESTION, ...question, after });
    rows.push(...answer.rows);
    if (answer.next === null) {
      return { rows, answers };
    }
    after = answer.next;
  }
}

describe('hosts', () => {
  it.each(HOST_SORTS)('sorted by %s, every host comes once and in order', (sort) => {
    const rows = allHosts({ sort });
    expect(new Set(rows.map(({ id }) => id)).size).toBe(HOSTS);
    expect(rows).toHaveLength(HOSTS);
    const sortedBy: Record<typeof sort, (row: StoredHost) => number> = {
      name: ({ id }) => id,
      state: ({ state }) =>
        ['idle', 'ready'].includes(state) ? 4 : ['backing off', 'put off', 'busy', 'delayed'].indexOf(state),
      queue: ({ queue }) => -queue,
      requests: ({ requests }) => -requests,
      failures: ({ failures }) => -failures,
      delay: ({ learnedDelayMs }) => -learnedDelayMs,
    };
    const values = rows.map(sortedBy[sort]);
    expect(values).toEqual([...values].sort((a, b) => a - b));
  });

  it('are found by a part of their name, in any case', () => {
    expect(allHosts({ text: 'HOST-0000012.' }).map(({ name }) => name)).toEqual([hostName(12)]);
    expect(
      allHosts({ text: '000001', sort: 'queue' })
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    ).toEqual([...[1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]].filter((id) => hostName(id).includes('000001')));
    expect(allHosts({ text: '%' })).toEqual([]);
  });

  it('have the number of their queued URLs', () => {
    expect(allHosts({}).reduce((sum, { queue }) => sum + queue, 0)).toBe(PAGES / 5);
  });
});

describe('pages', () => {
  it('come in the order in which they were found, each once', () => {
    const { rows } = allPages({});
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: PAGES }, (_, place) => place + 1));
  });

  it('or the last ones first', () => {
    const { rows } = allPages({ isNewestFirst: true, state: 'failed' });
    expect(rows).toHaveLength(PAGES / 10);
    expect(rows[0]!.id).toBeGreaterThan(rows.at(-1)!.id);
    expect(rows.every(({ id }, place) => place === 0 || id < rows[place - 1]!.id)).toBe(true);
  });

  it('every filter leaves out what it says', () => {
    const first = (question: Partial<PageQuestion>) => reader.pages({ ...PAGE_QUESTION, ...question, limit: 50 }).rows;
    expect(first({ state: 'queued' }).every(({ state, status }) => state === 'queued' && status === null)).toBe(true);
    expect(first({ reason: 'http_4xx' }).every(({ reason }) => reason === 'http_4xx')).toBe(true);
    expect(first({ status: '4xx' }).map(({ status }) => status)).toEqual(Array(50).fill(404));
    expect(first({ status: '200' }).map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(first({ status: 'none' }).map(({ status }) => status)).toEqual(Array(50).fill(null));
    expect(first({ depth: 3 }).map(({ depth }) => depth)).toEqual(Array(50).fill(3));
    expect(first({ host: hostName(7) }).every(({ url }) => url.startsWith(`http://${hostName(7)}/`))).toBe(true);
    expect(first({ host: hostName(7) })).toHaveLength(50);
    expect(first({ text: 'KUMQUAT' }).every(({ title }) => title!.startsWith('Rare kumquat'))).toBe(true);
    expect(first({ text: '/page/77' }).every(({ url }) => url.includes('/page/77'))).toBe(true);
    expect(first({ text: '_umquat' })).toEqual([]);
  });

  it('a word that is nowhere is looked for in parts, and each answer says how far it got', () => {
    const answer = reader.pages({ ...PAGE_QUESTION, text: 'nowhere at all' });
    expect(answer).toEqual({ rows: [], next: 50_000, searched: 50_000, all: PAGES });
    expect(allPages({ text: 'nowhere at all' })).toEqual({ rows: [], answers: 3 });
    expect(allPages({ text: 'nowhere at all', isNewestFirst: true })).toEqual({ rows: [], answers: 3 });
  });
});

it('it sees what is committed beside it, and holds no transaction open', () => {
  const beside = join(folder.path, 'beside');
  makeStore(beside, 1, 1);
  const watching = WatchReader.open(beside);
  const writer = openStoreFile(storePath(beside), { create: false });
  onTestFinished(() => {
    watching.close();
    writer.close();
  });
  expect(watching.pages(PAGE_QUESTION).rows).toHaveLength(1);
  writer.exec(
    `INSERT INTO urls (id, url, kind, origin, depth, seed, class, state) VALUES (2, 'http://${hostName(1)}/new', 0, 1, 0, 0, 2, ${UrlState.queued})`,
  );
  expect(watching.pages(PAGE_QUESTION).rows).toHaveLength(2);
  // A reader within a transaction would keep a part of the journal in use.
  expect(writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
});

it('where there is no store it says so', () => {
  expect(() => WatchReader.open(join(folder.path, 'nowhere'))).toThrow('there is no crawl in');
});
