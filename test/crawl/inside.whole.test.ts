import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inspect } from '../kill/killing.js';
import { hitsPerUrl, requestsTo, smallestGap } from '../web/judge.js';
import { star } from '../web/plain.js';
import { hang, html, linkPage, pathSite, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { gossamer, readPages, readSummary, temporaryFolder } from './support.js';

const PAGES = 250;
const folder = temporaryFolder();
let web: WebInABox;
let directory: string;
let crawls = 0;

beforeAll(async () => {
  web = await openWeb();
  web.site('a.test', star(PAGES));
});

beforeEach(() => {
  directory = join(folder.path, `crawl-${crawls++}`);
  web.clearLog();
});

afterAll(async () => {
  await web.close();
  folder.remove();
});

const mark = () => `${directory}.mark`;

/** A crawl with one of its threads broken from inside, see sabotage.js. */
function sabotaged(how: string, ...more: string[]) {
  const sabotage = new URL('./sabotage.js', import.meta.url).href;
  const args = [
    'crawl',
    'http://a.test/',
    '--delay',
    '0',
    '--seeding-strategy',
    'none',
    '--data-dir',
    directory,
    '--parse-workers',
    '2',
  ];
  const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
  const env = { NODE_OPTIONS: `--import ${sabotage}`, SABOTAGE: how, SABOTAGE_MARK: mark() };
  return gossamer([...args, ...connectTo, ...more], { env });
}

const byState = (state: string) => readPages(directory).filter((page) => page.state === state);

describe('a lane that dies', () => {
  it('is replaced, and what it held is fetched by another: the result is the same', async () => {
    const run = await sabotaged('lane-once:/p200');
    expect(run.code, run.stderr).toBe(0);
    expect(existsSync(mark())).toBe(true);
    expect(byState('done')).toHaveLength(PAGES);
    expect(readSummary(directory)).toMatchObject({
      reason: 'complete',
      notices: [expect.stringContaining('a thread died and was replaced')],
    });
    expect(Math.max(...hitsPerUrl(web.log).values())).toBeLessThanOrEqual(2);
  });

  it('each time it gets a certain URL costs that URL and no other', async () => {
    const run = await sabotaged('lane-always:/p200');
    expect(run.code, run.stderr).toBe(0);
    expect(byState('failed').map(({ url, reason }) => [url, reason])).toEqual([['http://a.test/p200', 'internal']]);
    expect(byState('done')).toHaveLength(PAGES - 1);
    expect(inspect(directory)).toMatchObject({ leased: [], integrity: 'ok' });
  });

  it('does not bring its host asked faster than its delay, though the request was out when it died', async () => {
    const page = pathSite({
      '/robots.txt': text('User-agent: *\nCrawl-delay: 2\n'),
      '/': html(linkPage('Slow', ['/victim'])),
      '/victim': html('<title>Alive</title>'),
    });
    web.site('slow.test', {
      handle(request) {
        if (request.path !== '/victim' || existsSync(mark())) {
          return page.handle(request);
        }
        // The lane that asks dies of this, and only now.
        writeFileSync(mark(), 'asked');
        return hang;
      },
    });
    const run = await sabotaged('lane-late:/victim', 'http://slow.test/');
    expect(run.code, run.stderr).toBe(0);
    expect(byState('done')).toHaveLength(PAGES + 2);
    // On a busy machine the governor may have its say too.
    const notices = readSummary(directory).notices.filter((notice: string) => !notice.startsWith('governor'));
    expect(notices).toEqual([expect.stringContaining('a thread died and was replaced')]);
    expect(requestsTo(web.log, 'slow.test', '/victim')).toHaveLength(2);
    expect(smallestGap(web.log, 'slow.test')).toBeGreaterThanOrEqual(2_000);
  });
});

describe('a store thread that dies', () => {
  it.each([1, 2, 7, 40])(
    '(at commit %i) ends the crawl with exit code 3 and one sentence; resume completes it',
    async (commit) => {
      const run = await sabotaged(`store:${commit}`, '--workers', '2');
      expect([run.code, run.stdout], run.stderr).toEqual([3, '']);
      const errors = run.stderr.split('\n').filter((line) => line.startsWith('error:'));
      expect(errors).toEqual([
        expect.stringMatching(
          /^error: the store stopped working: .*; what was committed is kept; `gossamer resume \S+` goes on$/,
        ),
      ]);
      expect(run.stderr).not.toMatch(/\n\s+at /);
      expect(inspect(directory).integrity).toBe('ok');
      const resumed = await gossamer(['resume', directory]);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(byState('done')).toHaveLength(PAGES);
    },
  );
});

it('an exception that nobody catches is exit code 3, not 1, which would mean findings', async () => {
  const env = { NODE_OPTIONS: `--import ${new URL('./sabotage.js', import.meta.url).href}`, SABOTAGE: 'main-throws' };
  const { code, stderr } = await gossamer(['check', 'http://a.test/', '--connect-to', web.connectTo[0]!], { env });
  expect([code, stderr]).toEqual([3, expect.stringContaining('this is a defect of gossamer')]);
});

describe('a page that cannot be settled', () => {
  it.each(['main-takes', 'store-takes'])(
    'ends the run (%s) three times, is then given up, and costs no other page',
    async (how) => {
      const others = Array.from({ length: 20 }, (_, i) => `/p${i}`);
      const pages = Object.fromEntries(others.map((path) => [path, html('<title>Fine</title>')]));
      const links = [...others.slice(0, 10), '/bad', ...others.slice(10)];
      web.site('bad.test', {
        ...pathSite({
          '/': html(linkPage('Home', links)),
          '/bad': html(linkPage('Bad', ['/poison'])),
          ...pages,
        }),
      });
      const env = {
        NODE_OPTIONS: `--import ${new URL('./sabotage.js', import.meta.url).href}`,
        SABOTAGE: `${how}:/poison`,
      };
      const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
      const args = ['http://bad.test/', '--delay', '0', '--seeding-strategy', 'none', '--data-dir', directory];
      const codes = [];
      let run = await gossamer(['crawl', ...args, ...connectTo], { env });
      for (; run.code === 3 && codes.length < 5; run = await gossamer(['resume', directory], { env })) {
        codes.push(run.code);
      }
      expect([codes, run.code], run.stderr).toEqual([[3, 3, 3], 0]);
      expect(byState('failed').map(({ url, reason }) => [url, reason])).toEqual([['http://bad.test/bad', 'internal']]);
      expect(byState('done')).toHaveLength(others.length + 1);
      expect(requestsTo(web.log, 'bad.test', '/bad')).toHaveLength(3);
    },
  );
});
