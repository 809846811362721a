import { beforeAll, describe, expect, it } from 'vitest';
import { type Crawled, fates } from '../crawl/box.js';
import { dnsServer } from '../fetch/support.js';
import { ctServer } from '../web/ct-server.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, text } from '../web/site.js';
import { seedingBox } from './seeding-box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const CT = ['--seeding-strategy', 'ct', '--ct-url', 'http://ct.test/', '--retries', '0'];

describe('names from the logs of certificates', () => {
  const own = seedingBox();
  const questions = () => requestsTo(own.web.log, 'ct.test').map(({ path }) => path);

  describe('of a domain with all that is in such logs', () => {
    let crawled: Crawled;

    beforeAll(async () => {
      own.web.site(
        'ct.test',
        ctServer({
          certificates: [
            'site.test\nwww.site.test',
            '*.wild.site.test',
            'www.site.test\nWWW.SITE.TEST',
            'someone@site.test\nmail@shop.site.test',
            'evilsite.test\nsite.test.evil.example\nother.example',
            '192.0.2.1\n-bad-.site.test\nwith space.site.test\n<b>.site.test',
            'moved.site.test\ngone.site.test\nbroken.site.test\nclosed.site.test\nlinked.site.test',
            'out.excluded.site.test',
          ],
          filler: 3_000,
        }),
      );
      own.web.site('site.test', pathSite({ '/': page('Home', ['https://linked.site.test/']) }));
      own.web.site('www.site.test', pathSite({ '/': page('WWW', ['/deeper']), '/deeper': page('Deeper') }));
      own.web.site('wild.site.test', pathSite({ '/': page('Behind the wildcard') }));
      own.web.site('shop.site.test', pathSite({ '/': page('Only in an address of mail') }));
      own.web.site('moved.site.test', pathSite({ '/': redirect('http://site.test/') }));
      own.web.site('broken.site.test', pathSite({ '/': text('', 500) }));
      own.web.site(
        'closed.site.test',
        pathSite({ '/robots.txt': text('User-agent: *\nDisallow: /'), '/': page('No') }),
      );
      crawled = await own.crawl(
        ['http://site.test/'],
        [...CT, '--exclude', '*://*.excluded.site.test/**', '--header', 'X-Secret: 1', '--user', 'name:secret'],
      );
    }, 60_000);

    it('are asked for once, under our name, without what was meant for the site', () => {
      expect(questions()).toEqual(['/?q=%25.site.test&output=json']);
      const [request] = requestsTo(own.web.log, 'ct.test');
      expect(request!.userAgent).toMatch(/^gossamer\//);
      expect(request!.headers).not.toHaveProperty('x-secret');
      expect(request!.headers).not.toHaveProperty('authorization');
      expect(requestsTo(own.web.log, 'site.test', '/')[0]!.headers).toHaveProperty('x-secret');
    });

    it('are pages at depth one where they answer, and their links are followed', () => {
      expect(crawled.pages.get('https://www.site.test/')).toMatchObject({ state: 'done', depth: 1 });
      expect(crawled.pages.get('https://www.site.test/deeper')).toMatchObject({ state: 'done', depth: 2 });
      expect(crawled.pages.get('https://wild.site.test/')).toMatchObject({ state: 'done', depth: 1 });
      expect(crawled.pages.get('https://moved.site.test/')).toMatchObject({ state: 'done', status: 301 });
    });

    it('are nowhere where they do not, unless a page leads to them', () => {
      expect(Object.keys(fates(crawled.pages))).toEqual([
        'http://site.test/',
        'https://linked.site.test/',
        'https://moved.site.test/',
        'https://wild.site.test/',
        'https://www.site.test/',
        'https://www.site.test/deeper',
      ]);
      expect(crawled.pages.get('https://linked.site.test/')).toMatchObject({ state: 'failed', status: 404 });
      expect(requestsTo(own.web.log, 'linked.site.test', '/')).toHaveLength(1);
      expect(crawled.summary).toMatchObject({ done: 5, failed: 1, skipped: 0, total: 6 });
    });

    it('ask nothing of addresses of mail, other domains, and what is excluded or forbidden', () => {
      const hosts = new Set(own.web.log.map(({ host }) => host));
      for (const host of ['shop.site.test', 'evilsite.test', 'other.example', 'out.excluded.site.test', '192.0.2.1']) {
        expect(hosts, host).not.toContain(host);
      }
      expect(requestsTo(own.web.log, 'closed.site.test').map(({ path }) => path)).toEqual(['/robots.txt']);
    });

    it('are told of: who is asked, what came, what answered', () => {
      expect(crawled.run.stderr).toContain('asks ct.test about site.test');
      expect(crawled.run.stderr).toContain('ct.test about site.test: 9 names, 7 in scope, 7 with an address');
      expect(crawled.summary.seeding).toEqual([
        {
          ...{ source: 'ct', host: 'ct.test', asked: 1, found: 9, inScope: 7, withAddress: 7, problem: null },
          // www, wild and moved; the host of the seed is none of them.
          answered: 3,
        },
      ]);
    });
  });

  it('count only where they have an address', async () => {
    const names = ['has.named.test', 'none.named.test', 'fails.named.test', 'inside.named.test'];
    const { servers, questions: asked } = await dnsServer((name) => {
      if (name === 'inside.named.test') {
        return { addresses: ['10.0.0.1'] };
      }
      if (name === 'fails.named.test') {
        return { rcode: 2 };
      }
      return name === 'none.named.test' ? { rcode: 3 } : { addresses: ['127.0.0.1'] };
    });
    own.web.site('ct.test', ctServer({ certificates: names }));
    own.web.site('named.test', pathSite({ '/': page('Home') }));
    own.web.site('has.named.test', pathSite({ '/': page('Has one') }));
    own.web.clearLog();
    const { pages, summary } = await own.crawl(
      ['http://named.test/'],
      [
        ...CT,
        ...['--dns-server', servers[0]!, '--allow-network', '127.0.0.0/8', '-k'],
        // Ports alone are mapped, so that names have to be looked up.
        ...own.mappings.map((mapping) => mapping.replace('127.0.0.1', '')).slice(1),
      ],
    );
    expect([...pages.keys()].sort()).toEqual(['http://named.test/', 'https://has.named.test/']);
    expect(summary.seeding).toMatchObject([{ found: 4, inScope: 4, withAddress: 1, answered: 1 }]);
    expect(asked).toContain('A none.named.test');
    expect(new Set(own.web.log.map(({ host }) => host))).toEqual(new Set(['ct.test', 'named.test', 'has.named.test']));
  });

  it('are tried without TLS where they have none', async () => {
    own.web.site('ct.test', ctServer({ certificates: ['old.plain.test\nnone.plain.test'] }));
    own.web.site('plain.test', pathSite({ '/': page('Home') }));
    own.web.site('old.plain.test', pathSite({ '/': page('Old') }));
    own.web.clearLog();
    const { pages, summary } = await own.crawlPlain(['http://plain.test/'], CT);
    expect(fates(pages)).toEqual({ 'http://plain.test/': 'done', 'http://old.plain.test/': 'done' });
    expect(summary.seeding).toMatchObject([{ found: 2, answered: 1 }]);
  });

  it.each([
    ['ends in the middle', { endsAfter: 20_000 }],
    ['breaks off', { breaksAfter: 20_000 }],
    ['breaks off in gzip', { breaksAfter: 1_500, gzip: true }],
  ])('of an answer that %s are those before the break', async (_how, quirk) => {
    own.web.site('ct.test', ctServer({ certificates: many('cut.test', 400), ...quirk }));
    own.web.site('cut.test', pathSite({ '/': page('Home') }));
    own.web.site('n0.cut.test', pathSite({ '/': page('The first') }));
    own.web.clearLog();
    const { pages, summary, run } = await own.crawl(['http://cut.test/'], CT);
    expect([...pages.keys()].sort()).toEqual(['http://cut.test/', 'https://n0.cut.test/']);
    expect(summary.seeding[0]!.found).toBeGreaterThan(20);
    expect(summary.seeding[0]!.found).toBeLessThan(400);
    expect(run.stderr).toContain('the answer broke off');
    expect(questions()).toHaveLength(1);
  });

  it('are as many as --max-ct-names allows, and the rest of the answer is not read', async () => {
    own.web.site('ct.test', ctServer({ certificates: many('many.test', 40_000) }));
    own.web.site('many.test', pathSite({ '/': page('Home') }));
    own.web.clearLog();
    const { summary, run } = await own.crawl(['http://many.test/'], [...CT, '--max-ct-names', '5']);
    expect(summary.seeding).toMatchObject([{ found: 5, inScope: 5 }]);
    expect(run.stderr).toContain('--max-ct-names is reached');
    const asked = new Set(own.web.log.map(({ host }) => host).filter((host) => host.endsWith('.many.test')));
    expect(asked.size).toBe(5);
  });

  it.each([
    ['answers 429 and then', { ...text('', 429), headers: { 'retry-after': '0' } }, 2],
    ['is busy and then', { ...text('', 503), headers: { 'retry-after': '0' } }, 2],
  ])('come when a server %s answers', async (_how, first, times) => {
    own.web.site('ct.test', ctServer({ certificates: ['late.busy.test'], first: [first] }));
    own.web.site('busy.test', pathSite({ '/': page('Home') }));
    own.web.site('late.busy.test', pathSite({ '/': page('Late') }));
    own.web.clearLog();
    const { pages } = await own.crawl(['http://busy.test/'], CT);
    expect(questions()).toHaveLength(times);
    expect([...pages.keys()].sort()).toEqual(['http://busy.test/', 'https://late.busy.test/']);
  });

  it.each([
    ['forbids it', text('', 403), 'it answered 403'],
    ['has moved', redirect('http://elsewhere.test/'), 'it answered 301, and redirects are not followed'],
    ['says sorry in HTML', html('<!doctype html><title>Sorry</title>{}'), 'its answer is not JSON'],
    ['asks for an hour', { ...text('', 429), headers: { 'retry-after': '3600' } }, 'longer than --max-wait'],
  ])('do not come from a server that %s, and the crawl goes on', async (_how, answer, problem) => {
    own.web.site('ct.test', { handle: () => answer });
    own.web.site('alone.test', pathSite({ '/': page('Home', ['/more']), '/more': page('More') }));
    own.web.clearLog();
    const { pages, summary, run } = await own.crawl(['http://alone.test/'], CT);
    expect([...pages.keys()]).toHaveLength(2);
    expect(run.stderr).toContain('ct.test gave no answer about alone.test');
    expect(summary.seeding[0]!.problem).toContain(problem);
    expect(questions()).toHaveLength(1);
    expect(requestsTo(own.web.log, 'elsewhere.test')).toEqual([]);
  });

  it('are not asked for where there can be none: one host, an address, a private name, depth 0', async () => {
    own.web.site('ct.test', ctServer({ certificates: [] }));
    for (const host of ['one.test', '127.0.0.1', 'printer', 'nas.local']) {
      own.web.site(host, pathSite({ '/': page(host) }));
    }
    own.web.clearLog();
    const oneHost = await own.crawl(['http://one.test/'], [...CT, '--scope', 'host']);
    expect(oneHost.run.stderr).toContain('ct.test is not asked: in a scope of one host there are no other names');
    for (const host of ['127.0.0.1', 'printer', 'nas.local']) {
      const { run } = await own.crawl([`http://${host}/`], CT);
      expect(run.stderr).toContain(`${host} is no public name: no third party is asked about it`);
    }
    await own.crawl(['http://one.test/'], [...CT, '--depth', '0']);
    expect(questions()).toEqual([]);
  });

  it('are asked for by registrable domain where that is the scope, and once for seeds below each other', async () => {
    own.web.site('ct.test', ctServer({ certificates: ['shop.dom.test'] }));
    for (const host of ['a.dom.test', 'b.a.dom.test', 'shop.dom.test']) {
      own.web.site(host, pathSite({ '/': page(host) }));
    }
    own.web.clearLog();
    const { pages } = await own.crawl(['http://a.dom.test/', 'http://b.a.dom.test/'], [...CT, '--scope', 'domain']);
    expect(questions()).toEqual(['/?q=%25.dom.test&output=json']);
    expect([...pages.keys()]).toContain('https://shop.dom.test/');
    own.web.clearLog();
    await own.crawl(['http://a.dom.test/', 'http://b.a.dom.test/'], CT);
    expect(questions()).toEqual(['/?q=%25.a.dom.test&output=json']);
  });

  it('are asked for the domain that a seed redirects to, too', async () => {
    own.web.site('ct.test', ctServer({ certificates: ['old.from.test\nnew.to.test'] }));
    own.web.site('from.test', pathSite({ '/': redirect('http://to.test/') }));
    own.web.site('to.test', pathSite({ '/': page('Home') }));
    own.web.site('new.to.test', pathSite({ '/': page('New') }));
    own.web.clearLog();
    const { pages } = await own.crawl(['http://from.test/'], CT);
    expect(questions().sort()).toEqual(['/?q=%25.from.test&output=json', '/?q=%25.to.test&output=json']);
    expect([...pages.keys()].sort()).toEqual(['http://from.test/', 'http://to.test/', 'https://new.to.test/']);
  });

  it('are not asked of a host that is crawled itself', async () => {
    own.web.site('ct.test', ctServer({ certificates: [] }));
    own.web.clearLog();
    const { run } = await own.crawl(['http://ct.test/'], CT, { code: 4 });
    expect(run.stderr).toContain('ct.test is crawled itself: it is not asked for URLs');
    expect(questions().filter((path) => path.includes('output=json'))).toEqual([]);
  });
});

const many = (domain: string, count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}.${domain}`);
