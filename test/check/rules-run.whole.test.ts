import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { type Run, readLines, temporaryFolder } from '../crawl/support.js';
import { smallestGap } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { html, linkPage, pathSite, redirect, text } from '../web/site.js';
import { openWeb } from '../web/web.js';

const RULES = [
  { match: 'http://left.test/kept', ignore: false },
  { match: 'http://left.test/**', ignore: true },
  { match: ['http://home.test/login', 're:^http://nobody\\.test/'], accept: '401' },
  { match: 'http://fresh.test/**', maxAge: 0 },
  { match: 'http://home.test/old', failOn: '-moved' },
];
const HOSTS = [
  { match: 'http://keyed.test', headers: { 'x-key': 'open sesame' } },
  { match: 'slow.test', delay: '400ms' },
];
const LINKS = [
  ...['/old', '/login'],
  ...['left.test/', 'left.test/kept', 'keyed.test/secret', 'keyed.test/open', 'slow.test/1', 'slow.test/2'].map(
    (place) => `http://${place}`,
  ),
  ...['http://fresh.test/', 'http://stale.test/'],
];
const SITES = {
  'home.test': pathSite({
    '/': html(linkPage('Home', LINKS)),
    '/old': redirect('/new', 301),
    '/new': html(linkPage('New', [])),
    '/login': text('Who are you?', 401),
  }),
  ...Object.fromEntries(
    ['left', 'keyed', 'slow', 'fresh', 'stale'].map((name) => [
      `${name}.test`,
      { handle: ({ path }: { path: string }) => (path === '/robots.txt' ? text('', 404) : html(linkPage(path, []))) },
    ]),
  ),
};

interface Checked {
  run: Run;
  log: readonly LoggedRequest[];
  links: { url: string; verdict: string; fails: boolean; evidence: { why: string } }[];
  summary: { ignored: number };
}

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function check(...args: string[]): Promise<Checked> {
  const web = await openWeb();
  try {
    for (const [host, site] of Object.entries(SITES)) {
      web.site(host, site);
    }
    const to = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const flags = ['--delay', '0', '--second-look-budget', '0', '--seeding-strategy', 'none', '--format', 'jsonl'];
    const fails = ['--fail-on', '+moved,+auth_required,+unverifiable'];
    const run = await inProcess(['check', 'http://home.test/', ...to, ...flags, ...fails, ...args], {
      cwd: folder.path,
    });
    const [head, ...links] = readLines<Checked['links'][number] & Pick<Checked, 'summary'>>(run.stdout);
    return { run, log: [...web.log], links, summary: head!.summary };
  } finally {
    await web.close();
  }
}

const pathsOf = ({ log }: Checked, host: string): string[] =>
  log.filter((request) => request.host === host && request.path !== '/robots.txt').map(({ path }) => path);
const linkOf = ({ links }: Checked, url: string) => links.find((link) => link.url === url);

describe('rules of the config file, from the file to the request', () => {
  let plain: Checked;
  let ruled: Checked;
  let again: Checked;

  beforeAll(async () => {
    writeFileSync(join(folder.path, 'rules.json'), JSON.stringify({ check: { rules: RULES }, hosts: HOSTS }));
    plain = await check();
    ruled = await check('--config', 'rules.json', '--cache', 'results');
    again = await check('--config', 'rules.json', '--cache', 'results');
  });

  it('make a run pass that fails without them', () => {
    expect([plain, ruled, again].map(({ run }) => run.code)).toEqual([1, 0, 0]);
  });

  it('ignore: links are left out and counted; a rule before it keeps some', () => {
    expect(pathsOf(plain, 'left.test').sort()).toEqual(['/', '/kept']);
    expect(pathsOf(ruled, 'left.test')).toEqual(['/kept']);
    expect([plain.summary.ignored, ruled.summary.ignored]).toEqual([0, 1]);
  });

  it('accept: a status counts as fine', () => {
    const login = 'http://home.test/login';
    expect([linkOf(plain, login)?.fails, linkOf(ruled, login)?.fails]).toEqual([true, false]);
    expect(linkOf(ruled, login)?.evidence.why).toContain('a rule accepts status 401');
  });

  it('headers: sent to what matches and to nobody else', () => {
    const keyed = ruled.log.filter(({ headers }) => headers['x-key'] !== undefined);
    expect(keyed.map(({ host, path, headers }) => [host, path, headers['x-key']]).sort()).toEqual([
      ['keyed.test', '/open', 'open sesame'],
      ['keyed.test', '/robots.txt', 'open sesame'],
      ['keyed.test', '/secret', 'open sesame'],
    ]);
    expect(plain.log.some(({ headers }) => headers['x-key'] !== undefined)).toBe(false);
    expect(ruled.run.stdout + ruled.run.stderr).not.toContain('sesame');
  });

  it('delay: between requests to the host', () => {
    expect(pathsOf(ruled, 'slow.test').sort()).toEqual(['/1', '/2']);
    expect(smallestGap(ruled.log, 'slow.test')).toBeGreaterThanOrEqual(400);
  });

  it('maxAge: what may not be old is asked again, the rest is taken from the cache', () => {
    expect([pathsOf(ruled, 'fresh.test'), pathsOf(ruled, 'stale.test')]).toEqual([['/'], ['/']]);
    expect([pathsOf(again, 'fresh.test'), pathsOf(again, 'stale.test')]).toEqual([['/'], []]);
  });

  it('failOn: a verdict fails no longer, and stays what it is', () => {
    const old = 'http://home.test/old';
    expect([linkOf(plain, old), linkOf(ruled, old)].map((link) => [link?.verdict, link?.fails])).toEqual([
      ['moved', true],
      ['moved', false],
    ]);
  });
});

it('on loopback there is no delay, and a variable is as good as a flag', async () => {
  const web = await openWeb();
  try {
    web.site('127.0.0.1', SITES['home.test']);
    const run = await inProcess(['check', `${web.origin}/`, '--no-external', '--seeding-strategy', 'none'], {
      cwd: folder.path,
      env: { GOSSAMER_FAIL_ON: '+moved', GOSSAMER_SECOND_LOOK_BUDGET: '0', GOSSAMER_FORMAT: 'csv' },
    });
    expect(run.stderr).toContain('1 host, no delay');
    expect([run.code, run.stdout]).toEqual([1, expect.stringMatching(/\/old,,moved,true/)]);
  } finally {
    await web.close();
  }
});
