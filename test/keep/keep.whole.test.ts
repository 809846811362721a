import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite.js';
import { box } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { start } from '../crawl/support.js';
import { chapters, filesOf, Manual, words } from '../docs/manual.js';
import { html, pathSite, text } from '../web/site.js';

const read = <T>(directory: string, sql: string): T[] => {
  const database = openDatabase(join(directory, 'crawl.sqlite'), { readOnly: true });
  try {
    return database.prepare(sql).all() as T[];
  } finally {
    database.close();
  }
};
/** Of a run over midnight the date would differ, and nothing else. */
const contents = (output: string): Map<string, string> =>
  new Map([...filesOf(output)].map(([path, bytes]) => [path, bytes.toString('latin1')]));

describe('a corpus of a kept crawl', () => {
  const b = box();

  it.each([
    ['by links', {}],
    ['by a sitemap', { sitemap: () => '2026-11-01' }],
    ['with robots.txt', { robots: 'User-agent: *\nDisallow: /docs/chapter-3.html\n', validators: 'none' as const }],
  ])('%s, is what the site itself gives, byte for byte, and nobody is asked', async (name, options) => {
    const folder = join(b.folder, name);
    b.web.site('127.0.0.1', new Manual(chapters(30), options));
    const seed = `${b.web.origin}/docs/`;
    const { directory } = await b.crawl([seed], ['--keep', 'body']);
    const online = ['docs', seed, '--output', join(folder, 'on'), '--data-dir', join(folder, 'data')];
    expect((await inProcess(online, { cwd: b.folder })).code).toBe(0);
    b.web.clearLog();
    const run = await inProcess(['docs', directory, '--output', join(folder, 'off')], { cwd: b.folder });
    expect(run.code, run.stderr).toBe(0);
    expect(b.web.log).toEqual([]);
    expect(contents(join(folder, 'off'))).toEqual(contents(join(folder, 'on')));
    expect(existsSync(join(directory, 'docs-work'))).toBe(false);
  });

  it('says how many pages the crawl did not ask for', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(20)));
    const { directory } = await b.crawl([`${b.web.origin}/docs/`], ['--keep', 'body', '--max-urls', '8']);
    const run = await inProcess(['docs', directory, '--output', join(b.folder, 'cut')], { cwd: b.folder });
    expect(run.stderr).toMatch(/1\d pages of the site are missing: the crawl did not ask for them/);
    expect(run.stderr).toContain('Saved 8 pages');
  });

  it('takes what the crawl was told of its scope, unless it is told otherwise', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(12)));
    const exclude = ['--exclude', '**/chapter-1*'];
    const { directory } = await b.crawl([`${b.web.origin}/docs/`], ['--keep', 'body', ...exclude]);
    const run = await inProcess(['docs', directory, '--output', join(b.folder, 'part')], { cwd: b.folder });
    expect(run.stderr).toContain('Saved 9 pages');
    expect(run.stderr).not.toContain('missing');
  });

  it('leaves what others have put in its way where it is', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(2)));
    const { directory } = await b.crawl([`${b.web.origin}/docs/`], ['--keep', 'body']);
    mkdirSync(join(directory, 'docs-work'));
    writeFileSync(join(directory, 'docs-work', 'notes.txt'), 'mine');
    const run = await inProcess(['docs', directory, '--output', join(b.folder, 'other')], { cwd: b.folder });
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/docs-work is needed for a while and holds files of others/);
    expect(readFileSync(join(directory, 'docs-work', 'notes.txt'), 'utf8')).toBe('mine');
  });
});

describe('what is refused', () => {
  const b = box();

  it('a crawl that kept nothing, or only text, by a sentence that names --keep body', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(2)));
    const plain = await b.crawl([`${b.web.origin}/docs/`]);
    const ofText = await b.crawl([`${b.web.origin}/docs/`], ['--keep', 'text']);
    for (const [directory, kept] of [
      [plain.directory, 'none of its pages'],
      [ofText.directory, 'only the text of its pages'],
    ] as const) {
      for (const command of ['docs', 'check']) {
        const run = await inProcess([command, directory], { cwd: b.folder });
        expect(run.code).toBe(3);
        expect(run.stderr).toContain(`kept ${kept}, and a`);
        expect(run.stderr).toContain('crawl again with --keep body');
      }
    }
    const search = await inProcess(['search', plain.directory, 'word'], { cwd: b.folder });
    expect(search.code).toBe(3);
    expect(search.stderr).toContain('--keep text or --keep body');
  });

  it('options that ask somebody, and a second input', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(2)));
    const { directory } = await b.crawl([`${b.web.origin}/docs/`], ['--keep', 'body']);
    for (const [args, said] of [
      [['check', directory, '--suggest'], '--suggest has no meaning for a kept crawl'],
      [['docs', directory, '--render', 'auto'], '--render has no meaning for a kept crawl'],
      [['docs', directory, '--seeding-strategy', 'ct'], 'asks others, and a kept crawl asks no server'],
      [['check', directory, 'http://other.test/'], 'so give nothing else with it'],
    ] as const) {
      const run = await inProcess(args, { cwd: b.folder });
      expect(run.code, args.join(' ')).toBe(2);
      expect(run.stderr).toContain(said);
    }
  });
});

