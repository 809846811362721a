import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outputFolders } from '../../src/docs/corpus-place.js';
import { lastmodEnd } from '../../src/docs/sitemap-pages.js';
import type { SeedRow } from '../../src/store/transaction.js';
import { temporaryFolder } from '../crawl/support.js';

const seeds = (...urls: string[]): SeedRow[] => urls.map((url, seed) => ({ url, seed }) as SeedRow);
const HOUR = 3_600_000;

describe('folders of corpora', () => {
  const names = (output: string | null, ...urls: string[]) => outputFolders(seeds(...urls), output);

  it('are named after hosts, and after paths where hosts are the same', () => {
    expect(names(null, 'https://a.test/docs/')).toEqual([join(process.cwd(), 'a.test-docs')]);
    expect(names('/c', 'https://a.test/docs/')).toEqual([resolve('/c')]);
    expect(names('/c', 'https://a.test/docs/', 'https://b.test/')).toEqual(
      ['/c/a.test-docs', '/c/b.test-docs'].map((path) => resolve(path)),
    );
    expect(names('/c', 'https://a.test/x/y/', 'https://a.test/', 'https://a.test/z')).toEqual([
      resolve('/c/a.test-x-y-docs'),
      resolve('/c/a.test-docs'),
      resolve('/c/a.test-z-docs'),
    ]);
  });

  // Windows lets only administrators make links.
  it.skipIf(process.platform === 'win32')('are those that links lead to', () => {
    const { path, remove } = temporaryFolder();
    try {
      const [real, link] = [join(realpathSync(path), 'real'), join(path, 'link')];
      mkdirSync(real);
      symlinkSync(real, link);
      expect(names(link, 'https://a.test/')).toEqual([real]);
    } finally {
      remove();
    }
  });

  it('are never the same, nor outside', () => {
    const all = names('/c', 'https://a.test/X', 'https://a.test/x', 'https://a.test/x/', 'https://a.test/..%2f..%2fx');
    expect(new Set(all.map((path) => path.toLowerCase())).size).toBe(4);
    for (const path of all) {
      expect(path).toMatch(/^\/c\/[^/]+$/);
    }
  });
});

describe('when a page was changed last, at the latest', () => {
  it.each([
    ['2026-11-15T10:00:00Z', Date.UTC(2026, 10, 15, 10)],
    ['2026-11-15T10:00:00+02:00', Date.UTC(2026, 10, 15, 8)],
    // A date may be of any time zone.
    ['2026-11-15', Date.UTC(2026, 10, 16) + 12 * HOUR],
    ['2026-12', Date.UTC(2027, 0, 1) + 12 * HOUR],
    ['2026', Date.UTC(2027, 0, 1) + 12 * HOUR],
    [' 2026-11-15 ', Date.UTC(2026, 10, 16) + 12 * HOUR],
    ['yesterday', null],
    ['', null],
    [null, null],
    ['2026-11-15Tnoon', null],
  ])('%s', (lastmod, end) => {
    expect(lastmodEnd(lastmod)).toBe(end);
  });
});
