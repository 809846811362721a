import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { auditCrawl } from '../../src/audit/audit.js';
import type { AuditReport } from '../../src/audit/report/result.js';
import { DEFAULT_SETTINGS } from '../../src/audit/settings.js';
import { edgeWord, FOLLOWED } from '../../src/store/page-row.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { type FixtureUrl, StoreFixture } from '../report/store-fixture.js';

const HTML = {
  content_type: 'text/html',
  title: 'A',
  description: 'B',
  h1_count: 1,
  word_count: 500,
  text_hash: '1',
  images_without_alt: 0,
};

function audited(urls: FixtureUrl[], change: (store: StoreFixture) => void = () => {}, isWhole = true): AuditReport {
  const store = new StoreFixture(urls);
  store.setMeta('options', '{}');
  if (isWhole) {
    store.setMeta('ended', JSON.stringify({ reason: 'complete', truncated: null }));
  }
  change(store);
  const file: string = store.database.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get()!.file;
  const report = auditCrawl(dirname(file), DEFAULT_SETTINGS);
  onTestFinished(() => report.close());
  return report;
}

const rules = (report: AuditReport): string[] => report.findings.map(({ rule }) => rule);
const reasons = ({ gaps }: AuditReport): Record<string, string> =>
  Object.fromEntries(gaps.map(({ rule, reason, isWhole }) => [rule, `${isWhole ? '' : 'in part: '}${reason}`]));

