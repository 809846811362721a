import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TextWriter } from '../../src/report/output.js';
import { PagesSink } from '../../src/report/pages.js';
import { type Sink, SinkFile, Sinks } from '../../src/report/sinks.js';
import type { PageResult } from '../../src/store/page-types.js';
import type { EdgeResult, Reader } from '../../src/store/reader.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

/** A format that the program does not know: a line for a page and a line for a link. */
class TestSink implements Sink {
  readonly key = 'testSink';
  readonly isRewritten = false;
  readonly openedAt: number[] = [];
  /** The next page fails, as on a full disk. */
  isBroken = false;
  readonly #file: SinkFile;
  #lines: TextWriter;

  constructor(path: string) {
    this.#file = new SinkFile(path, Buffer.from('\n'));
    this.#lines = new TextWriter(this.#file);
  }

  open(at: number): boolean {
    this.openedAt.push(at);
    this.#lines = new TextWriter(this.#file);
    return this.#file.open(at);
  }

  page(page: PageResult): void {
    if (this.isBroken) {
      throw new Error('the disk is full');
    }
    this.#lines.write(`page ${page.url}\n`);
  }

  edges(edges: Iterable<EdgeResult>): void {
    for (const { from, to } of edges) {
      this.#lines.write(`link ${from} ${to}\n`);
    }
  }

  commit(): number {
    this.#lines.flush();
    return this.#file.length;
  }

  close(): void {
    this.#file.close();
  }
}

/** A crawl whose pages each link to all that were settled before them, and the store's own marks. */
class TestCrawl {
  readonly store = new StoreFixture();
  readonly path = join(temporaryFolder(), 'out.test');
  sink = new TestSink(this.path);
  sinks = new Sinks([this.sink]);
  meta: Record<string, string> = {};
  readonly #ids: number[] = [];

  /** As a process that begins: it knows what the store has. */
  open(others: Sink[] = [], reader: Reader = this.store.freshReader()): void {
    this.sink = new TestSink(this.path);
    this.sinks = new Sinks([this.sink, ...others]);
    this.sinks.open(this.meta, reader, this.#ids.length);
  }

  /** The order of the store's thread: what is waiting is written, then the marks go into the transaction that settles more. */
  commit(pages: number): void {
    this.sinks.write();
    Object.assign(this.meta, this.sinks.marks());
    this.sinks.settled(
      Array.from({ length: pages }, () => this.#settle()),
      this.#ids.length,
    );
  }

  #settle(): number {
    const id = this.store.add({ url: `https://a.test/${this.#ids.length}` });
    if (this.#ids.length > 0) {
      this.store.addEdges(
        id,
        this.#ids.map((to) => ({ to, kind: 0 })),
        [],
        null,
      );
    }
    this.#ids.push(id);
    return id;
  }

  /** Of what was written: pages and links, sorted, because an interruption may part a page from its links. */
  lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').slice(0, -1).sort();
  }

  expected(): string[] {
    const url = (i: number) => `https://a.test/${i}`;
    const pages = this.#ids.map((_, i) => `page ${url(i)}`);
    const links = this.#ids.flatMap((_, i) => Array.from({ length: i }, (_each, to) => `link ${url(i)} ${url(to)}`));
    return [...pages, ...links].sort();
  }
}

