import type { Browser as Chromium } from 'playwright-core';
import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import { notInstalled } from '../base/optional-package.js';
import { printable } from '../base/text.js';
import type { AssetSource, PageSource, Visit, VisitLimits } from './asset.js';
import { findBrowser, HOW_TO_GET_ONE } from './find-browser.js';
import { launch, loadPlaywright } from './launch.js';
import { visit } from './visit.js';

/** After so many pages a new one is started: whatever it has piled up goes with the old one. */
const PAGES_A_BROWSER = 50;

interface Running {
  chromium: Chromium;
  visits: number;
  underWay: number;
  /** It takes no more pages, and ends with the last of those it has. */
  isRetired: boolean;
}

/** The browser of this machine: started with the first page, replaced when it has seen enough of them or has died. */
export class Browser {
  readonly #clock: Clock;
  readonly #limits: VisitLimits;
  #running: Promise<Running> | null = null;
  #newest: Running | null = null;
  readonly #all = new Set<Running>();
  #isClosed = false;

  constructor(limits: VisitLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Throws a sentence that says what is missing. */
  async start(): Promise<void> {
    await this.#take();
  }

  async visit(page: PageSource, assets: AssetSource): Promise<Visit> {
    const running = await this.#take();
    running.underWay++;
    if (++running.visits >= PAGES_A_BROWSER) {
      this.#retire(running);
    }
    try {
      return await this.#guarded(running, page, assets);
    } finally {
      running.underWay--;
      if (running.isRetired && running.underWay === 0) {
        await this.#end(running);
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((running) => this.#end(running)));
  }

  /** A page may not end, nor may its end: then the browser goes with it. */
  async #guarded(running: Running, page: PageSource, assets: AssetSource): Promise<Visit> {
    const { chromium } = running;
    const gone = new Promise<Visit>((resolve) => {
      chromium.once('disconnected', () => resolve({ gone: true }));
    });
    try {
      return await Promise.race([visit(chromium, page, assets, this.#limits, this.#clock), gone]);
    } catch (error) {
      if (!chromium.isConnected()) {
        return { gone: true };
      }
      return { problem: printable((error as Error).message.split('\n')[0]!) };
    }
  }

  async #take(): Promise<Running> {
    if (this.#isClosed) {
      throw new StateError('browser', 'the browser is closed');
    }
    this.#running ??= this.#launch();
    try {
      return await this.#running;
    } catch (error) {
      this.#running = null;
      throw error;
    }
  }

  async #launch(): Promise<Running> {
    const playwright = await loadPlaywright();
    const path = await findBrowser();
    if (playwright === null || path === null) {
      const missing = [
        ...(path === null ? [`there is no browser: ${HOW_TO_GET_ONE}`] : []),
        ...(playwright === null ? [notInstalled('playwright-core')] : []),
      ];
      throw new StateError('no_browser', `pages cannot be rendered: ${missing.join('; ')}`);
    }
    let chromium: Chromium;
    try {
      chromium = await launch(playwright, path);
    } catch (error) {
      const [why] = (error as Error).message.split('\n');
      throw new StateError('no_browser', `pages cannot be rendered: ${path} does not start: ${printable(why!)}`);
    }
    const running: Running = { chromium, visits: 0, underWay: 0, isRetired: false };
    this.#newest = running;
    this.#all.add(running);
    chromium.once('disconnected', () => {
      this.#all.delete(running);
      this.#retire(running);
    });
    if (this.#isClosed) {
      await this.#end(running);
    }
    return running;
  }

  #retire(running: Running): void {
    running.isRetired = true;
    if (this.#newest === running) {
      this.#running = null;
    }
  }

  async #end(running: Running): Promise<void> {
    this.#retire(running);
    await running.chromium.close().catch(() => {});
    this.#all.delete(running);
  }
}
