import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { html, pathSite, redirect, type SiteAnswer, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { words } from './manual.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  web = await openWeb();
  folder = temporaryFolder();
});
afterEach(async () => {
  await web.close();
  folder.remove();
});

const PNG = '\u0089PNG\r\n\u001a\n';
const image = (pixels: string, type = 'image/png'): SiteAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(PNG + pixels, 'latin1'),
});
const page = (title: string, seed: number, ...sources: string[]): SiteAnswer =>
  html(
    `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${words(seed, 80)}</p>${sources
      .map((src) => `<p>${words(seed + src.length, 30)} <img src="${src}" alt="of ${title}"> ${words(seed, 9)}</p>`)
      .join('')}<p><a href="/two">on</a></p></main>`,
  );

function site(pixels: string): void {
  const hostile = ['/evil.svg', 'data:image/png;base64,iVBORw0K', 'file:///etc/passwd', '/..%2f..%2fup.png'];
  web.site(
    '127.0.0.1',
    pathSite({
      '/robots.txt': text('User-agent: *\nDisallow: /closed/'),
      '/': page('One', 1, '/a.png', '/same-bytes', '/moved', '/closed/x.png', '/gone.png', '/page.png', ...hostile),
      '/two': page('Two', 2, '/a.png'),
      '/a.png': image(pixels),
      '/same-bytes': image(pixels, 'text/plain'),
      '/moved': redirect('/b.png'),
      '/b.png': image('b'),
      '/closed/x.png': image('c'),
      '/page.png': { status: 200, headers: { 'content-type': 'image/png' }, body: '<script>alert(1)</script>' },
      '/evil.svg': { status: 200, headers: { 'content-type': 'image/svg+xml' }, body: '<svg><script>1</script></svg>' },
      '/..%2f..%2fup.png': image('d'),
      '/..%2F..%2Fup.png': image('d'),
    }),
  );
}

const output = () => join(folder.path, 'corpus');
const docs = (...more: string[]) =>
  inProcess(['docs', `${web.origin}/`, '--output', output(), '--data-dir', join(folder.path, 'data'), ...more], {
    cwd: folder.path,
  });
const images = () => readdirSync(join(output(), 'images')).sort();
const markdown = (path: string) => readFileSync(join(output(), path), 'utf8');
const shown = (path: string) => [...markdown(path).matchAll(/!\[[^\]]*\]\(<?([^)>]*)>?\)/g)].map(([, url]) => url!);

it('puts images into the corpus by their bytes, and leaves the links of those that it may not have or does not save', async () => {
  site('a');
  const { stderr } = await docs('--images', 'download');
  expect(images()).toHaveLength(3);
  expect(images().every((name) => /^[0-9a-f]{32}\.png$/.test(name))).toBe(true);
  const [a, copy, moved, closed, gone, script, svg, up] = shown('index.md');
  expect(a).toMatch(/^images\/[0-9a-f]{32}\.png$/);
  expect(copy).toBe(a);
  expect(moved).toMatch(/^images\//);
  expect([closed, gone, script, svg]).toEqual(
    ['/closed/x.png', '/gone.png', '/page.png', '/evil.svg'].map((path) => web.origin + path),
  );
  expect(up).toMatch(/^images\//);
  expect(shown('two.md')).toEqual([a]);
  expect(stderr).toMatch(/4 images in \S+\/corpus\/images, 4 left as links to the site/);
  const asked = web.log.map(({ path }) => path);
  expect(asked).not.toContain('/closed/x.png');
  expect(asked.filter((path) => path === '/a.png')).toHaveLength(1);
});

it('brings images up to date, keeps what somebody else put beside them, and takes them out again', async () => {
  site('a');
  await docs('--images', 'download');
  const before = images();
  writeFileSync(join(output(), 'images', 'mine.png'), 'mine');
  mkdirSync(join(output(), 'notes'));
  site('changed');
  await docs('--images', 'download');
  expect(images()).toHaveLength(4);
  expect(images().filter((name) => before.includes(name))).toHaveLength(2);
  expect(existsSync(join(output(), shown('two.md')[0]!))).toBe(true);
  await docs();
  expect(images()).toEqual(['mine.png']);
  expect(shown('two.md')).toEqual([`${web.origin}/a.png`]);
});
