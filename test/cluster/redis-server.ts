import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** A real Redis of a test's own, at a port of its own, that keeps nothing on disk. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string, args: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
  }

  static async start(...args: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), mkdtempSync(join(tmpdir(), 'gossamer-redis-')), args);
    await server.up();
    return server;
  }

  /** Watches other servers, by this file of settings, which it writes to. */
  static async startSentinel(settings: string): Promise<RedisServer> {
    const port = await freePort();
    const server = new RedisServer(port, mkdtempSync(join(tmpdir(), 'gossamer-redis-')), [settings]);
    await server.up(['--sentinel', '--port', String(port), '--bind', '127.0.0.1'], /\+monitor/);
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it (again); empty, where it was killed. */
  async up(
    usual = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    isReady = /Ready to accept connections/,
  ): Promise<void> {
    // A file of settings comes first.
    const files = this.#args.filter((arg) => arg.endsWith('.conf') && arg.startsWith('/'));
    const rest = this.#args.filter((arg) => !files.includes(arg));
    const child = spawn('redis-server', [...files, ...usual, '--dir', this.#folder, ...rest], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.once('error', () =>
        reject(new Error('redis-server is not installed: `node scripts/test-tools.js` installs it')),
      );
      child.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
      child.stdout!.on('data', (bytes: Buffer) => {
        said += bytes.toString();
        if (isReady.test(said)) {
          child.removeAllListeners('exit');
          resolve();
        }
      });
    });
  }

  async kill(): Promise<void> {
    const child = this.#process!;
    if (child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill('SIGKILL');
    await gone;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process!.kill(signal);
  }

  /** Resolves when the key is there; throws where `until` is over first. */
  has(key: string, until: Promise<unknown>): Promise<void> {
    return this.holds(key, '', until);
  }

  /** Resolves when what stands there matches; throws where `until` is over first. */
  async holds(key: string, pattern: string, until: Promise<unknown>): Promise<void> {
    const client = this.client();
    const isThere = async (): Promise<boolean> => {
      const text = await client.get(key).catch(() => null);
      return text !== null && new RegExp(pattern).test(text);
    };
    let over: unknown;
    void until.then((value) => {
      over = value;
    });
    try {
      while (!(await isThere())) {
        if (over !== undefined) {
          throw new Error(`it ended without ${key}: ${JSON.stringify(over)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      client.disconnect();
    }
  }

  client(password: string | null = null): Redis {
    const client = new Redis(this.url, password === null ? {} : { password });
    client.on('error', () => {});
    return client;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
