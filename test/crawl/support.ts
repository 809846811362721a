import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const BIN = fileURLToPath(new URL('../../bin/gossamer.js', import.meta.url));

export interface Run {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs the program as its user does, in a folder of its own. */
export function gossamer(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): Promise<Run> {
  return start(args, options).ended;
}

export function start(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string; keepsInputOpen?: boolean } = {},
) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (options.keepsInputOpen !== true) {
    child.stdin.end(options.input ?? '');
  }
  const ended = new Promise<Run>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended, stderr: () => stderr };
}

/** A folder that is gone when the test is over. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'gossamer-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface PageLine {
  description: string | null;
  url: string;
  state: string;
  reason: string | null;
  status: number | null;
  finalUrl: string | null;
  depth: number;
  title: string | null;
  contentType: string | null;
  bytes: number;
  links: number;
  hash: string | null;
  attempts: number;
  message?: string | null;
  parent?: string | null;
  data?: Record<string, unknown> | null;
}

export function readLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

export const readPages = (directory: string): PageLine[] =>
  readLines<PageLine>(readFileSync(join(directory, 'pages.jsonl'), 'utf8'));
export const readSummary = (directory: string) => JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8'));

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
