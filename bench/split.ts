import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openDatabase } from '../src/store/sqlite.js';
import { storePath } from '../src/store/store-file.js';
import { say } from './compete.js';
import { table, whole } from './figures.js';
import { DISK_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { type KeptStoreSize, makeKeptStore } from './kept-store.js';
import { residentBytes } from './memory.js';
import type { Scenario } from './scenario.js';

const SIZES: readonly KeptStoreSize[] = [
  { urls: 250_000, hosts: 500, pages: 125_000, linksAPage: 40 },
  { urls: 1_000_000, hosts: 2_000, pages: 500_000, linksAPage: 40 },
];
const NODES = 4;
const LOOK_EVERY_MS = 100;
const PROGRAM = join(import.meta.dirname, '../../bin/gossamer.js');
const TABLES = ['urls', 'pages', 'edges', 'hosts', 'origins', 'keys', 'seeds'] as const;

/** A store is dealt out to four machines and put together again. */
export const split: Scenario = {
  word: 'split',
  sentence: `stores of ${SIZES.map(({ urls }) => whole(urls)).join(' and ')} URLs are split and merged: time and memory`,
  run: async () => {
    const rows: string[][] = [];
    for (const size of SIZES) {
      const folder = temporaryFolder(DISK_FOLDER);
      const [from, parts, to] = ['crawl', 'parts', 'whole'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      say(`making a store of ${whole(size.urls)} URLs`);
      makeKeptStore(from, size);
      const slots = Array.from({ length: NODES }, (_, slot) => join(parts, `slot-${slot}`));
      rows.push(row('split', size, await measured(['split', from, '--nodes', String(NODES), '-o', parts])));
      rows.push(row('merge', size, await measured(['merge', ...slots, '-o', to])));
      const differs = TABLES.filter((name) => !isSame(from, to, name));
      say(differs.length === 0 ? 'all rows are as they were' : `DIFFERENT: ${differs.join(', ')}`);
      removeFolder(folder);
    }
    process.stdout.write(table(['', 'URLs', 'pages', 'links', 's', 'URLs/s', 'pages/s', 'MiB at most'], rows));
  },
};

function row(word: string, { urls, pages, linksAPage }: KeptStoreSize, { ms, bytes }: Measured): string[] {
  const perSecond = (count: number): string => whole((count * 1000) / ms);
  return [
    word,
    whole(urls),
    whole(pages),
    whole(pages * linksAPage),
    (ms / 1000).toFixed(1),
    perSecond(urls),
    perSecond(pages),
    whole(bytes / 2 ** 20),
  ];
}

interface Measured {
  ms: number;
  bytes: number;
}

async function measured(args: readonly string[]): Promise<Measured> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  let bytes = 0;
  const look = setInterval(() => {
    bytes = Math.max(bytes, residentBytes(child.pid!));
  }, LOOK_EVERY_MS);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(look);
  if (code !== 0) {
    throw new Error(`gossamer ${args[0]} ended with ${code}`);
  }
  return { ms: performance.now() - startedAt, bytes };
}

function isSame(a: string, b: string, name: string): boolean {
  const [one, other] = [a, b].map((directory) => openDatabase(storePath(directory), { readOnly: true })) as [
    ReturnType<typeof openDatabase>,
    ReturnType<typeof openDatabase>,
  ];
  const rows = (database: typeof one) => database.prepare(`SELECT * FROM ${name}`).iterate();
  const others = rows(other);
  let isSame = true;
  for (const each of rows(one)) {
    isSame &&= textOf(each) === textOf(others.next().value ?? {});
  }
  isSame &&= others.next().done === true;
  one.close();
  other.close();
  return isSame;
}

const textOf = (row: object): string =>
  Object.values(row)
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)))
    .join('\0');
