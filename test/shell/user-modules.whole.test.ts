import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { ROOT } from './repository.js';

/** What people write in TypeScript and expect to be understood, with the values that the options then have. */
const PROJECT = {
  'gossamer.config.ts': `import { defineConfig } from 'gossamer';
import { Level, delay } from './lib/values.js';
import { more } from './lib/more';
import data from './lib/data.json';
import { one } from 'common';
import type { Nothing } from './lib/nowhere.js';
import { plain } from './lib/plain.js';
import { exported } from './lib/exported.js';
import old from './lib/old.cts';

enum Size { Small = 1, Big = 5 }
class Pair { constructor(private readonly n: number) {} get(): number { return this.n; } }
const one2: number = await Promise.resolve(1);
const nothing: Nothing | null = null;
const here: string = import.meta.filename!;

export default defineConfig({
  delay,
  workers: Size.Big + data.n + one2 + new Pair(1).get() + one,
  contact: [Level.High, more, plain, exported, old.kind, nothing, here.endsWith('gossamer.config.ts')].join(' '),
} satisfies Record<string, unknown> as never);
`,
  'lib/values.ts': `export const delay: string = '3s';\nexport enum Level { Low = 1, High = 3 }\n`,
  'lib/more.ts': `export const more = 'more' as const;\n`,
  'lib/data.json': '{ "n": 2 }',
  'lib/plain.js': `export const plain = 'module';\n`,
  'lib/exported.js': `exports.exported = 'common';\n`,
  'lib/old.cts': `const kind: string = 'cts';\nmodule.exports = { kind };\n`,
  'node_modules/common/index.js': 'exports.one = 1;\n',
  'throws.ts': `import { delay } from './lib/values.js';\n\ninterface Unused { a: 1 }\nthrow new Error(new Error(delay).stack!.split('\\n')[1]);\n`,
  'missing.ts': `import './lib/absent.js';\nexport default {};\n`,
  'wrong.ts': 'export default {\n  workers: : 5,\n};\n',
  'compiled.js': 'Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = { workers: 4 };\n',
};

it('a module of the user may be TypeScript and import what Node alone would not find', () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
  const run = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [join(ROOT, 'bin/gossamer.js'), 'crawl', 'a.test', '--print-config', '--json', ...args],
      {
        cwd: folder.path,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', NO_COLOR: '1' },
      },
    );
  const { stdout, stderr } = run();
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    delayMs: { value: 3000 },
    workers: { value: 10 },
    contact: { value: '3 more module common cts  true' },
  });
  expect(JSON.parse(run('--config', 'compiled.js').stdout)).toMatchObject({ workers: { value: 4 } });
  // Its own words, where it says them: lines are those of the file, and no name has a mark of ours.
  expect(run('--config', 'throws.ts').stderr).toMatch(/^error: \S+throws\.ts: +at \S*throws\.ts\S*:4:\d+\n$/);
  expect(run('--config', 'missing.ts').stderr).toMatch(
    /Cannot find module '\S+absent\.js' imported from \S+missing\.ts\n$/,
  );
  expect(run('--config', 'wrong.ts').stderr).toMatch(/wrong\.ts: .*\(2:12\)\n$/);
});
