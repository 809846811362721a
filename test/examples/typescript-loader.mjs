/**
 * `node --import` of this file runs TypeScript as it is, on each Node that the project supports: 20 cannot do it by itself, and 22 only where
 * nothing but types has to go.
 */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Node's own hook: the source of a module. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) {
    return next(url, context);
  }
  const { transform } = await import('esbuild');
  const { code } = await transform(await readFile(new URL(url), 'utf8'), { loader: 'ts', target: 'es2023' });
  return { format: 'module', source: code, shortCircuit: true };
}

if (isMainThread) {
  register(import.meta.url);
}
