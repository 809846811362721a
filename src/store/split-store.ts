import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Breaks } from '../base/breaks.js';
import { slotOf, slotOfHost } from '../url/slots.js';
import { columnsOf, KeyWriter, keysIn, RowWriter } from './copied-rows.js';
import { type DiskWords, WordRoom } from './disk-words.js';
import { hasGivenTable } from './given-data.js';
import { edgesFromBlob } from './page-row.js';
import type { PartFacts, PartStore } from './part-store.js';
import type { Database, Row } from './sqlite.js';
import { foreignReason, standingOf } from './standing.js';
import { readMeta, writeMeta } from './store-file.js';
import type { UnfinishedFolder } from './unfinished-folder.js';
import { UrlKind, UrlState } from './url-state.js';

const BITS = 32;

/** Of memory, for what is known of each URL while it is dealt out. */
const WORD_BYTES = 64 * 2 ** 20;
const CACHE_KIB = 64 * 1024;
const LEAST_CACHE_KIB = 256;

/** Deals a crawl out: a store for each node, made in the folder. Returns the names of their directories, by slot. */
export async function splitStore(
  whole: PartStore,
  folder: UnfinishedFolder,
  nodes: number,
  breaks: Breaks,
): Promise<string[]> {
  const names = Array.from({ length: nodes }, (_, slot) => `slot-${slot}`);
  const cacheKib = Math.max(LEAST_CACHE_KIB, Math.floor(CACHE_KIB / nodes));
  const parts = names.map((name) => folder.createStore(join(folder.made, name), cacheKib));
  const room = new WordRoom(folder.work, WORD_BYTES);
  const split = randomUUID();
  try {
    await new StoreSplit(whole.database, parts, room, breaks).run((slot) => ({
      split,
      cluster: JSON.stringify({ crawlId: '', slot, nodes, incarnation: randomUUID() } satisfies PartFacts),
    }));
  } finally {
    room.close();
  }
  folder.finishStores();
  return names;
}

/** Rows that stand by the URL that they are about, and go where it goes; the column that names it. */
const BY_URL = [
  ['link_facts', 'page'],
  ['attempts', 'url'],
  ['cookies', 'url'],
  ['given', 'url'],
] as const;
/** The same in every part. */
const EVERYWHERE = ['runs', 'seeds', 'bad_seeds'] as const;
/** How far a file beside the store has come: a part has no such file yet. */
const MARKS_OF_FILES = ['pagesStream'] as const;

/**
 * Deals a store out to the nodes of a cluster. Each part has the URLs of its own hosts with all that is known of them. Ids stay as they are, so
 * that links do, too; what a part names and does not own stands in it as a row without a page, as a node has it of the URLs of others.
 */
export class StoreSplit {
  readonly #whole: Database;
  readonly #parts: readonly Database[];
  readonly #breaks: Breaks;
  /** Of each URL its part, from 1. */
  readonly #owners: DiskWords;
  readonly #wanted: Marks;
  readonly #origins: Marks;
  readonly #hosts: Marks;
  readonly #room: WordRoom;

  constructor(whole: Database, parts: readonly Database[], room: WordRoom, breaks: Breaks) {
    this.#whole = whole;
    this.#parts = parts;
    this.#breaks = breaks;
    this.#room = room;
    this.#owners = room.array();
    this.#wanted = new Marks(room, parts.length);
    this.#origins = new Marks(room, parts.length);
    this.#hosts = new Marks(room, parts.length);
  }

  /** @param metaOf what a part has in `meta` besides */
  async run(metaOf: (slot: number) => Record<string, string>): Promise<void> {
    await this.#chooseOwners();
    await this.#edges();
    await this.#pages();
    await this.#sitemapFinds();
    await this.#urls();
    await this.#keys();
    await this.#hostsAndOrigins();
    for (const [table, column] of BY_URL) {
      await this.#each(table, column, (row, part, write) => write(part, row));
    }
    await this.#traps();
    await this.#bodies();
    for (const table of EVERYWHERE) {
      await this.#everywhere(table);
    }
    this.#meta(metaOf);
  }

  #slotOf(url: string): number {
    // What no host answers for is the first one's, and stands wherever it is named.
    return Math.max(0, slotOf(url, this.#parts.length));
  }

  async #chooseOwners(): Promise<void> {
    for (const { id, url, parent } of this.#whole.prepare('SELECT id, url, parent FROM urls ORDER BY id').iterate()) {
      const slot = this.#slotOf(url);
      this.#owners.set(id, slot + 1);
      if (parent !== null) {
        this.#wanted.add(parent, slot);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  async #edges(): Promise<void> {
    await this.#each('edges', 'page', (row, part, write) => {
      const words = edgesFromBlob(row.packed);
      for (let i = 0; i < words.length; i += 2) {
        this.#wanted.add(words[i]!, part);
      }
      write(part, row);
    });
  }

