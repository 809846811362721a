import { describe, expect, it } from 'vitest';
import { LINK_KIND_NUMBER } from '../../src/parse/links.js';
import { edgesJsonl, hostsJsonl, seedsFile } from '../../src/report/lists.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { parseSeedLines } from '../../src/url/seeds.js';
import { written } from './memory-files.js';
import { StoreFixture } from './store-fixture.js';

const parsed = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('edges', () => {
  const store = () =>
    new StoreFixture([
      { url: 'https://a.test/' },
      { url: 'https://a.test/b' },
      { url: 'mailto:x@a.test', state: UrlState.unlisted, reason: 'scheme', page: null },
    ]);

  it('is a line for each occurrence in document order, kinds by name', async () => {
    const fixture = store();
    const { a, img } = LINK_KIND_NUMBER;
    fixture.addEdges(
      1,
      [
        { to: 2, kind: a, rel: 1 },
        { to: 3, kind: a },
        { to: 2, kind: img },
        { to: 2, kind: a },
      ],
      ['nofollow'],
      null,
    );
    const { notes, text } = await written(edgesJsonl, fixture.reader);
    const to = 'https://a.test/b';
    const from = 'https://a.test/';
    expect(notes).toEqual({ records: 4, files: 1 });
    expect(parsed(text)).toEqual([
      { from, to, kind: 'a', rel: 'nofollow', text: null },
      { from, to: 'mailto:x@a.test', kind: 'a', rel: '', text: null, outside: 'scheme' },
      { from, to, kind: 'img', rel: '', text: null },
      { from, to, kind: 'a', rel: '', text: null },
    ]);
  });

  it('has the text of links where it was kept', async () => {
    const fixture = store();
    fixture.addEdges(
      1,
      [
        { to: 2, kind: 0 },
        { to: 2, kind: 0 },
      ],
      [],
      ['one\n"]]>', ''],
    );
    const { text } = await written(edgesJsonl, fixture.reader);
    expect(parsed(text)).toMatchObject([{ text: 'one\n"]]>' }, { text: '' }]);
  });
});

describe('hosts', () => {
  it('is a line for each host with what became of its URLs', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/' },
      { url: 'http://a.test/gone', state: UrlState.failed, reason: 'http_4xx', page: { status: 404 } },
      { url: 'https://b.test/', state: UrlState.deferred, reason: 'backoff', page: null },
    ]);
    const { notes, text } = await written(hostsJsonl, reader);
    expect(notes.records).toBe(2);
    expect(parsed(text)).toMatchObject([
      { name: 'a.test', urls: 2, done: 1, failed: 1, deferred: 0 },
      { name: 'b.test', urls: 1, done: 0, failed: 0, deferred: 1 },
    ]);
  });
});

describe('seeds', () => {
  it('is a seeds file that gives the same seeds again', async () => {
    const fixture = new StoreFixture();
    fixture.addSeed({ url: 'https://a.test/docs/', scope: 'prefix', depth: 3, maxUrls: 100 });
    const fallbacks = ['http://b.test/', 'https://www.b.test/', 'http://www.b.test/'];
    fixture.addSeed({ url: 'https://b.test/', fallbacks });
    const { text } = await written(seedsFile, fixture.reader);
    const { seeds, bad } = parseSeedLines(text, 'seeds');
    expect(bad).toEqual([]);
    expect(seeds).toMatchObject([
      { url: 'https://a.test/docs/', fallbacks: [], scope: 'prefix', depth: 3, maxUrls: 100 },
      { url: 'https://b.test/', fallbacks, scope: 'subdomains' },
    ]);
    expect(seeds[1]).not.toHaveProperty('depth');
  });

  it('says what became of each', async () => {
    const seed = UrlFlag.seed;
    const fixture = new StoreFixture([
      { url: 'https://a.test/', flags: seed, page: { status: 301, redirect_to: 2 } },
      { url: 'https://www.a.test/', flags: seed },
      {
        url: 'https://b.test/',
        flags: seed,
        state: UrlState.failed,
        reason: 'dns',
        page: { status: null, message: 'b.test: no such name' },
      },
      { url: 'https://c.test/', flags: seed, state: UrlState.failed, reason: 'timeout', page: { status: null } },
      { url: 'http://c.test/', flags: seed },
    ]);
    fixture.addSeed({ url: 'https://a.test/' });
    fixture.addSeed({ url: 'https://b.test/' });
    fixture.addSeed({ url: 'https://c.test/', fallbacks: ['http://c.test/'] });
    fixture.addSeed({ url: 'https://d.test/' });
    const { text } = await written(seedsFile, fixture.reader);
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# done 301 -> https://www.a.test/',
      '# failed dns (b.test: no such name)',
      '# done 200 -> http://c.test/',
      '# not fetched yet',
    ]);
  });

  it('lets no message smuggle a seed in', async () => {
    const message = 'bad\nhttps://evil.test/\r\nhttps://worse.test/\u2028';
    const fixture = new StoreFixture([
      { url: 'https://a.test/', flags: UrlFlag.seed, state: UrlState.failed, reason: 'unknown', page: { message } },
    ]);
    fixture.addSeed({ url: 'https://a.test/' });
    const { text } = await written(seedsFile, fixture.reader);
    expect(parseSeedLines(text, 'seeds').seeds.map(({ url }) => url)).toEqual(['https://a.test/']);
  });

  it('says that the crawl was cut short and that robots.txt was ignored', async () => {
    const fixture = new StoreFixture();
    fixture.setMeta('ended', JSON.stringify({ reason: 'max_urls', truncated: 'max_urls' }));
    fixture.setMeta('ignoredRobots', 'true');
    expect((await written(seedsFile, fixture.reader)).text).toBe('# truncated: max_urls\n# robots.txt was ignored\n');
  });
});
