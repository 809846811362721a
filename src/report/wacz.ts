import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { VERSION } from '../config/version.js';
import type { Reader } from '../store/reader.js';
import { crcOf, type ZipEntry, ZipFrame } from '../warc/zip.js';
import { cdxjLine, segmentName } from './archive.js';
import { jsonLine, type Output, type OutputFile, type OutputNotes } from './output.js';
import { archiveOf, piecesOf } from './warc.js';

/** What is written into the file: where the same content can be had twice, first to be measured and then to be written. */
interface Content {
  name: string;
  pieces(): Iterable<Buffer>;
}

interface Resource {
  name: string;
  path: string;
  hash: string;
  bytes: number;
}

/** A WACZ 1.1.1: the archive with its index and its list of pages in one file, as players of archives take it. */
export const waczOutput: Output = {
  async write(reader, files): Promise<OutputNotes> {
    const { folder, segments, records } = archiveOf(reader);
    const file = files.create();
    const frame = new ZipFrame();
    const contents: Content[] = [
      ...segments.map((segment) => ({
        name: `archive/${segmentName(segment)}`,
        pieces: () => piecesOf(join(folder, segmentName(segment))),
      })),
      { name: 'indexes/index.cdxj', pieces: () => inPieces(indexLines(reader)) },
      { name: 'pages/pages.jsonl', pieces: () => inPieces(pageLines(reader)) },
    ];
    const resources: Resource[] = [];
    for (const content of contents) {
      resources.push(await writeEntry(file, frame, content));
    }
    const description = descriptionOf(reader, resources);
    const { hash } = await writeEntry(file, frame, { name: 'datapackage.json', pieces: () => [description] });
    const digest = Buffer.from(`${JSON.stringify({ path: 'datapackage.json', hash }, null, 2)}\n`);
    await writeEntry(file, frame, { name: 'datapackage-digest.json', pieces: () => [digest] });
    await file.write(frame.end());
    await file.close();
    return { records, files: 1 };
  },
};

async function writeEntry(file: OutputFile, frame: ZipFrame, { name, pieces }: Content): Promise<Resource> {
  const entry: ZipEntry = { name, size: 0, crc: 0 };
  const hash = createHash('sha256');
  for (const piece of pieces()) {
    entry.size += piece.length;
    entry.crc = crcOf(piece, entry.crc);
    hash.update(piece);
  }
  await file.write(frame.begin(entry));
  for (const piece of pieces()) {
    await file.write(piece);
  }
  return {
    name: name.slice(name.lastIndexOf('/') + 1),
    path: name,
    hash: `sha256:${hash.digest('hex')}`,
    bytes: entry.size,
  };
}

function* indexLines(reader: Reader): Iterable<string> {
  for (const record of reader.archive.sorted()) {
    yield cdxjLine(record, segmentName(record.segment));
  }
}

/** Pages that a reader may want to begin at. */
function* pageLines(reader: Reader): Iterable<string> {
  yield jsonLine({ format: 'json-pages-1.0', id: 'pages', title: 'All pages' });
  let id = 0;
  for (const page of reader.pagesWith(
    ['url', 'state', 'status', 'title', 'contentType', 'fetchedAt', 'external'],
    'found',
  )) {
    const isPage = page.state === 'done' && page.status === 200 && !page.external;
    if (isPage && page.fetchedAt !== null && /^(?:text\/html|application\/xhtml)/i.test(page.contentType ?? '')) {
      const ts = new Date(page.fetchedAt).toISOString();
      yield jsonLine({ id: `page-${++id}`, url: page.url, ts, ...(page.title === null ? {} : { title: page.title }) });
    }
  }
}

function descriptionOf(reader: Reader, resources: readonly Resource[]): Buffer {
  const seed = reader.seeds()[0]?.url;
  const startedAt = new Date(Number(reader.meta().startedAt ?? 0)).toISOString();
  const description = {
    profile: 'data-package',
    wacz_version: '1.1.1',
    software: `gossamer/${VERSION}`,
    created: startedAt,
    ...(seed === undefined ? {} : { mainPageUrl: seed }),
    resources,
  };
  return Buffer.from(`${JSON.stringify(description, null, 2)}\n`);
}

const PIECE = 1024 * 1024;

function* inPieces(lines: Iterable<string>): Iterable<Buffer> {
  let texts: string[] = [];
  let length = 0;
  for (const line of lines) {
    texts.push(line);
    length += line.length;
    if (length >= PIECE) {
      yield Buffer.from(texts.join(''));
      texts = [];
      length = 0;
    }
  }
  yield Buffer.from(texts.join(''));
}