  async #pages(): Promise<void> {
    await this.#each('pages', 'id', (row, part, write) => {
      if (row.redirect_to !== null) {
        this.#wanted.add(row.redirect_to, part);
      }
      write(part, row);
    });
  }

  async #sitemapFinds(): Promise<void> {
    await this.#each('sitemap_finds', 'url', (row, part, write) => {
      this.#wanted.add(row.sitemap, part);
      write(part, row);
    });
  }

  async #urls(): Promise<void> {
    await this.#each('urls', 'id', (row, part, write) => {
      write(part, row);
      this.#wanted.each(row.id, (other) => {
        if (other !== part) {
          write(other, strangerOf(row));
          if (row.origin !== 0) {
            this.#origins.add(row.origin, other);
          }
        }
      });
    });
  }

  async #keys(): Promise<void> {
    const writers = this.#parts.map((part) => new KeyWriter(part));
    for (const { id, key } of keysIn(this.#whole)) {
      this.#eachWith(id, (part) => writers[part]!.write(key, id));
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    for (const writer of writers) {
      writer.end();
    }
    const seen = this.#parts.map((part) => new RowWriter(part, 'seen', ['key', 'id']));
    for (const row of this.#whole.prepare('SELECT key, id FROM seen ORDER BY key').iterate()) {
      this.#eachWith(row.id, (part) => seen[part]!.write(row));
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** Parts that have a row for the URL. */
  #eachWith(id: number, take: (part: number) => void): void {
    const owner = this.#owners.get(id) - 1;
    if (owner < 0) {
      return;
    }
    take(owner);
    this.#wanted.each(id, (part) => {
      if (part !== owner) {
        take(part);
      }
    });
  }

  async #hostsAndOrigins(): Promise<void> {
    const origins = this.#writers('origins');
    const named = this.#whole.prepare(
      'SELECT origins.*, hosts.name AS host_name FROM origins JOIN hosts ON hosts.id = origins.host ORDER BY origins.id',
    );
    for (const row of named.iterate()) {
      const slot = slotOfHost(row.host_name, this.#parts.length);
      this.#hosts.add(row.host, slot);
      origins[slot]!.write(row);
      this.#origins.each(row.id, (part) => {
        if (part !== slot) {
          this.#hosts.add(row.host, part);
          this.#insert(part, 'origins', { id: row.id, origin: row.origin, host: row.host });
        }
      });
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    const hosts = this.#writers('hosts');
    for (const row of this.#whole.prepare('SELECT * FROM hosts ORDER BY id').iterate()) {
      const slot = slotOfHost(row.name, this.#parts.length);
      hosts[slot]!.write(row);
      this.#hosts.each(row.id, (part) => {
        if (part !== slot) {
          this.#insert(part, 'hosts', { id: row.id, name: row.name });
        }
      });
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  async #traps(): Promise<void> {
    const marks = new Marks(this.#room, this.#parts.length);
    await this.#each('trapped', 'url', (row, part, write) => {
      marks.add(row.trap, part);
      write(part, row);
    });
    await this.#eachMarked('traps', 'trap', marks);
  }

  async #bodies(): Promise<void> {
    const marks = new Marks(this.#room, this.#parts.length);
    await this.#each('bodies', 'page', (row, part, write) => {
      if (row.content !== null) {
        marks.add(row.content, part);
      }
      write(part, row);
    });
    await this.#eachMarked('contents', 'id', marks);
  }

  /** Rows that several parts may need; one that none needs is the first one's. */
  async #eachMarked(table: string, column: string, marks: Marks): Promise<void> {
    const writers = this.#writers(table);
    for (const row of this.#whole.prepare(`SELECT * FROM ${table} ORDER BY ${column}`).iterate()) {
      let isNeeded = false;
      marks.each(row[column], (part) => {
        isNeeded = true;
        writers[part]!.write(row);
      });
      if (!isNeeded) {
        writers[0]!.write(row);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** Rows by the URL that they are about, each with the part that owns it. */
  async #each(
    table: string,
    column: string,
    take: (row: Row, part: number, write: (part: number, row: Row) => void) => void,
  ): Promise<void> {
    if (table === 'given' && !hasGivenTable(this.#whole)) {
      return;
    }
    const writers = this.#writers(table);
    const write = (part: number, row: Row): void => writers[part]!.write(row);
    for (const row of this.#whole.prepare(`SELECT * FROM ${table} ORDER BY ${column}`).iterate()) {
      take(row, Math.max(0, this.#owners.get(row[column]) - 1), write);
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  async #everywhere(table: string): Promise<void> {
    const writers = this.#writers(table);
    for (const row of this.#whole.prepare(`SELECT * FROM ${table}`).iterate()) {
      for (const writer of writers) {
        writer.write(row);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  #meta(metaOf: (slot: number) => Record<string, string>): void {
    const meta = readMeta(this.#whole);
    for (const key of MARKS_OF_FILES) {
      delete meta[key];
    }
    const crashes: [number, number][] = JSON.parse(meta.crashes ?? '[]');
    const dispatched = this.#dispatched(Number(meta.dispatched ?? 0));
    const grants = grantsOf(meta, dispatched);
    this.#parts.forEach((part, slot) => {
      writeMeta(part, {
        ...meta,
        ...(meta.crashes === undefined
          ? {}
          : { crashes: JSON.stringify(crashes.filter(([id]) => this.#owners.get(id) - 1 === slot)) }),
        ...(meta.dispatched === undefined ? {} : { dispatched: String(dispatched[slot]) }),
        ...(grants === null ? {} : { grant: String(grants[slot]) }),
        ...(meta.refetched === undefined || slot === 0 ? {} : { refetched: '0' }),
        ...metaOf(slot),
      });
    });
  }

  /** How many of the URLs that were asked for each part has: all of them together as many as before. */
  #dispatched(all: number): number[] {
    const counts = this.#parts.map(
      (part): number =>
        part
          .prepare(
            `SELECT count(*) AS n FROM urls WHERE kind = ${UrlKind.page} AND attempts > 0
               AND NOT (state = ${UrlState.skipped} AND coalesce(reason, '') IN ('robots', 'hook'))`,
          )
          .get()!.n,
    );
    let rest = all;
    return counts.map((count, slot) => {
      const own = slot === counts.length - 1 ? rest : Math.min(rest, count);
      rest -= own;
      return own;
    });
  }

  #writers(table: string): RowWriter[] {
    const known = new Set(columnsOf(this.#parts[0]!, table));
    const columns = columnsOf(this.#whole, table).filter((column) => known.has(column));
    return this.#parts.map((part) => new RowWriter(part, table, columns));
  }

  /** Of a row that is another's, only what it takes to name it. */
  #insert(part: number, table: string, row: Record<string, string | number>): void {
    const key = `${table} ${part}`;
    let writer = this.#strangers.get(key);
    if (writer === undefined) {
      writer = new RowWriter(this.#parts[part]!, table, Object.keys(row));
      this.#strangers.set(key, writer);
    }
    writer.write(row);
  }

  readonly #strangers = new Map<string, RowWriter>();
}

/** A URL of another's as a node has it. */
function strangerOf(row: Row): Row {
  const isListed = row.state !== UrlState.unlisted;
  const reason = isListed ? foreignReason(standingOf(row as Parameters<typeof standingOf>[0])) : row.reason;
  return { ...row, state: UrlState.unlisted, reason, parent: null, attempts: 0, lost: 0, not_before: 0 };
}

/** Of each number a set of parts. */
class Marks {
  readonly #words: readonly DiskWords[];

  constructor(room: WordRoom, parts: number) {
    this.#words = Array.from({ length: Math.ceil(parts / BITS) }, () => room.array());
  }

  add(number: number, part: number): void {
    const words = this.#words[Math.floor(part / BITS)]!;
    const before = words.get(number);
    const bit = 1 << (part % BITS);
    if ((before & bit) === 0) {
      words.set(number, (before | bit) >>> 0);
    }
  }

  /** Parts ascending. */
  each(number: number, take: (part: number) => void): void {
    for (let i = 0; i < this.#words.length; i++) {
      let bits = this.#words[i]!.get(number);
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits);
        take(i * BITS + bit);
        bits = (bits & (bits - 1)) >>> 0;
      }
    }
  }
}

/** Where the crawl has `--max-urls`: what each part has asked for, and its share of the rest. */
function grantsOf({ options, inForce }: Record<string, string>, dispatched: readonly number[]): number[] | null {
  const { values = {} } = JSON.parse(inForce ?? options ?? '{}') as { values?: { maxUrls?: number | null } };
  if (values.maxUrls == null) {
    return null;
  }
  const rest = Math.max(0, values.maxUrls - dispatched.reduce((sum, n) => sum + n, 0));
  const share = Math.floor(rest / dispatched.length);
  return dispatched.map((own, slot) => own + share + (slot < rest % dispatched.length ? 1 : 0));
}
