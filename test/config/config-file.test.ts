import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import { loadConfigFile } from '../../src/config/config-file.js';
import { findJsonFault } from '../../src/config/json-fault.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gossamer-config-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const load = (config?: string, env: Record<string, string> = {}) =>
  loadConfigFile({ flags: config === undefined ? {} : { config }, env, cwd: folder });

test('no config file is no fault', async () => {
  expect(await load()).toBeNull();
});

test('gossamer.config.json in the current folder is read', async () => {
  const name = 'gossamer.config.json';
  write(name, '\ufeff{ "delay": "2s" }');
  expect(await load()).toEqual({ path: path.join(folder, name), folder, values: { delay: '2s' } });
});

test('--config wins over GOSSAMER_CONFIG, and both over the current folder', async () => {
  write('gossamer.config.json', '{"workers":1}');
  write('a.json', '{"workers":2}');
  write('b.json', '{"workers":3}');
  expect((await load('b.json', { GOSSAMER_CONFIG: 'a.json' }))?.values).toEqual({ workers: 3 });
  expect((await load(undefined, { GOSSAMER_CONFIG: 'a.json' }))?.values).toEqual({ workers: 2 });
  expect((await load())?.values).toEqual({ workers: 1 });
});

test('two config files in one folder are refused', async () => {
  write('gossamer.config.json', '{}');
  write('gossamer.config.ts', 'export default {}');
  await expect(load()).rejects.toThrow(/gossamer\.config\.ts and gossamer\.config\.json are both in .*--config/);
});

test.each([
  ['{\n  "a": 1,\n  "b" 2\n}', 'not JSON at line 3: unexpected 2'],
  ['{\n  "a": 1,\n}', 'not JSON at line 3: unexpected }'],
  ["{\n  'a': 1\n}", "not JSON at line 2: unexpected 'a': 1"],
  ['{\n  "a": [1, 2\n', 'not JSON at line 3: it ends too early'],
  ['', 'not JSON at line 1: it ends too early'],
  ['{} x', 'not JSON at line 1: unexpected x'],
  ['[]', 'must hold an object of options'],
  ['null', 'must hold an object of options'],
])('the JSON %j is refused with file and line', async (text, message) => {
  write('c.json', text);
  const failure = load('c.json');
  await expect(failure).rejects.toThrow(StateError);
  await expect(failure).rejects.toThrow(`${path.join(folder, 'c.json')}: ${message}`);
});

test.each(['c.json', 'c.ts', 'c.js'])('bytes of %s that are no text are refused with file and line', async (name) => {
  writeFileSync(path.join(folder, name), Buffer.from('{\n  "contact": "Andr\xe9"\n}', 'latin1'));
  await expect(load(name)).rejects.toThrow(`${path.join(folder, name)}: line 2 is not UTF-8`);
  writeFileSync(path.join(folder, name), '{}\n\n\0');
  await expect(load(name)).rejects.toThrow(`${path.join(folder, name)}: line 3 holds a NUL character`);
});

test('a fault is found in exactly the texts that JSON.parse refuses', () => {
  const nearlyJson = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', ':', '\\', ' ', '0', 'x', '\n'))
    .map(([text, at, mark]) => text.slice(0, at % (text.length + 1)) + mark + text.slice((at % (text.length + 1)) + 1));
  fc.assert(
    fc.property(fc.oneof(fc.json(), nearlyJson), (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      expect(findJsonFault(text) === null).toBe(valid);
    }),
    { numRuns: 2000 },
  );
});

test('a config file that is missing or of another kind is named', async () => {
  await expect(load('none.json')).rejects.toThrow('none.json: there is no such config file');
  await expect(load('config.yaml')).rejects.toThrow('config.yaml: a config file ends in .ts, .js or .json');
});
