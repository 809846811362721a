import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultSite } from '../web/faults.js';
import { hang, html, linkPage, pathSite, redirect, text, urlset, xml } from '../web/site.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';
import { closedPort, readLines, temporaryFolder } from './support.js';

const own = box();

const ROBOTS = text('User-agent: *\nDisallow: /closed\n');
const lastLine = (stderr: string): string => stderr.trimEnd().split('\n').at(-1)!;
const QUICK = ['--retries', '0', '--max-backoff', '1', '--seeding-strategy', 'none'];

describe('a seed that gives no page is named with its own reason', () => {
  it.each([
    ['/missing', 'was answered with HTTP 404'],
    ['/login', 'was answered with HTTP 401, it wants a login'],
    ['/broken', 'was answered with HTTP 500'],
    ['/circle', 'redirects in a circle'],
    ['/nowhere', 'cannot be read (invalid_url): the server answers 302 and does not say where to'],
    ['/moved', 'redirects to http://seed.test/missing, which was answered with HTTP 404'],
    ['/closed/x', 'is forbidden by robots.txt: robots.txt line 2: Disallow: /closed'],
    ['/silent', 'could not be reached: The response was not complete within 300 ms.'],
  ])('%s %s', async (path, says) => {
    own.web.site(
      'seed.test',
      pathSite({
        '/robots.txt': ROBOTS,
        '/login': html('', 401),
        '/broken': html('', 500),
        '/circle': redirect('/circle/2'),
        '/circle/2': redirect('/circle'),
        '/nowhere': { status: 302 },
        '/moved': redirect('/moved/2'),
        '/moved/2': redirect('/missing'),
        '/silent': hang,
      }),
    );
    const seed = `http://seed.test${path}`;
    const { run } = await own.crawl([seed], [...QUICK, '--timeout', '300ms'], { code: 4 });
    expect(lastLine(run.stderr)).toBe(`error: ${seed} ${says}`);
  });

  it('a dead proxy is named as the proxy, without its password', async () => {
    const port = await closedPort();
    const proxy = ['--proxy', `http://me:secret@127.0.0.1:${port}`, '--connect-to', 'other.test:80:127.0.0.1:9'];
    const { run, directory, pages } = await own.crawl(['http://seed.test/'], [...QUICK, ...proxy], { code: 4 });
    const dead = `The proxy 127.0.0.1:${port} cannot be used: The connection was refused.`;
    const line = `error: http://seed.test/ could not be reached: ${dead}`;
    expect(lastLine(run.stderr)).toBe(line);
    expect(run.stderr).toContain(`connection_refused http://seed.test/ (${dead.slice(0, 30)}`);
    expect(pages.get('http://seed.test/')).toMatchObject({ reason: 'connection_refused', message: dead });
    expect((await inProcess(['export', directory, '--format', 'seeds'])).stdout).toContain(dead);
    const said = (await inProcess(['explain', directory, 'http://seed.test/'])).stdout;
    expect(said.split(dead).length - 1).toBeGreaterThanOrEqual(3);
    expect(said).not.toContain('forbids');
    const checked = await inProcess(['check', 'http://seed.test/', ...QUICK, ...proxy]);
    expect(lastLine(checked.stderr).replace(/\.$/, '')).toBe(line.replace(/\.$/, ''));
    expect(run.stderr + checked.stderr + said).not.toContain('secret');
  });

  it('an address that is not public names the option that lets it through', async () => {
    own.web.site('leads.test', pathSite({ '/': redirect('http://127.0.0.2:8080/') }));
    const only = ['--connect-to', `leads.test:80:127.0.0.1:${own.web.port}`];
    const { run } = await own.crawl(['http://leads.test/'], [...QUICK, ...only], { code: 4 });
    expect(lastLine(run.stderr)).toContain('was not asked for');
    expect(lastLine(run.stderr)).toContain('--allow-private');
  });

  it('robots of a host that does not answer names it, with the exit code of seeds', async () => {
    const port = await closedPort();
    const run = await inProcess(['robots', `http://127.0.0.1:${port}/`]);
    expect([run.code, run.stderr]).toEqual([
      4,
      `error: robots.txt of http://127.0.0.1:${port} cannot be fetched: The connection was refused.\n`,
    ]);
  });
});

