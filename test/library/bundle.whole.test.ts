import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { VERSION } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A program of somebody else's that is put into one file with what it imports. */
const PROGRAM = `
import { createServer } from 'node:http';
import { crawl, VERSION } from 'gossamer';

const server = createServer((request, response) => {
  response.statusCode = request.url === '/robots.txt' ? 404 : 200;
  response.setHeader('content-type', 'text/html');
  const place = Number(request.url.slice(1));
  response.end(Array.from({ length: 20 }, (_, i) => '<a href="/' + ((place * 20 + i) % 100) + '">x</a>').join(''));
});
server.listen(0, '127.0.0.1', async () => {
  const seed = 'http://127.0.0.1:' + server.address().port + '/0';
  const answer = await crawl({ seeds: [seed], parseWorkers: 2 }).finished.then(
    ({ summary, reason }) => ({ version: VERSION, reason, done: summary.done }),
    ({ name, code, message }) => ({ name, code, message }),
  );
  console.log(JSON.stringify(answer));
  server.close();
});
`;
const root = fileURLToPath(new URL('../..', import.meta.url));
const THREADS = ['store-worker', 'lane-worker', 'converter-worker', 'module-hooks'];
const FINE = { version: VERSION, reason: 'complete', done: 100 };

const folder = mkdtempSync(join(tmpdir(), 'gossamer-bundle-'));
beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'gossamer'));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  // Not ours: the version is not to be taken from here.
  writeFileSync(join(folder, 'package.json'), '{ "version": "9.9.9" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function bundled(name: string, options: BuildOptions, withThreads: boolean): Promise<unknown> {
  const outdir = join(folder, name);
  const threads = withThreads ? Object.fromEntries(THREADS.map((thread) => [thread, `gossamer/${thread}`])) : {};
  const end = options.format === 'cjs' ? '.cjs' : '.mjs';
  await build({
    absWorkingDir: folder,
    entryPoints: { program: join(folder, 'program.mjs'), ...threads },
    bundle: true,
    platform: 'node',
    outdir,
    outExtension: { '.js': end },
    logLevel: 'silent',
    ...options,
  });
  if (withThreads) {
    cpSync(join(root, 'dist', 'sqlite'), join(outdir, 'sqlite'), { recursive: true });
  }
  const { stdout, stderr } = spawnSync(process.execPath, [join(outdir, `program${end}`)], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('a program that esbuild put into one file', () => {
  it('finds the threads that were bundled beside it, as ES modules', async () => {
    expect(await bundled('esm', { format: 'esm' }, true)).toEqual(FINE);
  });

  it('and as CommonJS', async () => {
    expect(await bundled('cjs', { format: 'cjs' }, true)).toEqual(FINE);
  });

  it('may leave the library outside', async () => {
    expect(await bundled('external', { format: 'esm', external: ['gossamer'] }, false)).toEqual(FINE);
  });

  it('is told what is missing where the threads are', async () => {
    const message = `there is no ${join(folder, 'alone', 'store-worker.js')}: leave gossamer out of the bundle (external: ['gossamer']), or bundle gossamer/store-worker, gossamer/lane-worker, gossamer/converter-worker and gossamer/module-hooks into the same folder; docs/LIBRARY.md says how`;
    expect(await bundled('alone', { format: 'esm' }, false)).toEqual({
      name: 'StateError',
      code: 'no_thread',
      message,
    });
  });
});

it('require() gives the library where Node can require ES modules, and Node says so where it cannot', () => {
  const { require_module: canRequire } = process.features as { require_module?: boolean };
  const load = () => (createRequire(join(folder, 'program.cjs'))('gossamer') as { VERSION: string }).VERSION;
  if (canRequire) {
    expect(load()).toBe(VERSION);
  } else {
    expect(load).toThrow(/import\(\)/);
  }
});
