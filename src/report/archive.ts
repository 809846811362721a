import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { unpack } from '../base/parcel.js';
import { VERSION } from '../config/version.js';
import { ARCHIVE_MARK, type ArchiveMark, type ArchiveTable } from '../store/archive-table.js';
import { ARCHIVE_FOLDER } from '../store/directory.js';
import { openPage } from '../store/page-row.js';
import type { ArchivedRecord, SeedRow, SettledUrl, Transaction } from '../store/transaction.js';
import { UrlState } from '../store/url-state.js';
import { ARCHIVED, type ArchivedExchange, failedExchange, revisit } from '../warc/exchange.js';
import { fieldsBlock, newRecordId, packRecord, WARC_FIELDS } from '../warc/record.js';
import { cdxTime, surtOf } from '../warc/surt.js';
import { AtomicFiles, outputFailure, writeFully } from './atomic-file.js';
import { TextWriter } from './output.js';

const INDEX_FILE = 'index.cdxj';

/** What the first record of each file says of the crawl. */
export interface ArchiveNotes {
  userAgent: string;
  robots: 'obey' | 'ignore';
}

/** A file takes no more records once it is so large, as the standard advises. */
const SEGMENT_BYTES = 1024 ** 3;
/** Of a smaller page, a record that says where its payload stands would be as large as the payload. */
const LEAST_PAYLOAD = 512;
const MOST_SEEDS = 1_000;

const OUR_SEGMENT = /^gossamer-(\d{5,})\.warc\.gz$/;

export const segmentName = (segment: number): string => `gossamer-${String(segment).padStart(5, '0')}.warc.gz`;

