import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveAnswer } from '../../src/dashboard/api.js';
import { openForReading } from '../../src/store/directory.js';
import type { LiveSnapshot } from '../../src/watch/live.js';
import { start, temporaryFolder } from '../crawl/support.js';
import { html, type Site, type SiteAnswer } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { CHROMIUM, faults, useBrowser } from './browser.js';
import { dashboardUrl } from './dashboard-url.js';

const PAGES = 400;
const TITLE = '<script>globalThis.wasRun = true</script>';

/** Sites that take their time, and answers that are held back while a test looks at what is in flight. */
class SlowWeb {
  #held: (() => void)[] = [];
  isHolding = false;

  readonly site: Site = {
    handle: ({ path }) => {
      const answer = answerOf(path);
      return this.isHolding && path.startsWith('/page')
        ? new Promise((resolve) => this.#held.push(() => resolve(answer)))
        : answer;
    },
  };

  release(): void {
    this.isHolding = false;
    for (const answer of this.#held.splice(0)) {
      answer();
    }
  }
}

function answerOf(path: string): SiteAnswer {
  if (path === '/robots.txt') {
    return { status: 404 };
  }
  const number = Number(/^\/page(\d+)$/.exec(path)?.[1] ?? 0);
  if (path !== '/' && number === 0) {
    return { status: 404 };
  }
  const next = path === '/' ? Array.from({ length: PAGES }, (_, at) => at + 1) : [];
  const links = next.map((at) => `<a href="/page${at}">${at}</a>`).join('\n');
  return {
    ...html(`<title>${TITLE.replaceAll('<', '&lt;')} ${number}</title>${links}<a href="/gone${number % 10}">x</a>`),
    afterMs: 15,
  };
}

const figure = (page: Page, label: string): Promise<string> =>
  page
    .locator('.figure', { has: page.locator(`dt:text-is("${label}")`) })
    .locator('.value')
    .innerText();

async function liveFigures(url: string): Promise<LiveSnapshot> {
  const response = await fetch(new URL('/api/live', url));
  const { live } = (await response.json()) as LiveAnswer;
  return live;
}

/** As when another tab is chosen, which a browser without a window never does. */
const setVisibility = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((value) => {
    const { document, Event } = globalThis as unknown as { document: EventTarget; Event: new (name: string) => Event };
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

const numberIn = (text: string): number => Number(text.replace(/[^\d.]/g, ''));

describe.skipIf(CHROMIUM === null)(
  'a crawl that runs, in a real browser (needs Chromium: apt-get install chromium)',
  () => {
    const folder = temporaryFolder();
    const slow = new SlowWeb();
    const directory = join(folder.path, 'data');
    const open = useBrowser();
    let web: WebInABox;
    let run: ReturnType<typeof start>;
    let url: string;

    beforeAll(async () => {
      web = await openWeb();
      web.site('127.0.0.1', slow.site);
      const args = [
        '--delay',
        '0',
        '--workers',
        '4',
        '--max-inflight-per-host',
        '4',
        '--no-auto-tune',
        '--data-dir',
        directory,
      ];
      run = start(['crawl', `${web.origin}/`, ...args, '--dashboard', '-q']);
      url = await dashboardUrl(run);
    });
    afterAll(async () => {
      slow.release();
      run.child.kill('SIGKILL');
      await web.close();
      folder.remove();
    });

    it('is paused, gone on with, changed and watched to its end', async () => {
      const page = await open(url);
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));

      await page.waitForSelector('#pause');
      expect(page.url(), 'the token is taken off the address').not.toContain('token');

      // Pause: by the server's own log nothing more is asked for, once what was under way is answered.
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.locator('#run-state', { hasText: 'paused' }).waitFor();
      await expect.poll(async () => (await liveFigures(url)).inFlight, { timeout: 20_000 }).toBe(0);
      const asked = web.log.length;
      expect(asked).toBeLessThan(PAGES);
      const before = (await liveFigures(url)).elapsedMs;
      // Two seconds of the run's own time, by its own clock.
      await expect
        .poll(async () => (await liveFigures(url)).elapsedMs, { timeout: 20_000 })
        .toBeGreaterThan(before + 2_000);
      expect(web.log.length).toBe(asked);

      // Workers: with answers held back, what is in flight is what was set.
      slow.isHolding = true;
      await page.getByRole('button', { name: 'Go on' }).click();
      await expect.poll(() => web.inFlight(), { timeout: 20_000 }).toBe(4);
      expect(web.log.length + web.inFlight()).toBeGreaterThan(asked);
      await page.getByRole('button', { name: 'Adjust…' }).click();
      await page.getByLabel('Requests at once').fill('2');
      await page.locator('#set-workers').click();
      await page.getByText('2 requests at once').waitFor();
      slow.release();
      slow.isHolding = true;
      await expect.poll(() => web.inFlight(), { timeout: 20_000 }).toBe(2);

      // A page that nobody sees asks for nothing.
      const asks: string[] = [];
      page.on('request', (request) => asks.push(request.url()));
      await setVisibility(page, 'hidden');
      asks.length = 0;
      const hiddenAt = (await liveFigures(url)).elapsedMs;
      await expect
        .poll(async () => (await liveFigures(url)).elapsedMs, { timeout: 20_000 })
        .toBeGreaterThan(hiddenAt + 2_500);
      expect(asks).toEqual([]);
      await setVisibility(page, 'visible');
      await expect.poll(() => asks.some((asked) => asked.endsWith('/api/live'))).toBe(true);

      // Titles are text. While the run is held up, all tabs are looked at.
      await page.getByRole('tab', { name: 'Pages' }).click();
      await page.getByText(`${TITLE} 1`, { exact: true }).first().waitFor();
      expect(await page.evaluate(() => (globalThis as { wasRun?: boolean }).wasRun)).toBeUndefined();
      for (const tab of ['Overview', 'Hosts', 'Pages', 'Corpora']) {
        await page.getByRole('tab', { name: tab }).click();
        expect(await faults(page), tab).toEqual([]);
      }

      // A host says whose word its delay is, and its sheet follows what is set.
      await page.getByRole('tab', { name: 'Hosts' }).click();
      await page.locator('.long .host-row button.plain').click();
      const delay = page.locator('dt:text-is("Delay") + dd');
      expect(await delay.innerText()).toBe('none');
      for (const [ms, said] of [
        ['250', '250 ms (set by you)'],
        ['0', 'none'],
      ] as const) {
        await page.getByLabel('Delay in ms').fill(ms);
        await page.getByRole('button', { name: 'Set', exact: true }).click();
        await expect.poll(() => delay.innerText(), { timeout: 20_000 }).toBe(said);
      }
      expect(await page.getByRole('button', { name: 'Release' }).count()).toBe(0);
      expect(await faults(page), 'host').toEqual([]);
      await page.keyboard.press('Escape');

      // Why a URL is there.
      await page.getByRole('tab', { name: 'Pages' }).click();
      await page
        .getByRole('button', { name: `${web.origin}/page1 `, exact: false })
        .first()
        .click();
      await page.getByText('Linked from').waitFor();
      expect(await faults(page), 'explain').toEqual([]);
      await page.keyboard.press('Escape');

      // Keys: arrows go from tab to tab, figures to a tab.
      await page.getByRole('tab', { name: 'Pages' }).focus();
      await page.keyboard.press('ArrowLeft');
      expect(await page.getByRole('tab', { name: 'Hosts' }).getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('1');
      await page.getByText('Layers of concurrency').waitFor();

      // To the end: the page has the last figures, and they are the store's.
      slow.release();
      await page.locator('#run-state', { hasText: 'ended' }).waitFor({ timeout: 60_000 });
      expect((await run.ended).code).toBe(0);
      const counts = openForReading(directory, (reader) => reader.counts());
      expect(counts.done).toBe(PAGES + 1);
      expect(numberIn(await figure(page, 'Done'))).toBe(counts.done);
      expect(numberIn(await figure(page, 'Failed'))).toBe(counts.failed);
      expect(numberIn(await figure(page, 'Queued'))).toBe(0);
      expect(problems).toEqual([]);
    });
  },
);

describe.skipIf(CHROMIUM === null)('stop (needs Chromium)', () => {
  const open = useBrowser();

  it('asks back, and ends the run as Ctrl+C does', async () => {
    const folder = temporaryFolder();
    const slow = new SlowWeb();
    slow.isHolding = true;
    const web = await openWeb();
    web.site('127.0.0.1', slow.site);
    const directory = join(folder.path, 'data');
    const run = start([
      'crawl',
      `${web.origin}/`,
      '--delay',
      '0',
      '--grace',
      '0',
      '--data-dir',
      directory,
      '--dashboard',
      '-q',
    ]);
    try {
      const page = await open(await dashboardUrl(run), { colorScheme: 'dark', width: 375 });
      await page.getByRole('button', { name: 'Stop…' }).click();
      expect(await faults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Let it run' }).click();
      await page.getByRole('button', { name: 'Stop…' }).click();
      await page.getByRole('button', { name: 'Stop the run' }).click();
      expect((await run.ended).code).toBe(130);
      expect(openForReading(directory, (reader) => reader.ended()?.reason)).toBe('interrupted');
    } finally {
      slow.release();
      run.child.kill('SIGKILL');
      await web.close();
      folder.remove();
    }
  });
});
