import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gossamer, start, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { openWeb } from '../web/web.js';
import { CHROMIUM, faults, useBrowser } from './browser.js';
import { dashboardUrl } from './dashboard-url.js';
import { hostName, makeStore } from './made-store.js';

const HOSTS = 20_000;
const PAGES = 100_000;
const folder = temporaryFolder();
let served: ReturnType<typeof start>;
let url: string;

beforeAll(async () => {
  makeStore(join(folder.path, 'large'), HOSTS, PAGES);
  const web = await openWeb();
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('Home', ['/a'], 'A quince.')),
      '/a': html(linkPage('A <b>page</b>', ['/'], 'More.')),
    }),
  );
  await gossamer(['docs', `${web.origin}/`, '--delay', '0', '--data-dir', 'docs-run', '--output', 'corpus', '-q'], {
    cwd: folder.path,
  });
  await web.close();
  served = start(['serve', 'large', 'corpus'], { cwd: folder.path });
  url = await dashboardUrl(served);
});
afterAll(async () => {
  served.child.kill('SIGINT');
  await served.ended;
  folder.remove();
});

/** The status of a request with headers that `fetch` would not send. */
const status = (path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end();
  });

it('listens on loopback, for its own names alone', async () => {
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect(url).not.toContain('token');
  expect(await status('/api/pages', {})).toBe(200);
  expect(await status('/api/pages', { host: 'evil.example' })).toBe(403);
  expect(await status('/api/control/stop', { origin: 'http://evil.example' }, 'POST')).toBe(403);
  expect(await status('/api/control/stop', { origin: new URL(url).origin }, 'POST')).toBe(403);
  expect(await status('/../../package.json', {})).toBe(404);
});

it('a port that is taken ends a crawl before anything is asked for', async () => {
  const web = await openWeb();
  web.site('127.0.0.1', pathSite({ '/': html('never asked for') }));
  const { port } = new URL(url);
  const run = await gossamer(['crawl', `${web.origin}/`, `--dashboard=${port}`, '--data-dir', 'new'], {
    cwd: folder.path,
  });
  expect([run.code, web.log.length]).toEqual([3, 0]);
  expect(run.stderr).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use`);
  await web.close();
});

it('a run without a dashboard loads nothing of it', () => {
  const bundle = fileURLToPath(new URL('../../dist/bundle/', import.meta.url));
  const codeOf = (file: string): string => readFileSync(join(bundle, file), 'utf8');
  const chunks = readdirSync(bundle).filter((file) => file.endsWith('.js'));
  const holdsServer = (file: string): boolean => codeOf(file).includes('x-gossamer-token');
  const loaded = new Set(['main.js', ...chunks.filter((file) => /^(?:crawl|check|docs|resume)-command/.test(file))]);
  for (const file of loaded) {
    for (const [, imported] of codeOf(file).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
      loaded.add(imported!);
    }
  }
  expect(loaded.size).toBeGreaterThan(5);
  expect([...loaded].filter(holdsServer)).toEqual([]);
  expect(chunks.filter(holdsServer)).not.toEqual([]);
});

describe.skipIf(CHROMIUM === null)('large lists, in a real browser (needs Chromium: apt-get install chromium)', () => {
  const open = useBrowser();
  const scrollToEnd = (page: Page) =>
    page.locator('.scroll').evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
  /** Grows with the rows that are known of. */
  const heightOf = (page: Page) => page.locator('.long').evaluate((box) => box.clientHeight);
  const rowsInPage = (page: Page) => page.locator('.long > [role=row]').count();

  it('20,000 hosts scroll, are sorted and searched, and only those that are seen are in the page', async () => {
    const page = await open(url);
    await page.getByRole('tab', { name: 'Hosts' }).click();
    await page.getByText(hostName(1), { exact: true }).waitFor();
    expect(await rowsInPage(page)).toBeLessThan(60);
    expect(await page.locator('.found').innerText(), 'all of them, before they are loaded').toBe('20,000 hosts');
    for (let screens = 0; screens < 4; screens++) {
      const before = await heightOf(page);
      await scrollToEnd(page);
      await expect.poll(() => heightOf(page)).toBeGreaterThan(before);
    }
    expect(await rowsInPage(page)).toBeLessThan(60);
    await page.getByLabel('Search hosts').fill('host-0019999');
    await page.getByText(hostName(19_999), { exact: true }).waitFor();
    expect(await page.locator('.found').innerText()).toBe('1 host');
    expect(await faults(page)).toEqual([]);
  });

  it('100,000 pages: a rare word at the far end is found, and so is nothing', async () => {
    const page = await open(url, { colorScheme: 'dark' });
    await page.getByRole('tab', { name: 'Pages' }).click();
    await page.getByLabel('Search URLs and titles').fill('kumquat 99900');
    await page.getByText('Rare kumquat 99900').waitFor();
    await page.getByLabel('Search URLs and titles').fill('nowhere');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByLabel('Search URLs and titles').fill('');
    await page.getByLabel('Order').selectOption('newest');
    await page
      .getByText(`/page/${PAGES} `, { exact: false })
      .or(page.getByText(`/page/${PAGES}`))
      .first()
      .waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('a kept crawl has its figures, and a corpus is searched and read as text', async () => {
    const page = await open(url);
    await page.getByText('What became of the pages').waitFor();
    expect(await page.locator('.figure', { hasText: 'Done' }).locator('.value').innerText()).toBe('70,000');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Corpora' }).click();
    await page.getByLabel('Search the corpus').fill('quince');
    await page.getByText('1 page found').waitFor();
    await page.getByRole('button', { name: 'Home index.md' }).click();
    await page.getByText('A quince.').last().waitFor();
    expect(await faults(page)).toEqual([]);
  });
});
