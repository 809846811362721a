import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStoreFile } from '../../src/store/store-file.js';
import { html, linkPage } from '../web/site.js';
import { box, type Crawled } from './box.js';
import { type ChangingSite, change, changingSite, HOST, ORIGIN } from './changing-site.js';
import { inProcess } from './in-process.js';
import { start } from './support.js';

const web = box();
let site: ChangingSite;
beforeEach(() => {
  site = changingSite();
  web.web.site(HOST, site);
});

/** One request at a time: two crawls of the same site find everything in the same order. */
const INORDER = ['--max-inflight-per-host', '1', '--retries', '0', '--anchor-text'];
const crawl = (args: readonly string[] = [], expected: { code?: number } = {}): Promise<Crawled> =>
  web.crawl([`${ORIGIN}/`], [...INORDER, ...args], expected);
const since = (earlier: Crawled, args: readonly string[] = []): Promise<Crawled> =>
  crawl(['--since', earlier.directory, ...args]);

const FORMATS = ['jsonl', 'csv', 'edges', 'sitemap', 'seeds'];
const TIMES_IN_CSV = /,\d{4}-\d\d-\d\dT[\d:.]+Z,[\d.]*,[\d.]*/g;
const TIMES = /"(?:fetchedAt|ttfbMs|totalMs)":(?:"[^"]*"|[\d.]+),?/g;

/** Every output of a crawl as lines in alphabetical order, without times. */
async function outputs(directory: string): Promise<Record<string, string[]>> {
  const made: Record<string, string[]> = {};
  for (const format of FORMATS) {
    const { stdout } = await inProcess(['export', directory, '--format', format]);
    const lines = stdout.replace(TIMES, '').replace(TIMES_IN_CSV, '');
    made[format] = lines
      .replace(/<lastmod>[^<]*<\/lastmod>/g, '')
      .split('\n')
      .sort();
  }
  return made;
}

/** Which page was the first to lead to another, and how often it was asked for. */
const PARENT = /"(?:attempts":\d+|parent":"[^"]*"),|,\d,http:[^,]*,|,\d,,,/g;

/** Only the lines that the other does not have: of hundreds that are equal a failure would show all. */
async function expectSame(directory: string, as: string, without = /(?!)/): Promise<void> {
  const [one, other] = [await outputs(directory), await outputs(as)];
  for (const format of FORMATS) {
    const [ours, theirs] = [one, other].map((made) => made[format]!.map((line) => line.replace(without, '')));
    const differing = (some: string[], others: Set<string>): string[] => some.filter((line) => !others.has(line));
    expect(differing(ours!, new Set(theirs)).slice(0, 3), format).toEqual([]);
    expect(differing(theirs!, new Set(ours)).slice(0, 3), format).toEqual([]);
    expect(ours!.length, format).toBe(theirs!.length);
  }
}

/** All files of a folder, by name, with the hash of what is in them; without those that every reader of SQLite puts beside a store. */
const filesIn = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory)
      .filter((name) => !/-(?:wal|shm)$/.test(name))
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex'),
      ]),
  );