describe('an audit', () => {
  it('says what a crawl cannot answer, and does not call that good', () => {
    const page = { ...HTML, h1_count: null, word_count: null, text_hash: null, images_without_alt: null };
    const report = audited([{ url: 'http://a.test/', flags: UrlFlag.seed, page }]);
    const gaps = reasons(report);
    expect(gaps).toMatchObject({
      orphan: 'no sitemap was read',
      sitemap_noindex: 'no sitemap was read',
      mixed_content: 'no page was fetched over https',
      h1_missing: 'this crawl has not noted the number of headings: crawl again with this version',
      duplicate: 'this crawl has not noted the hash of the text: crawl again with this version',
      no_csp: 'this crawl has not noted headers: crawl again with this version',
    });
    expect(report.passed.map(({ id }) => id)).not.toContain('h1_missing');
    expect(report.summary.rules.unanswered).toBe(Object.keys(gaps).length);
  });

  it('reads a store whose tables lack the columns', () => {
    const report = audited(
      [{ url: 'http://a.test/', page: { content_type: 'text/html', title: 'A' } }],
      ({ database }) => {
        for (const column of [
          'h1_count',
          'images',
          'images_without_alt',
          'text_hash',
          'sketch',
          'hreflang',
          'headers',
          'extras',
          'word_count',
        ]) {
          database.exec(`ALTER TABLE pages DROP COLUMN ${column}`);
        }
      },
    );
    expect(rules(report)).toEqual(['description_missing']);
    expect(reasons(report)).toMatchObject({ thin: expect.stringContaining('has not noted the number of words') });
  });

  it('says for how many pages it can answer where some are of an earlier version', () => {
    const report = audited([
      { url: 'http://a.test/', page: { ...HTML, h1_count: 0 } },
      { url: 'http://a.test/old', page: { ...HTML, title: 'Old', description: 'C', text_hash: '2', h1_count: null } },
    ]);
    expect(reasons(report).h1_missing).toBe(
      'in part: the number of headings is known of 1 of 2 pages: the others were fetched by an earlier version',
    );
    expect([...report.places('h1_missing')].map(({ url }) => url)).toEqual(['http://a.test/']);
  });

  it('knows no orphans of a crawl that was cut short', () => {
    const urls: FixtureUrl[] = [{ url: 'http://a.test/', flags: UrlFlag.seed, page: HTML }];
    const addSitemap = ({ database }: StoreFixture): void =>
      database.exec(`INSERT INTO urls (id, url, kind, origin, depth, seed, class, state) VALUES (50, 'http://a.test/sitemap.xml', 2, 1, 0, 0, 2, ${UrlState.done});
        INSERT INTO pages (id, seq, status, links) VALUES (50, 50, 200, 1); INSERT INTO sitemap_finds VALUES (2, 50)`);
    const listed: FixtureUrl = {
      url: 'http://a.test/x',
      page: { ...HTML, title: 'X', description: 'X', text_hash: '3' },
    };
    expect([...audited([...urls, listed], addSitemap).places('orphan')].map(({ url }) => url)).toEqual([
      'http://a.test/x',
    ]);
    expect(reasons(audited([...urls, listed], addSitemap, false)).orphan).toBe(
      'the crawl does not know all links: it has not ended',
    );
  });

  it('calls a page slow or heavy from its threshold on, the worst first', () => {
    const page = (n: number, some: object): FixtureUrl => ({
      url: `http://a.test/${n}`,
      page: { ...HTML, title: `T${n}`, description: `D${n}`, text_hash: String(n), ...some },
    });
    const report = audited([
      page(1, { total_ms: 2_000, bytes: 512 * 1024 }),
      page(2, { total_ms: 2_001, bytes: 512 * 1024 + 1 }),
      page(3, { total_ms: 9_000 }),
    ]);
    expect([...report.places('slow')].map(({ url, detail }) => [url, detail])).toEqual([
      ['http://a.test/3', '9000.0 ms'],
      ['http://a.test/2', '2001.0 ms'],
    ]);
    expect([...report.places('heavy')].map(({ url }) => url)).toEqual(['http://a.test/2']);
  });

  it('leaves what is out of scope alone, but for links that lead there', () => {
    const report = audited(
      [
        { url: 'http://a.test/', flags: UrlFlag.seed, page: HTML },
        { url: 'http://b.test/', flags: UrlFlag.external, page: { content_type: 'text/html' } },
        {
          url: 'http://b.test/gone',
          flags: UrlFlag.external,
          state: UrlState.failed,
          reason: 'http_4xx',
          page: { status: 404 },
        },
      ],
      ({ database }) => {
        const packed = new Uint8Array(Uint32Array.of(2, edgeWord(0, FOLLOWED, 0), 3, edgeWord(0, FOLLOWED, 0)).buffer);
        database.prepare('INSERT INTO edges (page, packed) VALUES (1, ?)').run(packed);
      },
    );
    expect([...report.places('broken_link')]).toEqual([
      { url: 'http://a.test/', target: 'http://b.test/gone', detail: '404', text: null, times: 1 },
    ]);
    expect(report.summary).toMatchObject({ pages: 1, indexable: 1 });
    expect(report.findings.filter(({ rule }) => rule.startsWith('title'))).toEqual([]);
  });

  it('tells a long chain of redirects by its beginning, its end and its length', () => {
    const hops = 500;
    const urls: FixtureUrl[] = Array.from({ length: hops }, (_, i) => ({
      ...{ url: `http://a.test/${i}`, page: { status: 301, redirect_to: i + 2 } },
    }));
    const report = audited([...urls, { url: `http://a.test/${hops}`, page: HTML }]);
    expect([...report.places('redirect_chain')]).toEqual([
      {
        ...{ url: 'http://a.test/0', target: `http://a.test/${hops}`, text: null, times: 1 },
        detail:
          'to http://a.test/1, then http://a.test/2, then http://a.test/3, then http://a.test/4, then http://a.test/5, and 495 more',
      },
    ]);
  });

  it('can be laid beside another, whichever page was found first', () => {
    const circle = (...names: string[]): FixtureUrl[] =>
      names.map((name, i) => ({
        ...{ url: `http://a.test/${name}`, page: { status: 301, redirect_to: ((i + 1) % names.length) + 1 } },
      }));
    const page = (name: string): FixtureUrl => ({ url: `http://a.test/${name}`, page: { ...HTML, title: name } });
    const sorted = (...urls: FixtureUrl[]) => {
      const report = audited(urls);
      return ['redirect_loop', 'no_csp', 'description_duplicate'].map((rule) =>
        [...report.sorted(rule, new Map([['a.test', 'b.test']]))].map(({ url, target }) => [url, target]),
      );
    };
    const wanted = [
      [['http://b.test/1', null]],
      [['http://b.test/', null]],
      [
        ['http://b.test/x', null],
        ['http://b.test/y', null],
      ],
    ];
    expect(sorted(...circle('1', '2', '3'), page('x'), page('y'))).toEqual(wanted);
    expect(sorted(...circle('2', '3', '1'), page('y'), page('x'))).toEqual(wanted);
  });

  it('does not say that something was not asked for where the crawl asks for it and the site has none', () => {
    const page: FixtureUrl[] = [{ url: 'http://a.test/', flags: UrlFlag.seed, page: { ...HTML, h1_count: 1234 } }];
    const remarks = (options: object) =>
      audited(page, (store) => store.setMeta('options', JSON.stringify(options))).summary.remarks.join(' ');
    expect(remarks({})).toMatch(/other sites were not asked for.*scripts were not asked for/);
    expect(remarks({ values: { external: true, assets: true } })).not.toContain('not asked for');
    expect([...audited(page).places('h1_multiple')][0]!.detail).toBe('1,234 h1 elements');
  });

  it('calls a link broken where there is no such name, and unreachable where no name server answered', () => {
    const failed = (host: string, message: string | null): FixtureUrl => ({
      url: `http://${host}/`,
      state: UrlState.failed,
      reason: 'dns',
      flags: UrlFlag.external,
      page: { status: null, content_type: null, message },
    });
    const report = audited(
      [
        { url: 'http://a.test/', flags: UrlFlag.seed, page: HTML },
        failed('gone.test', 'gone.test: there is no such name.'),
        failed('slow.test', 'slow.test: the name servers did not answer in time.'),
        failed('old.test', null),
      ],
      (store) =>
        store.addEdges(
          1,
          [2, 3, 4].map((to) => ({ to, kind: 0 })),
          [],
          null,
        ),
    );
    const targets = (rule: string) => [...report.places(rule)].map(({ target }) => target);
    expect(targets('broken_link')).toEqual(['http://gone.test/', 'http://old.test/']);
    expect(targets('unreachable_link')).toEqual(['http://slow.test/']);
  });
});
