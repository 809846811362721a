import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gossamer, readLines, readPages, temporaryFolder } from '../crawl/support.js';
import { crawlAndKill, type KilledCrawl } from '../kill/killing.js';
import { openWebProcess } from '../kill/web-process.js';
import { Random } from '../web/random.js';

const KILLS = 6;
const folder = temporaryFolder();
const file = `${folder.path}/hooks.ts`;
const killed = `${folder.path}/killed`;
const whole = `${folder.path}/whole`;
let crawl: KilledCrawl;

/** Data of every page, some links not followed, and some URLs that only the hook names. */
const HOOKS = `
  import { appendFileSync } from 'node:fs';
  import { defineHooks } from 'gossamer';
  export default defineHooks({
    start() { appendFileSync('${folder.path}/starts', 'x'); },
    async page(page, { add }) {
      await null;
      if (new URL(page.url).pathname === '/' && page.links.length > 0) add(page.url + '?added=1');
      return { title: page.select('title')?.text ?? null, links: page.links.length, url: page.url };
    },
    link: ({ url }) => (url.length % 7 === 0 ? { skip: 'a seventh' } : undefined),
  });`;

const args = (directory: string, connectTo: string[]) => [
  ...['crawl', 'http://h0.web.test/', '--scope', 'domain', '--data-dir', directory, '--delay', '0', '--hooks', file],
  ...['--workers', '32', '--retry-delay', '50ms', '--max-backoff', '1s', '--quarantine-after', '1000', ...connectTo],
];

beforeAll(async () => {
  writeFileSync(file, HOOKS);
  const options = { seed: 5, hosts: 10, urls: 400, domain: 'web.test' };
  const first = await openWebProcess(`${folder.path}/whole.log`, options);
  const run = await gossamer(args(whole, first.connectTo));
  expect(run.code, run.stderr).toBe(0);
  const random = new Random(7);
  const latest = Math.floor((1.6 * first.log().length) / (KILLS + 1));
  await first.close();
  const second = await openWebProcess(`${folder.path}/killed.log`, options);
  const moments = Array.from({ length: KILLS }, () => random.between(1, latest));
  crawl = await crawlAndKill(second, args(killed, second.connectTo), killed, moments);
  await second.close();
}, 180_000);

afterAll(() => folder.remove());

it('was really killed, and start ran in every run', () => {
  expect(crawl.last.code, crawl.last.stderr).toBe(0);
  expect(crawl.kills.length).toBeGreaterThanOrEqual(KILLS - 2);
  expect(readFileSync(`${folder.path}/starts`, 'utf8').length).toBeGreaterThan(KILLS - 2);
});

it('each page has its data once, and all of it is as in a crawl that nobody killed', () => {
  const facts = (directory: string) =>
    Object.fromEntries(
      readPages(directory)
        .map(({ url, state, reason, depth, data }) => [url, { state, reason, depth, data }] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const expected = facts(whole);
  expect(facts(killed)).toEqual(expected);
  expect(readPages(killed)).toHaveLength(Object.keys(expected).length);
  const done = Object.entries(expected).filter(([, { state, data }]) => state === 'done' && (data ?? null) !== null);
  expect(done.length).toBeGreaterThan(100);
  expect(done.every(([url, { data }]) => data?.url === url)).toBe(true);
  for (const held of ['link_hook', 'nofollow']) {
    expect(Object.values(expected).some(({ reason }) => reason === held)).toBe(true);
  }
  expect(Object.keys(expected).some((url) => url.endsWith('?added=1'))).toBe(true);
});

it('the edges are the same, those that the hook made too', async () => {
  const edges = async (directory: string) =>
    readLines<{ from: string; to: string; kind: string }>(
      (await gossamer(['export', directory, '--format', 'edges'])).stdout,
    )
      .map(({ from, to, kind }) => `${from} ${kind} ${to}`)
      .sort();
  const expected = await edges(whole);
  expect(await edges(killed)).toEqual(expected);
  expect(expected.some((edge) => edge.includes(' hook '))).toBe(true);
});
