import { afterEach, beforeEach, expect, it } from 'vitest';
import { Breaks } from '../../src/base/breaks.js';
import { DocsReader } from '../../src/store/docs-reader.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { SmallStore } from '../check/small-store.js';

let store: SmallStore;
let reader: DocsReader;

beforeEach(() => {
  store = new SmallStore();
  reader = new DocsReader(store.database);
});
afterEach(() => store.close());

const keep = (page: number): void => {
  store.database.prepare("INSERT INTO contents (id, packed) VALUES (?, x'0300')").run(page);
  store.database.prepare("INSERT INTO bodies (page, type, content) VALUES (?, 'text/html', ?)").run(page, page);
};

it('a page is converted only where its body is kept', () => {
  store.put(1, {});
  store.put(2, {});
  keep(1);
  expect([reader.fateOf(1).isKept, reader.fateOf(2).isKept]).toEqual([true, false]);
  expect(reader.pageToConvert(1)).toMatchObject({ url: 'http://a.test/1', type: 'text/html' });
  expect(reader.pageToConvert(2)).toBeNull();
  expect(reader.bodyOf(2)).toEqual(reader.bodyOf(1));
});

it('what failed or leads elsewhere is not counted as readable', () => {
  store.put(1, {});
  store.put(2, { redirectTo: 1, status: 301 });
  store.put(3, { state: UrlState.failed, status: 404 });
  expect([reader.countReadable([0]), reader.countReadable([1])]).toEqual([1, 0]);
  expect([reader.redirectOf(2), reader.redirectOf(1)]).toEqual([1, null]);
});

it('the index of what was asked for has no URL that only waits, and seeds are known', async () => {
  store.put(1, { flags: UrlFlag.seed });
  store.put(2, { state: UrlState.queued });
  const index = await reader.indexUrls('asked', new Breaks());
  expect([index.idOf('http://a.test/1'), index.idOf('http://a.test/2')]).toEqual([1, undefined]);
  expect([index.hasUnder('http://a.test'), index.hasUnder('http://b.test')]).toEqual([true, false]);
  expect(reader.seedPages()).toEqual([1]);
});
