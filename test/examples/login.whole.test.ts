import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { gossamer, readPages, start, temporaryFolder } from '../crawl/support.js';
import { linkPage } from '../web/site.js';
import { exampleFile } from './running.js';

const PAGES = Array.from({ length: 40 }, (_, n) => `/members/${n}`);
const PASSWORD = 'correct horse';

/** A site behind a form: each form has another token, each answer to a member another session, and the one before is worth nothing then. */
class Members {
  readonly server: Server;
  readonly asked: { line: string; isMember: boolean }[] = [];
  readonly sessions: string[] = [];
  #tokens = new Set<string>();
  #session: string | null = null;
  /** Called with how many pages members have been given. */
  onPage: (count: number) => void = () => {};
  #given = 0;

  constructor() {
    this.server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) {
        pieces.push(piece as Buffer);
      }
      const line = `${request.method} ${request.url}`;
      const sent = /(?:^|; )sid=([^;]*)/.exec(request.headers.cookie ?? '')?.[1];
      const isMember = sent !== undefined && sent === this.#session;
      this.asked.push({ line, isMember });
      const answer = (status: number, headers: Record<string, string>, body = '') => {
        response.writeHead(status, { 'content-type': 'text/html', ...headers });
        response.end(body);
      };
      if (request.url === '/robots.txt' || request.url!.includes('sitemap')) {
        answer(404, {});
      } else if (line === 'GET /login') {
        const token = `t${this.#tokens.size + this.asked.length}`;
        this.#tokens.add(token);
        answer(200, {}, `<form method=post><input name=csrf value="${token}"><input name=name></form>`);
      } else if (line === 'POST /login') {
        const fields = new URLSearchParams(Buffer.concat(pieces).toString());
        const isRight = this.#tokens.delete(fields.get('csrf') ?? '') && fields.get('password') === PASSWORD;
        answer(
          isRight ? 303 : 200,
          isRight ? { location: '/members/', 'set-cookie': this.#next() } : {},
          '<input name=csrf>',
        );
      } else if (isMember) {
        const links = request.url === '/members/' ? [...PAGES, '/logout'] : ['/members/'];
        answer(200, { 'set-cookie': this.#next() }, `${linkPage(request.url!, links)}<p class="greeting">Hello ann`);
        this.onPage(++this.#given);
      } else {
        answer(302, { location: '/login' });
      }
    });
  }

  #next(): string {
    this.#session = `s3cret-${this.sessions.length + 1}`;
    this.sessions.push(this.#session);
    return `sid=${this.#session}; Path=/; HttpOnly`;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Pages that were asked for by somebody who was not logged in at that moment. */
  get strangers(): string[] {
    return this.asked.filter(({ line, isMember }) => line.includes('/members') && !isMember).map(({ line }) => line);
  }

  times(line: string): number {
    return this.asked.filter((each) => each.line === line).length;
  }
}

const folder = temporaryFolder();
let members: Members;
let runs = 0;
let directory: string;
let env: Record<string, string>;

beforeEach(async () => {
  members = new Members();
  members.server.listen(0, '127.0.0.1');
  await once(members.server, 'listening');
  directory = join(folder.path, `crawl-${runs++}`);
  env = { LOGIN_URL: `${members.origin}/login`, LOGIN_NAME: 'ann', LOGIN_PASSWORD: PASSWORD };
  return () => {
    members.server.close();
    members.server.closeAllConnections();
  };
});
afterAll(() => folder.remove());

const args = (...more: string[]): string[] => [
  ...[
    'crawl',
    `${members.origin}/members/`,
    '--data-dir',
    directory,
    '--hooks',
    exampleFile('login/hooks.ts'),
    ...more,
  ],
];
const fates = () =>
  readPages(directory).map(({ url, state, data }) => `${new URL(url).pathname} ${state} ${data?.greeting}`);
const ALL = ['/members/', ...PAGES].map((path) => `${path} done Hello ann`);

/** What of a session must never leave it: in no output, and not in the store that one passes on. */
function expectNoSecrets(outputs: string): void {
  const files = ['pages.jsonl', 'summary.json', 'crawl.sqlite'].map((name) =>
    readFileSync(join(directory, name), 'latin1'),
  );
  expect([...files, outputs].filter((each) => each.includes('s3cret-') || each.includes(PASSWORD))).toEqual([]);
}

describe('a site behind a login, with a token in its form and a session that changes with each answer', () => {
  it('is crawled whole, and no page is asked for without the session of that moment', async () => {
    const { code, stdout, stderr } = await gossamer(args('--cookies'), { env });
    expect(code, stderr).toBe(0);
    expect(
      fates()
        .filter((each) => !each.startsWith('/logout'))
        .sort(),
    ).toEqual([...ALL].sort());
    expect(members.strangers).toEqual([]);
    expect(members.times('POST /login')).toBe(1);
    expect(members.times('GET /logout')).toBe(0);
    expect(PAGES.map((path) => members.times(`GET ${path}`))).toEqual(PAGES.map(() => 1));
    expectNoSecrets(stdout + stderr);
  });

  it('is not got into without --cookies, and a notice says why', async () => {
    const { stderr } = await gossamer(args(), { env });
    expect(stderr).toContain('the hook `start` was given cookies, and the crawl keeps none: add --cookies');
    expect(members.strangers.length).toBeGreaterThan(0);
  });

  it('is not crawled at all where the login is refused', async () => {
    const { code, stderr } = await gossamer(args('--cookies'), { env: { ...env, LOGIN_PASSWORD: 'wrong' } });
    expect(code).toBe(3);
    expect(stderr).toContain('refuses the login of ann');
    expect(stderr).not.toContain('wrong');
    expect(members.times('GET /members/')).toBe(0);
  });

  it('is crawled whole over a kill: start logs in again, the cookies are kept, and each page comes once', async () => {
    const killed = start(args('--cookies', '--delay', '5ms'), { env });
    // One page is the answer of the login itself.
    members.onPage = (count) => {
      if (count === 20) {
        killed.child.kill('SIGKILL');
      }
    };
    expect((await killed.ended).signal).toBe('SIGKILL');
    expect(members.sessions.length).toBeLessThan(PAGES.length);
    expect(existsSync(join(directory, 'cookies.sqlite'))).toBe(true);
    const before = members.asked.length;
    const { code, stdout, stderr } = await gossamer(['resume', directory], { env });
    expect(code, stderr).toBe(0);
    expect(members.times('POST /login')).toBe(2);
    expect(
      fates()
        .filter((each) => !each.startsWith('/logout'))
        .sort(),
    ).toEqual([...ALL].sort());
    expect(members.strangers).toEqual([]);
    // What was on the wire at the kill is asked for once more, and counted.
    const again = PAGES.filter((path) => members.times(`GET ${path}`) > 1);
    const { refetched } = JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8')) as { refetched: number };
    expect(again.length).toBeLessThanOrEqual(refetched);
    expect(members.asked.slice(before).filter(({ line }) => line === 'GET /members/').length).toBeLessThanOrEqual(2);
    expectNoSecrets(stdout + stderr);
  });
});
