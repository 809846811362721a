import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Browser as Chromium, LaunchOptions } from 'playwright-core';
import type { Clock } from '../../base/clock.js';
import { StateError } from '../../base/errors.js';
import { notInstalled } from '../../base/optional-package.js';
import { printable } from '../../base/text.js';
import type { AssetSource, PageSource, Visit, VisitLimits } from './asset.js';
import { visit } from './visit.js';

/** A browser is replaced after so many pages, so that what it has piled up in memory goes with it. */
const PAGES_A_BROWSER = 50;

interface Running {
  chromium: Chromium;
  visits: number;
  underWay: number;
  /** The browser takes no more pages and is closed after its last one. */
  isRetired: boolean;
}

/** The browser of this machine: it is started with the first page, and replaced after enough pages or when it has died. */
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

  /** Throws an error that says what is missing. */
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

  /** A page may hang, and so may closing it: then the browser is closed too. */
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

const NAMES = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'],
  ...['msedge', 'chrome.exe', 'msedge.exe'],
];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/snap/bin/chromium',
];
/** On Windows they are in the folder for programs of the machine, or of the user who may not install any there. */
const PROGRAM_FOLDERS = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'];
const PROGRAMS = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

/** How to get a browser, as the end of a sentence. */
const HOW_TO_GET_ONE = 'install Chromium or Chrome, or name one in CHROME_PATH';

/** The browser of this machine: the one that CHROME_PATH names, or the first that is found; null if there is none. */
export async function findBrowser(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const given = env.CHROME_PATH ?? '';
  if (given !== '') {
    return (await isProgram(given)) ? given : null;
  }
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const programFolders = PROGRAM_FOLDERS.map((name) => env[name] ?? '').filter(isAbsolute);
  const paths = [
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...PROGRAMS.flatMap((names) => programFolders.map((folder) => join(folder, ...names))),
    ...PLACES,
  ];
  for (const path of paths) {
    if (await isProgram(path)) {
      return path;
    }
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

const LOCKS = [
  // Every request is answered before it leaves the browser. If one escapes that, these flags leave it no name, address or proxy.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--no-pings',
  '--dns-prefetch-disable',
];
const LIGHT = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--mute-audio',
  '--blink-settings=imagesEnabled=false',
  '--js-flags=--max-old-space-size=512',
];
/** With this flag scripts could open windows without a click. */
const UNWANTED = ['--disable-popup-blocking'];

/** playwright-core is optional: null if it is not installed. */
async function loadPlaywright(): Promise<typeof import('playwright-core') | null> {
  try {
    return await import('playwright-core');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
      return null;
    }
    throw error;
  }
}

/** Starts the browser with a profile that is deleted when it ends. */
function launch(playwright: typeof import('playwright-core'), path: string): Promise<Chromium> {
  const options: LaunchOptions = {
    executablePath: path,
    headless: true,
    args: [...LOCKS, ...LIGHT],
    ignoreDefaultArgs: UNWANTED,
    // Chrome's sandbox needs rights that root in a container does not have.
    chromiumSandbox: process.getuid?.() !== 0,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: 30_000,
  };
  return playwright.chromium.launch(options);
}