describe('what is kept', () => {
  const b = box();

  it('is kept once for all pages that have it, with no cookie and no login', async () => {
    const same = html(`<!doctype html><title>Same</title><p>${words(1, 200)}`);
    b.web.site(
      '127.0.0.1',
      pathSite({
        '/': {
          ...html('<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/gone>gone</a>'),
          headers: { 'content-type': 'text/html', 'set-cookie': 'session=hush-hush', authorization: 'hush-hush' },
        },
        '/a': same,
        '/b': same,
        '/c': { status: 301, headers: { location: '/a#part', 'set-cookie': 'session=hush-hush' } },
      }),
    );
    const { directory } = await b.crawl(
      [`${b.web.origin}/`],
      ['--keep', 'body', '-H', 'X-Api-Key: hush-hush', '--cookies'],
    );
    expect(
      read(
        directory,
        'SELECT count(*) AS pages, count(DISTINCT content) AS bodies FROM bodies JOIN pages ON pages.id = page WHERE status = 200',
      ),
    ).toEqual([{ pages: 3, bodies: 2 }]);
    expect(read(directory, "SELECT answer FROM bodies WHERE answer LIKE '%location%'")).toEqual([
      { answer: '{"headers":[["location","/a#part"]]}' },
    ]);
    expect(readFileSync(join(directory, 'crawl.sqlite')).includes('hush-hush')).toBe(false);
  });

  it('is the same after kills: a body is there with its page, or both are not', async () => {
    const site = () => new Manual(chapters(60), { afterMs: () => 10 });
    b.web.site('127.0.0.1', site());
    const seed = `${b.web.origin}/docs/`;
    const whole = await b.crawl([seed], ['--keep', 'body']);
    const directory = join(b.folder, 'killed');
    for (const [round, requests] of [4, 15, 30].entries()) {
      const before = b.web.log.length;
      const { child, ended } = start(
        round === 0
          ? ['crawl', seed, '--keep', 'body', '--data-dir', directory, '--workers', '4', '--delay', '0']
          : ['resume', directory],
        { cwd: b.folder },
      );
      await expect
        .poll(() => b.web.log.length, { timeout: 20_000, interval: 5 })
        .toBeGreaterThanOrEqual(before + requests);
      child.kill('SIGKILL');
      await ended;
      const lacking = `SELECT url FROM urls JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id
        LEFT JOIN contents ON contents.id = bodies.content WHERE pages.hash IS NOT NULL AND contents.hash IS NULL`;
      expect(read(directory, lacking)).toEqual([]);
    }
    expect((await inProcess(['resume', directory], { cwd: b.folder })).code).toBe(0);
    const kept = `SELECT url, bodies.type, bodies.answer, hex(contents.hash) AS hash FROM urls JOIN bodies ON bodies.page = urls.id
      LEFT JOIN contents ON contents.id = bodies.content ORDER BY url`;
    expect(read(directory, kept)).toEqual(read(whole.directory, kept));
    expect(read(directory, 'SELECT count(*) AS n FROM contents')).toEqual(
      read(whole.directory, 'SELECT count(*) AS n FROM contents'),
    );
  });

  it('changes nothing that a crawl says: every export is as without it', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(10)));
    const plain = await b.crawl([`${b.web.origin}/docs/`]);
    const kept = await b.crawl([`${b.web.origin}/docs/`], ['--keep', 'body']);
    for (const format of ['edges', 'sitemap', 'redirects', 'seeds']) {
      const [one, other] = await Promise.all(
        [plain, kept].map(({ directory }) => inProcess(['export', directory, '--format', format])),
      );
      expect(other!.stdout.split('\n').sort(), format).toEqual(one!.stdout.split('\n').sort());
    }
    const explained = await inProcess(['explain', kept.directory, `${b.web.origin}/docs/`, '--json']);
    expect(explained.code).toBe(0);
  });

  it('is what came: bytes in another charset, and text that is no page', async () => {
    b.web.site(
      '127.0.0.1',
      pathSite({
        '/': {
          headers: { 'content-type': 'text/html; charset=iso-8859-1' },
          body: Buffer.from('<title>caf\u00e9</title><a href=/plain.txt>x</a>', 'latin1'),
        },
        '/plain.txt': text('cr\u00e8me'),
      }),
    );
    const { directory } = await b.crawl([`${b.web.origin}/`], ['--keep', 'body']);
    for (const word of ['caf\u00e9', 'cr\u00e8me']) {
      const run = await inProcess(['search', directory, word, '--json'], { cwd: b.folder });
      expect(JSON.parse(run.stdout), word).toHaveLength(1);
    }
  });
});
