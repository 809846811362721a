import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isHeld, renameNow, whyNotRenamed } from '../../src/base/rename.js';
import { outputFailure } from '../../src/report/atomic-file.js';

const failure = (code: string): Error => Object.assign(new Error(`${code}: rename`), { code });

/** A system where the first renames fail. */
function host(platform: NodeJS.Platform, failures: readonly string[]) {
  const left = [...failures];
  const pauses: number[] = [];
  let tries = 0;
  return {
    platform,
    pauses,
    tries: () => tries,
    rename: () => {
      tries++;
      const code = left.shift();
      if (code !== undefined) {
        throw failure(code);
      }
    },
    pause: (ms: number) => void pauses.push(ms),
  };
}

describe('a rename', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) {
      rmSync(folder, { recursive: true });
    }
  });

  it('takes the place of a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gossamer-rename-'));
    folders.push(folder);
    writeFileSync(join(folder, 'new'), 'new');
    writeFileSync(join(folder, 'old'), 'old');
    renameNow(join(folder, 'new'), join(folder, 'old'));
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('new');
  });

  it('is tried again on Windows, where something has the file open for a moment', () => {
    const windows = host('win32', ['EPERM', 'EBUSY', 'EACCES']);
    renameNow('a', 'b', windows);
    expect(windows.tries()).toBe(4);
    expect(windows.pauses).toHaveLength(3);
  });

  it('fails in the end, after less than half a second', () => {
    const windows = host('win32', new Array(50).fill('EPERM'));
    expect(() => renameNow('a', 'b', windows)).toThrow('EPERM');
    expect(windows.pauses.length).toBeGreaterThan(2);
    expect(windows.pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(500);
  });

  it.each([
    ['linux', 'EPERM'],
    ['darwin', 'EBUSY'],
    ['win32', 'ENOENT'],
    ['win32', 'ENOSPC'],
  ] as const)('fails at once on %s for %s, which waiting does not mend', (platform, code) => {
    const there = host(platform, [code]);
    expect(() => renameNow('a', 'b', there)).toThrow(code);
    expect(there.pauses).toEqual([]);
  });

  it('says on Windows that a program may have the file open, and elsewhere that it is a matter of rights', () => {
    expect(isHeld(failure('EBUSY'), 'win32')).toBe(true);
    expect(isHeld(failure('EBUSY'), 'linux')).toBe(false);
    expect(whyNotRenamed(failure('EPERM'), 'win32')).toContain('close what uses it');
    expect(whyNotRenamed(failure('EPERM'), 'linux')).toBe('EPERM: rename');
    expect(outputFailure('pages.csv', failure('EPERM'), 'win32').message).toBe(
      'cannot write pages.csv: another program has it open, or you may not write there',
    );
    expect(outputFailure('pages.csv', failure('EPERM'), 'linux').message).toBe('cannot write pages.csv: no permission');
  });
});
