import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { box } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { html, linkPage } from '../web/site.js';

/** Files of a folder whose names begin so, by name. */
const filesIn = (folder: string, beginning: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.startsWith(beginning))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

/** Up to 32 origins pages.jsonl and sitemap.xml come from one reading of the store, beyond that from two. */
describe.each([1, 3, 32, 33])('what a crawl of %d origins writes at its end', (origins) => {
  const own = box();

  it('is what each export writes alone', async () => {
    const hosts = Array.from({ length: origins }, (_, n) => `h${n}.test`);
    const all = hosts.flatMap((host) => ['', 'a', 'b'].map((path) => `http://${host}/${path}`));
    for (const host of hosts) {
      own.web.site(host, {
        handle: ({ path }) => (/robots|sitemap/.test(path) ? { status: 404 } : html(linkPage(path, all))),
      });
    }
    const { directory, summary } = await own.crawl(['http://h0.test/'], ['--scope', 'any']);
    expect(summary.sitemap).toMatchObject({ urls: 3 * origins, files: origins });
    const alone = join(own.folder, 'alone');
    for (const [format, name] of [
      ['jsonl', 'pages.jsonl'],
      ['sitemap', 'sitemap.xml'],
    ] as const) {
      const run = await inProcess(['export', directory, '--format', format, '--output', `${alone}-${name}`]);
      expect(run.code, run.stderr).toBe(0);
    }
    const written = { ...filesIn(directory, 'pages.'), ...filesIn(directory, 'sitemap') };
    const exported = Object.entries(filesIn(own.folder, 'alone-')).map(([name, text]) => [name.slice(6), text]);
    expect(written).toEqual(Object.fromEntries(exported));
    expect(Object.keys(written)).toHaveLength(origins + 1);
  });
});
