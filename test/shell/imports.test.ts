import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read } from './repository.js';

const BELOW_CLI = [
  ...['base', 'url', 'store', 'hosts', 'fetch', 'parse', 'frontier', 'report', 'config', 'crawl', 'explain', 'check'],
  ...['content', 'corpus', 'docs'],
];

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  kernel: [],
  config: ['base', 'url'],
  url: ['base'],
  store: ['base', 'url'],
  hosts: ['base', 'url'],
  fetch: ['base', 'url'],
  parse: ['base', 'kernel', 'url', 'store'],
  content: ['base', 'url', 'parse'],
  seeding: ['base', 'url', 'fetch'],
  frontier: ['base', 'url', 'store', 'hosts'],
  report: ['base', 'url', 'store', 'parse', 'config'],
  corpus: ['base', 'url', 'store', 'report'],
  explain: ['base', 'url', 'store', 'hosts', 'parse', 'config'],
  render: ['base'],
  crawl: [
    ...[
      'base',
      'kernel',
      'url',
      'store',
      'hosts',
      'fetch',
      'parse',
      'seeding',
      'frontier',
      'report',
      'content',
      'render',
      'config',
    ],
  ],
  check: ['base', 'url', 'store', 'hosts', 'fetch', 'parse', 'seeding', 'frontier', 'report', 'config', 'crawl'],
  docs: ['base', 'url', 'store', 'parse', 'content', 'corpus', 'config', 'crawl'],
  cli: [...BELOW_CLI],
  '.': [...BELOW_CLI],
};

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'|new URL\('(\.[^']*\.js)'/g;

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '.');

/** Imports that leave their folder, as paths from src/. */
function imports(file: string, source: string): { from: string; to: string }[] {
  return [...source.matchAll(IMPORT)]
    .map((match) => ({ from: file, to: normalize(join(dirname(file), match[1] ?? match[2]!)) }))
    .filter(({ from, to }) => folderOf(from) !== folderOf(to));
}

function violations(all: { from: string; to: string }[]): string[] {
  return all
    .filter(({ from, to }) => !(MAY_IMPORT[folderOf(from)] ?? []).includes(folderOf(to)))
    .map(({ from, to }) => `src/${from} must not import src/${to}`);
}

/** The drawing: from each folder to those that an arrow leads to. */
function drawing(markdown: string): Map<string, Set<string>> {
  const drawn = new Map<string, Set<string>>();
  const block = /^Imports go one way[\s\S]*?```\n([\s\S]*?)```/m.exec(markdown)![1]!;
  const draw = (from: string[], to: string[]): void => {
    for (const folder of from) {
      drawn.set(folder, new Set([...(drawn.get(folder) ?? []), ...to]));
    }
  };
  for (const part of block.split(/\n| {4,}/).filter((each) => each.trim() !== '')) {
    const folders = part.split('→').map((step) => step.split(',').map((folder) => folder.trim()));
    for (const [i, to] of folders.slice(1).entries()) {
      draw(folders[i]!, to);
    }
  }
  return drawn;
}

function reachedFrom(folder: string, drawn: Map<string, Set<string>>, seen = new Set<string>()): Set<string> {
  for (const next of drawn.get(folder) ?? []) {
    if (!seen.has(next)) {
      reachedFrom(next, drawn, seen.add(next));
    }
  }
  return seen;
}

describe('imports go one way', () => {
  const sources = projectFiles()
    .filter((path) => /^src\/.*\.ts$/.test(path))
    .map((path) => path.slice('src/'.length));

  it('no folder of src/ imports from one that stands above it', () => {
    const all = sources.flatMap((file) => imports(file, read(`src/${file}`)));
    expect(all.length).toBeGreaterThan(100);
    expect(violations(all)).toEqual([]);
  });

  it('every folder of src/ has its place in the order', () => {
    expect([...new Set(sources.map(folderOf))].filter((folder) => MAY_IMPORT[folder] === undefined)).toEqual([]);
  });

  it('the drawing in ARCHITECTURE.md shows every import, and no arrow that is none', () => {
    const drawn = drawing(read('docs/ARCHITECTURE.md'));
    const real = sources
      .flatMap((file) => imports(file, read(`src/${file}`)))
      .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
      .filter(({ from }) => from !== '.');
    const missing = real.filter(({ from, to }) => !reachedFrom(from, drawn).has(to));
    expect([...new Set(missing.map(({ from, to }) => `${from} → ${to}`))]).toEqual([]);
    const idle = [...drawn].filter(
      ([from, to]) => ![...to].some((each) => real.some((r) => r.from === from && r.to === each)),
    );
    expect(idle.map(([from]) => from)).toEqual([]);
    expect(drawn.size).toBe(new Set(sources.map(folderOf)).size - 3); // Not the folders that import nothing, nor src/ itself.
  });

  it('a wrong import of any form is seen', () => {
    const source = `import { a } from '../crawl/a.js';\nexport * from '../cli/b.js';\nimport type { C } from '../frontier/c.js';
      const d = await import('../report/d.js');\nimport '../fetch/e.js';\nnew Worker(new URL('../parse/f.js', import.meta.url));`;
    expect(violations(imports('store/x.ts', source)).map((line) => line.split(' ').at(-1))).toEqual([
      'src/crawl/a.js',
      'src/cli/b.js',
      'src/frontier/c.js',
      'src/report/d.js',
      'src/fetch/e.js',
      'src/parse/f.js',
    ]);
    expect(violations(imports('store/x.ts', `import { keyOf } from '../url/key.js';`))).toEqual([]);
  });
});
