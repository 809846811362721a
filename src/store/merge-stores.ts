import { join } from 'node:path';
import type { Breaks } from '../base/breaks.js';
import { StateError } from '../base/errors.js';
import { slotOf, slotOfHost } from '../url/slots.js';
import { columnsOf, type KeptKey, KeyWriter, keysIn, RowWriter } from './copied-rows.js';
import { type DiskWords, WordRoom } from './disk-words.js';
import { hasGivenTable } from './given-data.js';
import { Numbering } from './numbering.js';
import { blobOf, edgeLeads, edgesFromBlob } from './page-row.js';
import type { PartStore } from './part-store.js';
import { type Database, openDatabase, type Row, type Statement } from './sqlite.js';
import { isNews, Standing, standingOf, type Way } from './standing.js';
import { Store } from './store.js';
import { readMeta, readSeeds, writeMeta } from './store-file.js';
import type { SeedRow } from './transaction.js';
import type { UnfinishedFolder } from './unfinished-folder.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';
import type { WriterOptions } from './writer.js';

/** One of the stores that are put together. */
export interface Part {
  /** For messages. */
  name: string;
  database: Database;
  slot: number;
  /** 0: what its slot has now; more: what it had before it was replaced. */
  age: number;
}

/** What is to be done once the rows are together. */
export interface MergedStore {
  urls: number;
  pages: number;
  /** URLs of which a part had yet to tell their owner. */
  late: number;
  /** Seeds that not all parts know to be redirected: all that their scopes count. */
  widened: { seed: number; scopeUrls: string[] }[];
}

/** What judges the URLs that are found late, by the options and the seeds of the crawl. */
export type WriterOptionsOf = (meta: Readonly<Record<string, string>>, seeds: SeedRow[]) => WriterOptions;

/** A page that is not in memory costs a look at the disk. */
const WORD_BYTES = 128 * 2 ** 20;
const CACHE_KIB = 64 * 1024;

