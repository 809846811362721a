import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBrowser } from '../../src/crawl/render/browser.js';

let folder: string;
let chrome: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-browser-'));
  chrome = join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe');
  mkdirSync(join(chrome, '..'), { recursive: true });
  writeFileSync(chrome, '', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'])('a browser of Windows is found in %s', async (name) => {
  expect(await findBrowser({ [name]: folder })).toBe(chrome);
});

it('no browser is looked for in a folder that is no whole path', async () => {
  expect(await findBrowser({ LOCALAPPDATA: 'Google', PATH: '.' })).not.toBe(chrome);
});
