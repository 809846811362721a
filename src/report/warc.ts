import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { StateError } from '../base/errors.js';
import { VERSION } from '../config/version.js';
import { ARCHIVE_FOLDER } from '../store/directory.js';
import type { KeptExchange } from '../store/kept-answers.js';
import type { Reader } from '../store/reader.js';
import { isHttp } from '../url/host.js';
import { failedExchange } from '../warc/exchange.js';
import { digestOf, fieldsBlock, newRecordId, packRecord, WARC_FIELDS } from '../warc/record.js';
import { cdxjLine, segmentName, segmentsIn } from './archive.js';
import { type Output, type OutputNotes, recordOutput } from './output.js';

const PIECE = 1024 * 1024;

/** Files that follow each other are one archive as well: each of their records is a gzip member of its own. */
export const warcOutput: Output = {
  async write(reader, files): Promise<OutputNotes> {
    const isArchived = reader.archive.records > 0;
    if (!isArchived && keepOf(reader) !== 'body') {
      throw new StateError(
        'nothing_kept',
        'this crawl kept no answers: crawl again with --format warc, or with --keep body for an archive without the original headers',
      );
    }
    const file = files.create();
    let records = 0;
    for (const piece of isArchived ? archivePieces(reader) : recordsOfKept(reader)) {
      await file.write(piece);
      records++;
    }
    await file.close();
    return { records: isArchived ? reader.archive.records : records - 1, files: 1 };
  },
};

export const cdxjOutput: Output = recordOutput(function* (reader) {
  archiveOf(reader);
  for (const record of reader.archive.sorted()) {
    yield cdxjLine(record, segmentName(record.segment));
  }
});

interface KeptArchive {
  folder: string;
  segments: readonly number[];
  records: number;
}

export function archiveOf(reader: Reader): KeptArchive {
  const { records } = reader.archive;
  const folder = join(reader.directory(), ARCHIVE_FOLDER);
  const segments = segmentsIn(folder);
  if (records === 0 || segments.length === 0) {
    throw new StateError('nothing_kept', 'this crawl was not archived: crawl again with --format warc');
  }
  return { folder, segments, records };
}

const keepOf = (reader: Reader): string | undefined => {
  const { values } = JSON.parse(reader.meta().options ?? '{}') as { values?: { keep?: string } };
  return values?.keep;
};

function* archivePieces(reader: Reader): Iterable<Buffer> {
  const { folder, segments } = archiveOf(reader);
  for (const segment of segments) {
    yield* piecesOf(join(folder, segmentName(segment)));
  }
}

export function* piecesOf(path: string): Iterable<Buffer> {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(PIECE);
    for (let read = readSync(descriptor, bytes); read > 0; read = readSync(descriptor, bytes)) {
      yield Buffer.from(bytes.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** What `--keep body` has, as an archive: bodies without their content encoding, and those headers that were kept. */
function* recordsOfKept(reader: Reader): Iterable<Buffer> {
  yield packRecord({
    ...{
      type: 'warcinfo',
      id: newRecordId(),
      at: Number(reader.meta().startedAt ?? 0),
      contentType: WARC_FIELDS,
      fields: [],
    },
    block: [
      fieldsBlock([
        ['software', `gossamer/${VERSION}`],
        ['format', 'WARC File Format 1.1'],
        [
          'description',
          'made of a crawl with --keep body: content encodings are undone, and headers that were not kept are missing',
        ],
        ...reader.seeds().map(({ url }) => ['seed', url] as const),
      ]),
    ],
  });
  for (const kept of reader.keptExchanges()) {
    // With functions of a program's own a URL may be any key.
    if (!isHttp(kept.url)) {
      continue;
    }
    yield* kept.status === null ? [failedExchange(kept.url, kept.at, kept.errorClass, kept.message)] : recordsOf(kept);
  }
}

type Answered = Extract<KeptExchange, { packed: Uint8Array | null }>;

function recordsOf({ url, status, packed, truncated, endedEarly, headers, at, first }: Answered): Buffer[] {
  const id = newRecordId();
  const body = packed === null ? Buffer.alloc(0) : inflateRawSync(packed);
  const head = Buffer.from(headOf(status, headers), 'latin1');
  const fields: [string, string][] = [
    ['WARC-Target-URI', url],
    ['WARC-Payload-Digest', digestOf(body)],
  ];
  const contentType = 'application/http; msgtype=response';
  if (first !== null) {
    fields.push(
      ['WARC-Profile', 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'],
      ['WARC-Refers-To-Target-URI', first.url],
      ['WARC-Refers-To-Date', new Date(first.at).toISOString()],
    );
    return [packRecord({ ...{ type: 'revisit', id, at, fields, contentType }, block: [head] })];
  }
  if (truncated === true) {
    fields.push(['WARC-Truncated', endedEarly === true ? 'disconnect' : 'unspecified']);
  }
  const response = packRecord({ ...{ type: 'response', id, at, fields, contentType }, block: [head, body] });
  // Its body was not read: whoever replays it must not take it for an empty page.
  return packed === null ? [response, headRequest(url, at, id)] : [response];
}

function headRequest(url: string, at: number, id: string): Buffer {
  const { host, pathname, search } = new URL(url);
  return packRecord({
    ...{ type: 'request', id: newRecordId(), at, contentType: 'application/http; msgtype=request' },
    fields: [
      ['WARC-Target-URI', url],
      ['WARC-Concurrent-To', id],
    ],
    block: [Buffer.from(`HEAD ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`, 'latin1')],
  });
}

function headOf(status: number, headers: readonly (readonly [string, string])[]): string {
  const lines = headers.map(([name, value]) => {
    const shown = name === 'content-encoding' ? 'X-Archive-Orig-Content-Encoding' : name;
    return `${shown}: ${value.replace(/[\r\n\0]/g, ' ')}\r\n`;
  });
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}
