import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type LoggedRequest, readLog } from '../web/log.js';

const SERVE = fileURLToPath(new URL('../../dist/test/web/serve.js', import.meta.url));

/** The web in a box as a process of its own: what it has seen survives the crawler. */
export interface WebProcess {
  readonly connectTo: string[];
  log(): LoggedRequest[];
  /** Resolves when `count` more requests have come, or `until` is over: true in the first case. */
  requests(count: number, until: Promise<unknown>): Promise<boolean>;
  close(): Promise<void>;
}

export async function openWebProcess(logFile: string, options: Record<string, string | number>): Promise<WebProcess> {
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(process.execPath, [SERVE, '--log', logFile, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { port } = JSON.parse(String(line)) as { port: number };
  const tail = new LogTail(logFile);
  return {
    connectTo: ['--connect-to', `::127.0.0.1:${port}`],
    log: () => readLog(logFile),
    requests: (count, until) => tail.wait(count, until),
    async close() {
      tail.close();
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Reads on where it stopped: a log of thousands of requests is looked at thousands of times. */
class LogTail {
  readonly #descriptor: number;
  readonly #piece = Buffer.alloc(1 << 20);
  #offset = 0;
  #rest = '';
  #seen = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
  }

  async wait(count: number, until: Promise<unknown>): Promise<boolean> {
    this.#read();
    const goal = this.#seen + count;
    let over = false;
    until.then(() => {
      over = true;
    });
    while (this.#seen < goal) {
      if (over) {
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      this.#read();
    }
    return !over;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #read(): void {
    for (let length = this.#fill(); length > 0; length = this.#fill()) {
      const lines = (this.#rest + this.#piece.toString('latin1', 0, length)).split('\n');
      this.#rest = lines.pop()!;
      // One line when a request comes, another when it ends: the first has its method.
      this.#seen += lines.filter((line) => line.includes('"method":')).length;
      this.#offset += length;
    }
  }

  #fill(): number {
    return readSync(this.#descriptor, this.#piece, 0, this.#piece.length, this.#offset);
  }
}
