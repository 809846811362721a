import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as faults from '../web/faults.js';
import { requestsTo } from '../web/judge.js';
import { star } from '../web/plain.js';
import { html, linkPage, pathSite, type Site, text } from '../web/site.js';
import { box, type Crawled } from './box.js';

const MIB = 1024 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** Each fault: its site, and what must come of its paths. Several answers are right where it depends on what arrives first. */
const SITES: Record<string, { site: Site; fates: Record<string, string | string[]> }> = {
  'slow-start': { site: faults.slowStart(4_000), fates: { '/slow': 'timeout' } },
  'slow-headers': { site: faults.slowHeaders(100), fates: { '/slow': 'timeout' } },
  'slow-body': { site: faults.slowBody(200), fates: { '/slow': 'too_slow' } },
  'stalled-body': { site: faults.stalledBody(), fates: { '/stalled': 'timeout' } },
  silent: { site: faults.silent(), fates: { '/silent': 'timeout' } },
  'endless-body': { site: faults.endlessBody(), fates: { '/endless': 'too_large' } },
  'gzip-bomb': { site: faults.gzipBomb(64 * MIB), fates: { '/bomb': 'too_large' } },
  'two-encodings': { site: faults.stackedEncodings(2), fates: { '/stacked': 'done' } },
  'three-encodings': { site: faults.stackedEncodings(3), fates: { '/stacked': 'unknown' } },
  'reset-at-once': { site: faults.resetAfter(null), fates: { '/reset': 'connection_reset' } },
  'reset-half-way': { site: faults.resetAfter(60), fates: { '/reset': 'connection_reset' } },
  'big-headers': { site: faults.bigHeaders(MIB), fates: { '/big-headers': 'too_large' } },
  'some-hints': { site: faults.interimFlood(3), fates: { '/interim': 'done' } },
  'flood-of-hints': { site: faults.interimFlood(Number.POSITIVE_INFINITY), fates: { '/interim': 'unknown' } },
  framing: {
    site: faults.badFraming(),
    fates: {
      '/content-length-too-long': 'connection_reset',
      '/content-length-too-short': ['done', 'malformed_html'],
      '/truncated-chunk': 'connection_reset',
      '/no-last-chunk': 'connection_reset',
      '/not-http': 'connection_reset',
      '/no-headers': 'connection_reset',
      '/truncated-gzip': 'malformed_html',
      '/not-gzip': 'malformed_html',
      '/keep-alive-poison': 'done',
    },
  },
  mislabelled: {
    site: faults.mislabelled(),
    fates: {
      '/binary-as-html': 'malformed_html',
      '/json-as-html': 'done',
      '/binary-without-extension': 'done',
      '/binary-without-type': 'done',
      '/html-without-type': 'done',
      '/html-as-text': 'done',
      '/page.pdf': 'done',
      '/truncated-html': ['done', 'malformed_html'],
      '/head-refused.zip': 'done',
    },
  },
  'half-a-text': {
    site: faults.faultSite({
      '/half.txt': { raw: `${HEAD}Content-Length: 100\r\n\r\nhalf`, end: 'close', status: 200 },
    }),
    fates: { '/half.txt': 'connection_reset' },
  },
};
const names = Object.keys(SITES);
const hostOf = (name: string) => `${name}.fault.test`;

