import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { graph } from 'gossamer';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gossamer, start, temporaryFolder } from '../crawl/support.js';
import { CHROMIUM, faults } from '../dashboard/browser.js';
import { dashboardUrl } from '../dashboard/dashboard-url.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = temporaryFolder();
const run = (...args: string[]) => gossamer(['graph', ...args], { cwd: folder.path });
const HOSTILE = '<img src=x onerror="document.title=1"> page';
let web: WebInABox;
let requests: number;

beforeAll(async () => {
  web = await openWeb();
  const pages = Array.from({ length: 12 }, (_, i) => `/docs/p${i}`);
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('Home', [...pages, '/other/'])),
      '/other/': html(linkPage(HOSTILE, ['/'])),
      ...Object.fromEntries(pages.map((path, i) => [path, html(linkPage(`Page ${i}`, ['/', pages[(i + 1) % 12]!]))])),
    }),
  );
  const seed = [`${web.origin}/`, '--delay', '0', '--seeding-strategy', 'none', '-q'];
  await gossamer(['crawl', ...seed, '--data-dir', 'data'], { cwd: folder.path });
  requests = web.log.length;
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

describe('gossamer graph', () => {
  it('goes by the name of the file, asks nobody, and writes the same twice', async () => {
    for (const name of ['a.csv', 'a.graphml', 'a.gexf', 'a.dot', 'a.svg', 'a.html', 'a.parquet', 'a.jsonl']) {
      expect(await run('data', '-o', name)).toMatchObject({ code: 0, stdout: '', stderr: '' });
      const first = readFileSync(join(folder.path, name));
      await run('data', '-o', name);
      expect(readFileSync(join(folder.path, name)).equals(first), name).toBe(true);
    }
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(web.log).toHaveLength(requests);
  });

  it.each([
    [['data', '-o', 'graph.xyz'], /^error: --output .*graph\.xyz does not say what to write: add --format\n$/],
    [['data', '--nodes', '-f', 'gexf'], /^error: nodes can be written as csv, jsonl, parquet, but not as gexf\n$/],
    [['data', '--json', '-f', 'csv'], /^error: --json prints the figures of a graph/],
    [['data', '--level', 'site'], /^error: --level must be one of page, folder, host, got site\n$/],
    [['data', 'more'], /^error: `gossamer graph` takes only <dir>, got also more\n$/],
  ])('%j is refused in one sentence', async (args, message) => {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('is named where `export` is asked for what it writes, and wget’s --level is told what it is here', async () => {
    const asked = await gossamer(['export', 'data', '--format', 'graphml'], { cwd: folder.path });
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining('got graphml, which `gossamer graph` writes'),
    ]);
    const level = await gossamer(['crawl', web.origin, '--level', '3'], { cwd: folder.path });
    expect([level.code, level.stderr]).toEqual([2, expect.stringContaining('you may mean --depth')]);
  });

  it('of nothing says so', async () => {
    expect(await run('nowhere')).toMatchObject({ code: 3, stderr: expect.stringContaining('there is no crawl in') });
  });
});

describe('graph() of the library', () => {
  const directory = () => join(folder.path, 'data');

  it('gives nodes, edges and figures, and writes what the command writes', async () => {
    const found = graph(directory(), { level: 'folder' });
    const home = `${web.origin}/`;
    expect([...found.edges()]).toContainEqual({ from: home, to: `${home}docs/`, weight: 12 });
    expect([...found.nodes()].map(({ folder: name, pages }) => [name, pages])).toEqual([
      [home, 1],
      [`${home}docs/`, 12],
      [`${home}other/`, 1],
    ]);
    expect(found.summary).toMatchObject({ level: 'folder', nodes: 3, links: 26, components: { count: 1, largest: 3 } });
    const path = join(folder.path, 'library.gexf');
    expect(await found.write('gexf', path)).toEqual({ records: 7, files: 1 });
    await run('data', '--level', 'folder', '-o', 'command.gexf');
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(join(folder.path, 'command.gexf'), 'utf8'));
  });

  it('refuses what it does not know', async () => {
    expect(() => graph(directory(), { levle: 'page' } as never)).toThrow(
      'graph has no option "levle"; did you mean level?',
    );
    expect(() => graph(directory(), { level: 'site' as never })).toThrow(
      'the level of graph must be one of page, folder, host',
    );
    await expect(graph(directory()).write('gexff' as never, 'x')).rejects.toThrow('did you mean gexf?');
  });
});

describe.skipIf(CHROMIUM === null)('the picture in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
    browser = await chromium.launch({ executablePath: CHROMIUM!, args });
  });
  afterAll(() => browser.close());

  async function opened(url: string): Promise<{ page: Page; asked: string[]; problems: string[] }> {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    const [asked, problems]: [string[], string[]] = [[], []];
    page.on('request', (request) => void asked.push(request.url()));
    page.on('pageerror', (error) => void problems.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    await page.goto(url);
    return { page, asked, problems };
  }

  const row = (page: Page, text: string) => page.locator('.graph-row', { hasText: text });

  it('as one file draws, asks nobody, takes titles as text and can be used with keys alone', async () => {
    await run('data', '-o', 'site.html');
    const url = pathToFileURL(join(folder.path, 'site.html')).href;
    const { page, asked, problems } = await opened(url);
    await page.waitForSelector('.graph-canvas canvas');
    expect(await row(page, '<img src=x onerror').count()).toBe(1);
    expect(await page.locator('img').count()).toBe(0);
    await row(page, 'Home').focus();
    await page.keyboard.press('Enter');
    const facts = page.locator('.graph-facts');
    expect(await facts.locator('h2').textContent()).toBe('Home');
    expect(await facts.textContent()).toContain('Linked from13 nodes');
    await page.keyboard.press('Escape');
    expect(await facts.isHidden()).toBe(true);
    await page.locator('.search').fill('page 7');
    expect(await page.locator('.graph-row').count()).toBe(1);
    await page.locator('.search').fill('');
    await page.getByText('Close all folders').click();
    expect(await row(page, 'docs/').textContent()).toContain('folder, 12 pages');
    await row(page, 'docs/').click();
    expect(await row(page, 'Page 7').count()).toBe(1);
    expect(await faults(page)).toEqual([]);
    expect([asked, problems]).toEqual([[url], []]);
  });

  it('is a tab of the dashboard, which loads what draws it only then', async () => {
    const served = start(['serve', 'data'], { cwd: folder.path });
    const { page, asked, problems } = await opened(await dashboardUrl(served));
    await page.waitForSelector('[role=tablist]');
    expect(asked.filter((url) => url.includes('graph'))).toEqual([]);
    await page.keyboard.press('4');
    await page.waitForSelector('.graph-canvas canvas');
    expect(asked.filter((url) => url.includes('graph')).map((url) => new URL(url).pathname)).toEqual([
      '/graph-view.js',
      '/api/graph',
    ]);
    await row(page, 'Page 7').click();
    await page.getByText('Why this URL').click();
    await page.waitForSelector('dialog .what');
    await page.keyboard.press('Escape');
    expect(await faults(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
    served.child.kill('SIGINT');
    await served.ended;
  });
});