describe('a sink', () => {
  it('gets every page and every link, in the order of settling', () => {
    const crawl = new TestCrawl();
    crawl.open();
    crawl.commit(2);
    crawl.commit(1);
    crawl.sinks.write();
    expect(readFileSync(crawl.path, 'utf8')).toBe(
      `page https://a.test/0
page https://a.test/1
link https://a.test/1 https://a.test/0
page https://a.test/2
link https://a.test/2 https://a.test/0
link https://a.test/2 https://a.test/1
`,
    );
  });

  it.each([
    ['once what was settled is written, but its mark is in no commit', (crawl: TestCrawl) => crawl.sinks.write()],
    ['before what was settled is written', () => {}],
    [
      'with much behind its mark that no commit knows, the last line torn',
      (crawl: TestCrawl) => appendFileSync(crawl.path, `${'page https://a.test/never\n'.repeat(100)}link https://a.te`),
    ],
    [
      'after more was settled and written than one commit',
      (crawl: TestCrawl) => {
        crawl.commit(4);
        crawl.sinks.write();
      },
    ],
  ])('that is killed %s goes on exactly where the store says, nothing twice and nothing missing', (_case, before) => {
    const crawl = new TestCrawl();
    crawl.open();
    crawl.commit(3);
    crawl.commit(2);
    crawl.commit(3);
    before(crawl);
    // Killed: nobody closes it.
    const { offset } = JSON.parse(crawl.meta.testSink!);
    expect(offset).toBeGreaterThan(0);
    crawl.open();
    expect(crawl.sink.openedAt).toEqual([offset]);
    expect(crawl.lines()).toEqual(crawl.expected());
    crawl.commit(2);
    crawl.sinks.write();
    expect(crawl.lines()).toEqual(crawl.expected());
  });

  it('that fails is opened again at its mark, and others with it', () => {
    const crawl = new TestCrawl();
    const pages = join(temporaryFolder(), 'pages.jsonl');
    crawl.open([new PagesSink(pages)]);
    crawl.commit(2);
    crawl.commit(2);
    const { offset } = JSON.parse(crawl.meta.testSink!);
    crawl.sink.isBroken = true;
    expect(() => crawl.sinks.write()).toThrow('the disk is full');
    expect(() => crawl.sinks.write(), 'it is still full').toThrow('the disk is full');
    crawl.sink.isBroken = false;
    crawl.commit(1);
    crawl.sinks.write();
    expect(crawl.sink.openedAt).toEqual([0, offset, offset]);
    expect(crawl.lines()).toEqual(crawl.expected());
    expect(
      readFileSync(pages, 'utf8')
        .match(/^.*$/gm)!
        .filter((line) => line !== ''),
    ).toHaveLength(5);
  });

  it('is complete at the end of a run, and the next run goes on there', () => {
    const crawl = new TestCrawl();
    crawl.open();
    crawl.commit(3);
    Object.assign(crawl.meta, crawl.sinks.finish());
    expect(crawl.lines()).toEqual(crawl.expected());
    expect(JSON.parse(crawl.meta.testSink!)).toEqual({ offset: readFileSync(crawl.path).length, seq: 3 });
    crawl.open();
    crawl.commit(1);
    crawl.sinks.write();
    expect(crawl.lines()).toEqual(crawl.expected());
  });

  it('is left alone once the run has ended: its file may be another one by then', () => {
    const crawl = new TestCrawl();
    crawl.open();
    crawl.commit(3);
    crawl.sinks.finish();
    writeFileSync(crawl.path, 'written anew');
    crawl.sinks.write();
    expect(readFileSync(crawl.path, 'utf8')).toBe('written anew');
  });

  it('is made anew from the store where less is left of it than was counted', () => {
    const crawl = new TestCrawl();
    crawl.open();
    crawl.commit(3);
    crawl.commit(1);
    crawl.meta.testSink = JSON.stringify({ ...JSON.parse(crawl.meta.testSink!), offset: 1_000_000 });
    crawl.open();
    expect(crawl.lines()).toEqual(crawl.expected());
  });

  it('costs no reading of links where it does not want them', () => {
    const { store } = new TestCrawl();
    const reader = store.freshReader();
    reader.edgesOf = () => {
      throw new Error('links were read');
    };
    const sinks = new Sinks([new PagesSink(join(temporaryFolder(), 'pages.jsonl'))]);
    sinks.open({}, reader, 0);
    sinks.settled([store.add({ url: 'https://a.test/' })], 1);
    expect(() => sinks.write()).not.toThrow();
    sinks.close();
  });

  it('begins anew, as all others, where the store was told so', () => {
    const crawl = new TestCrawl();
    const others = [new PagesSink(join(temporaryFolder(), 'pages.jsonl'))];
    crawl.open(others);
    crawl.commit(3);
    crawl.commit(1);
    expect(crawl.sinks.beginnings()).toEqual({
      testSink: '{"offset":0,"seq":0}',
      pagesStream: '{"offset":0,"seq":0}',
    });
    Object.assign(crawl.meta, crawl.sinks.beginnings());
    crawl.open();
    expect(crawl.sink.openedAt).toEqual([0]);
    expect(crawl.lines()).toEqual(crawl.expected());
  });
});
