import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../../src/config/option-spec.js';
import { AtomicFiles, writeFileAtomically } from '../../src/report/atomic-file.js';
import { exportFormat, OUTPUTS } from '../../src/report/index.js';
import type { Output } from '../../src/report/output.js';
import { sitemapOutput } from '../../src/report/sitemap.js';
import { StreamFiles } from '../../src/report/stream-files.js';
import type { PageResult } from '../../src/store/page-types.js';
import type { Reader } from '../../src/store/reader.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

const manyPages = (count: number): StoreFixture =>
  new StoreFixture(
    Array.from({ length: count }, (_, i) => ({ url: `https://a.test/${i}`, page: { title: 'x'.repeat(500) } })),
  );

/** Fails after it has written more than one piece. */
function failingReader(reader: Reader): Reader {
  function* pages() {
    yield* reader.pages();
    throw new Error('the store went away');
  }
  return Object.assign(Object.create(reader), {
    pages,
    pagesWith: pages,
    *lines(line: (page: PageResult) => string) {
      for (const page of pages()) {
        yield { text: line(page), count: 1 };
      }
    },
    dataNames: () => [],
    hasOrigins: () => true,
    meta: () => ({}),
    seeds: () => [],
    remarks: () => [],
  });
}

class Collector extends Writable {
  text = '';
  constructor() {
    super({ highWaterMark: 1000, decodeStrings: false });
  }
  override _write(chunk: string, _encoding: string, done: (error?: Error) => void): void {
    this.text += chunk;
    setImmediate(done);
  }
}

describe('an output in a file', () => {
  it('exists for every format that can be asked for', async () => {
    expect(Object.keys(OUTPUTS)).toEqual([...EXPORT_FORMATS]);
    const { reader } = manyPages(3);
    const folder = temporaryFolder();
    const archives = ['warc', 'wacz', 'cdxj'];
    for (const format of EXPORT_FORMATS) {
      const written = exportFormat(reader, format, { path: join(folder, format) });
      // Of what was not kept nothing is left behind.
      await (archives.includes(format) ? expect(written).rejects.toThrow(/crawl again with --format warc/) : written);
    }
    expect(readdirSync(folder).sort()).toEqual(EXPORT_FORMATS.filter((format) => !archives.includes(format)).sort());
  });

  it('leaves the old file as it was, and nothing else, when it fails', async () => {
    const { reader } = manyPages(400);
    const folder = temporaryFolder();
    const path = join(folder, 'pages.jsonl');
    writeFileSync(path, 'old');
    for (const format of ['jsonl', 'csv', 'sitemap'] as const) {
      await expect(exportFormat(failingReader(reader), format, { path })).rejects.toThrow('the store went away');
      expect(readdirSync(folder)).toEqual(['pages.jsonl']);
      expect(readFileSync(path, 'utf8')).toBe('old');
    }
    await exportFormat(reader, 'jsonl', { path });
    expect(readdirSync(folder)).toEqual(['pages.jsonl']);
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(400);
  });

  it('is not to be seen under its name before it is complete', () => {
    const path = join(temporaryFolder(), 'out');
    const files = new AtomicFiles(path);
    const file = files.create();
    file.write(Buffer.from('x'.repeat(1_000_000)));
    file.close();
    expect(existsSync(path)).toBe(false);
    files.commit();
    expect(readFileSync(path, 'utf8')).toHaveLength(1_000_000);
  });

  it('takes all its names together: none of a set appears when one of them fails', async () => {
    const { reader } = manyPages(3);
    const folder = temporaryFolder();
    const files = new AtomicFiles(join(folder, 'sitemap.xml'));
    await sitemapOutput({ maxUrls: 2, maxBytes: 1e9 }).write(reader, files);
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([]);
    files.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says which file cannot be written', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'missing', 'out');
    await expect(exportFormat(manyPages(1).reader, 'csv', { path })).rejects.toMatchObject({
      code: 'output',
      exitCode: 3,
      message: expect.stringContaining(path),
    });
    await expect(exportFormat(manyPages(1).reader, 'csv', { path: folder })).rejects.toMatchObject({ code: 'output' });
  });

  it('writes through a link and keeps it', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'out'), 'old');
    symlinkSync(join('real', 'out'), join(folder, 'out'));
    writeFileAtomically(join(folder, 'out'), 'new');
    expect(lstatSync(join(folder, 'out')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real', 'out'), 'utf8')).toBe('new');
  });

  it.skipIf(process.platform === 'win32')('goes into a pipe and never takes its place', async () => {
    const path = join(temporaryFolder(), 'pipe');
    spawnSync('mkfifo', [path]);
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await exportFormat(manyPages(3).reader, 'jsonl', { path });
    const text = readFileSync(descriptor, 'utf8');
    closeSync(descriptor);
    expect(lstatSync(path).isFIFO()).toBe(true);
    expect(text.trimEnd().split('\n')).toHaveLength(3);
  });

  it('removes what a killed writer of the same output left, and nothing of one that lives', () => {
    const folder = temporaryFolder();
    const { pid: deadPid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(folder, `.out.${deadPid}-0123abcd0123abcd.tmp`), '');
    const kept = [`.out.${process.pid}-0123abcd0123abcd.tmp`, `.other.${deadPid}-0123abcd0123abcd.tmp`, '.out.tmp'];
    for (const name of kept) {
      writeFileSync(join(folder, name), '');
    }
    writeFileAtomically(join(folder, 'out'), 'new');
    expect(readdirSync(folder).sort()).toEqual([...kept, 'out'].sort());
  });

  it('refuses a name that could lead elsewhere, and two files of one name', () => {
    const files = new AtomicFiles(join(temporaryFolder(), 'out'));
    const file = files.create();
    for (const suffix of ['/../x', '\\x', '-\u0000', ' ']) {
      expect(() => file.place(suffix)).toThrow('not fit for a file name');
    }
    files.create();
    expect(() => files.commit()).toThrow('same name');
    files.discard();
  });
});

describe('an output on stdout', () => {
  it('is the same as in a file, also for a slow reader', async () => {
    const { reader } = manyPages(400);
    const path = join(temporaryFolder(), 'out');
    await exportFormat(reader, 'jsonl', { path });
    const stdout = new Collector();
    await exportFormat(reader, 'jsonl', { stdout });
    expect(stdout.text).toBe(readFileSync(path, 'utf8'));
    expect(stdout.listenerCount('error')).toBe(0);
    expect(stdout.writableEnded).toBe(false);
  });

  it('refuses a sitemap of several files before the first byte', async () => {
    const { reader } = new StoreFixture([{ url: 'https://a.test/' }, { url: 'https://b.test/' }]);
    const stdout = new Collector();
    await expect(exportFormat(reader, 'sitemap', { stdout })).rejects.toMatchObject({ code: 'usage' });
    expect(stdout.text).toBe('');
  });

  it('writes a sitemap of one file', async () => {
    const stdout = new Collector();
    await exportFormat(manyPages(1).reader, 'sitemap', { stdout });
    expect(stdout.text).toContain('<loc>https://a.test/0</loc>');
  });

  it('says so when its reader goes away', async () => {
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    await expect(exportFormat(manyPages(400).reader, 'jsonl', { stdout })).rejects.toMatchObject({
      code: 'output_closed',
    });
  });

  it('has room for one file only', async () => {
    const output: Output = {
      async write(_reader, files) {
        files.create();
        files.create();
        return { records: 0, files: 2 };
      },
    };
    await expect(output.write(manyPages(0).reader, new StreamFiles(new Collector(), 'stdout'))).rejects.toMatchObject({
      code: 'usage',
    });
  });
});
