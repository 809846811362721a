import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a thread is there for; several of one role count together. */
export const ROLES = ['main', 'lanes', 'store', 'V8', 'other'] as const;
export type Role = (typeof ROLES)[number];

/** What the threads of one role did, from the start of each until it was last seen. */
export interface ThreadUse {
  readonly role: Role;
  readonly threads: number;
  /** User and system. */
  readonly cpuMs: number;
  /** Of all of them added up. */
  readonly wallMs: number;
  /** The part of it in which they had something to do and no core to do it on. */
  readonly queuedMs: number;
}

/** A thread as Linux tells it; its start is counted from that of the machine. */
export interface ThreadTimes {
  readonly tid: number;
  readonly cpuMs: number;
  readonly startedMs: number;
}

/** One that was seen some time after its start. */
export interface SeenThread extends ThreadTimes {
  readonly lastSeenMs: number;
  readonly queuedMs: number;
}

/** A line that a thread wrote of itself: see thread-notes.cts. */
export interface ThreadNote {
  readonly pid: number;
  readonly tid: number;
  readonly isMain: boolean;
  /** The file that it runs. */
  readonly program: string;
  /** The threads that were there before the program began; only the main thread says so. */
  readonly helpers: readonly number[];
}

/** A thread lives on unseen for that long at most. */
const SAMPLE_MS = 100;
/** Linux counts in hundredths of a second wherever it tells programs of time, whatever its own clock does. */
const TICK_MS = 10;
const NOTES_PROGRAM = fileURLToPath(new URL('./thread-notes.cjs', import.meta.url));

/** The variables with which a program of Node, and each of its threads, writes its notes into the file. */
export const noting = (notesFile: string): Record<string, string> => ({
  BENCH_THREADS_FILE: notesFile,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(NOTES_PROGRAM)}`.trim(),
});

/** Looks at the threads of the process that writes the notes, until it is told to stop. */
export function watchThreads(notesFile: string): { stop(): ThreadUse[] | null } {
  const seen = new Map<number, SeenThread>();
  const timer = setInterval(() => {
    const pid = readNotes(notesFile).find(({ isMain }) => isMain)?.pid;
    if (pid !== undefined) {
      const lastSeenMs = uptimeMs();
      for (const thread of threadsOf(pid)) {
        const queuedMs = parseQueued(textOf(`/proc/${pid}/task/${thread.tid}/schedstat`));
        seen.set(thread.tid, { ...thread, lastSeenMs, queuedMs });
      }
    }
  }, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return seen.size === 0 ? null : usesOf([...seen.values()], readNotes(notesFile));
    },
  };
}

/** A line of /proc/PID/task/TID/stat. The second field is a name in brackets, which may itself hold brackets and spaces. */
export function parseThreadStat(line: string): ThreadTimes {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  // The third field of the manual page is the first one here.
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    tid: Number.parseInt(line, 10),
    cpuMs: (field(14) + field(15)) * TICK_MS,
    startedMs: field(22) * TICK_MS,
  };
}

/** A line of /proc/PID/task/TID/schedstat: ns on a core, ns of waiting for one, turns. 0 where the system does not tell. */
export const parseQueued = (line: string): number => Number(line.split(' ')[1] ?? 0) / 1e6;

/** Times by role, in the order of roles. Threads that did nothing at all are left out: Node always has a few, and they are no reserve. */
export function usesOf(seen: readonly SeenThread[], notes: readonly ThreadNote[]): ThreadUse[] {
  const roleOf = rolesBy(notes);
  return ROLES.map((role) => {
    const threads = seen.filter(({ tid, cpuMs }) => roleOf(tid) === role && cpuMs > 0);
    return {
      role,
      threads: threads.length,
      cpuMs: threads.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      wallMs: threads.reduce((sum, { startedMs, lastSeenMs }) => sum + lastSeenMs - startedMs, 0),
      queuedMs: threads.reduce((sum, { queuedMs }) => sum + queuedMs, 0),
    };
  }).filter(({ threads }) => threads > 0);
}

/** The share of its time in which a thread was on no core. Ticks are coarse: never below 0. */
export const idleShare = ({ cpuMs, wallMs }: Pick<ThreadUse, 'cpuMs' | 'wallMs'>): number =>
  wallMs <= 0 ? 0 : Math.max(0, 1 - cpuMs / wallMs);

/** How much of that it would have used, had there been a core. */
export const queuedShare = ({ queuedMs, wallMs }: Pick<ThreadUse, 'queuedMs' | 'wallMs'>): number =>
  wallMs <= 0 ? 0 : queuedMs / wallMs;

function rolesBy(notes: readonly ThreadNote[]): (tid: number) => Role {
  const main = notes.find(({ isMain }) => isMain);
  const roles = new Map<number, Role>((main?.helpers ?? []).map((tid) => [tid, 'V8']));
  for (const { pid, tid, isMain, program } of notes) {
    if (pid === main?.pid) {
      roles.set(tid, isMain ? 'main' : roleOfProgram(program));
    }
  }
  return (tid) => roles.get(tid) ?? 'other';
}

function roleOfProgram(program: string): Role {
  const name = basename(program);
  if (name.startsWith('lane-')) {
    return 'lanes';
  }
  return name.startsWith('store-') ? 'store' : 'other';
}

function readNotes(file: string): ThreadNote[] {
  return textOf(file)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ThreadNote);
}

/** None where the process has ended. */
function threadsOf(pid: number): ThreadTimes[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((tid) => textOf(`/proc/${pid}/task/${tid}/stat`))
      .filter(Boolean)
      .map(parseThreadStat);
  } catch {
    return [];
  }
}

const uptimeMs = (): number => Number(textOf('/proc/uptime').split(' ')[0]) * 1000;

/** Empty where there is no such file, or none any more. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
