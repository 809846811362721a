import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './contestant.js';
import { residentBytes } from './memory.js';
import { noting, type ThreadUse, watchThreads } from './threads.js';

/** What one run of a contestant cost, told by the system. */
export interface Cost {
  /** From the start of the first process to the end of the last. */
  readonly wallMs: number;
  /** User and system, of all processes; null where nothing can tell. */
  readonly cpuMs: number | null;
  /** Of the largest process of each command; null where nothing can tell. */
  readonly peakBytes: number | null;
  /** Of the first command that failed, else 0. */
  readonly exitCode: number;
  /** Why it was ended from outside, or null. */
  readonly stopped: string | null;
  /** Of the first command; null where nobody looked at them or nothing can tell. */
  readonly threads: readonly ThreadUse[] | null;
}

export interface RunOptions {
  /** A command that runs longer is stopped. */
  readonly timeLimitMs?: number;
  /** Only programs of Node can be looked at. */
  readonly watchesThreads?: boolean;
}

const TIME_LIMIT_MS = 300_000;
/** Past it a contestant would take the whole machine with it. */
const MEMORY_LIMIT_BYTES = 8 * 2 ** 30;
const WATCH_MS = 250;
/** GNU time: the only teller of a process's peak memory that need not be trusted to look often enough. */
const TIME_PROGRAM = '/usr/bin/time';

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach(endGroup));

/** Runs the commands at the same time. */
export async function runCommands(
  commands: readonly Command[],
  notesFolder: string,
  options: RunOptions = {},
): Promise<Cost> {
  mkdirSync(notesFolder, { recursive: true });
  // What an earlier run left to be written would slow this one.
  spawnSync('sync');
  const startedAt = performance.now();
  const runs = await Promise.all(
    commands.map((command, i) => runCommand(command, join(notesFolder, String(i)), options)),
  );
  const wallMs = performance.now() - startedAt;
  return {
    wallMs,
    cpuMs: sum(runs.map(({ cpuMs }) => cpuMs)),
    peakBytes: sum(runs.map(({ peakBytes }) => peakBytes)),
    exitCode: runs.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0,
    stopped: runs.find(({ stopped }) => stopped !== null)?.stopped ?? null,
    threads: runs[0]!.threads,
  };
}

/** The last lines that a command wrote to its standard error. */
export function lastWords(notesFolder: string): string {
  return readFileSync(join(notesFolder, '0.err'), 'utf8').trim().split('\n').slice(-3).join(' ').slice(-300);
}

function runCommand(
  { file, args, env, cwd }: Command,
  notes: string,
  { timeLimitMs = TIME_LIMIT_MS, watchesThreads = false }: RunOptions,
): Promise<Omit<Cost, 'wallMs'>> {
  const threadsFile = `${notes}.threads`;
  const timed = existsSync(TIME_PROGRAM);
  const line = timed ? [TIME_PROGRAM, '-q', '-f', '%U %S %M', '-o', `${notes}.time`, file, ...args] : [file, ...args];
  return new Promise((resolve, reject) => {
    const errors = openSync(`${notes}.err`, 'w');
    const child = spawn(line[0]!, line.slice(1), {
      stdio: ['ignore', 'ignore', errors],
      env: { ...process.env, ...env, ...(watchesThreads ? noting(threadsFile) : {}) },
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    closeSync(errors);
    running.add(child);
    const startedAt = performance.now();
    const threads = watchesThreads ? watchThreads(threadsFile) : null;
    let stopped: string | null = null;
    const watch = setInterval(() => {
      if (performance.now() - startedAt > timeLimitMs) {
        stopped = `not done after ${timeLimitMs / 1000} s`;
      } else if (residentBytes(child.pid!) > MEMORY_LIMIT_BYTES) {
        stopped = `stopped at ${MEMORY_LIMIT_BYTES / 2 ** 30} GiB`;
      }
      if (stopped !== null) {
        endGroup(child);
      }
    }, WATCH_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      running.delete(child);
      clearInterval(watch);
      resolve({
        exitCode: code ?? 1,
        stopped,
        threads: threads?.stop() ?? null,
        ...readTimes(timed && stopped === null ? `${notes}.time` : null),
      });
    });
  });
}

function endGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile, or never began.
  }
}

function readTimes(file: string | null): Pick<Cost, 'cpuMs' | 'peakBytes'> {
  if (file === null) {
    return { cpuMs: null, peakBytes: null };
  }
  const [user, system, peakKiB] = readFileSync(file, 'utf8').trim().split(' ').map(Number) as [number, number, number];
  return { cpuMs: (user + system) * 1000, peakBytes: peakKiB * 1024 };
}

const sum = (values: readonly (number | null)[]): number | null =>
  values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
