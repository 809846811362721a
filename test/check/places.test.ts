import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderFiles } from '../../src/check/folder-files.js';
import { commonFolder, isBelow, placeBelow } from '../../src/check/places.js';

describe('the folder that files have in common', () => {
  it('is the deepest one', () => {
    expect(commonFolder(['/a/b/x.md', '/a/bc/y.md'], posix)).toBe('/a');
    expect(commonFolder(['/a/x.md', '/b/y.md'], posix)).toBe('/');
    expect(commonFolder(['C:\\a\\x.md', 'C:\\b\\y.md'], win32)).toBe('C:\\');
    expect(commonFolder(['C:\\a\\x.md'], win32)).toBe('C:\\a');
  });

  it('is found when a drive is written in two ways', () => {
    expect(commonFolder(['C:\\site\\x.md', 'c:\\site\\deep\\y.md'], win32)).toBe('C:\\site');
  });

  it('is none for files of two drives, which is said', () => {
    expect(() => commonFolder(['C:\\x.md', 'D:\\y.md'], win32)).toThrow('on several drives');
    expect(() => commonFolder(['C:\\x.md', '\\\\server\\share\\y.md'], win32)).toThrow('on several drives');
  });
});

describe('a place below a folder', () => {
  it('is written with slashes', () => {
    expect(placeBelow('C:\\site\\a\\b', 'C:\\site', win32)).toBe('a/b/');
    expect(placeBelow('/site/a/b', '/site', posix)).toBe('a/b/');
    expect(placeBelow('/site', '/site', posix)).toBe('');
  });

  it('is not on another drive, nor above, nor beside', () => {
    expect(placeBelow('D:\\site', 'C:\\site', win32)).toBeNull();
    expect(placeBelow('/a', '/a/b', posix)).toBeNull();
    expect(isBelow('/a/b', '/a/bc', posix)).toBe(false);
    expect(isBelow('/a/b', '/a/b/..c', posix)).toBe(true);
    expect(isBelow('/a/b', '/a/b', posix)).toBe(false);
  });
});

describe('a folder that is served', () => {
  let root: string;
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'gossamer-places-')));
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'about.html'), 'about');
    if (process.platform !== 'win32') {
      writeFileSync(join(root, 'about.html::$DATA'), 'about');
      writeFileSync(join(root, 'about.html.'), 'about');
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each(['about.html::$DATA', 'about.html%3A%3A$DATA', 'about.html.', 'docs/C:/about.html'])(
    'has no %s on Windows, where that may be another name of a file',
    async (path) => {
      expect(await new FolderFiles(root, 'never', 'win32').find(path)).toBeNull();
    },
  );

  it('has its files under their own names on each system', async () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(await new FolderFiles(root, 'never', platform).find('about.html')).toMatchObject({ kind: 'file' });
      expect(await new FolderFiles(root, 'always', platform).find('docs/')).toEqual({ kind: 'listing' });
    }
  });

  it.skipIf(process.platform === 'win32')('has a name with a colon where there are such names', async () => {
    expect(await new FolderFiles(root, 'never', 'linux').find('about.html::$DATA')).toMatchObject({ kind: 'file' });
  });
});
