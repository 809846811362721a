import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { aptInstall, MissingPackagesError } from '../real/install.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/snap/bin/chromium'];

/** Finds Chromium, or installs it where that is allowed (root, apt); else the error names what to type. */
async function chromiumPath(): Promise<string> {
  const found = await findChromium();
  if (found !== null) {
    return found;
  }
  const failure = await aptInstall(['chromium'], () => {});
  const installed = await findChromium();
  if (installed === null) {
    throw new MissingPackagesError(['chromium'], failure);
  }
  return installed;
}

async function findChromium(): Promise<string | null> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const path of [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...PLACES]) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) {
      return path;
    }
  }
  return null;
}

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** A headless Chromium with one page, spoken to by the DevTools protocol through a pipe: no port is opened. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #waiting = new Map<number, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>();
  readonly #listeners = new Set<(message: Message) => void>();
  #session = '';
  #lastId = 0;
  /** Every URL that the page asked for. */
  readonly requests: string[] = [];
  /** What the browser complains of: errors, and what the policy forbade. */
  readonly complaints: string[] = [];

  private constructor(child: ChildProcess, folder: string) {
    this.#process = child;
    this.#folder = folder;
    let rest = '';
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
      const messages = `${rest}${chunk}`.split('\0');
      rest = messages.pop()!;
      for (const message of messages) {
        this.#receive(JSON.parse(message) as Message);
      }
    });
    child.once('exit', (code) => {
      for (const { reject } of this.#waiting.values()) {
        reject(new Error(`Chromium ended with code ${code}`));
      }
    });
  }

  static async start(): Promise<Chromium> {
    const path = await chromiumPath();
    const folder = await mkdtemp(join(tmpdir(), 'gossamer-chromium-'));
    const child = spawn(
      path,
      [
        '--headless=new',
        '--remote-debugging-pipe',
        `--user-data-dir=${folder}`,
        '--no-first-run',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        // Nothing but the file is to be had.
        '--host-resolver-rules=MAP * ~NOTFOUND',
        // Its sandbox needs rights that root in a container does not have.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const browser = new Chromium(child, folder);
    child.once('error', () => browser.#waiting.clear());
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    browser.#session = sessionId as string;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) {
      await browser.send(`${domain}.enable`);
    }
    return browser;
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.#lastId++;
    const id = this.#lastId;
    const message = { id, method, params, ...(this.#session === '' ? {} : { sessionId: this.#session }) };
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async open(url: string): Promise<void> {
    this.requests.length = 0;
    this.complaints.length = 0;
    // Only the part behind # may differ, which loads nothing.
    await this.#loaded('about:blank');
    this.requests.length = 0;
    await this.#loaded(url);
  }

  /** What an expression gives on the page; a promise is waited for. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) {
      throw new Error(JSON.stringify(exceptionDetails));
    }
    return (result as { value: T }).value;
  }

  async press(key: string): Promise<void> {
    const text = key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {};
    const codes: Record<string, number> = { Enter: 13, Escape: 27 };
    const windowsVirtualKeyCode = codes[key] ?? key.toUpperCase().charCodeAt(0);
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, windowsVirtualKeyCode, ...text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode });
  }

  async screenshot(width: number, height: number, colorScheme: 'light' | 'dark'): Promise<Buffer> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: colorScheme }] });
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data as string, 'base64');
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #loaded(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => {
      const listener = ({ method }: Message) => {
        if (method === 'Page.loadEventFired') {
          this.#listeners.delete(listener);
          resolve();
        }
      };
      this.#listeners.add(listener);
    });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  #receive(message: Message): void {
    if (message.id !== undefined) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) {
        waiting?.resolve(message.result ?? {});
      } else {
        waiting?.reject(new Error(message.error.message));
      }
      return;
    }
    if (message.method === 'Network.requestWillBeSent') {
      this.requests.push((message.params!.request as { url: string }).url);
    } else if (message.method === 'Log.entryAdded' || message.method === 'Runtime.exceptionThrown') {
      this.complaints.push(JSON.stringify(message.params));
    }
    for (const listener of this.#listeners) {
      listener(message);
    }
  }
}