describe('the box at the end', () => {
  it('names the first failures with the page that leads there, and how many more there are', async () => {
    const dead = Array.from({ length: 7 }, (_, i) => `/dead-${i}`);
    own.web.site('box.test', pathSite({ '/': html(linkPage('Home', dead)) }));
    const { run, summary } = await own.crawl(['http://box.test/'], QUICK);
    expect(run.stderr).toContain('404 http://box.test/dead-0 ');
    expect(run.stderr).toMatch(/404 http:\/\/box\.test\/dead-4 +│\n│ +on http:\/\/box\.test\/ +│/);
    expect(run.stderr).not.toContain('http://box.test/dead-5');
    expect(run.stderr).toContain('and 2 more: pages.jsonl names them all');
    expect(summary.failures.map(({ url, parent }) => [url, parent])).toEqual(
      dead.slice(0, 5).map((path) => [`http://box.test${path}`, 'http://box.test/']),
    );
  });

  it('says until when a host is put off, and counts its pages only', async () => {
    const busy = { ...html('', 429), headers: { 'retry-after': '3000' } };
    own.web.site('busy.test', pathSite({ '/': busy, '/robots.txt': text('Sitemap: http://busy.test/s.xml') }));
    const { run, summary } = await own.crawl(['http://busy.test/']);
    expect(run.stderr).toMatch(/busy\.test: 1 URL deferred \(retry_after, until 20[\d-]+ [\d:]+ UTC\)/);
    expect(run.stderr).toMatch(/deferred +busy\.test: 1 URL \(retry_after, until 20[\d-]+ [\d:]+ UTC\)/);
    const wait = Date.parse(summary.deferredHosts[0]!.until!) - Date.now();
    expect(wait / 1000).toBeGreaterThan(2_900);
    expect(wait / 1000).toBeLessThanOrEqual(3_000);
    // It was put off before it was asked again.
    expect(summary).toMatchObject({ retries: 0, deferredHosts: [{ host: 'busy.test', urls: 1 }] });
  });

  it('a sitemap without a page is not written, and one of an earlier run does not stand in for it', async () => {
    let gone = false;
    own.web.site('bare.test', { handle: ({ path }) => (path === '/' && !gone ? html('<p>page</p>') : html('', 404)) });
    const { directory } = await own.crawl(['http://bare.test/']);
    expect(existsSync(join(directory, 'sitemap.xml'))).toBe(true);
    const file = join(directory, 'sitemap.xml');
    gone = true;
    const empty = await own.crawl(['http://bare.test/'], ['--retries', '0'], { code: 4 });
    expect(existsSync(join(empty.directory, 'sitemap.xml'))).toBe(false);
    expect(empty.run.stderr).toContain('sitemap       not written, no page belongs in it');
    expect(empty.run.stderr).not.toContain(join(empty.directory, 'sitemap.xml'));
    expect(empty.summary.sitemap).toMatchObject({ urls: 0, files: 0 });
    const run = await inProcess(['export', empty.directory, '--format', 'sitemap', '--output', file]);
    expect([run.code, run.stdout, run.stderr]).toEqual([
      0,
      '',
      'no page of this crawl belongs in a sitemap: none was written\n',
    ]);
    expect(existsSync(file)).toBe(false);
  });
});

interface HostLine {
  name: string;
  urls: number;
  done: number;
  failed: number;
  skipped: number;
  deferred: number;
}

