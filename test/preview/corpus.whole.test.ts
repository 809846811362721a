import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preview } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededFractions } from '../../src/crawl/survey/sample-order.js';
import { corpusSize, type SampledUrl } from '../../src/preview/corpus-size.js';
import { gossamer, start, temporaryFolder } from '../crawl/support.js';
import { html, notFound, pathSite, redirect, type Site, text, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = temporaryFolder();
const SERVICE = /^\/(?:robots\.txt|sitemap[\w-]*\.xml)$/;
let web: WebInABox;

beforeAll(async () => {
  web = await openWeb();
  web.site('small.test', small());
  web.site('listed.test', listed());
  web.site('held.test', held());
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

/** A page with so many words; the footer is on all of them. */
const document = (title: string, words: number, hrefs: string[] = [], head = '') =>
  html(
    `<!doctype html><html lang=en><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${`${title} says something. `.repeat(words)}</p>
     ${hrefs.map((href) => `<p>See <a href="${href}">${href}</a> for more.</p>`).join('')}</main><footer>Copyright of the same people</footer></body></html>`,
  );
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Twelve pages, and what gives none: a redirect, an error, a picture, a copy, noindex. */
const small = (): Site =>
  pathSite({
    '/': document('Home', 5, [...numbers(11).map((i) => `/p${i}`), '/moved', '/gone', '/picture', '/copy', '/hidden']),
    ...Object.fromEntries(numbers(11).map((i) => [`/p${i}`, document(`Page ${i}`, 10 + 7 * i)])),
    '/moved': redirect('/p1', 301),
    '/picture': { status: 200, headers: { 'content-type': 'image/png' }, body: 'png' },
    '/copy': document('Page 3', 10 + 7 * 3),
    '/hidden': document('Hidden', 500, [], '<meta name=robots content=noindex>'),
  });

/** Sixty pages in a sitemap, and links to as many that are not. */
const listed = (): Site =>
  pathSite({
    '/robots.txt': text('User-agent: *\nDisallow: /closed/\n'),
    '/sitemap.xml': xml(
      urlset([
        ...numbers(60).map((i) => `http://listed.test/docs/p${i}`),
        'http://listed.test/closed/1',
        'http://listed.test/other',
      ]),
    ),
    '/docs/': document('Docs', 5, ['/docs/extra0']),
    ...Object.fromEntries(
      numbers(60).map((i) => [`/docs/p${i}`, document(`Page ${i}`, 5 + (i % 17), [`/docs/extra${i}`])]),
    ),
    ...Object.fromEntries(numbers(60).map((i) => [`/docs/extra${i}`, document(`Extra ${i}`, 900)])),
  });

let reached = (): void => {};
const isHeld = new Promise<void>((resolve) => {
  reached = resolve;
});
/** Of which the second page never ends. */
const held = (): Site => ({
  handle: ({ path }) => {
    if (path === '/') {
      return document('Held', 5, ['/held']);
    }
    if (SERVICE.test(path)) {
      return notFound;
    }
    reached();
    return new Promise(() => {});
  },
});

const here = () => web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
const run = (...args: string[]) =>
  gossamer([...args, '--delay', '0', ...here()], { cwd: folder.path, env: { TMPDIR: folder.path } });
const ask = async (...args: string[]) => JSON.parse((await run('preview', ...args, '--for', 'docs', '--json')).stdout);
const left = (): string[] => readdirSync(folder.path).filter((name) => name.startsWith('gossamer-preview'));

describe('gossamer preview --for docs', () => {
  it('of a site that the sample sees whole says what docs then writes', async () => {
    const { corpus } = await ask('http://small.test/', '--sample', '50');
    await run('docs', 'http://small.test/', '--output', 'small', '-q');
    const { pages, tokens } = JSON.parse(readFileSync(join(folder.path, 'small/index.json'), 'utf8'));
    expect(pages).toBe(12);
    expect(corpus).toEqual({
      pages: { low: pages, estimate: pages, high: pages },
      tokens: { low: tokens, estimate: tokens, high: tokens },
      sampled: { pages, tokens },
      tokensEstimated: false,
    });
    expect(left()).toEqual([]);
  });

  it('goes by the sitemap where it names the pages, asks for the sample only, and gives a range', async () => {
    web.clearLog();
    const { corpus, pages, basis, outside } = await ask('http://listed.test/docs/', '--sample', '20');
    expect([basis, pages, corpus.pages.low, corpus.pages.high]).toEqual(['sitemaps', 61, expect.any(Number), 61]);
    expect(outside.urls).toBe(2);
    expect(corpus.sampled.pages).toBeLessThanOrEqual(20);
    expect(corpus.tokens.low).toBeGreaterThanOrEqual(corpus.sampled.tokens);
    // Long ones that only links lead to are none of it.
    const whole = (await ask('http://listed.test/docs/', '--sample', '200')).corpus;
    expect(whole.tokens.low).toBe(whole.tokens.high);
    expect([whole.sampled.pages, whole.pages.high]).toEqual([61, 61]);
    expect(corpus.tokens.low).toBeLessThanOrEqual(whole.tokens.low);
    expect(corpus.tokens.high).toBeGreaterThanOrEqual(whole.tokens.low);
    expect(web.log.filter(({ path }) => path.startsWith('/closed'))).toEqual([]);
    expect(corpus.tokens.high).toBeLessThan(60 * 900);
  });

  it('without a sample fetches no page, and does not make up how many tokens there are', async () => {
    web.clearLog();
    const { corpus } = await ask('http://listed.test/docs/');
    expect(corpus).toEqual({
      pages: { low: 61, estimate: 61, high: 61 },
      tokens: null,
      sampled: null,
      tokensEstimated: false,
    });
    expect(web.log.map(({ path }) => path).filter((path) => !SERVICE.test(path))).toEqual([]);
    const { stdout } = await run('preview', 'http://listed.test/docs/', '--for', 'docs');
    expect(stdout).toContain('61 pages: what 1 sitemap names, and the seed');
    expect(stdout).toContain('How many tokens its corpus has is unknown: --sample 200 estimates it');
    expect(stdout).not.toContain('Links may lead to more');
    expect((await ask('http://small.test/')).corpus).toMatchObject({ pages: null, tokens: null });
  });

  it('says it in a sentence, with what it rests on', async () => {
    const { stdout } = await run('preview', 'http://listed.test/docs/', '--for', 'docs', '--sample', '20');
    expect(stdout).toMatch(
      /^Its corpus: (?:about )?[\d,]+ pages.*, about [\d,]+ tokens \([\d,]+ to [\d,]+\) \([\d,]+ pages sampled have [\d,]+ tokens\)$/m,
    );
  });

  it('stops at a limit of the run', async () => {
    const { corpus } = await ask('http://listed.test/docs/', '--sample', '20', '--max-urls', '30');
    expect(corpus.pages.high).toBe(30);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const { child, ended } = start(
      ['preview', 'http://held.test/', '--for', 'docs', '--sample', '10', '--delay', '0', ...here()],
      { cwd: folder.path, env: { TMPDIR: folder.path } },
    );
    await isHeld;
    expect(left()).toHaveLength(1);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
    expect(left()).toEqual([]);
  });

  it('takes no option that docs does not take', async () => {
    expect(await run('preview', 'http://small.test/', '--for', 'docs', '--assets')).toMatchObject({
      code: 2,
      stderr: 'error: --assets is no option of `gossamer docs`, which is previewed\n',
    });
    await expect(preview({ seeds: ['http://small.test/'], for: 'docs', assets: true })).rejects.toThrow(
      'assets is no option of `gossamer docs`',
    );
  });

  it('is the same for a program', async () => {
    const { corpus } = await preview({
      ...{ seeds: ['http://small.test/'], for: 'docs', sample: 50, delayMs: 0, connectTo: web.connectTo },
    });
    expect(corpus).toMatchObject({ pages: { low: 12, high: 12 }, sampled: { pages: 12 } });
    expect((await preview({ seeds: ['http://small.test/'], delayMs: 0, connectTo: web.connectTo })).corpus).toBeNull();
  });
});

describe('the range for tokens', () => {
  const exactly = (urls: number) => ({ low: urls, estimate: urls, high: urls });

  it('is a single figure where every URL was seen, whatever they were', () => {
    const sample: SampledUrl[] = [100, null, 300, null].map((tokens) => ({ tokens, isDrawn: true }));
    expect(corpusSize(exactly(4), sample)).toEqual({
      pages: exactly(2),
      tokens: exactly(400),
      sampled: { pages: 2, tokens: 400 },
    });
  });

  it('has no upper end where the size of the site has none', () => {
    const sample: SampledUrl[] = [100, 200, 300].map((tokens) => ({ tokens, isDrawn: true }));
    const { pages, tokens } = corpusSize({ low: 50, estimate: null, high: null }, sample);
    expect([pages!.high, tokens!.high, tokens!.estimate]).toEqual([null, null, null]);
    expect(tokens!.low).toBeGreaterThan(600);
  });

  it('takes what was not seen to be like what was drawn, not like the home page', () => {
    const sample: SampledUrl[] = [
      { tokens: 100_000, isDrawn: false },
      ...numbers(9).map(() => ({ tokens: 100, isDrawn: true })),
    ];
    expect(corpusSize(exactly(110), sample).tokens!.estimate).toBe(100_000 + 900 + 100 * 100);
  });

  it('does not promise that all are pages because those of the sample are', () => {
    const sample: SampledUrl[] = numbers(50).map(() => ({ tokens: 100, isDrawn: true }));
    const { low, high } = corpusSize(exactly(1000), sample).pages!;
    expect([low < 1000, low > 800, high]).toEqual([true, true, 1000]);
  });

  it('holds the truth for nine in ten sites whose pages have very different lengths', () => {
    const fraction = seededFractions(7);
    let held = 0;
    for (let site = 0; site < 300; site++) {
      const lengths = numbers(600).map(() =>
        Math.round(
          200 * Math.exp(2.2 * Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction()) * 0.6),
        ),
      );
      const all = lengths.reduce((sum, length) => sum + length, 0);
      const drawn = lengths.slice(0, 60).map((tokens) => ({ tokens, isDrawn: true }));
      const { low, high } = corpusSize(exactly(600), drawn).tokens!;
      held += low <= all && all <= high! ? 1 : 0;
    }
    expect(held).toBeGreaterThan(270);
  });
});