/** The numbers of the files that an archive has. */
export const segmentsIn = (folder: string): number[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((name) => OUR_SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/**
 * The archive of a crawl. What a commit settles is written and synced before the commit, and how far the files go is part of it. So after any kill or power
 * cut the files have all that the store has; what they have beyond that is cut off when they are opened again.
 */
export class ArchiveWriter {
  readonly #folder: string;
  readonly #table: ArchiveTable;
  readonly #notes: ArchiveNotes & { seeds: readonly SeedRow[] };
  readonly #segmentBytes: number;
  #mark: ArchiveMark = { segment: 0, length: 0 };
  #descriptor: number | null = null;

  constructor(
    directory: string,
    table: ArchiveTable,
    notes: ArchiveNotes & { seeds: readonly SeedRow[] },
    segmentBytes = SEGMENT_BYTES,
  ) {
    this.#folder = join(directory, ARCHIVE_FOLDER);
    this.#table = table;
    this.#notes = notes;
    this.#segmentBytes = segmentBytes;
  }

  /** Goes on where the store says. Files and parts of files that it does not know of are of a commit that never was. */
  open(mark: ArchiveMark): void {
    try {
      mkdirSync(this.#folder, { recursive: true });
      for (const segment of segmentsIn(this.#folder).filter((each) => each > mark.segment)) {
        rmSync(this.#pathOf(segment));
      }
      this.#mark = { ...mark };
      if (mark.segment > 0) {
        this.#descriptor = openSync(this.#pathOf(mark.segment), 'r+');
        if (fstatSync(this.#descriptor).size < mark.length) {
          throw this.#damaged('is shorter than the crawl left it');
        }
        ftruncateSync(this.#descriptor, mark.length);
      }
    } catch (error) {
      this.close();
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? this.#damaged('is gone') : this.#failure(error);
    }
  }

  /** For the store: how far the archive goes. */
  mark(): Record<string, string> {
    return { [ARCHIVE_MARK]: JSON.stringify(this.#mark) };
  }

  /** Writes what a commit settles, before it. When this returns it is on the disk. */
  add({ settled, at }: Transaction): ArchivedRecord[] {
    const pieces: Uint8Array[] = [];
    const records: ArchivedRecord[] = [];
    const payloads = new Map<string, { url: string; at: number }>();
    const begun = this.#mark.segment;
    for (const each of settled) {
      const members = each.archived === undefined ? this.#unanswered(each, at) : [];
      if (each.archived !== undefined) {
        const exchange = unpack<ArchivedExchange>(ARCHIVED, each.archived);
        const first = this.#firstWith(exchange, payloads);
        const record = first === null ? exchange.response : revisit(exchange, first);
        this.#roll(pieces);
        records.push(this.#placed(exchange, record.length, first !== null));
        if (first === null && isWhole(exchange)) {
          payloads.set(exchange.digest, { url: exchange.url, at: exchange.at });
        }
        members.push(record, exchange.others);
      }
      for (const member of members) {
        this.#roll(pieces);
        pieces.push(member);
        this.#mark.length += member.length;
      }
    }
    this.#write(pieces);
    if (pieces.length > 0 || this.#mark.segment !== begun) {
      this.#sync();
    }
    return records;
  }

  /** What replays archives finds pages by. */
  writeIndex(): void {
    const files = new AtomicFiles(join(this.#folder, INDEX_FILE));
    try {
      const text = new TextWriter(files.create());
      for (const record of this.#table.sorted()) {
        text.write(cdxjLine(record, segmentName(record.segment)));
      }
      text.flush();
      files.commit();
    } catch (error) {
      files.discard();
      throw error;
    }
  }

  close(): void {
    if (this.#descriptor !== null) {
      const descriptor = this.#descriptor;
      this.#descriptor = null;
      closeSync(descriptor);
    }
  }

  #unanswered({ id, state, reason, retry, page }: SettledUrl, at: number): Uint8Array[] {
    if (retry !== null || state !== UrlState.failed || page === null || reason === null) {
      return [];
    }
    const url = this.#table.urlOf(id);
    return url === null ? [] : [failedExchange(url, at, reason, openPage(page).message)];
  }

  #firstWith(exchange: ArchivedExchange, payloads: ReadonlyMap<string, { url: string; at: number }>) {
    return isWhole(exchange) ? (payloads.get(exchange.digest) ?? this.#table.payload(exchange.digest)) : null;
  }

  #placed(exchange: ArchivedExchange, length: number, isRevisit: boolean): ArchivedRecord {
    const { url, at, method, status, mime, digest } = exchange;
    const place = { segment: this.#mark.segment, offset: this.#mark.length, length };
    return {
      ...{ url, surt: surtOf(url), at, method, status, mime, digest, isRevisit },
      ...{ isWhole: !isRevisit && isWhole(exchange), ...place },
    };
  }

  /** Begins the next file where the last is full. */
  #roll(pieces: Uint8Array[]): void {
    if (this.#descriptor !== null && this.#mark.length < this.#segmentBytes) {
      return;
    }
    if (this.#descriptor !== null) {
      this.#write(pieces);
      pieces.length = 0;
      this.#sync();
      this.close();
    }
    const segment = this.#mark.segment + 1;
    this.#mark = { segment, length: 0 };
    try {
      this.#descriptor = openSync(this.#pathOf(segment), 'w+');
      syncFolder(this.#folder);
    } catch (error) {
      throw this.#failure(error);
    }
    const info = this.#warcinfo(segment);
    pieces.push(info);
    this.#mark.length = info.length;
  }

  /** The pieces end where the mark stands. */
  #write(pieces: readonly Uint8Array[]): void {
    if (pieces.length === 0) {
      return;
    }
    const bytes = Buffer.concat(pieces);
    try {
      writeFully(this.#descriptor!, bytes, this.#mark.length - bytes.length);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #sync(): void {
    try {
      fdatasyncSync(this.#descriptor!);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #warcinfo(segment: number): Buffer {
    const { userAgent, robots, seeds } = this.#notes;
    return packRecord({
      ...{ type: 'warcinfo', id: newRecordId(), at: Date.now(), contentType: WARC_FIELDS },
      fields: [['WARC-Filename', segmentName(segment)]],
      block: [
        fieldsBlock([
          ['software', `gossamer/${VERSION}`],
          ['format', 'WARC File Format 1.1'],
          ['conformsTo', 'https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
          ['robots', robots],
          ['http-header-user-agent', userAgent],
          ...seeds.slice(0, MOST_SEEDS).map(({ url }) => ['seed', url] as const),
        ]),
      ],
    });
  }

  #pathOf(segment: number): string {
    return join(this.#folder, segmentName(segment));
  }

  #failure(error: unknown): Error {
    return error instanceof StateError ? error : outputFailure(this.#pathOf(this.#mark.segment), error);
  }

  #damaged(what: string): StateError {
    return new StateError(
      'archive',
      `${this.#pathOf(this.#mark.segment)} ${what}: the crawl cannot go on; put the file back, or begin anew with --fresh`,
    );
  }
}

/** That a new file is there outlives a power cut. Windows keeps no folder waiting. */
function syncFolder(folder: string): void {
  if (process.platform !== 'win32') {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Its payload can stand for that of others. */
const isWhole = ({ isTruncated, payloadBytes, method }: ArchivedExchange): boolean =>
  !isTruncated && payloadBytes >= LEAST_PAYLOAD && method === 'GET';

/** A line as the tools of others write it; a HEAD is no page that could be shown. */
export function cdxjLine(
  { surt, url, at, mime, status, digest, isRevisit, length, offset, method }: ArchivedRecord,
  file: string,
): string {
  const fields: [string, string | null][] = [
    ['url', url],
    ['mime', isRevisit ? 'warc/revisit' : mime],
    ['status', String(status)],
    ['digest', digest],
    ['length', String(length)],
    ['offset', String(offset)],
    ['filename', file],
    ...(method === 'GET' ? [] : ([['method', method]] as [string, string][])),
  ];
  const json = fields
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ');
  return `${surt} ${cdxTime(at)} {${json}}\n`;
}
