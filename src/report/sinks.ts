import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import type { PageResult } from '../store/page-types.js';
import type { EdgeResult, Reader } from '../store/reader.js';
import { outputFailure, writeFully } from './atomic-file.js';
import { printableJson } from './output.js';
import { pageLine } from './page-line.js';

/**
 * Somewhere results go while the crawl runs. A sink does not know about commits, kills or the store: it takes what it is given and says how
 * far it has come, in a count of its own such as bytes. On resume it is opened there again.
 */
export interface Sink {
  /** The store keeps under this name how far the sink has come. It must not change once there are stores that have it. */
  readonly key: string;
  /** Whether the end of a run writes the same file anew from the store, in another order. Then the next run begins it anew too. */
  readonly isRewritten: boolean;
  /**
   * Cuts off what lies beyond `at` and goes on there; 0 is the beginning. It returns false where less than that is left: then it is empty now,
   * and it is given everything once more. It is also called after a failure, when the sink was closed.
   */
  open(at: number): boolean;
  page?(page: PageResult): void;
  /** The same pages as lines of JSON, several at once, which the store makes faster than pages. */
  lines?(text: string): void;
  /** The links of the pages given before. What became of their targets may change later. */
  edges?(edges: Iterable<EdgeResult>): void;
  /** It hands on all that it was given, and returns how far it has come. */
  commit(): number;
  close(): void;
}

/** How far a sink has come: by its own count, and with which page (`seq`). */
interface Mark {
  offset: number;
  seq: number;
}

interface Entry {
  readonly sink: Sink;
  mark: Mark;
  isOpen: boolean;
}

const BEGINNING: Mark = { offset: 0, seq: 0 };

/**
 * The sinks of a crawl. The marks go into the store with the commit that follows. What a sink got after that was never counted: it is cut off
 * when the sink is opened at its mark, and what the store has beyond the mark is given to it again. So nothing is in a sink twice, and
 * nothing is missing, wherever the process was killed.
 */
export class Sinks {
  readonly #entries: Entry[];
  #reader: Reader | null = null;
  /** What the last commit has settled, and the number of its last page. */
  #settled: readonly number[] = [];
  #lastSeq = 0;

  constructor(sinks: readonly Sink[]) {
    this.#entries = sinks.map((sink) => ({ sink, mark: BEGINNING, isOpen: false }));
  }

  /** For the store: marks with which every sink begins anew. */
  beginnings(): Record<string, string> {
    return metaOf(this.#entries.map(({ sink }) => ({ sink, mark: BEGINNING })));
  }

  /** Opens all where the store says, and gives them what was settled since. `lastSeq` is the number of the last page in the store. */
  open(meta: Readonly<Record<string, string>>, reader: Reader, lastSeq: number): void {
    this.#reader = reader;
    this.#lastSeq = lastSeq;
    for (const entry of this.#entries) {
      const mark = meta[entry.sink.key];
      entry.mark = mark === undefined ? BEGINNING : JSON.parse(mark);
      this.#resume(entry);
    }
  }

  /** A commit is done; what earlier ones settled was written before it. */
  settled(ids: readonly number[], lastSeq: number): void {
    this.#settled = ids;
    this.#lastSeq = lastSeq;
  }

  /** Gives the sinks what the last commit settled. A sink that fails is opened again at its mark the next time. */
  write(): void {
    this.#write(this.#entries);
  }

  /** For the next commit. */
  marks(): Record<string, string> {
    return metaOf(this.#entries.filter(({ isOpen }) => isOpen));
  }

  /** Closes all at the end of a run, and returns the marks that the next one begins with. */
  finish(): Record<string, string> {
    const lasting = this.#entries.filter(({ sink }) => !sink.isRewritten);
    this.#write(lasting);
    const marks = metaOf(lasting.filter(({ isOpen }) => isOpen));
    this.close();
    const rewritten = this.#entries.filter(({ sink }) => sink.isRewritten);
    return { ...marks, ...metaOf(rewritten.map(({ sink }) => ({ sink, mark: BEGINNING }))) };
  }

  /** What is not written yet stays so: whoever resumes writes it from the store. After this nothing is written, for the end of a run writes files anew. */
  close(): void {
    this.#reader = null;
    for (const entry of this.#entries.filter(({ isOpen }) => isOpen)) {
      entry.isOpen = false;
      entry.sink.close();
    }
  }

  #write(entries: readonly Entry[]): void {
    if (this.#reader === null) {
      return;
    }
    for (const entry of entries.filter(({ isOpen }) => !isOpen)) {
      this.#resume(entry);
    }
    this.#give(
      entries.filter(({ mark }) => mark.seq !== this.#lastSeq),
      this.#settled,
    );
  }

  #resume(entry: Entry): void {
    if (!entry.sink.open(entry.mark.offset)) {
      entry.mark = BEGINNING;
    }
    entry.isOpen = true;
    this.#give([entry], this.#reader!.settledAfter(entry.mark.seq));
  }