/** All that is kept of pages, unpacked, by URL; and how many contents there are. */
function keptIn(directory: string): { bodies: Record<string, unknown[]>; contents: number } {
  const database = openStoreFile(join(directory, 'crawl.sqlite'), { create: false, readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT urls.url AS url, bodies.type AS type, bodies.answer AS answer, contents.packed AS packed, contents.hash AS hash
         FROM bodies JOIN urls ON urls.id = bodies.page LEFT JOIN contents ON contents.id = bodies.content`,
      )
      .all();
    const bodies = rows.map(({ url, type, answer, packed, hash }) => {
      const bytes = packed === null ? null : inflateRawSync(packed);
      expect(hash === null ? null : Buffer.from(hash).toString('hex')).toBe(
        bytes === null ? null : createHash('sha256').update(bytes).digest('hex'),
      );
      return [url, [type, answer, bytes?.toString('latin1') ?? null]] as const;
    });
    return {
      bodies: Object.fromEntries(bodies),
      contents: database.prepare('SELECT count(*) AS n FROM contents').get()!.n,
    };
  } finally {
    database.close();
  }
}

const pathsOf = (status: (status: number) => boolean): string[] =>
  site.takePaths(status).filter((path) => site.pages.has(path));

describe('crawl --since', () => {
  it('transfers what has changed and nothing else, and every output is that of a crawl without it', async () => {
    const first = await crawl();
    const before = filesIn(first.directory);
    const { changed, added } = change(site);
    site.answered.length = 0;
    const again = await since(first);
    expect(pathsOf((status) => status === 200)).toEqual([...changed, ...added].sort());
    expect(pathsOf((status) => status === 304)).toHaveLength(site.pages.size - changed.length - added.length);
    expect(again.summary.carriedOver).toBe(site.pages.size - changed.length - added.length);
    expect(again.run.stderr).toContain('pages carried over');
    expect(filesIn(first.directory), 'the earlier crawl is only read').toEqual(before);
    const fresh = await crawl();
    expect(fresh.summary.carriedOver).toBe(0);
    await expectSame(again.directory, fresh.directory);
    expect(again.summary).toMatchObject({
      byStatus: fresh.summary.byStatus,
      bytes: fresh.summary.bytes,
      done: fresh.summary.done,
    });
  });

  it.each(['text', 'body'])('carries over what --keep %s keeps, each content once', async (keep) => {
    // Two pages are the same, so they share what is kept of them.
    site.pages.set('/p41', site.pages.get('/p40')!);
    const first = await crawl(['--keep', keep]);
    change(site);
    site.answered.length = 0;
    const again = await since(first, ['--keep', keep]);
    expect(pathsOf((status) => status === 200)).toHaveLength(5);
    const fresh = await crawl(['--keep', keep]);
    const kept = keptIn(fresh.directory);
    expect(Object.keys(kept.bodies).length).toBeGreaterThanOrEqual(site.pages.size);
    expect(keptIn(again.directory)).toEqual(kept);
    await expectSame(again.directory, fresh.directory);
    site.answered.length = 0;
    const young = await since(again, ['--keep', keep, '--max-age', '1d']);
    expect(pathsOf(() => true)).toEqual([]);
    expect(keptIn(young.directory)).toEqual(kept);
  });

  it('goes on from a crawl that was itself carried over', async () => {
    const first = await crawl();
    const second = await since(first);
    rmSync(first.directory, { recursive: true });
    change(site);
    site.answered.length = 0;
    const third = await since(second);
    expect(pathsOf((status) => status === 200)).toHaveLength(5);
    await expectSame(third.directory, (await crawl()).directory);
  });

  it('comes to the same when it is killed and resumed, also without the earlier crawl', async () => {
    const first = await crawl();
    change(site);
    const directory = join(web.folder, 'killed');
    const connectTo = web.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const args = ['crawl', `${ORIGIN}/`, '--data-dir', directory, '--delay', '0', ...connectTo, ...INORDER];
    const kept = join(web.folder, 'kept');
    cpSync(first.directory, kept, { recursive: true });
    const child = start([...args, '--since', kept]);
    site.answered.length = 0;
    site.onAnswer = () => {
      if (site.answered.length === 150) {
        child.child.kill('SIGKILL');
      }
    };
    expect((await child.ended).signal).toBe('SIGKILL');
    site.onAnswer = null;
    const halfway = join(web.folder, 'halfway');
    cpSync(directory, halfway, { recursive: true });
    site.answered.length = 0;
    const resumed = await inProcess(['resume', directory]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(pathsOf((status) => status === 200).length).toBeLessThanOrEqual(5);
    const fresh = await crawl();
    await expectSame(directory, fresh.directory);

    rmSync(kept, { recursive: true });
    const alone = await inProcess(['resume', halfway]);
    expect(alone.stderr).toContain(
      `there is no crawl in ${kept} (no crawl.sqlite): from here on everything is fetched in full (--since)`,
    );
    await expectSame(halfway, fresh.directory);
  });

  it('judges carried links by the scope and the rules that hold now', async () => {
    const first = await crawl();
    const options = ['--exclude', '/p4*', '--depth', '4', '--nofollow', 'ignore', '--external'];
    web.web.site('elsewhere.test', { handle: () => html('far') });
    const again = await since(first, options);
    const fresh = await crawl(options);
    await expectSame(again.directory, fresh.directory, PARENT);
    expect(again.summary.carriedOver).toBeGreaterThan(15);
    expect(again.pages.get(`${ORIGIN}/p40`)).toMatchObject({ external: true });
  });

  it('obeys robots.txt as it is now, whatever the earlier crawl was allowed', async () => {
    const first = await crawl();
    site.others.set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /p1\n',
    });
    site.answered.length = 0;
    const again = await since(first, ['--max-age', '1h']);
    expect(site.answered.filter(({ path }) => path.startsWith('/p1'))).toEqual([]);
    expect(again.pages.get(`${ORIGIN}/p1`)).toMatchObject({ state: 'skipped', reason: 'robots' });
  });

  it('takes over what became of a page meanwhile: moved, gone, back again, of another type', async () => {
    site.others.set('/back', html('away', 404));
    site.pages.set('/', site.pages.get('/')!.replace('>gone<', '>gone</a><a href="/back">back</a><a href="/typed">t<'));
    site.pages.set('/typed', linkPage('Typed', ['/p1']));
    const first = await crawl();
    const move = (path: string, answer: ReturnType<typeof html>): void => {
      site.pages.delete(path);
      site.others.set(path, answer);
    };
    move('/p11', { status: 301, headers: { location: '/p12' } });
    move('/p13', html('gone', 410));
    site.pages.set('/back', linkPage('Back', ['/p3']));
    site.headers.set('/typed', { 'content-type': 'text/plain' });
    site.headers.set('/p50', { 'x-robots-tag': 'noindex, nofollow' });
    const again = await since(first);
    const fresh = await crawl();
    // What had to be asked for twice was found later, and perhaps by another page first.
    await expectSame(again.directory, fresh.directory, PARENT);
    expect(again.pages.get(`${ORIGIN}/p50`)).toMatchObject({ robotsMeta: 'noindex,nofollow' });
    expect(again.pages.get(`${ORIGIN}/typed`)).toMatchObject({ contentType: 'text/plain', links: 0 });
  });

  it('asks nobody about pages that are younger than --max-age, and keeps their age', async () => {
    const first = await crawl();
    site.answered.length = 0;
    const again = await since(first, ['--max-age', '1h']);
    expect(pathsOf(() => true)).toEqual([]);
    const asked = [
      '/feed.xml',
      '/gone',
      '/old',
      '/p1?utm_source=x',
      '/robots.txt',
      '/sitemap.xml',
      '/sitemap_index.xml',
    ];
    expect(site.takePaths(() => true)).toEqual(asked);
    // Nobody had to be waited for: which page was the first to lead to another may differ.
    await expectSame(again.directory, first.directory, PARENT);
    const timeOf = ({ pages }: Crawled): unknown =>
      (pages.get(`${ORIGIN}/p9`) as unknown as { fetchedAt: string }).fetchedAt;
    expect(timeOf(again)).toBe(timeOf(first));
    const third = await since(again, ['--max-age', '1ms']);
    expect(third.summary.carriedOver).toBe(site.pages.size);
    expect(third.summary.requests).toBeGreaterThan(site.pages.size);
  });

  it('carries nothing over where other options would have read a page in another way, and says which', async () => {
    const first = await crawl();
    for (const [args, flag] of [
      [['--extract', 'title=title'], '--extract'],
      [['-A', 'other/1.0'], '--user-agent'],
      [['--header', 'Authorization: secret'], '--header'],
      [['--strip-query'], '--strip-query'],
      [['--keep', 'body'], '--keep'],
    ] as const) {
      const again = await since(first, args);
      expect(again.summary.carriedOver, flag).toBe(0);
      expect(again.run.stderr).toContain(
        `nothing is carried over from ${first.directory}, everything is fetched in full: ${flag} was not the same in that crawl`,
      );
    }
  }, 60_000);

  it.each([
    [
      ['--since', 'DIR', '--hooks', 'HOOKS'],
      '--since cannot be used with --hooks: of a page that is carried over there is no body to see',
    ],
    [['--since', 'DIR', '--render', 'auto'], '--since cannot be used with --render'],
    [['--since', 'NOTHING'], 'there is no crawl in'],
    [['--max-age', '1h'], '--max-age needs a crawl to carry pages over from: --since DIR'],
  ])('refuses %j', async (args, words) => {
    const small = await web.crawl([`${ORIGIN}/`], ['--depth', '0']);
    const given = args.map(
      (arg) =>
        ({
          DIR: small.directory,
          NOTHING: join(web.folder, 'nothing'),
          HOOKS: new URL('../web/site.ts', import.meta.url).pathname,
        })[arg] ?? arg,
    );
    const run = await inProcess(['crawl', `${ORIGIN}/`, '--data-dir', join(web.folder, 'refused'), ...given]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(words);
    expect(readdirSync(web.folder)).not.toContain('refused');
  });
});
