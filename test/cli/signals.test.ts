import { EventEmitter } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import { stopOnSignals } from '../../src/cli/signals.js';
import { Terminal } from '../../src/cli/terminal.js';
import type { EndReason } from '../../src/crawl/ending.js';
import { EmulatedTerminal } from './screen.js';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  /** What was on the screen, and who listened, each time the process was suspended. */
  readonly suspensions: { screen: string[]; listeners: number }[] = [];
  screen: EmulatedTerminal | null = null;

  suspend(): void {
    this.suspensions.push({ screen: this.screen?.text ?? [], listeners: this.listenerCount('SIGTSTP') });
    this.screen?.write('[1]+  Stopped\n$ fg\n');
  }

  exit(code: number): void {
    this.exits.push(code);
  }
}

const GRACE_MS = 5_000;
let now: number;
let host: FakeProcess;
let stops: [EndReason, number][];
let said: string;
let unhook: () => void;

beforeEach(() => {
  now = 1_000;
  host = new FakeProcess();
  stops = [];
  said = '';
  const clock = { now: () => now, wall: () => now, at: () => () => {} };
  const stream = { write: (text: string) => (said += text) };
  unhook = stopOnSignals(
    {
      run: { stop: (reason, graceMs) => stops.push([reason, graceMs]) },
      graceMs: GRACE_MS,
      terminal: new Terminal({ stream, clock, color: false, quiet: false, env: {} }),
      afterwards: '`gossamer resume d` goes on',
    },
    { clock, host },
  );
});

it.each([
  ['SIGINT', 'interrupted', 'press Ctrl+C again to quit now'],
  ['SIGTERM', 'terminated', 'send the signal again to quit now'],
  ['SIGHUP', 'terminated', 'send the signal again to quit now'],
  ['SIGBREAK', 'terminated', 'send the signal again to quit now'],
])('a first %s lets what is under way finish, and says how to quit at once', (signal, reason, how) => {
  host.emit(signal);
  expect([stops, host.exits]).toEqual([[[reason, GRACE_MS]], []]);
  expect(said).toBe(`stopping: waiting for what is under way; ${how}\n`);
});

it('two within a tenth of a second are one, whichever they are', () => {
  host.emit('SIGTERM');
  now += 99;
  host.emit('SIGTERM');
  host.emit('SIGINT');
  expect([stops.length, host.exits]).toEqual([1, []]);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
])('a second %s later than that ends the process with %i, and says what to type', (signal, code) => {
  host.emit(signal);
  now += 100;
  host.emit(signal);
  expect([stops.length, host.exits]).toEqual([1, [code]]);
  expect(said).toMatch(/stopped at once; `gossamer resume d` goes on\n$/);
});

it('nobody listens any more once it is taken back', () => {
  unhook();
  expect(host.eventNames()).toEqual([]);
});

it('Ctrl+Z takes the view away, suspends the process as if nobody listened, and the view comes back below what was said meanwhile', () => {
  const clock = { now: () => now, wall: () => now, at: () => () => {} };
  const screen = new EmulatedTerminal(40, 10);
  const terminal = new Terminal({ stream: screen, clock, color: false, quiet: false, env: {} });
  host = new FakeProcess();
  host.screen = screen;
  stopOnSignals({ run: { stop: () => {} }, graceMs: GRACE_MS, terminal, afterwards: '' }, { clock, host });
  terminal.line('news');
  terminal.progress({ forms: ['one'], lines: () => ['one', 'two'] });
  host.emit('SIGTSTP');
  host.emit('SIGTSTP');
  expect(host.suspensions).toEqual([
    { screen: ['news'], listeners: 0 },
    { screen: ['news', '[1]+  Stopped', '$ fg'], listeners: 0 },
  ]);
  expect(screen.text).toEqual(['news', '[1]+  Stopped', '$ fg', '[1]+  Stopped', '$ fg', 'one', 'two']);
});

it('a second Ctrl+C takes the view away for good before the last line', async () => {
  const clock = { now: () => now, wall: () => now, at: () => () => {} };
  const screen = new EmulatedTerminal(80, 10);
  const terminal = new Terminal({ stream: screen, clock, color: false, quiet: false, env: {} });
  stopOnSignals({ run: { stop: () => {} }, graceMs: GRACE_MS, terminal, afterwards: 'bye' }, { clock, host });
  terminal.progress({ forms: ['one'] });
  host.emit('SIGINT');
  await Promise.resolve();
  expect(screen.text.at(-1)).toBe('one');
  now += 100;
  host.emit('SIGINT');
  terminal.progress({ forms: ['late'] });
  await Promise.resolve();
  expect(screen.text.slice(1)).toEqual(['stopped at once; bye']);
});