/** Puts the parts of a crawl together: one store, made in the folder. */
export async function mergeStores(
  parts: readonly { store: PartStore; slot: number; age: number }[],
  folder: UnfinishedFolder,
  optionsOf: WriterOptionsOf,
  breaks: Breaks,
): Promise<MergedStore> {
  const whole = folder.createStore(folder.made, CACHE_KIB);
  const work = openDatabase(join(folder.work, 'work.sqlite'));
  const room = new WordRoom(folder.work, WORD_BYTES);
  let merged: MergedStore;
  try {
    work.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB}; BEGIN`);
    const named = parts.map(({ store, ...place }) => ({ ...place, name: store.directory, database: store.database }));
    const merge = new StoreMerge(named, whole, work, room, breaks);
    merged = await merge.run();
    if (merged.late > 0 || merged.widened.length > 0) {
      whole.exec('COMMIT');
      merge.deliver(new Store(whole, optionsOf(readMeta(whole), readSeeds(whole))), merged, Date.now());
      whole.exec('BEGIN');
      // There is something left to do.
      writeMeta(whole, { ended: null });
    }
  } finally {
    room.close();
    work.close();
  }
  folder.finishStores();
  return merged;
}

type StateRow = Parameters<typeof standingOf>[0];
const SETTLED: ReadonlySet<UrlState> = new Set([UrlState.done, UrlState.failed, UrlState.skipped]);
/** More than any age. */
const UNSETTLED = 1_000;
const STRANGER = 1_000_000;
const A_STANDING = 1_000_000_000;
/** Parents of these are nobody's page: the seed itself, the user, a third party. */
const WITHOUT_PARENT = UrlFlag.seed | UrlFlag.added | UrlFlag.candidate;
const LATE_AT_ONCE = 1_000;
/** The latest of these count. */
const MOST_TRAP_PATTERNS = 5_000;

/** Rows that stand by the URL that they are about, beside those that have a method of their own. */
const BY_URL = [
  ['link_facts', 'page'],
  ['attempts', 'url'],
  ['cookies', 'url'],
  ['given', 'url'],
] as const;

/**
 * Puts the stores of a cluster's nodes together. A URL is what its key says; its row, its page and its links are those of the store that owns it.
 * Each table is gone through in the order of ids in all stores at once, and every id becomes one of the whole.
 */
export class StoreMerge {
  readonly #parts: readonly Part[];
  readonly #whole: Database;
  readonly #work: Database;
  readonly #breaks: Breaks;
  readonly #nodes: number;
  readonly #urls: Numbering;
  readonly #hosts: Numbering;
  readonly #origins: Numbering;
  readonly #traps: Numbering;
  readonly #contents: Numbering;
  readonly #seqs: Numbering;
  /** Of URLs of the whole, how they are led to (`wordOf`); and those whose parent nobody has told. */
  readonly #ways: DiskWords;
  readonly #orphans: DiskWords;
  readonly #insertParent: Statement;

  /** @param parts by slot, then by age */
  constructor(parts: readonly Part[], whole: Database, work: Database, room: WordRoom, breaks: Breaks) {
    this.#parts = parts;
    this.#whole = whole;
    this.#work = work;
    this.#breaks = breaks;
    this.#nodes = 1 + Math.max(...parts.map(({ slot }) => slot));
    const numbering = (table: string) => new Numbering(work, table, { room, stores: parts.length, breaks });
    this.#urls = numbering('urls');
    this.#hosts = numbering('hosts');
    this.#origins = numbering('origins');
    this.#traps = numbering('traps');
    this.#contents = numbering('contents');
    this.#seqs = numbering('seqs');
    this.#ways = room.array();
    this.#orphans = room.array();
    work.exec(`CREATE TABLE late (place INTEGER PRIMARY KEY, url INTEGER NOT NULL, store INTEGER NOT NULL, id INTEGER NOT NULL);
      CREATE TABLE strays (store INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (store, id)) WITHOUT ROWID;
      CREATE TABLE parents (url INTEGER PRIMARY KEY, parent INTEGER NOT NULL);
      CREATE TABLE spilled (key BLOB NOT NULL, id INTEGER NOT NULL)`);
    this.#insertParent = work.prepare('INSERT OR IGNORE INTO parents (url, parent) VALUES (?, ?)');
  }

  async run(): Promise<MergedStore> {
    await this.#number();
    await this.#copyUrls();
    await this.#copyPages();
    await this.#copyHosts();
    await this.#copyRest();
    await this.#copyKeys();
    await this.#findParents();
    const widened = this.#seedsAndRuns();
    this.#meta();
    if (this.#parts.some(({ age }) => age > 0)) {
      this.#whole.exec(`DELETE FROM traps WHERE trap NOT IN (SELECT trap FROM trapped);
        DELETE FROM contents WHERE id NOT IN (SELECT content FROM bodies WHERE content IS NOT NULL)`);
    }
    const count = (table: string): number => this.#whole.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n;
    return { urls: count('urls'), pages: count('pages'), late: await this.#findLate(), widened };
  }

  /** What was under way between the parts is found, as if it had arrived. The store knows the scope of the crawl. */
  deliver(store: Store, { widened }: MergedStore, at: number): void {
    const commit = (fields: object) => store.writer.commit({ ...EMPTY, at, ...fields });
    if (widened.length > 0) {
      commit({ widened });
    }
    const rows = this.#work.prepare('SELECT * FROM late WHERE place > ? ORDER BY place LIMIT ?');
    for (let beyond = 0; ; ) {
      const late = rows.all(beyond, LATE_AT_ONCE);
      if (late.length === 0) {
        return;
      }
      commit({
        found: late.map(({ url, store: part, id }) => {
          const row = this.#row(part, id);
          const parent = row.parent === null ? 0 : this.#urls.of(part, row.parent);
          return {
            ...{ id: url, ...wayOf(row), parent: parent === 0 ? null : parent },
            ...((row.flags & UrlFlag.seed) === 0 ? {} : { seed: row.seed }),
            ...((row.flags & UrlFlag.candidate) === 0 ? {} : { candidate: row.flags }),
            ...((row.flags & UrlFlag.added) === 0 ? {} : { added: true }),
          };
        }),
      });
      beyond = late.at(-1)!.place;
    }
  }

  /** Of ids of a part that URLs of the whole they are; those that are the part's own only. */
  ownIds(part: number, ids: readonly number[]): number[] {
    return ids.filter((id) => this.#urls.isBest(part, id)).map((id) => this.#urls.of(part, id));
  }

  #row(part: number, id: number): Row {
    return this.#parts[part]!.database.prepare('SELECT * FROM urls WHERE id = ?').get(id)!;
  }

  #isOwn({ slot }: Part, url: string): boolean {
    return slotOf(url, this.#nodes) === slot;
  }

  async #number(): Promise<void> {
    for (const [place, part] of this.#parts.entries()) {
      const { database, slot, age } = part;
      const ofHost = (name: string): number => age + (slotOfHost(name, this.#nodes) === slot ? 0 : STRANGER);
      await this.#urls.add(place, this.#namedUrls(part));
      await this.#hosts.add(
        place,
        mapped(database, 'SELECT id, name FROM hosts ORDER BY id', ({ id, name }) => ({
          id,
          name,
          rank: ofHost(name),
        })),
      );
      await this.#origins.add(
        place,
        mapped(
          database,
          'SELECT origins.id AS id, origin, name FROM origins JOIN hosts ON hosts.id = host ORDER BY origins.id',
          ({ id, origin, name }) => ({ id, name: origin, rank: ofHost(name) }),
        ),
      );
      await this.#traps.add(
        place,
        mapped(database, 'SELECT trap, pattern FROM traps', ({ trap, pattern }) => ({
          id: trap,
          name: pattern,
          rank: 0,
        })),
      );
      await this.#contents.add(
        place,
        mapped(database, 'SELECT id, hash FROM contents', ({ id, hash }) => ({ id, name: hash, rank: 0 })),
      );
    }
    const stray = this.#work.prepare('INSERT INTO strays (store, id) VALUES (?, ?)');
    await this.#urls.settle((place, id, rank) => {
      if (rank >= STRANGER && rank < STRANGER + Standing.followed * A_STANDING) {
        // Its owner has never heard of it.
        stray.run(place, id);
      }
    });
    for (const [place, { database }] of this.#parts.entries()) {
      // A page of an older store that is not taken has no number in the whole.
      await this.#seqs.add(
        place,
        filtered(
          mapped(database, 'SELECT seq, id FROM pages', (row) => row),
          ({ id }) => this.#urls.isBest(place, id),
          ({ seq }) => ({ id: seq, name: null, rank: 0 }),
        ),
      );
    }
    for (const numbering of [this.#hosts, this.#origins, this.#traps, this.#contents, this.#seqs]) {
      await numbering.settle();
    }
  }

  *#namedUrls(part: Part): IterableIterator<{ id: number; name: string | Uint8Array; rank: number }> {
    const keys = keysIn(part.database);
    let next: KeptKey | undefined = keys.next().value;
    const rows = part.database.prepare('SELECT id, url, kind, state, reason, flags, depth FROM urls ORDER BY id');
    for (const row of rows.iterate()) {
      const { id, url, kind } = row;
      while (next !== undefined && next.id < id) {
        next = keys.next().value;
      }
      const name =
        next?.id === id
          ? new Uint8Array(next!.key.slice().buffer)
          : // robots.txt belongs to its origin, whoever redirects to it: there may be several rows of one URL.
            `${kind} ${url} ${kind === UrlKind.robots ? id : ''}`;
      yield { id, name, rank: this.#rankOf(part, row) };
    }
  }

  /** The owner's row counts: the present one, unless nothing has come of it and something of an older one. Of others the one that knows most. */
  #rankOf(part: Part, row: Row): number {
    if (this.#isOwn(part, row.url)) {
      return part.age + (SETTLED.has(row.state) ? 0 : UNSETTLED);
    }
    return STRANGER + (Standing.followed - standingOf(row as StateRow)) * A_STANDING + row.depth;
  }

  async #copyUrls(): Promise<void> {
    // Nearly all rows of other parts' URLs are passed over by SQLite: reading one costs more than all else that is done with it.
    const own = this.#parts.map(({ database }) =>
      database.prepare(`SELECT * FROM urls WHERE NOT ${IS_FOREIGN} ORDER BY id`).iterate(),
    );
    const strays = this.#parts.map((_, place) => this.#strays(place));
    const writer = new RowWriter(this.#whole, 'urls', columnsOf(this.#whole, 'urls'));
    for (const [row, list] of inOrder([...own, ...strays], (each: Row): number => each.id)) {
      const place = list % this.#parts.length;
      if (this.#urls.isBest(place, row.id)) {
        this.#changeUrl(row, place);
        writer.write(row);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  *#strays(place: number): IterableIterator<Row> {
    const ids = this.#work.prepare('SELECT id FROM strays WHERE store = ? ORDER BY id');
    const select = this.#parts[place]!.database.prepare('SELECT * FROM urls WHERE id = ?');
    for (const { id } of ids.iterate(place)) {
      // What the part knows of the way to it is told when the rows are together.
      yield { ...select.get(id)!, reason: 'asset' };
    }
  }

  #changeUrl(row: Row, place: number): void {
    row.id = this.#urls.of(place, row.id);
    row.origin = row.origin === 0 ? 0 : this.#origins.of(place, row.origin);
    row.parent = row.parent === null ? null : this.#urls.of(place, row.parent) || null;
    this.#ways.set(row.id, wordOf(wayOf(row)));
    if (row.parent === null && row.kind === UrlKind.page && row.depth > 0 && (row.flags & WITHOUT_PARENT) === 0) {
      this.#orphans.set(row.id, 1);
    }
  }

  async #copyPages(): Promise<void> {
    await this.#copy('pages', 'id', this.#urls, (row, place) => {
      row.id = this.#urls.of(place, row.id);
      row.seq = this.#seqs.of(place, row.seq);
      if (row.redirect_to !== null) {
        row.redirect_to = this.#idOf(place, row.redirect_to);
        this.#leads(row.id, row.redirect_to, 0);
      }
    });
    await this.#copy('edges', 'page', this.#urls, (row, place) => {
      row.page = this.#urls.of(place, row.page);
      const words = edgesFromBlob(row.packed);
      for (let i = 0; i < words.length; i += 2) {
        words[i] = this.#idOf(place, words[i]!);
        if (edgeLeads(words[i + 1]!)) {
          this.#leads(row.page, words[i]!, 1);
        }
      }
      row.packed = blobOf(words);
    });
    await this.#copy('sitemap_finds', 'url', this.#urls, (row, place) => {
      row.url = this.#urls.of(place, row.url);
      row.sitemap = this.#idOf(place, row.sitemap);
    });
  }

  /** A URL that nobody has a parent of: the first page with the shortest path to it is the one. */
  #leads(page: number, target: number, step: number): void {
    if (
      this.#orphans.get(target) === 1 &&
      wayIn(this.#ways.get(page)).depth + step === wayIn(this.#ways.get(target)).depth
    ) {
      this.#orphans.set(target, 0);
      this.#insertParent.run(target, page);
    }
  }

  async #findParents(): Promise<void> {
    const update = this.#whole.prepare('UPDATE urls SET parent = ? WHERE id = ?');
    for (const { url, parent } of this.#work.prepare('SELECT url, parent FROM parents ORDER BY url').iterate()) {
      update.run(parent, url);
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  async #copyHosts(): Promise<void> {
    await this.#copy('hosts', 'id', this.#hosts, (row, place) => {
      row.id = this.#hosts.of(place, row.id);
    });
    await this.#copy('origins', 'id', this.#origins, (row, place) => {
      row.id = this.#origins.of(place, row.id);
      row.host = this.#hosts.of(place, row.host);
      row.robots_id = row.robots_id === null ? null : this.#urls.of(place, row.robots_id) || null;
    });
  }

  async #copyRest(): Promise<void> {
    for (const [table, column] of BY_URL) {
      await this.#copy(table, column, this.#urls, (row, place) => {
        row[column] = this.#urls.of(place, row[column]);
      });
    }
    await this.#copy('traps', 'trap', this.#traps, (row, place) => {
      row.trap = this.#traps.of(place, row.trap);
    });
    await this.#copy('trapped', 'url', this.#urls, (row, place) => {
      row.url = this.#urls.of(place, row.url);
      row.trap = this.#traps.of(place, row.trap);
    });
    await this.#copy('bodies', 'page', this.#urls, (row, place) => {
      row.page = this.#urls.of(place, row.page);
      row.content = row.content === null ? null : this.#contents.of(place, row.content);
    });
    await this.#copy('contents', 'id', this.#contents, (row, place) => {
      row.id = this.#contents.of(place, row.id);
    });
  }

  async #copyKeys(): Promise<void> {
    const writer = new KeyWriter(this.#whole);
    const spilled = new Set(this.#parts.flatMap(({ database }) => spilledSegments(readMeta(database))));
    const spill = this.#work.prepare('INSERT INTO spilled (key, id) VALUES (?, ?)');
    const keys = inOrder(
      this.#parts.map(({ database }) => keysIn(database)),
      ({ id }) => id,
    );
    for (const [{ id, key }, place] of keys) {
      if (this.#urls.isBest(place, id)) {
        const known = this.#urls.of(place, id);
        writer.write(key, known);
        if (spilled.has(key[0]! >>> 20)) {
          spill.run(storedKey(key), known);
        }
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    writer.end();
    const seen = new RowWriter(this.#whole, 'seen', ['key', 'id']);
    for (const row of this.#work.prepare('SELECT key, id FROM spilled ORDER BY key').iterate()) {
      seen.write(row);
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** What a part knows of a URL beyond what the row of the whole says: a nearer path, a link that may be followed. */
  async #findLate(): Promise<number> {
    const insert = this.#work.prepare('INSERT INTO late (url, store, id) VALUES (?, ?, ?)');
    let late = 0;
    for (const [place, { database }] of this.#parts.entries()) {
      const rows = database.prepare(
        `SELECT id, state, reason, flags, depth FROM urls WHERE state <> ${UrlState.unlisted} OR ${IS_FOREIGN} ORDER BY id`,
      );
      for (const row of rows.iterate()) {
        const id = this.#urls.of(place, row.id);
        const way = wayOf(row);
        // Of what counts it is no news, but where its owner has never heard of it.
        if (isNews(wayIn(this.#ways.get(id)), way.standing, way.depth)) {
          insert.run(id, place, row.id);
          late++;
        }
        if (this.#breaks.isDue()) {
          await this.#breaks.take();
        }
      }
    }
    return late;
  }

  #seedsAndRuns(): MergedStore['widened'] {
    const [first] = this.#parts;
    const seeds = this.#parts.map(({ database }) => readSeeds(database));
    const widened = seeds[0]!.flatMap(({ seed }, place) => {
      const known = seeds.map((each) => each[place]!.scopeUrls);
      const all = [...new Set(known.flat())];
      return known.every(({ length }) => length === all.length) ? [] : [{ seed, scopeUrls: all }];
    });
    for (const table of ['seeds', 'bad_seeds']) {
      const writer = new RowWriter(this.#whole, table, columnsOf(first!.database, table));
      for (const row of first!.database.prepare(`SELECT * FROM ${table}`).iterate()) {
        writer.write(row);
      }
    }
    this.#runs();
    return widened;
  }

  /** Those that several parts have are what the whole had before it was split. One that has not ended stands last: so it is seen. */
  #runs(): void {
    const rows = this.#parts.flatMap(({ database }) => database.prepare('SELECT * FROM runs ORDER BY run').all());
    const nameOf = ({ run, pid, started_at }: Row) => `${run} ${pid} ${started_at}`;
    const runs = [...new Map(rows.map((row) => [nameOf(row), row])).values()].sort(
      (a, b) =>
        Number(a.ended_at === null) - Number(b.ended_at === null) || a.run - b.run || a.started_at - b.started_at,
    );
    const writer = new RowWriter(this.#whole, 'runs', ['run', 'pid', 'started_at', 'ended_at', 'reason']);
    for (const [place, run] of runs.entries()) {
      writer.write({ ...run, run: place + 1 });
    }
  }

  #meta(): void {
    const metas = this.#parts.map(({ database }) => readMeta(database));
    const [first] = metas as [Record<string, string>, ...Record<string, string>[]];
    const merged: Record<string, string> = {};
    for (const [key, value] of Object.entries(first)) {
      if (!isOfNode(key)) {
        merged[key] = value;
      }
    }
    const differs = (key: string): boolean => metas.some((meta) => meta[key] !== first[key]);
    for (const key of ['dispatched', 'refetched']) {
      if (metas.some((meta) => meta[key] !== undefined)) {
        merged[key] = String(metas.reduce((sum, meta) => sum + Number(meta[key] ?? 0), 0));
      }
    }
    if (metas.some((meta) => meta.hostsAreLate !== undefined)) {
      merged.hostsAreLate = 'true';
    }
    if (differs('seqAtStart')) {
      // Whether anything was settled since is no question any more.
      delete merged.seqAtStart;
    }
    if (first.crashes !== undefined) {
      const crashes = metas.flatMap((meta, place) =>
        (JSON.parse(meta.crashes ?? '[]') as [number, number][])
          .filter(([id]) => this.#urls.isBest(place, id))
          .map(([id, count]) => [this.#urls.of(place, id), count]),
      );
      merged.crashes = JSON.stringify(crashes.sort(([a], [b]) => a! - b!));
    }
    if (differs('spilledSegments')) {
      merged.spilledSegments = JSON.stringify([...new Set(metas.flatMap(spilledSegments))]);
    }
    if (differs('traps')) {
      merged.traps = this.#trapWatch(metas);
    }
    merged.ended = endOf(metas) ?? '';
    if (merged.ended === '') {
      delete merged.ended;
    }
    writeMeta(this.#whole, merged);
  }

  /** What each node has seen of the patterns of its own hosts. */
  #trapWatch(metas: readonly Record<string, string>[]): string {
    const lists = metas.map((meta, place) =>
      (JSON.parse(meta.traps ?? '{"patterns":[]}') as { patterns: [string, ...unknown[]][] }).patterns.filter(
        ([pattern]) => this.#parts[place]!.age === 0 && this.#isOwn(this.#parts[place]!, pattern),
      ),
    );
    // The latest stand last: of each node about as many.
    const aged = lists.flatMap((list) => list.map((entry, i) => ({ entry, age: list.length - i })));
    const patterns = aged.sort((a, b) => b.age - a.age).map(({ entry }) => entry);
    return JSON.stringify({ patterns: patterns.slice(-MOST_TRAP_PATTERNS) });
  }

  #idOf(place: number, id: number): number {
    const known = this.#urls.of(place, id);
    if (known === 0) {
      throw new StateError(
        'store_corrupt',
        `${this.#parts[place]!.name} is damaged: a link in it leads to no URL (${id})`,
      );
    }
    return known;
  }

  /** Rows that count, in the order of the whole. */
  async #copy(
    table: string,
    column: string,
    numbering: Numbering,
    change: (row: Row, place: number) => void,
  ): Promise<void> {
    const parts = this.#parts.map(({ database }) => (table !== 'given' || hasGivenTable(database) ? database : null));
    const known = new Set(parts.flatMap((part) => (part === null ? [] : columnsOf(part, table))));
    const columns = columnsOf(this.#whole, table).filter((name) => known.has(name));
    const writer = new RowWriter(this.#whole, table, columns);
    const rows = inOrder(
      parts.map(
        (part) => part?.prepare(`SELECT * FROM ${table} ORDER BY ${column}`).iterate() ?? [][Symbol.iterator](),
      ),
      (row: Row): number => row[column],
    );
    for (const [row, place] of rows) {
      if (numbering.isBest(place, row[column])) {
        change(row, place);
        writer.write(row);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }
}

const EMPTY = {
  ...{ newUrls: [], settled: [], rendered: [], found: [], leased: [], returned: [], skipped: [], unfollowed: [] },
  ...{ trapped: [], hosts: [], origins: [], bulk: [], spilledKeys: [], widened: [], meta: {} },
};

/** Whether another part lists the URL (`isListedElsewhere`), in SQL. */
const IS_FOREIGN = `(state = ${UrlState.unlisted} AND coalesce(reason, '') LIKE 'foreign%')`;

const DEEPEST = 2 ** 28 - 1;
/** A way in a word. */
const wordOf = ({ standing, depth }: Way): number => Math.min(depth, DEEPEST) * 8 + standing;
const wayIn = (word: number): Way => ({ standing: (word & 7) as Standing, depth: word >>> 3 });

const wayOf = (row: Row): Way => ({ standing: standingOf(row as StateRow), depth: row.depth });

/** What only a node needs, or what tells of a file beside its store. */
const isOfNode = (key: string): boolean =>
  key === 'cluster' || key === 'split' || key === 'grant' || key === 'pagesStream' || key.startsWith('mail:');

const spilledSegments = (meta: Record<string, string>): number[] => JSON.parse(meta.spilledSegments ?? '[]');

/** All have ended: as the one that had the most to say against it. */
function endOf(metas: readonly Record<string, string>[]): string | null {
  const ends = metas.flatMap(({ ended }) => (ended === undefined ? [] : [ended]));
  if (ends.length < metas.length) {
    return null;
  }
  const worth = (end: string): number => {
    const { reason, truncated } = JSON.parse(end) as { reason: string; truncated: string | null };
    return reason === 'complete' ? 0 : reason === 'complete_with_deferred' ? 1 : truncated !== null ? 2 : 3;
  };
  return ends.reduce((worst, end) => (worth(end) > worth(worst) ? end : worst));
}

/** As the store writes it in `seen`. */
function storedKey(key: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  key.forEach((word, i) => {
    view.setUint32(i * 4, word);
  });
  return bytes;
}

function* mapped<T>(database: Database, sql: string, make: (row: Row) => T): IterableIterator<T> {
  for (const row of database.prepare(sql).iterate()) {
    yield make(row);
  }
}

function* filtered<A, B>(rows: Iterable<A>, keep: (row: A) => boolean, make: (row: A) => B): IterableIterator<B> {
  for (const row of rows) {
    if (keep(row)) {
      yield make(row);
    }
  }
}

/** All of several, each of which is in order, in one order; of equal ones the first list's first. */
function* inOrder<T>(lists: readonly Iterator<T>[], orderOf: (item: T) => number): IterableIterator<[T, number]> {
  const heads = lists.map((list) => list.next());
  for (;;) {
    let first = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < heads.length; i++) {
      const head = heads[i]!;
      if (head.done !== true && orderOf(head.value) < least) {
        least = orderOf(head.value);
        first = i;
      }
    }
    if (first < 0) {
      return;
    }
    yield [heads[first]!.value, first];
    heads[first] = lists[first]!.next();
  }
}
