import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import { requestsTo } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { html, linkPage, pathSite, redirect, type Site, type SiteAnswer, type SiteRequest } from '../web/site.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';
import { start } from './support.js';

const HEAD = '# Netscape HTTP Cookie File\n';
const cookieLine = (host: string, name: string, value: string): string =>
  `${host}\tFALSE\t/\tFALSE\t0\t${name}\t${value}\n`;

const cookiesOf = ({ headers }: { headers: Readonly<Record<string, string>> }): Record<string, string> =>
  Object.fromEntries(
    (headers.cookie ?? '')
      .split('; ')
      .filter((pair) => pair !== '')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );

/** Behind a login: each answer has another session, and the one before it is worth nothing any more. Forms carry a token that belongs to it. */
class Members implements Site {
  readonly #pages: number;
  #turn = 1;
  strangers = 0;

  constructor(pages: number) {
    this.#pages = pages;
  }

  get session(): string {
    return `s3cret-${this.#turn}`;
  }

  handle(request: SiteRequest): SiteAnswer {
    if (request.path === '/robots.txt' || request.path.includes('sitemap')) {
      return { status: 404 };
    }
    if (request.path === '/login') {
      return html('<form method="post"><input name="csrf" value="t0k3n"><input name="password"></form>');
    }
    if (cookiesOf(request).sid !== this.session) {
      this.strangers++;
      return redirect('/login', 302);
    }
    this.#turn++;
    const links = request.path === '/' ? Array.from({ length: this.#pages }, (_, i) => `/page/${i}`) : ['/'];
    const body = `${linkPage(`Members ${request.path}`, links)}<form><input name="csrf" value="of-${this.#turn}"></form>`;
    const cookies = [`sid=${this.session}; Path=/; HttpOnly; SameSite=Lax`, `csrf=of-${this.#turn}; Path=/`];
    return { ...html(body), headers: { 'content-type': 'text/html', 'set-cookie': cookies } };
  }
}

describe('a site behind a login with a session that changes with each answer', () => {
  const own = box();

  it('is read whole with --cookie-jar, and the file has the last session at the end', async () => {
    const members = new Members(150);
    own.web.site('members.test', members);
    const jar = join(own.folder, 'cookies.txt');
    writeFileSync(jar, HEAD + cookieLine('members.test', 'sid', members.session));
    const { pages, directory, run } = await own.crawl(
      ['http://members.test/'],
      ['--cookie-jar', jar, '--parse-workers', '2'],
    );
    expect(members.strangers).toBe(0);
    expect([...pages.values()].filter(({ title }) => title?.startsWith('Members'))).toHaveLength(151);
    expect(readFileSync(jar, 'latin1')).toContain(
      `#HttpOnly_members.test\tFALSE\t/\tFALSE\t0\tsid\t${members.session}\n`,
    );
    expect(statSync(jar).mode & 0o777).toBe(0o600);
    // What is secret stands in its own file, which is its owner's alone, and nowhere else.
    expect(statSync(join(directory, 'cookies.sqlite')).mode & 0o777).toBe(0o600);
    const explained = await inProcess(['explain', directory, 'http://members.test/page/3']);
    expect(run.stdout + run.stderr + explained.stdout + explained.stderr).not.toContain('s3cret');
    for (const name of readdirSync(directory).filter((each) => !each.startsWith('cookies.sqlite'))) {
      expect(readFileSync(join(directory, name), 'latin1'), name).not.toContain('s3cret');
    }
  }, 60_000);

  it('is a login page without cookies, which are off', async () => {
    const members = new Members(3);
    own.web.site('closed.test', members);
    const { pages, directory } = await own.crawl(['http://closed.test/']);
    expect(pages.get('http://closed.test/')).toMatchObject({ status: 302 });
    expect(members.strangers).toBe(1);
    expect(readdirSync(directory)).not.toContain('cookies.sqlite');
  });
});

/** Where an answer came from, as the values of its cookies say. */
const markOf = ({ host, headers }: Pick<LoggedRequest, 'host' | 'headers'>): string =>
  `${host}${/:\d+$/.exec(headers.host ?? '')?.[0] ?? ''}`;

/** Each of its answers sets cookies for its own host, for its site, and some that it has no right to. */
function generous(parents: readonly string[], links: readonly string[]): Site {
  return {
    handle(request) {
      const mark = markOf(request);
      const cookies = [
        `own=${mark}; Path=/`,
        `secure=${mark}; Path=/; Secure`,
        `none=${mark}; Path=/; SameSite=None`,
        `deep=${mark}; Path=/deep`,
        `brief=${mark}; Path=/; Max-Age=0`,
        `__Host-h=${mark}; Path=/`,
        `foreign=${mark}; Path=/; Domain=elsewhere.example`,
        ...parents.map((parent) => `wide-${parent}=${mark}; Path=/; Domain=${parent}`),
      ];
      const headers = { 'content-type': 'text/html', 'set-cookie': cookies };
      const there = /^\/to\/(.+)$/.exec(request.path)?.[1];
      if (there !== undefined) {
        return { status: 302, headers: { ...headers, location: decodeURIComponent(there) } };
      }
      if (/robots\.txt|sitemap/.test(request.path)) {
        return { status: 404, headers };
      }
      return { status: 200, headers, body: linkPage(mark, request.path === '/' ? links : ['/']) };
    },
  };
}

describe('cookies of one host', () => {
  const own = box();
  const HOSTS: Record<string, string[]> = {
    'www.shop.co.uk': ['shop.co.uk', 'co.uk'],
    'pay.shop.co.uk': ['shop.co.uk', 'co.uk', 'www.shop.co.uk'],
    'rival.co.uk': ['co.uk', 'uk'],
    'me.github.io': ['github.io', 'io'],
    'you.github.io': ['github.io'],
    'app.example.test': ['example.test', 'test'],
  };
  const ORIGINS = [...Object.keys(HOSTS), 'app.example.test:8080', 'app.example.test:9090'];
  let log: LoggedRequest[];

  beforeAll(async () => {
    // Each leads to all others, by links and by redirects of its own that lead there and, by theirs, back.
    const links = ORIGINS.flatMap((host) => [
      `http://${host}/`,
      `/to/${encodeURIComponent(`http://${host}/arrived`)}`,
      `/to/${encodeURIComponent(`http://${host}/to/${encodeURIComponent('http://www.shop.co.uk/deep/back')}`)}`,
    ]);
    for (const [host, parents] of Object.entries(HOSTS)) {
      own.web.site(host, generous(parents, [...links, '/deep/page', '/deeper']));
    }
    const crawled = await own.crawl(['http://www.shop.co.uk/'], ['--scope', 'any', '--cookies', '--ignore-robots']);
    expect(crawled.pages.size).toBeGreaterThan(100);
    log = own.web.log;
  }, 120_000);

  const sent = (name: string | RegExp) =>
    log.flatMap((request) =>
      Object.entries(cookiesOf(request))
        .filter(([each]) => (typeof name === 'string' ? each === name : name.test(each)))
        .map(([each, value]) => ({ to: markOf(request), path: request.path, name: each, value })),
    );

  it('come back to that host and port, and to no other', () => {
    expect(new Set(sent('own').map(({ to }) => to))).toEqual(new Set(ORIGINS));
    expect(sent('own').filter(({ to, value }) => to !== value)).toEqual([]);
  });

  it('go to its siblings where they say so, and never beyond the domain that one can register', () => {
    const siblings = sent('wide-shop.co.uk');
    expect(new Set(siblings.map(({ to }) => to))).toEqual(new Set(['www.shop.co.uk', 'pay.shop.co.uk']));
    expect(siblings.some(({ to, value }) => to === 'www.shop.co.uk' && value === 'pay.shop.co.uk')).toBe(true);
    expect(sent(/^wide-(?:co\.uk|uk|github\.io|io|test)$/)).toEqual([]);
    // A host sets nothing for a sibling.
    expect(sent('wide-www.shop.co.uk')).toEqual([]);
    expect(sent('foreign')).toEqual([]);
  });

  it('keep to their ports, though RFC 6265 would let them out', () => {
    const wide = sent('wide-example.test').map(({ to, value }) => `${value} at ${to}`);
    expect(new Set(wide)).toEqual(
      new Set(['', ':8080', ':9090'].map((port) => `app.example.test${port} at app.example.test${port}`)),
    );
  });

  it('keep to their paths, and to https where they are Secure or would have to be', () => {
    expect(sent('deep').length).toBeGreaterThan(0);
    expect(sent('deep').filter(({ path }) => !path.startsWith('/deep/'))).toEqual([]);
    for (const name of ['secure', 'none', 'brief', '__Host-h']) {
      expect(sent(name)).toEqual([]);
    }
  });
});

/** https on loopback; its log has the Cookie headers by path. */
async function secureSite(answer: (path: string) => { body?: string; cookies?: string[] }) {
  const cookies: [string, string | null][] = [];
  const server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    cookies.push([request.url!, request.headers.cookie ?? null]);
    const { body, cookies: set = [] } = answer(request.url!);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html', 'set-cookie': set });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cookies };
}

describe('Secure cookies', () => {
  const own = box();

  it('are sent over https alone, and http can neither set nor replace them', async () => {
    const secure = await secureSite((path) => {
      if (path === '/') {
        const cookies = ['sec=1; Secure; Path=/', 'plain=2; Path=/', '__Host-k=3; Secure; Path=/'];
        return { body: linkPage('Secure', ['http://a.test/plain']), cookies };
      }
      return path === '/back' ? { body: linkPage('Back', []) } : {};
    });
    own.web.site(
      'a.test',
      pathSite({
        '/plain': {
          status: 200,
          headers: { 'content-type': 'text/html', 'set-cookie': ['sec=stolen; Path=/', 'sec2=x; Secure; Path=/'] },
          body: linkPage('Plain', ['https://a.test/back']),
        },
      }),
    );
    const mapping = [`:443:127.0.0.1:${secure.port}`, `:80:127.0.0.1:${own.web.port}`];
    await own.crawl(
      ['https://a.test/'],
      [
        '--cookies',
        '--insecure',
        '--ignore-robots',
        '--scope',
        'any',
        ...mapping.flatMap((each) => ['--connect-to', each]),
      ],
    );
    expect(requestsTo(own.web.log, 'a.test', '/plain').map(({ headers }) => headers.cookie)).toEqual(['plain=2']);
    expect(secure.cookies.filter(([path]) => path === '/back')).toEqual([['/back', 'sec=1; plain=2; __Host-k=3']]);
  });
});

describe('a crawl that is killed', () => {
  const own = box();

  it('goes on with the cookies that it had', async () => {
    let isHung = false;
    let tellHung: () => void = () => {};
    const hung = new Promise<void>((resolve) => {
      tellHung = resolve;
    });
    own.web.site('long.test', {
      handle(request) {
        const number = Number(/\/(\d+)$/.exec(request.path)?.[1] ?? 0);
        if (number === 6 && !isHung) {
          isHung = true;
          tellHung();
          return { raw: '', end: 'open' };
        }
        if (/robots|sitemap/.test(request.path)) {
          return { status: 404 };
        }
        const headers = { 'content-type': 'text/html', 'set-cookie': [`last=${number}; Path=/`, 'gone=1; Max-Age=0'] };
        return { status: 200, headers, body: linkPage('Long', number < 9 ? [`/${number + 1}`] : []) };
      },
    });
    const directory = join(own.folder, 'killed');
    const jar = join(own.folder, 'killed.txt');
    writeFileSync(jar, HEAD + cookieLine('long.test', 'given', 'yes') + cookieLine('long.test', 'gone', 'no'));
    const args = ['--data-dir', directory, '--cookie-jar', jar, '--delay', '20', '--connect-to', own.web.connectTo[0]!];
    const run = start(['crawl', 'http://long.test/', ...args]);
    await hung;
    run.child.kill('SIGKILL');
    await run.ended;
    const before = own.web.log.length;
    expect(readFileSync(jar, 'latin1')).not.toContain('last');
    const resumed = await inProcess(['resume', directory]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const cookies = own.web.log.slice(before).map(({ path, headers }) => [path, headers.cookie]);
    expect(cookies[0]).toEqual(['/6', 'given=yes; last=5']);
    expect(cookies.at(-1)).toEqual(['/9', 'given=yes; last=8']);
    expect(readFileSync(jar, 'latin1')).toContain('\tlast\t9\n');
    expect(readFileSync(jar, 'latin1')).not.toContain('gone');
    // What is deleted takes its secrets along.
    expect((await inProcess(['delete', directory])).code).toBe(0);
    expect(existsSync(directory)).toBe(false);
  }, 60_000);
});

describe('a gate, where cookies are kept', () => {
  const own = box();
  const page = (title: string) => html(linkPage(title, []));
  const setting = (to: string, cookie: string): SiteAnswer => ({
    status: 302,
    headers: { location: to, 'set-cookie': cookie },
  });

  it('opens as it does without, with what the jar has by then', async () => {
    let visits = 0;
    own.web.site(
      'gates.test',
      pathSite({
        '/': html(linkPage('Home', ['/self', '/page', '/nameless', '/always'])),
        '/self': (request) =>
          cookiesOf(request).turn === String(visits) && visits > 0
            ? page('Behind itself')
            : setting('/self', `turn=${++visits}; Path=/`),
        '/page': (request) => (cookiesOf(request).gate === '1' ? page('Behind the gate') : redirect('/gate', 302)),
        '/gate': setting('/page', 'gate=1'),
        '/nameless': (request) =>
          (request.headers.cookie ?? '').split('; ').includes('v4lue') ? page('Named') : setting('/nameless', 'v4lue'),
        '/always': setting('/always', 'always=1'),
      }),
    );
    const { pages } = await own.crawl(['http://gates.test/'], ['--cookies']);
    const entry = (path: string) => pages.get(`http://gates.test${path}`);
    expect(entry('/self')).toMatchObject({ status: 200, title: 'Behind itself' });
    expect(entry('/page')).toMatchObject({ status: 200, title: 'Behind the gate' });
    expect(entry('/nameless')).toMatchObject({ status: 200, title: 'Named' });
    expect(entry('/always')).toMatchObject({ state: 'failed', reason: 'redirect_loop' });
  });
});

describe('--cookie-jar', () => {
  const own = box();

  it('is refused where a line cannot be read, which is named by its number and not shown', async () => {
    const jar = join(own.folder, 'bad.txt');
    const lines = [
      'a.test\tFALSE\t/\tFALSE\t0\tgood\tsecret-1',
      'a.test secret-2',
      '.co.uk\tTRUE\t/\tFALSE\t0\tn\tsecret-3',
    ];
    writeFileSync(jar, `${HEAD}${lines.join('\n')}\na.test\tFALSE\t/\tFALSE\tsoon\tn\tsecret-4\n`);
    const run = await inProcess([
      'crawl',
      'http://a.test/',
      '--cookie-jar',
      jar,
      '--data-dir',
      join(own.folder, 'bad'),
    ]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /line 3: a cookie has 7 fields .*, this line has 1; line 4: .* co\.uk, a public suffix; line 5: its expiry/,
    );
    expect(run.stderr).not.toContain('secret');
    expect(readFileSync(jar, 'latin1')).toContain('secret-4');
  });

  it('need not be there yet, and is written at a stop too', async () => {
    let tellAsked: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    const headers = { 'content-type': 'text/html', 'set-cookie': 'sid=7' };
    own.web.site(
      'stop.test',
      pathSite({
        '/': { ...html(linkPage('Stop', ['/never'])), headers },
        '/never': () => {
          tellAsked();
          return { raw: '', end: 'open' };
        },
      }),
    );
    const jar = join(own.folder, 'new.txt');
    const args = ['--data-dir', join(own.folder, 'stop'), '--cookie-jar', jar, '--connect-to', own.web.connectTo[0]!];
    const run = start(['crawl', 'http://stop.test/', '--grace', '0', '--delay', '0', ...args]);
    await asked;
    run.child.kill('SIGINT');
    await run.ended;
    expect(readFileSync(jar, 'latin1')).toContain('stop.test\tFALSE\t/\tFALSE\t0\tsid\t7\n');
    expect(statSync(jar).mode & 0o777).toBe(0o600);
  }, 60_000);
});

describe('--auth-file', () => {
  const own = box();

  it('says who you are to the origins that it names, and to no other, whoever redirects where', async () => {
    own.web.site(
      'api.test',
      pathSite({
        '/': html(linkPage('Api', ['http://open.test/', '/away'])),
        '/away': redirect('http://open.test/in'),
      }),
    );
    own.web.site(
      'open.test',
      pathSite({ '/': html(linkPage('Open', ['/back'])), '/in': html('in'), '/back': redirect('http://api.test/in') }),
    );
    const file = join(own.folder, 'auth');
    const lines = [
      '# who I am',
      'http://api.test basic me:env:API_PASSWORD',
      'http://api.test header X-Team: env:TEAM',
      'http://open.test:81 bearer t0k3n',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    const directory = join(own.folder, 'auth-crawl');
    const args = [
      '--auth-file',
      file,
      '--scope',
      'any',
      '--delay',
      '0',
      '--data-dir',
      directory,
      '--connect-to',
      own.web.connectTo[0]!,
    ];
    const env = { API_PASSWORD: 'p4ss', TEAM: 'blue' };
    const run = await inProcess(['crawl', 'http://open.test/', ...args], { env });
    expect(run.code, run.stderr).toBe(0);
    const seen = (host: string) =>
      new Set(requestsTo(own.web.log, host).map(({ headers }) => `${headers.authorization} ${headers['x-team']}`));
    expect(seen('api.test')).toEqual(new Set([`Basic ${btoa('me:p4ss')} blue`]));
    expect(seen('open.test')).toEqual(new Set(['undefined undefined']));
    const printed = await inProcess(['crawl', 'http://open.test/', ...args, '--print-config'], { env });
    expect(printed.stdout).not.toMatch(/p4ss|t0k3n|blue/);
    for (const name of readdirSync(directory)) {
      expect(readFileSync(join(directory, name), 'latin1'), name).not.toMatch(/p4ss|t0k3n/);
    }
  });

  it('is refused where others can read it, and where a line is wrong', async () => {
    const file = join(own.folder, 'loose');
    writeFileSync(file, 'http://api.test bearer t0k3n\n');
    chmodSync(file, 0o644);
    const refused = async () => {
      const { code, stderr } = await inProcess([
        'crawl',
        'http://api.test/',
        '--auth-file',
        file,
        '--data-dir',
        join(own.folder, 'refused'),
      ]);
      expect(code).toBe(2);
      expect(stderr).not.toContain('t0k3n');
      return stderr;
    };
    expect(await refused()).toContain('can be read or written by others (0644): chmod 600 it');
    chmodSync(file, 0o600);
    for (const [text, problem] of [
      ['http://api.test t0k3n', 'line 1: a line is'],
      ['http://api.test/path bearer t0k3n', 'line 1: it begins with no origin'],
      ['\nhttp://api.test bearer env:NOT_SET', 'line 2: the variable NOT_SET is not set'],
      ['http://api.test basic t0k3n', 'line 1: basic wants USER:PASSWORD'],
      ['http://api.test header Host: t0k3n', 'line 1: Header Host cannot be set'],
      ['http://api.test bearer t0k3n\nhttp://api.test basic a:t0k3n', 'line 2: line 1 has the header authorization'],
    ] as const) {
      writeFileSync(file, text);
      expect(await refused()).toContain(problem);
    }
  });
});
