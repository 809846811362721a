import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { readLines, temporaryFolder } from '../crawl/support.js';

/**
 * One site, as three programs have archived it: wget 1.21 (WARC 1.0; with --warc-dedup it leaves out each body that an earlier archive has), warcio 1.7 of
 * Python (WARC 1.1, bodies in gzip and in chunks as they came) and wacz, which packs the latter. In each crawl of the site itself the pages were these.
 */
const SITE = 'http://127.0.0.1:18999';
const PAGES = [
  ['/', 200, 'Home'],
  ['/a', 200, '/a'],
  ['/b', 200, '/b'],
  ['/chunked', 200, 'Chunked'],
  ['/doc.pdf', 200, null],
  ['/gz', 200, 'Gz'],
  ['/missing', 404, null],
  ['/new', 200, 'New'],
  ['/old', 301, null],
  ['/q?x=1', 200, '/q?x=1'],
  ['/same1', 200, 'Same'],
  ['/same2', 200, 'Same'],
];
const LINKS_OF_HOME = 10;

const archive = (name: string) => fileURLToPath(new URL(`./archives/${name}`, import.meta.url));

describe('an archive of another program', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  async function replay(name: string, ...more: string[]) {
    const cwd = join(folder.path, [name, ...more].join('-'));
    mkdirSync(cwd);
    const from = [name, ...more].flatMap((each) => ['--from', archive(each)]);
    const run = await inProcess(['crawl', ...from, '--seeding-strategy', 'none', '--data-dir', 'replayed'], { cwd });
    const lines = readFileSync(join(cwd, 'replayed', 'pages.jsonl'), 'utf8');
    return { run, pages: readLines<Record<string, unknown>>(lines) };
  }

  it.each([['wget.warc.gz'], ['warcio.warc.gz'], ['py-wacz.wacz'], ['wget-dedup.warc.gz', 'wget.warc.gz']])(
    '%s gives the pages of the site',
    async (name, ...more) => {
      const { run, pages } = await replay(name!, ...more);
      expect(run.code, run.stderr).toBe(0);
      const known = pages.map(({ url, status, title }) => [String(url).slice(SITE.length), status, title]);
      expect(known.sort()).toEqual(PAGES);
      const home = pages.find(({ url }) => url === `${SITE}/`);
      expect(home).toMatchObject({ links: LINKS_OF_HOME });
    },
  );

  it('that leaves out bodies says so where the archive that has them is not given', async () => {
    const { run } = await replay('wget-dedup.warc.gz');
    expect(run.code).toBe(4);
    expect(run.stderr).toMatch(/not_kept http\S+ \([^)]*has the page elsewhere/);
  });
});
