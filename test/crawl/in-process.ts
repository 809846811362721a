import { AsyncLocalStorage } from 'node:async_hooks';
import { tmpdir } from 'node:os';
import { Writable } from 'node:stream';
import type { Run } from './support.js';

/** What a command line that is played finds where a process has its own. */
interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Kept;
  readonly stderr: Kept;
}

/** A stream that keeps what is written to it; no terminal. */
class Kept extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, written: () => void): void {
    this.text += chunk.toString();
    written();
  }
}

const surroundings = new AsyncLocalStorage<Surroundings>();
const own = { cwd: process.cwd.bind(process), env: process.env, stdout: process.stdout, stderr: process.stderr };

process.cwd = () => surroundings.getStore()?.cwd ?? own.cwd();
for (const name of ['env', 'stdout', 'stderr'] as const) {
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: () => surroundings.getStore()?.[name] ?? own[name],
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ownListeners = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));

/** Variables that Node reads from the real environment, whatever `process.env` says. */
const OF_NODE = /^(?:HOME|TMPDIR|TMP|TEMP|TZ|(?:NODE|UV|SSL|SQLITE)_.*)$/;

/** The program as it is built: what bin/gossamer.js calls. */
const PROGRAM = new URL('../../dist/bundle/main.js', import.meta.url).href;

/**
 * Plays a command line without a process of its own, many at a time if need be: a start costs ten times what most commands do. Folder,
 * variables and streams are those of the call. Signals, stdin, memory and the end of the process belong to `gossamer()`, which starts one.
 */
export async function inProcess(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Run> {
  const { main } = (await import(/* @vite-ignore */ PROGRAM)) as typeof import('../../src/cli/main.js');
  const unheard = Object.keys(options.env ?? {}).filter((name) => OF_NODE.test(name));
  if (unheard.length > 0) {
    throw new Error(`${unheard.join(', ')} would change nothing here: use gossamer()`);
  }
  const [stdout, stderr] = [new Kept(), new Kept()];
  const env = { PATH: own.env.PATH ?? '', NO_COLOR: '1', ...options.env };
  try {
    const code = await surroundings.run({ cwd: options.cwd ?? tmpdir(), env, stdout, stderr }, () => main(args));
    return { code, signal: null, stdout: stdout.text, stderr: stderr.text };
  } finally {
    // A command that ends with its process leaves them behind.
    for (const signal of SIGNALS) {
      for (const listener of process.listeners(signal)) {
        if (!ownListeners.has(listener)) {
          process.off(signal, listener);
        }
      }
    }
  }
}
