import { appendFileSync, closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PagesSink, pagesJsonl } from '../../src/report/pages.js';
import { Sinks } from '../../src/report/sinks.js';
import { written } from './memory-files.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

function crawl() {
  const store = new StoreFixture();
  const path = join(temporaryFolder(), 'pages.jsonl');
  let count = 0;
  const settle = (pages: number) =>
    Array.from({ length: pages }, () =>
      store.add({ url: `https://a.test/${count++}`, page: { title: `é\n${'x'.repeat(count)}` } }),
    );
  /** Of a run: the marks that it begins with are those of the run before. */
  const open = (marks: Record<string, string> = {}): Sinks => {
    const sinks = new Sinks([new PagesSink(path)]);
    sinks.open(marks, store.freshReader(), count);
    return sinks;
  };
  const commit = (sinks: Sinks, pages: number): void => {
    sinks.settled(settle(pages), count);
    sinks.write();
  };
  return { store, path, settle, open, commit };
}

const offsetOf = (sinks: Sinks): number => JSON.parse(sinks.marks().pagesStream!).offset;

/** Only the end can tell how many pages link to one. */
const whileRunning = (text: string): string => text.replaceAll('"inlinks":0', '"inlinks":null');

describe('pages.jsonl while crawling', () => {
  it('is what the store gives at the end, and knows its own length', async () => {
    const { store, path, open, commit } = crawl();
    const sinks = open();
    for (const batch of [3, 0, 1, 5]) {
      commit(sinks, batch);
      expect(offsetOf(sinks)).toBe(readFileSync(path).length);
    }
    sinks.close();
    expect(readFileSync(path, 'utf8')).toBe(whileRunning((await written(pagesJsonl, store.reader)).text));
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
    const { store, path, settle, open, commit } = crawl();
    const first = open();
    commit(first, 4);
    const marks = first.marks();
    expect(JSON.parse(marks.pagesStream!)).toEqual({ offset: readFileSync(path).length, seq: 4 });
    first.close();
    damage(path, JSON.parse(marks.pagesStream!).offset);
    settle(3);
    const second = open(marks);
    commit(second, 2);
    expect(offsetOf(second)).toBe(readFileSync(path).length);
    second.close();
    expect(readFileSync(path, 'utf8')).toBe(whileRunning((await written(pagesJsonl, store.reader)).text));
  });

  it('does not keep lines of an earlier crawl', () => {
    const { path, open } = crawl();
    writeFileSync(path, '{"url":"https://old.test/"}\n');
    open().close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('writes more than fits in memory pieces', async () => {
    const { store, path, open } = crawl();
    for (let i = 0; i < 30; i++) {
      store.add({ url: `https://a.test/${i}`, page: { title: 'x'.repeat(100_000) } });
    }
    open().close();
    expect(readFileSync(path, 'utf8')).toBe(whileRunning((await written(pagesJsonl, store.reader)).text));
  });

  it('begins anew after the end of a run, which writes the file in another order', () => {
    const { open, commit } = crawl();
    const sinks = open();
    commit(sinks, 3);
    expect(sinks.finish()).toEqual({ pagesStream: '{"offset":0,"seq":0}' });
  });

  it('says which file cannot be written', () => {
    const { store } = crawl();
    const path = join(temporaryFolder(), 'missing', 'pages.jsonl');
    expect(() => new Sinks([new PagesSink(path)]).open({}, store.reader, 0)).toThrow(`cannot write ${path}`);
  });
});

function fillWithZeros(path: string, position: number, length: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(length), 0, length, position);
  closeSync(descriptor);
}
