import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, pathSite } from '../web/site.js';
import { box, type Crawled } from './box.js';
import { inProcess } from './in-process.js';

const ITEMS = 150;
const item = (n: number): string =>
  `<title>Item ${n}</title><h1>Item <i>${n}</i></h1><ul><li class=price>${n}.50 EUR<li class=price>${n}.75 USD</ul>
<script type="application/ld+json">{"@type":"Product","sku":"S${n}"}</script><a href=/>home</a>`;
const RULES = ['name=h1', 'prices[]=.price', 'sku=jsonld:@Product.sku', 'euro=re:([\\d.]+) EUR', 'up=a@href'];
const ARGS = ['--seeding-strategy', 'none', ...RULES.flatMap((rule) => ['--extract', rule])];
const dataOf = (n: number) => ({
  name: `Item ${n}`,
  prices: [`${n}.50 EUR`, `${n}.75 USD`],
  sku: `S${n}`,
  euro: `${n}.50`,
  up: '/',
});

describe('what is extracted', () => {
  const own = box();
  let crawled: Crawled;

  beforeAll(async () => {
    const numbers = Array.from({ length: ITEMS }, (_, n) => n);
    own.web.site(
      'shop.test',
      pathSite({
        '/': html(numbers.map((n) => `<a href=/${n}>x</a>`).join('')),
        '/file': { headers: { 'content-type': 'text/plain' }, body: '<h1>no page</h1>' },
        ...Object.fromEntries(numbers.map((n) => [`/${n}`, html(item(n))])),
      }),
    );
    crawled = await own.crawl(['http://shop.test/', 'http://shop.test/file'], ARGS);
  });

  const lineOf = (path: string) => crawled.pages.get(`http://shop.test${path}`) as unknown as { data?: unknown };

  it('is in pages.jsonl for each page, read in this thread or in another', () => {
    for (let n = 0; n < ITEMS; n++) {
      expect(lineOf(`/${n}`).data).toEqual(dataOf(n));
    }
  });

  it('has each name on each page, and is not there for what is no page', () => {
    expect(lineOf('/').data).toEqual({ name: null, prices: [], sku: null, euro: null, up: '/0' });
    expect('data' in lineOf('/file')).toBe(false);
  });

  it('has columns of its own in CSV', async () => {
    const { stdout } = await inProcess(['export', crawled.directory, '--format', 'csv']);
    const [header, ...rows] = stdout.split('\r\n');
    expect(header).toMatch(/,data\.euro,data\.name,data\.prices,data\.sku,data\.up$/);
    const row = rows.find((each) => each.startsWith('http://shop.test/7,'));
    expect(row).toMatch(/,7\.50,Item 7,"\[""7\.50 EUR"",""7\.75 USD""\]",S7,\/$/);
  });

  it('goes on by the same rules in a crawl that was ended and resumed, each page once', async () => {
    const { directory } = await own.crawl(['http://shop.test/'], [...ARGS, '--max-urls', '40'], { code: 0 });
    const connect = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const again = await inProcess(['resume', directory, '--max-urls', '1000', ...connect]);
    expect(again.code).toBe(0);
    const { stdout } = await inProcess(['export', directory, '--format', 'jsonl']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; data?: unknown });
    for (let n = 0; n < ITEMS; n++) {
      expect(lines.filter(({ url }) => url === `http://shop.test/${n}`).map(({ data }) => data)).toEqual([dataOf(n)]);
    }
  });

  it('cannot be changed on resume', async () => {
    const { code, stderr } = await inProcess(['resume', crawled.directory, '--extract', 'a=b']);
    expect(code).toBe(2);
    expect(stderr).toContain('--extract cannot be changed on resume');
  });

  it.each(['x=a[', 'x=re:(', 'x=jsonld:a..b'])('%s is refused before anything is asked for or made', async (rule) => {
    const before = requestsTo(own.web.log, 'shop.test').length;
    const directory = join(own.folder, 'refused');
    const connect = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const { code, stderr } = await inProcess([
      ...['crawl', 'http://shop.test/', '--data-dir', directory, '--extract', rule],
      ...connect,
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --extract "x=.*", character \d+: /);
    expect(existsSync(directory)).toBe(false);
    expect(requestsTo(own.web.log, 'shop.test').length).toBe(before);
  });
});
