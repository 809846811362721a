import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
// As it is built: the loader of a test runner would read TypeScript in our place.
import { loadConfigFile } from '../../dist/src/config/config-file.js';
import { temporaryFolder } from '../crawl/support.js';

const { path: folder, remove } = temporaryFolder();
afterAll(remove);

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const load = (config: string) => loadConfigFile({ flags: { config }, env: {}, cwd: folder });

test.each([
  ['a.js', 'const delay = "2s";\nexport default { delay };'],
  ['b.js', 'module.exports = { delay: "2s" };'],
  ['c.mjs', 'export default { delay: "2s" };'],
  ['d.ts', 'const delay: string = "2s";\nexport default { delay } satisfies { delay: string };'],
  ['e.mts', 'const delay: string = "2s";\nexport default { delay };'],
  ['f.ts', 'const delay: string = "2s";\nmodule.exports = { delay };'],
])('%s is read: %s', async (name, text) => {
  write(name, text);
  expect(await load(name)).toEqual({ path: path.join(folder, name), folder, values: { delay: '2s' } });
});

test('a module that has changed is read again, and so is what it imports', async () => {
  write('main.ts', 'import { delay } from "./part";\nexport default { delay };');
  write('part.ts', 'export const delay: string = "2s";');
  expect((await load('main.ts'))?.values).toEqual({ delay: '2s' });
  write('part.ts', 'export const delay: string = "3s";');
  expect((await load('main.ts'))?.values).toEqual({ delay: '3s' });
});

test('one without a default export or with a fault is named', async () => {
  write('named.ts', 'export const delay = 1;');
  await expect(load('named.ts')).rejects.toThrow('named.ts: must have a default export');
  write('throws.ts', 'throw new Error("no luck");');
  await expect(load('throws.ts')).rejects.toThrow(/throws\.ts: .*no luck/);
  write('syntax.ts', 'export default {{');
  await expect(load('syntax.ts')).rejects.toThrow(/syntax\.ts: /);
});
