import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { refused } from '../unit-setup.js';
import { projectFiles, read } from './repository.js';

const IMPORT = /(?<!\b(?:import|export) type [^;]*)(?:\bfrom|\bimport)\s*\(?\s*'([^']*)'/g;
/** What the setup file of unit tests cannot see: the built program, which may be an old one, and what changes a module for all later files of the thread. */
const WHOLE = {
  'the built program': /(?:\bfrom|\bimport)\s*\(?\s*'gossamer'|'[^']*\bdist\/[^']*'/,
  'vi.mock': /\bvi\.(?:do)?[mM]ock\(/,
  'a changed prototype': /\.prototype\.\w+ = /,
};

const isUnit = (path: string): boolean => path.endsWith('.test.ts') && !path.endsWith('.whole.test.ts');

type Files = ReadonlyMap<string, string>;

/** A file and all files of test/ that it imports, itself or through others. */
function withHelpers(path: string, files: Files, seen = new Set<string>()): Set<string> {
  seen.add(path);
  for (const [, to] of files.get(path)!.matchAll(IMPORT)) {
    const file = join(dirname(path), to!).replace(/\.js$/, '.ts');
    if (files.has(file) && !seen.has(file)) {
      withHelpers(file, files, seen);
    }
  }
  return seen;
}

/** What in a unit test belongs to the whole ones. */
function misplaced(path: string, files: Files): string[] {
  return [...withHelpers(path, files)].flatMap((file) =>
    Object.entries(WHOLE)
      .filter(([, pattern]) => pattern.test(files.get(file)!))
      .map(([what]) => `${path} uses ${what}${file === path ? '' : ` through ${file}`}`),
  );
}

describe('unit tests', () => {
  it.each<[string, () => unknown]>([
    ['connect', () => connect(1, '127.0.0.1')],
    ['connect by TLS', () => connectTls(1, '127.0.0.1')],
    ['connect by HTTP/2', () => connectHttp2('http://127.0.0.1:1')],
    ['ask by HTTP', () => get('http://127.0.0.1:1')],
    ['listen', () => createServer().listen(0, '127.0.0.1')],
    ['have a socket', () => createSocket('udp4')],
    ['start a process', () => spawn(process.execPath)],
    ['wait for a process', () => spawnSync(process.execPath)],
    ['run a file', () => execFileSync(process.execPath)],
    ['start a thread', () => new Worker('')],
  ])('cannot %s', (_, act) => {
    expect(act).toThrow('in a unit test: give the file the ending .whole.test.ts');
    // Otherwise this file would fail for it at its end, even where the error is caught.
    expect(refused.splice(0)).toHaveLength(1);
  });

  it('need no build and change no module', () => {
    const paths = projectFiles().filter((path) => /^test\/.*\.ts$/.test(path));
    const files = new Map(paths.map((path) => [path, read(path)]));
    const unit = paths.filter((path) => isUnit(path) && path !== 'test/shell/test-projects.test.ts');
    expect(unit.length).toBeGreaterThan(100);
    expect(unit.flatMap((path) => misplaced(path, files))).toEqual([]);
  });

  it('are seen where they do', () => {
    const files = new Map([
      ['test/a.test.ts', `import { b } from './x/b.js';\nimport type { D } from './d.js';\nvi.mock('../src/e.js');`],
      ['test/x/b.ts', `const { c } = await import('./c.js');`],
      ['test/x/c.ts', `import { crawl } from 'gossamer';\nimport './b.js';`],
      ['test/e.test.ts', `import { type F, f } from './f.js';`],
      ['test/f.ts', 'Map.prototype.set = function () {};'],
      ['test/d.ts', `const built = new URL('../dist/bundle/main.js', import.meta.url);`],
    ]);
    expect(misplaced('test/a.test.ts', files)).toEqual([
      'test/a.test.ts uses vi.mock',
      'test/a.test.ts uses the built program through test/x/c.ts',
    ]);
    expect(misplaced('test/e.test.ts', files)).toEqual(['test/e.test.ts uses a changed prototype through test/f.ts']);
    expect(misplaced('test/d.ts', files)).toEqual(['test/d.ts uses the built program']);
  });
});
