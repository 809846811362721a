import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read } from './repository.js';

interface Import {
  from: string;
  to: string;
  /** It is named as the file of a thread, which is started and not imported. */
  isThread?: boolean;
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'|new URL\('(\.[^']*\.js)'/g;

/** What each file imports, as paths from src/. */
function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(IMPORT)].map((match) => ({
    from: file,
    to: normalize(join(dirname(file), match[1] ?? match[2]!)).replace(/\.js$/, '.ts'),
    isThread: match[2] !== undefined,
  }));
}

/** The folder of src/ that a file is in; the file itself where it stands in none. */
const folderOf = (path: string): string => path.split('/')[0]!;

/** The list of imports in ARCHITECTURE.md: each folder with those that it imports. */
function listedImports(markdown: string): Map<string, string[]> {
  const block = /^Imports go one way[\s\S]*?```\n([\s\S]*?)```/m.exec(markdown)![1]!;
  const lines = block.split('\n').filter((line) => line.trim() !== '');
  return new Map(
    lines.map((line) => {
      const [folder, imported] = line.split('→').map((part) => part.trim()) as [string, string];
      return [folder, imported === 'nothing' ? [] : imported.split(', ')];
    }),
  );
}

/** Imports between folders that the list does not have, and those of the list that no file makes. */
function differences(all: readonly Import[], listed: ReadonlyMap<string, readonly string[]>): string[] {
  const real = new Map<string, string>();
  for (const { from, to } of all) {
    const [folder, imported] = [folderOf(from), folderOf(to)];
    if (folder !== imported) {
      real.set(`${folder} → ${imported}`, `src/${from} imports src/${to}`);
    }
  }
  const allowed = [...listed].flatMap(([folder, imported]) => imported.map((each) => `${folder} → ${each}`));
  return [
    ...[...real]
      .filter(([edge]) => !allowed.includes(edge))
      .map(([edge, example]) => `${edge} is not listed: ${example}`),
    ...allowed.filter((edge) => !real.has(edge)).map((edge) => `${edge} is listed, and no file imports it`),
  ];
}

/** Names that can be reached from each other, by twos and more: each circle once, in order. */
function circles(all: readonly Import[], nameOf: (path: string) => string): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to, isThread } of all) {
    const [a, b] = [nameOf(from), nameOf(to)];
    if (a !== b && !isThread) {
      next.set(a, (next.get(a) ?? new Set()).add(b));
    }
  }
  const reached = new Map([...next.keys()].map((name) => [name, reachedFrom(name, next)]));
  const found = [...reached].map(([name, names]) => [name, ...names].filter((each) => reached.get(each)?.has(name)));
  return [...new Set(found.filter((names) => names.length > 0).map((names) => [...new Set(names)].sort().join(' ')))];
}

function reachedFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const each of next.get(name) ?? []) {
      if (!reached.has(each)) {
        reached.add(each);
        open.push(each);
      }
    }
  }
  return reached;
}

describe('imports go one way', () => {
  const sources = projectFiles()
    .filter((path) => /^src\/.*\.ts$/.test(path) && !path.startsWith('src/kernel/assembly/'))
    .map((path) => path.slice('src/'.length));
  const all = sources.flatMap((file) => importsOf(file, read(`src/${file}`)));
  const listed = listedImports(read('docs/ARCHITECTURE.md'));

  it('between folders they are just those that ARCHITECTURE.md lists', () => {
    expect(all.length).toBeGreaterThan(1000);
    expect(differences(all, listed)).toEqual([]);
  });

  it('every folder is listed, below those that it imports', () => {
    expect([...listed.keys()].sort()).toEqual([...new Set(sources.map(folderOf))].sort());
    const order = [...listed.keys()];
    const upwards = [...listed].flatMap(([folder, imported]) =>
      imported.filter((each) => order.indexOf(each) > order.indexOf(folder)).map((each) => `${folder} → ${each}`),
    );
    expect(upwards).toEqual([]);
  });

  it('no files import each other in a circle', () => {
    expect(circles(all, (path) => path).sort()).toEqual([]);
  });

  it('no folder imports from one within it that imports from it', () => {
    expect(circles(all, dirname).sort()).toEqual([]);
  });

  it('a wrong import of any form is seen', () => {
    const source = `import { a } from '../crawl/a.js';\nexport * from '../cli/b.js';\nimport type { C } from '../frontier/c.js';
      const d = await import('../report/d.js');\nimport '../fetch/e.js';\nnew Worker(new URL('../parse/f.js', import.meta.url));`;
    const imported = importsOf('store/x.ts', source);
    expect(differences(imported, new Map()).map((line) => line.split(' ').at(-1))).toEqual([
      'src/crawl/a.ts',
      'src/cli/b.ts',
      'src/frontier/c.ts',
      'src/report/d.ts',
      'src/fetch/e.ts',
      'src/parse/f.ts',
    ]);
    expect(differences(importsOf('store/x.ts', `import { keyOf } from '../url/identity.js';`), listed)).not.toContain(
      expect.stringContaining('src/store/x.ts'),
    );
    expect(differences([], new Map([['url', ['base']]]))).toEqual(['url → base is listed, and no file imports it']);
  });

  it('a circle of files or of folders is seen, and a chain is none', () => {
    const chain: Import[] = [
      { from: 'a/one.ts', to: 'a/two.ts' },
      { from: 'a/two.ts', to: 'a/in/three.ts' },
    ];
    expect(circles(chain, (path) => path)).toEqual([]);
    expect(circles(chain, dirname)).toEqual([]);
    const back = { from: 'a/in/three.ts', to: 'a/four.ts' };
    expect(circles([...chain, back], (path) => path)).toEqual([]);
    expect(circles([...chain, back], dirname)).toEqual(['a a/in']);
    const home = { from: 'a/in/three.ts', to: 'a/one.ts' };
    expect(circles([...chain, home], (path) => path)).toEqual(['a/in/three.ts a/one.ts a/two.ts']);
  });
});