describe('all that counts, counts the lines of pages.jsonl', () => {
  it('with retries, redirects, robots.txt, a limit, and another run after it', async () => {
    let shaky = 0;
    const site = faultSite({
      '/robots.txt': () => ROBOTS,
      '/': () => html(linkPage('Home', ['/shaky', '/moved', '/circle', '/closed/x', '/a', '/b', '/dead', '/last'])),
      '/shaky': () => (shaky++ < 2 ? html('', 503) : html('<p>well</p>')),
      '/moved': () => redirect('/a'),
      '/circle': () => redirect('/circle/2'),
      '/circle/2': () => redirect('/circle'),
      '/a': () => html('<p>a</p>'),
      '/b': () => html(linkPage('B', ['http://sum.test:80/c', '/dead'])),
      '/c': () => html('<p>c</p>'),
      '/last': () => html('<p>last</p>'),
      '/dead': () => html('', 404),
    });
    own.web.site('sum.test', site);
    const options = ['--retry-delay', '0', '--max-backoff', '1', '--seeding-strategy', 'none'];
    const first = await own.crawl(['http://sum.test/'], [...options, '--max-urls', '4']);
    await agrees(first.directory, [first.summary]);
    const again = await inProcess(['resume', first.directory, '--max-urls', '100', '--json']);
    expect(again.code, again.stderr).toBe(0);
    const second = JSON.parse(again.stdout);
    const pages = await agrees(first.directory, [first.summary, second]);
    expect(again.stderr).toContain(`${pages.length}: ${second.done} done`);
    expect(again.stderr).toContain('(all runs)');
    expect(again.stderr).toMatch(/this run +\d+ URLs settled/);
    expect(second.retries + first.summary.retries).toBe(2);
    expect(second.byClass).toEqual({ redirect_loop: 2, http_4xx: 1 });
    const forbidden = pages.find(({ url }) => url === 'http://sum.test/closed/x');
    expect(forbidden).toMatchObject({ state: 'skipped', reason: 'robots', attempts: 0 });
  });

  async function agrees(directory: string, runs: { retries: number; settled: number; done: number; failed: number }[]) {
    const lines = async <T>(format: string) =>
      readLines<T>((await inProcess(['export', directory, '--format', format])).stdout);
    const pages = await lines<{ url: string; state: string; reason: string | null; attempts: number }>('jsonl');
    const of = (state: string) => pages.filter((page) => page.state === state).length;
    const counts = { done: of('done'), failed: of('failed'), skipped: of('skipped'), deferred: of('deferred') };
    expect(runs.at(-1)).toMatchObject({ ...counts, total: pages.length });
    const hosts = await lines<HostLine>('hosts');
    const sum = (key: 'urls' | keyof typeof counts) => hosts.reduce((all, host) => all + host[key], 0);
    expect({ done: sum('done'), failed: sum('failed'), skipped: sum('skipped'), deferred: sum('deferred') }).toEqual(
      counts,
    );
    expect(sum('urls')).toBe(pages.length);
    const status = JSON.parse((await inProcess(['status', directory, '--json'])).stdout);
    expect(status.counts).toEqual({ queued: 0, leased: 0, ...counts });
    const retries = pages.reduce((all, { attempts }) => all + Math.max(0, attempts - 1), 0);
    expect(runs.reduce((all, run) => all + run.retries, 0)).toBe(retries);
    const asked = own.web.log.filter(({ host, path }) => host.startsWith('sum.test') && path !== '/robots.txt').length;
    expect(pages.reduce((all, { attempts }) => all + attempts, 0)).toBe(asked);
    return pages;
  }
});

