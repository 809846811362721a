import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { readPages, temporaryFolder } from '../crawl/support.js';
import { linkPage } from '../web/site.js';

interface Asked {
  at: number;
  line: string;
  body: string;
  cookie: string;
  token: string;
  type: string;
}

const folder = temporaryFolder();
let server: Server;
let origin: string;
let asked: Asked[] = [];
let runs = 0;

/** A site with a form for a login, which takes POST alone; robots.txt forbids a part of it. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { cookie = '', 'x-token': token = '', 'content-type': type = '' } = request.headers;
      const body = Buffer.concat(pieces).toString();
      const line = `${request.method} ${request.url}`;
      asked.push({ at: performance.now(), line, body, cookie, token: String(token), type });
      const answer = (status: number, headers: Record<string, string>, text: string) => {
        response.writeHead(status, headers);
        response.end(text);
      };
      const html = { 'content-type': 'text/html' };
      if (request.url === '/robots.txt') {
        const rules = 'User-agent: special\nDisallow: /login\n\nUser-agent: *\nDisallow: /forbidden\n';
        answer(200, { 'content-type': 'text/plain' }, rules);
      } else if (line === 'GET /login') {
        answer(200, { ...html, 'set-cookie': 'visit=1; Path=/' }, '<form><input name=csrf value="tok&amp;en"></form>');
      } else if (line === 'POST /login') {
        const fields = new URLSearchParams(body);
        const isRight = fields.get('csrf') === 'tok&en' && fields.get('name') === 'ann' && cookie.includes('visit=1');
        answer(isRight ? 303 : 403, { location: '/welcome', 'set-cookie': 'session=s1; Path=/' }, '');
      } else if (line === 'GET /welcome') {
        answer(cookie.includes('session=s1') ? 200 : 403, { 'content-type': 'application/json' }, '{"token":"T-1"}');
      } else {
        answer(200, html, linkPage(request.url!, ['/a', '/b']));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  folder.remove();
});

async function crawl(source: string, args: string[] = []) {
  asked = [];
  const file = join(folder.path, `start-${runs}.ts`);
  const directory = join(folder.path, `crawl-${runs++}`);
  writeFileSync(file, source.replaceAll('ORIGIN', origin).replaceAll('NOTES', join(folder.path, 'notes')));
  const run = await inProcess(['crawl', `${origin}/`, '--data-dir', directory, '--hooks', file, ...args]);
  return { run, directory };
}

const LOGIN = `
  import { appendFileSync } from 'node:fs';
  import { defineHooks } from 'gossamer';
  export default defineHooks({
    async start({ fetch, cookies }) {
      const form = await fetch('ORIGIN/login');
      const csrf = form.select('input[name=csrf]')!.attribute('value')!;
      const answer = await fetch('ORIGIN/login', { method: 'POST', body: { csrf, name: 'ann' } });
      if (!answer.ok) throw new Error('refused with ' + answer.status);
      appendFileSync('NOTES', 'start ' + cookies.get('ORIGIN/x') + '\\n');
      return answer.json;
    },
    request: (request, { started }) => ({ headers: { 'X-Token': (started as { token: string }).token } }),
    page: (page, { started }) => started as object,
    end(summary) { appendFileSync('NOTES', 'end ' + summary.done + ' ' + summary.reason + '\\n'); },
  });`;

describe('start', () => {
  it('logs in by a form with a token; what it returns is known to the other hooks, and end has the summary', async () => {
    const { run, directory } = await crawl(LOGIN);
    expect(run.code, run.stderr).toBe(0);
    expect(asked.map(({ line }) => line).slice(0, 5)).toEqual([
      ...['GET /robots.txt', 'GET /login', 'POST /login', 'GET /welcome', 'GET /robots.txt'],
    ]);
    expect(asked[2]).toMatchObject({
      body: 'csrf=tok%26en&name=ann',
      type: 'application/x-www-form-urlencoded',
      cookie: 'visit=1',
    });
    expect(asked[3]!.cookie).toBe('visit=1; session=s1');
    const pages = asked.slice(5).filter(({ line }) => /^GET \/(?:a|b)?$/.test(line));
    expect(pages.map(({ token }) => token)).toEqual(['T-1', 'T-1', 'T-1']);
    expect(readPages(directory).map(({ data }) => data)).toEqual(Array(3).fill({ token: 'T-1' }));
    expect(readFileSync(join(folder.path, 'notes'), 'utf8')).toBe('start visit=1; session=s1\nend 3 complete\n');
    const outputs = ['pages.jsonl', 'summary.json', 'crawl.sqlite'].map((name) =>
      readFileSync(join(directory, name), 'latin1'),
    );
    expect(outputs.filter((text) => text.includes('session=s1'))).toEqual([]);
  });

  it('runs again when the crawl is resumed', async () => {
    const { run, directory } = await crawl(LOGIN, ['--max-urls', '1']);
    expect(run.code, run.stderr).toBe(0);
    asked = [];
    const resumed = await inProcess(['resume', directory, '--max-urls', '10']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(asked.map(({ line }) => line)).toEqual(
      expect.arrayContaining(['POST /login', 'GET /welcome', 'GET /a', 'GET /b']),
    );
    expect(readPages(directory).map(({ state, data }) => [state, data])).toEqual(
      Array(3).fill(['done', { token: 'T-1' }]),
    );
  });

  it('keeps the delay between its requests, and before the first of the crawl', async () => {
    const { run } = await crawl(LOGIN, ['--delay', '300ms', '--max-urls', '1']);
    expect(run.code, run.stderr).toBe(0);
    const gaps = asked.slice(1).map(({ at }, i) => at - asked[i]!.at);
    expect(gaps.length).toBeGreaterThanOrEqual(5);
    // A timer may be a millisecond early by another clock.
    expect(Math.min(...gaps)).toBeGreaterThan(290);
  });

  it.each([
    [`await fetch('ORIGIN/forbidden/form');`, 'forbids', 'Disallow: /forbidden'],
    [`await fetch('http://169.254.169.254/latest');`, 'the hook start threw', '169.254.169.254'],
    [`await fetch('ORIGIN/x', { headers: { 'User-Agent': 'browser' } });`, 'cannot set the header User-Agent'],
    [`await fetch('ORIGIN/x', { signal: AbortSignal.timeout(1) });`, 'fetch knows no option signal; it has method'],
    [`await fetch('ORIGIN/x', { redirect: 'error' });`, 'redirect is follow or manual, got error'],
    [`await fetch('file:///etc/passwd');`, 'fetch asks for URLs of http and https, and file:… is none'],
    [`await fetch('/login');`, 'fetch asks for URLs of http and https, and what it was given is none'],
    [`await fetch('ORIGIN/x'.replace('//', '//ann:s3cret@'));`, 'no user and password in a URL'],
    [`await fetch('ORIGIN/x', { body: 'x' });`, 'only with method: POST'],
    [`cookies.set('ORIGIN/x', 'a=1; Domain=other.test');`, 'cannot have this cookie'],
  ])('%s is refused, and ends the run', async (does, ...words) => {
    const { run } = await crawl(`export default { async start({ fetch, cookies }) { ${does} } };`);
    expect(run.code).toBe(3);
    for (const each of words) {
      expect(run.stderr).toContain(each);
    }
    expect(run.stderr).not.toContain('s3cret');
    expect(asked.filter(({ line }) => line !== 'GET /robots.txt')).toEqual([]);
  });

  it('goes by what is said of the host: its delay, and the agent that its robots.txt speaks to', async () => {
    const host = new URL(origin).host;
    const paced = await crawl(LOGIN, ['--delay', '0', '--host', `${host} delay=300ms`, '--max-urls', '1']);
    expect(paced.run.code, paced.run.stderr).toBe(0);
    const gaps = asked.slice(1).map(({ at }, i) => at - asked[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThan(290);
    const named = await crawl(LOGIN, ['--host', `${host} user-agent=special/1.0`]);
    expect([named.run.code, named.run.stderr]).toEqual([3, expect.stringContaining('Disallow: /login')]);
  });
});
