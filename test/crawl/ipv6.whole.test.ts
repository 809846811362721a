import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dnsServer, HAS_IPV6 } from '../fetch/support.js';
import { html, linkPage, pathSite, redirect, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { box } from './box.js';
import { gossamer } from './support.js';

const NONE = ['--seeding-strategy', 'none'];
/** Keeps the box from leading every name to itself. */
const NOWHERE = ['--connect-to', 'nobody.test:1:127.0.0.1:1'];

describe.skipIf(!HAS_IPV6)('a site at an IPv6 address', () => {
  const own = box();
  let web: WebInABox;
  const asked = () => web.log.map(({ host, path }) => `${host}${path}`);
  const site = () =>
    pathSite({
      '/robots.txt': text('User-agent: *\nDisallow: /private\n'),
      '/': html(
        linkPage('Home', [
          '/a',
          '/private',
          `http://[0:0:0:0:0:0:0:1]:${web.port}/a`,
          `http://[0::1]:${web.port}/b`,
          `http://[::1]:${web.port}/c`,
          `http://[::ffff:127.0.0.1]:${web.port}/mapped`,
          'http://[fe80::1]/link-local',
        ]),
      ),
      '/a': html(linkPage('A', [])),
      '/b': redirect(`http://[::1]:${web.port}/a`),
      '/c': html(linkPage('C', [])),
    });

  beforeAll(async () => {
    web = await openWeb({ address: '::1' });
    web.site('[::1]', site());
    web.site('six.test', site());
  });
  beforeEach(() => web.clearLog());
  afterAll(() => web.close());

  it('is crawled from a seed in brackets: its robots.txt, its links in every spelling, its redirects', async () => {
    const { pages } = await own.crawl([`${web.origin}/`], ['--scope', 'host', ...NONE, ...NOWHERE]);
    expect(asked().sort()).toEqual(['[::1]/', '[::1]/a', '[::1]/b', '[::1]/c', '[::1]/robots.txt']);
    expect(pages.get(`${web.origin}/private`)).toMatchObject({ state: 'skipped', reason: 'robots' });
    expect(pages.get(`${web.origin}/b`)).toMatchObject({ finalUrl: `${web.origin}/a` });
  });

  it('opens its own address to its links, and no other private one', async () => {
    const { pages } = await own.crawl([`${web.origin}/`], ['--scope', 'any', '--max-wait', '0', ...NONE, ...NOWHERE]);
    const mapped = `http://[::ffff:7f00:1]:${web.port}/mapped`;
    expect(pages.get(mapped)).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    expect(pages.get('http://[fe80::1]/link-local')).toMatchObject({ state: 'failed', reason: 'blocked_address' });
    expect(pages.get(`${web.origin}/a`)).toMatchObject({ state: 'done' });
  });

  it('is paced by its address without that any name server is asked for it', async () => {
    const names = await dnsServer(() => ({ rcode: 3 }));
    const args = ['--delay-per-ip', '20ms', '--resolver', names.servers[0]!, '--scope', 'host'];
    const { summary } = await own.crawl([`${web.origin}/`], [...args, ...NONE, ...NOWHERE]);
    expect([summary.done, names.questions]).toEqual([4, []]);
  });

  it('is where --connect-to leads a name', async () => {
    const mapping = ['--connect-to', `six.test:80:[::1]:${web.port}`];
    await own.crawl(['http://six.test/'], ['--scope', 'host', ...NONE, ...mapping]);
    expect(asked().sort()).toEqual(['six.test/', 'six.test/a', 'six.test/robots.txt']);
  });

  it.each([
    ['::1/128', 0],
    ['::/64', 0],
    ['fd00::/8', 4],
  ])('is reached by a name with AAAA only under --allow-network %s: exit code %s', async (network, code) => {
    const names = await dnsServer(() => ({ addresses: ['::1'] }));
    const args = [
      '--resolver',
      names.servers[0]!,
      '--allow-network',
      network,
      '--connect-to',
      `six.test:::${web.port}`,
    ];
    await own.crawl(['http://six.test/'], ['--scope', 'host', ...NONE, ...args], { code });
    expect(asked().includes('six.test/')).toBe(code === 0);
  });

  it('is asked what its robots.txt says', async () => {
    const run = await gossamer(['robots', `${web.origin}/private`]);
    expect([run.code, asked()]).toEqual([1, ['[::1]/robots.txt']]);
  });
});