it('that robots.txt was ignored stands in every output', async () => {
  own.web.site('bold.test', pathSite({ '/robots.txt': ROBOTS, '/': html('<p>page</p>') }));
  const { run, directory, summary } = await own.crawl(['http://bold.test/'], ['--ignore-robots']);
  const output = async (format: string) => (await inProcess(['export', directory, '--format', format])).stdout;
  expect(summary.ignoredRobots).toBe(true);
  expect(run.stderr).toMatch(/robots\.txt +was ignored \(--ignore-robots\)/);
  expect(JSON.parse(await output('hosts'))).toMatchObject({ name: 'bold.test', robots: 'ignored' });
  for (const format of ['sitemap', 'seeds']) {
    expect(await output(format)).toContain('robots.txt was ignored');
  }
  const corpus = join(own.folder, 'bold');
  const docs = ['docs', 'http://bold.test/', '--ignore-robots', '--delay', '0', '-o', corpus];
  const written = await inProcess([...docs, ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping])], {
    cwd: own.folder,
  });
  expect(written.code, written.stderr).toBe(0);
  expect(JSON.parse(readFileSync(join(corpus, 'index.json'), 'utf8'))).toMatchObject({ ignoredRobots: true });
});

it('a preview without a delay makes up no duration', async () => {
  own.web.site(
    'fast.test',
    pathSite({ '/sitemap.xml': xml(urlset(['http://fast.test/', 'http://fast.test/a'])), '/': html('<p>page</p>') }),
  );
  const mappings = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
  const run = await inProcess(['preview', 'http://fast.test/', '--delay', '0', ...mappings]);
  expect(run.stdout).toContain(
    'Without a delay a crawl is as fast as the server answers: how long it takes is not known\n',
  );
  expect(run.stdout).not.toMatch(/about \d/);
});

describe('-v', () => {
  it('has a line for each page that is asked for and for each retry', async () => {
    let asked = 0;
    own.web.site('loud.test', {
      handle: ({ path }) => (path !== '/' ? html('', 404) : asked++ === 0 ? html('', 503) : html('<p>well</p>')),
    });
    const { run } = await own.crawl(['http://loud.test/'], ['-v', '--retry-delay', '10ms', '--max-backoff', '1']);
    expect(run.stderr).toContain('\nagain 503 http://loud.test/ (http_5xx; in 10 ms at the earliest)\n');
    expect(run.stderr).toContain('\ndone 200 http://loud.test/\n');
  });
});

describe('what is refused', () => {
  const folder = temporaryFolder();
  const refused = async (...args: string[]) => {
    const run = await inProcess(['crawl', 'http://x.test/', ...args], { cwd: folder.path });
    expect([run.code, run.stdout]).toEqual([2, '']);
    return run.stderr;
  };

  it.each([
    ['--include', 're:('],
    ['--exclude', 're:['],
    ['--exclude', '{a'],
    ['--allow-trap', '['],
    ['--allow-trap', 're:('],
  ])('a bad pattern names its option: %s %s', async (flag, pattern) => {
    expect(await refused(flag, pattern)).toMatch(
      new RegExp(`^error: ${flag} must be a glob, or re: and a regular expression \\(.+\\), got `),
    );
  });

  it.each([
    [['--cookie', 'a=b'], "unknown option --cookie; you may mean --cookie-jar, or --header 'Cookie: …'"],
    [['--rate', '4'], '--rate does not exist: use --delay, 4 a second = 1000/4 ms: --delay 250'],
    [['--level', '3'], '--level is an option of `gossamer graph`, not of `gossamer crawl`; you may mean --depth'],
    [['--max-depth', '3'], 'unknown option --max-depth; you may mean --depth'],
    [['--threads', '3'], 'unknown option --threads; you may mean --workers'],
    [['--no-check-certificate'], 'unknown option --no-check-certificate; you may mean --insecure'],
  ])('a flag of another program has its name here: %j', async (args, sentence) => {
    expect(await refused(...args)).toBe(`error: ${sentence}\n`);
  });

  it.each(['--ct-url', '--commoncrawl-url', '--proxy', '--resolver', '--connect-to', '--allow-network'])(
    'a password in %s is not repeated',
    async (flag) => {
      for (const value of ['ftp://me:secret@x.test/', 'me:secret@x.test', 'ftp://me:sec/secret@x.test/']) {
        expect(await refused(flag, value)).not.toContain('secret');
      }
    },
  );
});
