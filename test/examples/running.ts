import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Run } from '../crawl/support.js';

const LOADER = new URL('./typescript-loader.mjs', import.meta.url).href;
export const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
export const exampleFile = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** Starts an example as its first comment says, in a folder of its own. */
export function startExample(name: string, args: readonly string[], cwd: string) {
  return startNode(['--import', LOADER, exampleFile(name), ...args], cwd);
}

export function startNode(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: Run = { code: null, signal: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    run.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.stderr += text;
  });
  const ended = new Promise<Run>((resolve) => {
    child.on('close', (code, signal) => resolve({ ...run, code, signal }));
  });
  return { child, ended };
}
