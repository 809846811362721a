import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { html, linkPage, pathSite, text } from '../web/site.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';
import { readLines } from './support.js';

const ASCII = 'xn--bcher-kva.example';
const BOTH = `bücher.example (${ASCII})`;
const NONE = ['--seeding-strategy', 'none'];

describe('a host with an international name', () => {
  const own = box();
  const asked = () =>
    own.web.log.map(({ host, path }) => `${host}${path}`).filter((url) => !url.endsWith('robots.txt'));

  beforeEach(() => {
    own.web.clearLog();
    own.web.site(
      ASCII,
      pathSite({
        '/': html(
          linkPage('Books', [
            'http://bücher.example/a',
            `http://${ASCII}/a`,
            'http://BÜCHER.example:80/a',
            'http://bu\u0308cher.example/b',
            'http://laden.bücher.example/c',
            'http://straße.example/outside',
          ]),
        ),
        '/a': html(linkPage('A', ['/'])),
        '/b': html(linkPage('B', ['/'])),
      }),
    );
    own.web.site(`laden.${ASCII}`, pathSite({ '/c': html(linkPage('C', [])) }));
  });

  it.each(['http://bücher.example/', `http://${ASCII}/`, 'http://BÜCHER.EXAMPLE/'])(
    'is one host in either form, kept and asked for in ASCII: %s',
    async (seed) => {
      const { pages, run, directory } = await own.crawl([seed], NONE);
      expect([...pages.keys()].sort()).toEqual([
        `http://laden.${ASCII}/c`,
        `http://${ASCII}/`,
        `http://${ASCII}/a`,
        `http://${ASCII}/b`,
      ]);
      expect(asked().sort()).toEqual([`laden.${ASCII}/c`, `${ASCII}/`, `${ASCII}/a`, `${ASCII}/b`]);
      expect(run.stderr).toContain(`1 host, ${BOTH}, no delay`);

      const status = await inProcess(['status', directory]);
      expect(status.stdout).toContain(`; ${BOTH}\n`);
      const hosts = await inProcess(['export', directory, '--format', 'hosts']);
      expect(readLines(hosts.stdout)).toMatchObject([
        { name: ASCII, unicodeName: 'bücher.example' },
        { name: `laden.${ASCII}`, unicodeName: 'laden.bücher.example' },
      ]);
    },
  );

  it('is one seed, however often and in whatever form a file of seeds names it', async () => {
    const file = join(own.folder, 'seeds.txt');
    writeFileSync(file, `http://bücher.example/a\nhttp://${ASCII}/a\n# bücher\nhttp://BÜCHER.example/a scope=page\n`);
    const { pages } = await own.crawl([], ['-i', file, '--scope', 'page', ...NONE]);
    expect([...pages.keys()]).toEqual([`http://${ASCII}/a`]);
  });

  it.each([
    ['page', 1],
    ['host', 3],
    ['subdomains', 4],
    ['domain', 4],
  ])('has the scope %s in either form', async (scope, count) => {
    const { pages } = await own.crawl(['http://bücher.example/'], ['--scope', scope, ...NONE]);
    expect(pages.size).toBe(count);
  });

  it.each([
    ['--exclude', 'http://bücher.example/a'],
    ['--exclude', `http://${ASCII}/a`],
    ['--exclude', 're:^http://bücher\\.example/a$'],
    ['--include', 'http://bücher.example/{,b}'],
  ])('%s %s is about it', async (flag, pattern) => {
    await own.crawl(['http://bücher.example/'], [flag, pattern, '--scope', 'host', ...NONE]);
    expect(asked().sort()).toEqual([`${ASCII}/`, `${ASCII}/b`]);
  });

  it.each(['bücher.example', ASCII])('--connect-to %s leads to it', async (name) => {
    const mapping = ['--connect-to', `${name}:80:127.0.0.1:${own.web.port}`];
    await own.crawl(['http://bücher.example/a'], [...mapping, '--scope', 'page', ...NONE]);
    expect(asked()).toEqual([`${ASCII}/a`]);
  });

  it('is named in both forms where people read of it, and a name that could be taken for another in ASCII only', async () => {
    const refusing = pathSite({
      '/': html(linkPage('Home', ['/busy', '/other'])),
      '/busy': { ...text('Not now.', 503), headers: { 'retry-after': '3000' } },
      '/other': html(linkPage('Other', [])),
    });
    own.web.site(ASCII, refusing);
    own.web.site('xn--paypl-7ve.example', refusing);
    const { run, summary } = await own.crawl(
      ['http://bücher.example/', 'http://paypаl.example/'],
      ['--workers', '1', '--max-wait', '1s', ...NONE],
    );
    expect(run.stderr).toContain('2 hosts, no delay');
    expect(run.stderr).toMatch(
      /bücher\.example \(xn--bcher-kva\.example\): \d URLs deferred \(retry_after, until [\d-]+ [\d:]+ UTC\)/,
    );
    expect(run.stderr).toMatch(
      /^│ deferred +bücher\.example \(xn--bcher-kva\.example\): \d URLs \(retry_after, until [\d-]+ /m,
    );
    expect(run.stderr).toMatch(/^xn--paypl-7ve\.example: \d URLs deferred/m);
    expect(run.stderr).not.toContain('paypаl.example (');
    // Files go by the identity.
    expect(summary.deferredHosts.map(({ host }) => host).sort()).toEqual([ASCII, 'xn--paypl-7ve.example']);
  });
});
