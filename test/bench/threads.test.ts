import { expect, test } from 'vitest';
import { threadCells } from '../../bench/thread-cells.js';
import { idleShare, parseQueued, parseThreadStat, queuedShare, type ThreadNote, usesOf } from '../../bench/threads.js';

const note = (facts: Partial<ThreadNote>): ThreadNote => ({
  pid: 10,
  tid: 10,
  isMain: false,
  program: '',
  helpers: [],
  ...facts,
});
const seen = (tid: number, cpuMs: number) => ({ tid, cpuMs, startedMs: 500, lastSeenMs: 1500, queuedMs: 20 });

test('a line of Linux gives the CPU time of a thread and its start, whatever its name is', () => {
  const line = (name: string) =>
    `9818 (${name}) S 9805 9800 9800 0 -1 4194368 1218 0 3 0 412 35 7 8 20 0 12 0 123456 1137639424 12345 0 0`;
  const times = { tid: 9818, cpuMs: 4470, startedMs: 1_234_560 };
  expect(parseThreadStat(line('node'))).toEqual(times);
  expect(parseThreadStat(line('a) R 1 2 (b'))).toEqual(times);
});

test('threads are told apart by what they wrote of themselves, and the others by whether they were there before the program', () => {
  const notes = [
    note({ isMain: true, program: '/x/bin/gossamer.js', helpers: [10, 11, 12] }),
    note({ tid: 20, program: '/x/store-worker.js' }),
    note({ tid: 21, program: '/x/lane-worker.js' }),
    note({ tid: 22, program: '/x/lane-worker.js' }),
  ];
  const threads = [
    seen(10, 700),
    seen(11, 100),
    seen(12, 50),
    seen(20, 300),
    seen(21, 900),
    seen(22, 500),
    seen(15, 10),
  ];
  expect(usesOf(threads, notes)).toEqual([
    { role: 'main', threads: 1, cpuMs: 700, wallMs: 1000, queuedMs: 20 },
    { role: 'lanes', threads: 2, cpuMs: 1400, wallMs: 2000, queuedMs: 40 },
    { role: 'store', threads: 1, cpuMs: 300, wallMs: 1000, queuedMs: 20 },
    { role: 'V8', threads: 2, cpuMs: 150, wallMs: 2000, queuedMs: 40 },
    { role: 'other', threads: 1, cpuMs: 10, wallMs: 1000, queuedMs: 20 },
  ]);
});

test('threads that never ran and roles that nobody has are left out', () => {
  const notes = [note({ isMain: true, helpers: [10, 11] })];
  expect(usesOf([seen(10, 1000), seen(11, 0)], notes).map(({ role }) => role)).toEqual(['main']);
});

test('what a process wrote that the program started counts for nothing', () => {
  const notes = [note({ isMain: true }), note({ pid: 30, tid: 30, isMain: true }), note({ pid: 30, tid: 11 })];
  expect(usesOf([seen(10, 5), seen(11, 5)], notes).map(({ role }) => role)).toEqual(['main', 'other']);
});

test('the idle share is that of the time without CPU, and never below nothing', () => {
  expect(idleShare({ cpuMs: 250, wallMs: 1000 })).toBe(0.75);
  expect(idleShare({ cpuMs: 1010, wallMs: 1000 })).toBe(0);
  expect(idleShare({ cpuMs: 0, wallMs: 0 })).toBe(0);
});

test('waiting for a core is a part of that, and unknown where the system does not tell', () => {
  expect(parseQueued('4470123456 250000000 812\n')).toBe(250);
  expect(parseQueued('')).toBe(0);
  expect(queuedShare({ queuedMs: 250, wallMs: 1000 })).toBe(0.25);
  expect(queuedShare({ queuedMs: 0, wallMs: 0 })).toBe(0);
});

test('a cell is the median of the runs that know, and a dash where none does', () => {
  const run = (cpuMs: number) => ({
    threads: [{ role: 'lanes', threads: 2, cpuMs, wallMs: 1000, queuedMs: 50 } as const],
    count: 100,
  });
  expect(threadCells([run(100), run(900), run(200), { threads: null, count: 100 }])).toEqual([
    '–',
    '2 × 2,000 (80 %, 5 %)',
    '–',
    '–',
    '–',
  ]);
});