describe('sites that misbehave', () => {
  const own = box();
  let crawled: Crawled;

  beforeAll(async () => {
    for (const name of names) {
      own.web.site(hostOf(name), SITES[name]!.site);
    }
    own.web.site('healthy.test', star(40));
    crawled = await own.crawl(
      [...names.map((name) => `http://${hostOf(name)}/`), 'http://healthy.test/'],
      [
        '--retries',
        '0',
        '--idle-timeout',
        '1500ms',
        '--timeout',
        '15',
        '--max-body',
        '2MiB',
        '--seeding-strategy',
        'none',
      ],
    );
  }, 120_000);

  it.each(names)('end with their class, and cost their host nothing else: %s', (name) => {
    const { fates } = SITES[name]!;
    for (const [path, expected] of Object.entries(fates)) {
      const page = crawled.pages.get(`http://${hostOf(name)}${path}`);
      const fate = page?.state === 'done' ? 'done' : page?.reason;
      expect([expected].flat(), `${path}: ${JSON.stringify(page)}`).toContain(fate);
      expect(
        requestsTo(own.web.log, hostOf(name), path).filter(({ method }) => method === 'GET').length,
        path,
      ).toBeLessThanOrEqual(1);
    }
    expect(crawled.pages.get(`http://${hostOf(name)}/`)).toMatchObject({ state: 'done' });
  });

  it('leave a healthy host in the same crawl as it is', () => {
    const pages = [...crawled.pages.values()].filter(({ url }) => url.startsWith('http://healthy.test/'));
    expect(pages).toHaveLength(40);
    expect(pages.every(({ state, attempts }) => state === 'done' && attempts === 1)).toBe(true);
  });

  it('give their good links even where the page broke off, and never pass for whole', () => {
    const broken = crawled.pages.get(`http://${hostOf('framing')}/content-length-too-long`);
    expect(broken).toMatchObject({ state: 'failed', links: 2 });
    expect(crawled.pages.get(`http://${hostOf('framing')}/other`)).toMatchObject({ state: 'done' });
    const sitemap = readFileSync(join(crawled.directory, 'sitemap.xml'), 'utf8');
    for (const page of crawled.pages.values()) {
      if (page.state === 'failed') {
        expect(sitemap).not.toContain(`<loc>${page.url}</loc>`);
      }
    }
  });

  it('do not poison the next answer on their connection', () => {
    const poisoned = [...crawled.pages.values()].filter(({ bytes }) => bytes === 'poison'.length);
    expect(poisoned).toEqual([]);
  });

  it('end the run normally', () => {
    expect(crawled.summary).toMatchObject({ reason: 'complete', deferred: 0 });
    expect(crawled.summary.byClass).not.toHaveProperty('internal');
  });
});

describe('a robots.txt that breaks off', () => {
  const own = box();

  it('is not taken for the whole: its host waits', async () => {
    const raw = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 200\r\n\r\nUser-agent: *\nAllow: /\n';
    own.web.site('torn.test', {
      handle: ({ path }) => (path === '/robots.txt' ? { raw, end: 'close' } : html('page')),
    });
    const { pages } = await own.crawl(['http://torn.test/'], ['--max-wait', '60']);
    expect(new Set(own.web.log.map(({ path }) => path))).toEqual(new Set(['/robots.txt']));
    expect(pages.get('http://torn.test/')).toMatchObject({ state: 'deferred', reason: 'robots_unreachable' });
  });

  it('is read to 500 KiB, and a sitemap to its own limit, however small --max-body is', async () => {
    const padding = `# ${'x'.repeat(98)}\n`.repeat(4_000);
    const urls = Array.from({ length: 60 }, (_, i) => `http://small.test/${'long'.repeat(20)}/${i}`);
    own.web.site(
      'small.test',
      pathSite({
        '/robots.txt': text(`User-agent: *\n${padding}Disallow: /closed\n`),
        '/': html(linkPage('Home', ['/closed/x'])),
        '/sitemap.xml': text(urls.join('\n')),
      }),
    );
    const { pages } = await own.crawl(['http://small.test/'], ['--max-body', '1KiB']);
    expect(requestsTo(own.web.log, 'small.test', '/closed/x')).toEqual([]);
    expect(pages.get('http://small.test/closed/x')).toMatchObject({ state: 'skipped', reason: 'robots' });
    expect([...pages.keys()].filter((url) => url.includes('long'))).toHaveLength(60);
  });
});

describe('transient failures', () => {
  const own = box();

  it('are tried again as often as --retries says, and a page that works in the end is done', async () => {
    let asked = 0;
    own.web.site(
      'shaky.test',
      faults.faultSite({
        '/shaky': () => (asked++ < 2 ? { raw: '', end: 'reset' as const } : html(linkPage('At last', []))),
      }),
    );
    const { pages, summary } = await own.crawl(
      ['http://shaky.test/'],
      ['--retry-delay', '0', '--max-backoff', '1', '--seeding-strategy', 'none'],
    );
    expect(requestsTo(own.web.log, 'shaky.test', '/shaky')).toHaveLength(3);
    expect(pages.get('http://shaky.test/shaky')).toMatchObject({ state: 'done', attempts: 3 });
    expect(summary.retries).toBe(2);
  });
});
