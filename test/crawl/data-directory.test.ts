import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseDirectory } from '../../src/crawl/data-directory.js';
import { DirectoryLock } from '../../src/store/lock.js';
import { openStoreFile } from '../../src/store/store-file.js';
import type { SeedRow } from '../../src/store/transaction.js';
import { begin, reopen } from '../store/support.js';
import { temporaryFolder } from './support.js';

const SEED = 'http://a.test/';
const OTHER = 'http://a.test/other';
const BY_DEFAULT = { dataDir: null as string | null, fresh: false, resume: false };

let folder: ReturnType<typeof temporaryFolder>;
let root: string;

beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'gossamer-data');
  mkdirSync(root);
  vi.spyOn(process, 'cwd').mockReturnValue(folder.path);
});
afterEach(() => {
  vi.restoreAllMocks();
  folder.remove();
});

const seedRow = (url: string): SeedRow => ({
  ...{ seed: 0, url, label: url, scope: 'host', depth: null, maxUrls: null, fallbacks: [], scopeUrls: [] },
});
const choose = (options: Partial<typeof BY_DEFAULT> = {}, seed = SEED) =>
  chooseDirectory({ ...BY_DEFAULT, ...options }, { command: 'crawl', seeds: [seedRow(seed)] });
const at = (name: string) => join(root, name);

/** Something that was kept under this name: how it ended, of which seed and by which command. */
function keep(name: string, reason: string | null, { seed = SEED, command = 'crawl' } = {}): void {
  mkdirSync(at(name));
  openStoreFile(join(at(name), 'crawl.sqlite'), { create: true }).close();
  const store = reopen(join(at(name), 'crawl.sqlite'));
  store.addSeeds([seedRow(seed)], []);
  store.setMeta({ options: '{"values":{},"withheld":[]}', command });
  begin(store);
  if (reason !== null) {
    store.setMeta({ ended: JSON.stringify({ reason, truncated: null }) });
    store.end(reason, 0);
  }
  store.close();
}

describe('the default directory', () => {
  it('is named by the host, and numbered where the earlier ones are finished', () => {
    expect(choose()).toEqual({ what: 'new', directory: at('a.test'), movedTo: null });
    keep('a.test', 'complete');
    keep('a.test-2', 'max_urls');
    expect(choose()).toEqual({ what: 'new', directory: at('a.test-3'), movedTo: null });
  });

  it('with --fresh is the one that was crawled last, which is moved aside, finished or not', () => {
    keep('a.test', 'complete');
    expect(choose({ fresh: true })).toEqual({
      ...{ what: 'new', directory: at('a.test'), movedTo: at('a.test.old-1') },
    });
    keep('a.test', 'complete');
    keep('a.test-2', 'complete');
    expect(choose({ fresh: true })).toMatchObject({ directory: at('a.test-2'), movedTo: at('a.test-2.old-1') });
    keep('a.test-2', 'interrupted');
    expect(choose({ fresh: true })).toMatchObject({ directory: at('a.test-2'), movedTo: at('a.test-2.old-2') });
    expect(readdirSync(root).sort()).toEqual(['a.test', 'a.test-2.old-1', 'a.test-2.old-2', 'a.test.old-1']);
  });

  it('passes over corpora, whatever is asked for', () => {
    keep('a.test', null, { command: 'docs' });
    for (const wish of [{}, { resume: true }, { fresh: true }]) {
      expect(choose(wish)).toEqual({ what: 'new', directory: at('a.test-2'), movedTo: null });
    }
  });

  it('with --resume is that of the same seeds; another is begun where what is finished has others', () => {
    keep('a.test', 'complete');
    expect(choose({ resume: true })).toEqual({ what: 'kept', directory: at('a.test') });
    expect(choose({ resume: true }, OTHER)).toEqual({ what: 'new', directory: at('a.test-2'), movedTo: null });
    keep('a.test-2', 'complete', { seed: OTHER });
    expect(choose({ resume: true })).toEqual({ what: 'kept', directory: at('a.test') });
    expect(choose({ resume: true }, OTHER)).toEqual({ what: 'kept', directory: at('a.test-2') });
  });

  it('is refused while it is unfinished, with the line to type', () => {
    keep('a.test', null);
    expect(() => choose()).toThrow(
      `${at('a.test')} holds an unfinished crawl: \`gossamer resume ${at('a.test')}\` goes on with it, --fresh moves it aside and begins anew`,
    );
    expect(choose({ resume: true })).toEqual({ what: 'kept', directory: at('a.test') });
  });
});

describe('a directory where another one is at work', () => {
  it.each([
    ['is refused', {}],
    ['is not resumed', { resume: true }],
    ['is not moved aside', { fresh: true }],
  ])('%s, given or by default', (_what, wish) => {
    keep('a.test', null);
    const lock = DirectoryLock.take(at('a.test'));
    for (const dataDir of [null, at('a.test')]) {
      expect(() => choose({ ...wish, dataDir })).toThrow(/^another gossamer .*is at work in/);
    }
    lock.release();
    expect(existsSync(at('a.test'))).toBe(true);
  });
});

it('the line to type is one that a shell takes as it is', () => {
  const directory = at("it's a crawl");
  keep("it's a crawl", null);
  expect(() => choose({ dataDir: directory })).toThrow(
    `\`gossamer resume '${directory.replace("'", "'\\''")}'\` goes on with it`,
  );
});
