import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFiles } from '../../src/check/glob-files.js';

let cwd: string;
/** Windows lets only administrators make links; what needs them is left out there. */
const NO_LINKS = process.platform === 'win32';

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gossamer-glob-'));
  const files = ['README.md', 'a[1].md', 'notes.txt', '.hidden.md', 'docs/B.MD', 'docs/a.md', 'docs/x.markdown'];
  files.push('docs/deep/er/c.md', 'docs/é ü.md', 'docs/.secret/d.md', 'docs/node_modules/p/e.md', 'other/f.md');
  files.push('.github/g.md', 'docs/deep/h.mdx', 'node_modules/q/i.md', 'n (1)/{x}2.md', 'n (1)/2.md');
  for (const file of files) {
    mkdirSync(join(cwd, file, '..'), { recursive: true });
    writeFileSync(join(cwd, file), '');
  }
  if (NO_LINKS) {
    mkdirSync(join(cwd, 'docs/linked'));
    writeFileSync(join(cwd, 'docs/linked/f.md'), '');
    return;
  }
  symlinkSync('..', join(cwd, 'docs/deep/loop'));
  symlinkSync(join(cwd, 'docs/self'), join(cwd, 'docs/self'));
  symlinkSync('../other', join(cwd, 'docs/linked'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const find = (...patterns: string[]) => findFiles(patterns, { cwd });

describe('files are found', () => {
  it.each([
    ['docs/**/*.md', ['docs/a.md', 'docs/deep/er/c.md', 'docs/linked/f.md', 'docs/é ü.md']],
    ['docs/*.md', ['docs/a.md', 'docs/é ü.md']],
    ['*.md', ['README.md', 'a[1].md']],
    ['./docs/a.md', ['docs/a.md']],
    ['a[1].md', ['a[1].md']],
    ['docs/{a,x}.{md,markdown}', ['docs/a.md', 'docs/x.markdown']],
    ['docs/[!a].markdown', ['docs/x.markdown']],
    ['docs/?.md', ['docs/a.md']],
    ['docs/é*', ['docs/é ü.md']],
    ['**/c.md', ['docs/deep/er/c.md']],
    ['docs/**/er/**', ['docs/deep/er/c.md']],
    ['.github/**/*.md', ['.github/g.md']],
    ['node_modules/**/*.md', ['node_modules/q/i.md']],
    ['docs', ['docs/B.MD', 'docs/a.md', 'docs/deep/er/c.md', 'docs/linked/f.md', 'docs/x.markdown', 'docs/é ü.md']],
    ['other/', ['other/f.md']],
    ['notes.txt', ['notes.txt']],
    ['n (1)/{x}*.md', ['n (1)/{x}2.md']],
    ['n (1)/{1..3}.md', ['n (1)/2.md']],
  ])('%s', async (pattern, expected) => {
    expect(await find(pattern)).toEqual(expected);
  });

  it.skipIf(process.platform === 'win32')('with an escape, which on Windows is a separator', async () => {
    expect(await find('a\\[1\\].md*')).toEqual(['a[1].md']);
  });

  it('of several patterns each once, sorted; in the current folder too', async () => {
    expect(await find('other/*.md', 'README.md', '*.md', 'docs/a.md')).toEqual([
      'README.md',
      'a[1].md',
      'docs/a.md',
      'other/f.md',
    ]);
    expect(await find('.')).toEqual(expect.arrayContaining(['README.md', 'docs/a.md', 'other/f.md']));
    expect(await find(join(cwd, 'other/*.md'))).toEqual([join(cwd, 'other/f.md').replaceAll(sep, '/')]);
  });

  it.skipIf(NO_LINKS)('a folder reached by two names is walked once, so that a loop has an end', async () => {
    expect(await find('docs/**/a.md')).toEqual(['docs/a.md']);
  });

  it('a pattern may name whatever extensions the caller wants', async () => {
    expect(await findFiles(['docs'], { cwd, extensions: ['mdx'] })).toEqual(['docs/deep/h.mdx']);
  });
});

describe('what cannot be found is said', () => {
  it.each([
    ['docs/*.html', 'docs/*.html: no file matches'],
    ['none/**', 'none/**: no file matches'],
    ['none.md', 'none.md: no file matches'],
    ['docs/\u001b[31m*', 'docs/\ufffd[31m*: no file matches'],
    ['docs/{a', 'docs/{a: this is not a pattern; a "{" or "[" may not be closed'],
  ])('%j', async (pattern, message) => {
    await expect(find('README.md', pattern)).rejects.toMatchObject({ message, exitCode: 2 });
  });

  it('more files than are allowed are refused', async () => {
    await expect(findFiles(['**/*.md'], { cwd, mostFiles: 2 })).rejects.toThrow('2 files are the most');
  });

  // Root may read everything, and Windows has no such rights.
  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('a folder that may not be read', async () => {
    mkdirSync(join(cwd, 'closed'));
    chmodSync(join(cwd, 'closed'), 0);
    await expect(find('closed/*.md')).rejects.toMatchObject({ exitCode: 3 });
    rmSync(join(cwd, 'closed'), { recursive: true });
  });
});
