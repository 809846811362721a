import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  clearUnbegun,
  deleteCrawl,
  folderNameOf,
  moveAside,
  openForReading,
  stateOf,
} from '../../src/store/directory.js';
import { DirectoryLock } from '../../src/store/lock.js';
import { SCHEMA_VERSION } from '../../src/store/schema.js';
import { openDatabase } from '../../src/store/sqlite.js';
import { openStoreFile } from '../../src/store/store-file.js';
import { begin, reopen, temporaryFolder } from './support.js';

function newStore(directory = temporaryFolder()): string {
  openStoreFile(join(directory, 'crawl.sqlite'), { create: true }).close();
  execute(join(directory, 'crawl.sqlite'), "INSERT INTO meta VALUES ('options', '{}')");
  return directory;
}

describe('the lock of a directory', () => {
  it('is taken by one at a time, and free again when it is released', () => {
    const directory = temporaryFolder();
    const lock = DirectoryLock.take(directory);
    expect(() => DirectoryLock.take(directory)).toThrow(`another gossamer is at work in ${directory}`);
    lock.release();
    DirectoryLock.take(directory).release();
  });

  it('names the process that has it, once its store knows of it', () => {
    const directory = newStore();
    const store = reopen(join(directory, 'crawl.sqlite'));
    begin(store);
    const { pid } = store.database.prepare('SELECT pid FROM runs').get()!;
    const lock = DirectoryLock.take(directory);
    const sentence = `another gossamer (process ${pid}) is at work in ${directory}`;
    expect(() => DirectoryLock.take(directory)).toThrow(sentence);
    expect(() => DirectoryLock.refuseTaken(directory)).toThrow(sentence);
    lock.release();
    store.close();
    DirectoryLock.refuseTaken(directory);
  });

  it('is freed by a kill -9 of whoever has it', async () => {
    const directory = temporaryFolder();
    const lockModule = new URL('../../dist/src/store/lock.js', import.meta.url).href;
    const script = `const { DirectoryLock } = await import(${JSON.stringify(lockModule)});
      globalThis.lock = DirectoryLock.take(${JSON.stringify(directory)}); console.log('taken'); setInterval(() => {}, 1e9);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    expect(() => DirectoryLock.take(directory)).toThrow('another gossamer');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    DirectoryLock.take(directory).release();
  });

  it('is seen from outside while it is taken, and not before or after', () => {
    const directory = temporaryFolder();
    expect(DirectoryLock.isTaken(directory)).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
    const lock = DirectoryLock.take(directory);
    expect(DirectoryLock.isTaken(directory)).toBe(true);
    lock.release();
    expect(DirectoryLock.isTaken(directory)).toBe(false);
  });

  it('is never refused because someone looks whether a crawl runs, however often and however many do', async () => {
    const directory = newStore();
    const statusModule = new URL('../../dist/src/store/directory.js', import.meta.url).href;
    const script = `const { statusOf } = await import(${JSON.stringify(statusModule)});
      console.log('looking');
      const seen = { running: 0, unfinished: 0 };
      let over = false;
      process.stdin.on('end', () => { over = true; }).resume();
      const look = () => {
        for (let n = 0; n < 20; n++) seen[statusOf(${JSON.stringify(directory)}).state]++;
        if (over) console.log(JSON.stringify(seen)); else setImmediate(look);
      };
      look();`;
    const lookers = Array.from({ length: 3 }, () => {
      const looker = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void looker.kill('SIGKILL'));
      return looker;
    });
    await Promise.all(lookers.map((looker) => once(looker.stdout, 'data')));
    for (let round = 0; round < 400; round++) {
      const lock = DirectoryLock.take(directory);
      if (round % 8 === 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      lock.release();
      await new Promise((resolve) => setTimeout(resolve, round % 3));
    }
    const seen = lookers.map(async (looker) => {
      looker.stdin.end();
      return JSON.parse(String((await once(looker.stdout, 'data'))[0])) as { running: number; unfinished: number };
    });
    for (const { running, unfinished } of await Promise.all(seen)) {
      expect(Math.min(running, unfinished), 'it was seen, taken and free').toBeGreaterThan(0);
    }
  });

  it('is no obstacle to those who read', () => {
    const directory = newStore();
    const lock = DirectoryLock.take(directory);
    expect(openForReading(directory, (reader) => reader.counts())).toMatchObject({ done: 0 });
    lock.release();
  });

  it('cannot be had where nothing can be written, and says so', () => {
    expect(() => DirectoryLock.take('/proc/self')).toThrow('cannot write to /proc/self');
  });
});

describe('what a directory holds', () => {
  it('is empty, unfinished while it runs and after a kill, and finished once it has ended', () => {
    const directory = temporaryFolder();
    expect(stateOf(directory)).toBe('empty');
    newStore(directory);
    const store = reopen(join(directory, 'crawl.sqlite'));
    begin(store);
    expect(stateOf(directory)).toBe('unfinished');
    for (const [reason, state] of [
      ['complete', 'finished'],
      ['max_urls', 'finished'],
      ['interrupted', 'unfinished'],
      ['error', 'unfinished'],
    ]) {
      store.setMeta({ ended: JSON.stringify({ reason, truncated: null }) });
      expect(stateOf(directory)).toBe(state);
    }
    store.setMeta({ ended: JSON.stringify({ reason: 'complete', truncated: null, isWritten: false }) });
    expect(stateOf(directory), 'its outputs are still to be written').toBe('unfinished');
    store.close();
  });

  it.each([
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['a store that got no table', (path: string) => execute(path, 'PRAGMA journal_mode = WAL')],
    ['a store that does not know its options', (path: string) => openStoreFile(path, { create: true }).close()],
    [
      'an empty file and a journal',
      (path: string) => {
        writeFileSync(path, '');
        writeFileSync(`${path}-journal`, JOURNAL_OF_NOTHING);
      },
    ],
    [
      'a first page that was being written',
      (path: string) => {
        execute(path, 'PRAGMA journal_mode = WAL');
        writeFileSync(`${path}-journal`, JOURNAL_OF_NOTHING);
      },
    ],
  ])(
    'is empty, says so to who would read it, and makes room, where a kill came before the crawl had begun: %s',
    (_name, make) => {
      const directory = temporaryFolder();
      make(join(directory, 'crawl.sqlite'));
      expect(() => openForReading(directory, () => null)).toThrow(`nothing was crawled in ${directory} yet`);
      expect(stateOf(directory)).toBe('empty');
      clearUnbegun(directory);
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it('is empty where only a journal or a log is left, and makes room', () => {
    const directory = temporaryFolder();
    for (const suffix of ['-journal', '-wal']) {
      writeFileSync(join(directory, `crawl.sqlite${suffix}`), JOURNAL_OF_NOTHING);
    }
    expect(stateOf(directory)).toBe('empty');
    clearUnbegun(directory);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('may be deleted though its store was only half made', () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, 'crawl.sqlite'), '');
    expect(deleteCrawl(directory)).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });

  it('makes no room where a crawl has begun', () => {
    const directory = newStore();
    expect(() => clearUnbegun(directory)).toThrow('holds a crawl that was begun meanwhile');
    expect(existsSync(join(directory, 'crawl.sqlite'))).toBe(true);
  });

  it.each([
    [
      'random bytes',
      (path: string) => writeFileSync(path, Buffer.from('not a database, '.repeat(500))),
      'is not a readable store',
    ],
    ['a database of someone else', (path: string) => makeForeign(path), "not one of Gossamer's"],
    [
      'a store of another version',
      (path: string) => makeVersion(path, 99),
      `has store version 99; this Gossamer reads version ${SCHEMA_VERSION}`,
    ],
    ['a store cut in half', (path: string) => cutInHalf(path), /damaged|not a readable store/],
  ])('is refused when it is %s, and not touched', (_name, make, message) => {
    const directory = temporaryFolder();
    const path = join(directory, 'crawl.sqlite');
    make(path);
    const before = readFileSync(path);
    expect(() => stateOf(directory)).toThrow(message);
    expect(() => openStoreFile(path, { create: false })).toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is moved aside under a name that is free', () => {
    const directory = join(temporaryFolder(), 'crawl');
    for (const number of [1, 2]) {
      mkdirSync(directory);
      expect(moveAside(directory)).toBe(`${directory}.old-${number}`);
    }
    expect(existsSync(directory)).toBe(false);
  });

  it('is not moved while someone is at work there', () => {
    const directory = newStore();
    const lock = DirectoryLock.take(directory);
    expect(() => moveAside(directory)).toThrow('another gossamer');
    expect(existsSync(`${directory}.old-1`)).toBe(false);
    lock.release();
  });

  it('is named by its host, and never leads elsewhere', () => {
    expect(folderNameOf('a-b.test')).toBe('a-b.test');
    expect(folderNameOf('127.0.0.1:8080')).toBe('127.0.0.1_8080');
    // Windows takes these for devices, and strips a full stop at the end.
    expect(['nul.test', 'COM1', 'console.test', 'a.test.'].map(folderNameOf)).toEqual([
      '_nul.test',
      '_COM1',
      'console.test',
      'a.test_',
    ]);
    for (const host of ['../../etc', '..', '.hidden', '', '[::1]:80', 'a'.repeat(500)]) {
      const name = folderNameOf(host);
      expect(name).toMatch(/^[^./\\][^/\\]*$/);
      expect(name.length).toBeLessThanOrEqual(120);
    }
  });
});

/** Of a transaction that wrote to an empty file: magic number, no pages, a nonce, sizes of file, sector and page. */
const JOURNAL_OF_NOTHING = Buffer.concat([
  Buffer.from('d9d505f920a163d7000000000000000100000000000002000000100000'.slice(0, 56), 'hex'),
  Buffer.alloc(512 - 28),
]);

function execute(path: string, sql: string): void {
  const database = openDatabase(path);
  database.exec(sql);
  database.close();
}

const makeForeign = (path: string): void => execute(path, 'CREATE TABLE photos (id INTEGER PRIMARY KEY, name TEXT)');

function makeVersion(path: string, version: number): void {
  const database = openStoreFile(path, { create: true });
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

function cutInHalf(path: string): void {
  const database = openStoreFile(path, { create: true });
  database.exec(
    `INSERT INTO meta SELECT value, hex(randomblob(2000)) FROM json_each('["a","b","c","d","e","f","g","h"]')`,
  );
  database.close();
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, whole.length / 2));
}
