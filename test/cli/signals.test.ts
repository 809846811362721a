import { EventEmitter } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import { stopOnSignals } from '../../src/cli/signals.js';
import { Terminal } from '../../src/cli/terminal.js';
import type { EndReason } from '../../src/crawl/limits.js';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];

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