  /** Where one fails, all of them go on from their marks. */
  #give(entries: readonly Entry[], ids: readonly number[]): void {
    if (entries.length === 0) {
      return;
    }
    try {
      give(
        entries.map(({ sink }) => sink),
        ids,
        this.#reader!,
      );
      for (const entry of entries) {
        entry.mark = { offset: entry.sink.commit(), seq: this.#lastSeq };
      }
    } catch (error) {
      for (const entry of entries) {
        entry.isOpen = false;
        entry.sink.close();
      }
      throw error;
    }
  }
}

/** What no sink has a method for is not read. */
function give(sinks: readonly Sink[], ids: readonly number[], reader: Reader): void {
  const [takingPages, takingLines] = [sinks.filter(({ page }) => page), sinks.filter(({ lines }) => lines)];
  for (const page of takingPages.length > 0 ? reader.pagesById(ids) : []) {
    for (const sink of takingPages) {
      sink.page!(page);
    }
  }
  for (const text of takingLines.length > 0 ? reader.linesById(ids, pageLine) : []) {
    for (const sink of takingLines) {
      sink.lines!(printableJson(text));
    }
  }
  for (const sink of sinks) {
    sink.edges?.(reader.edgesOf(ids));
  }
}

const metaOf = (entries: readonly Pick<Entry, 'sink' | 'mark'>[]): Record<string, string> =>
  Object.fromEntries(entries.map(({ sink, mark }) => [sink.key, JSON.stringify(mark)]));

/** A file that can be cut and continued, for sinks that count bytes. */
export class SinkFile {
  readonly #path: string;
  readonly #recordEnd: Uint8Array;
  #descriptor: number | null = null;
  #length = 0;

  /** @param recordEnd bytes that every record ends with */
  constructor(path: string, recordEnd: Uint8Array) {
    this.#path = path;
    this.#recordEnd = recordEnd;
  }

  /** Its bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** As `Sink.open`. */
  open(at: number): boolean {
    try {
      this.#descriptor = openSync(this.#path, constants.O_RDWR | constants.O_CREAT);
      // The file is not synced with each commit, so a power cut can take what the store has counted: then it is made anew.
      const isWhole = at === 0 || this.#endsRecordAt(at);
      this.#length = isWhole ? at : 0;
      ftruncateSync(this.#descriptor, this.#length);
      return isWhole;
    } catch (error) {
      this.close();
      throw outputFailure(this.#path, error);
    }
  }

  write(bytes: Uint8Array): void {
    try {
      writeFully(this.#descriptor!, bytes, this.#length);
    } catch (error) {
      throw outputFailure(this.#path, error);
    }
    this.#length += bytes.length;
  }

  close(): void {
    if (this.#descriptor !== null) {
      const descriptor = this.#descriptor;
      this.#descriptor = null;
      closeSync(descriptor);
    }
  }

  #endsRecordAt(at: number): boolean {
    const { length } = this.#recordEnd;
    const end = Buffer.alloc(length);
    return (
      fstatSync(this.#descriptor!).size >= at &&
      at >= length &&
      readSync(this.#descriptor!, end, 0, length, at - length) === length &&
      end.equals(this.#recordEnd)
    );
  }
}
