import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { findBrowser } from '../../src/crawl/render/browser.js';

/** The program of a browser; null where there is none, and tests that need one are skipped. */
export const CHROMIUM: string | null = await findBrowser();

/** Opens pages in one real browser, which is gone with the file. */
export function useBrowser(): (
  url: string,
  options?: { colorScheme?: 'light' | 'dark'; width?: number },
) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
  return async (url, { colorScheme = 'light', width = 1280 } = {}) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForSelector('[role=tablist]');
    return page;
  };
}

/** What axe finds on the page that is moderate or worse, in words. The page's own policy lets no foreign script in, so it is evaluated. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: it comes as a script.
    const { violations } = await (globalThis as any).axe.run();
    return violations
      .filter(({ impact }: { impact: string }) => impact !== 'minor')
      .map(
        ({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
          `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`,
      );
  });
}
