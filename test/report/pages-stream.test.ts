import { appendFileSync, closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesJsonl } from '../../src/report/pages-jsonl.js';
import { PagesStream } from '../../src/report/pages-stream.js';
import { written } from './memory-files.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

const START = { offset: 0, seq: 0 };

function crawl(): { store: StoreFixture; path: string; settle: (count: number) => number[] } {
  const store = new StoreFixture();
  let count = 0;
  const settle = (pages: number) =>
    Array.from({ length: pages }, () =>
      store.add({ url: `https://a.test/${count++}`, page: { title: `é\n${'x'.repeat(count)}` } }),
    );
  return { store, path: join(temporaryFolder(), 'pages.jsonl'), settle };
}

describe('pages.jsonl while crawling', () => {
  it('is what the store gives at the end, and knows its own length', async () => {
    const { store, path, settle } = crawl();
    const stream = PagesStream.open(path, START, store.reader);
    for (const batch of [3, 0, 1, 5]) {
      stream.append(store.reader.pagesById(settle(batch)));
      expect(stream.offset).toBe(readFileSync(path).length);
    }
    stream.close();
    expect(readFileSync(path, 'utf8')).toBe((await written(pagesJsonl, store.reader)).text);
  });

  it.each([
    [
      'lines that were never counted, the last of them torn',
      (path: string) => appendFileSync(path, '{"url":"uncounted"}\n{"url":"to'),
    ],
    ['nothing behind what was counted', () => {}],
    ['less than was counted', (path: string, offset: number) => truncateSync(path, offset - 7)],
    ['nothing at all', (path: string) => truncateSync(path, 0)],
    ['a hole where the end was', (path: string, offset: number) => fillWithZeros(path, offset - 20, 20)],
  ])('after a kill has each line once, where the file holds %s', async (_case, damage) => {
    const { store, path, settle } = crawl();
    const first = PagesStream.open(path, START, store.reader);
    first.append(store.reader.pagesById(settle(4)));
    const kept = { offset: first.offset, seq: 4 };
    first.close();
    damage(path, kept.offset);
    settle(3);
    const second = PagesStream.open(path, kept, store.freshReader());
    second.append(store.reader.pagesById(settle(2)));
    expect(second.offset).toBe(readFileSync(path).length);
    second.close();
    expect(readFileSync(path, 'utf8')).toBe((await written(pagesJsonl, store.reader)).text);
  });

  it('does not keep lines of an earlier crawl', () => {
    const { store, path } = crawl();
    writeFileSync(path, '{"url":"https://old.test/"}\n');
    PagesStream.open(path, START, store.reader).close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('writes more than fits in memory pieces', async () => {
    const { store, path } = crawl();
    for (let i = 0; i < 30; i++) {
      store.add({ url: `https://a.test/${i}`, page: { title: 'x'.repeat(100_000) } });
    }
    const stream = PagesStream.open(path, START, store.reader);
    stream.close();
    expect(readFileSync(path, 'utf8')).toBe((await written(pagesJsonl, store.reader)).text);
  });

  it('says which file cannot be written', () => {
    const { store } = crawl();
    const path = join(temporaryFolder(), 'missing', 'pages.jsonl');
    expect(() => PagesStream.open(path, START, store.reader)).toThrow(`cannot write ${path}`);
  });
});

function fillWithZeros(path: string, position: number, length: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(length), 0, length, position);
  closeSync(descriptor);
}
