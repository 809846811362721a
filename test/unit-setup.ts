/**
 * Runs before every file of the project `unit`. Those files share threads, so they stay within them: no socket, no process, no thread, and
 * nothing changed in the process that the next file would find. A test that needs one of these belongs to `whole`.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';
import { afterAll, beforeAll, expect, vi } from 'vitest';

/** What the tests of this file tried and may not. It fails the file, since a crawler takes a connection that fails for a matter of course. */
export const refused: string[] = [];

/** Replaces a function or class of Node by one that throws. */
function refuse(owner: object, name: string, what: string): void {
  function refusal(): never {
    refused.push(what);
    throw new Error(`${what} in a unit test: give the file the ending .whole.test.ts`);
  }
  Object.defineProperty(owner, name, { value: refusal, writable: true, configurable: true });
}

refuse(net.Socket.prototype, 'connect', 'a connection');
refuse(net.Server.prototype, 'listen', 'a server');
refuse(dgram, 'createSocket', 'a socket');
refuse(workerThreads, 'Worker', 'a thread');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  refuse(childProcess, name, 'a process');
}
syncBuiltinESMExports();

let before: Map<string, unknown>;
beforeAll(() => {
  before = processState();
});
afterAll(() => {
  const after = processState();
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name));
  expect({ refused, changed }, 'nothing refused, nothing left changed in the process').toEqual({
    refused: [],
    changed: [],
  });
});

/** What of the process a test could change for the files after it. */
function processState(): Map<string, unknown> {
  return new Map<string, unknown>([
    ['cwd', process.cwd()],
    ['exit code', process.exitCode],
    ['fake timers', vi.isFakeTimers()],
    ...Object.entries(process.env).map(([name, value]) => [`environment: ${name}`, value] as const),
    ...process.eventNames().map((name) => [`listeners: ${String(name)}`, process.listenerCount(name)] as const),
  ]);
}
