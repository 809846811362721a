import { closeSync, openSync } from 'node:fs';
import type { Clock } from '../base/clock.js';
import { type ErrorClass, FetchError, isErrorClass } from '../base/errors.js';
import { decodeBody, readContentEncoding } from '../fetch/body.js';
import type { FetchOptions, FetchRequest, FetchResponse, PendingFetch } from '../fetch/contract.js';
import type { AnyFetcher } from '../fetch/http-cache.js';
import { parseHead } from '../fetch/http1-head.js';
import { type ArchivedCapture, ArchiveIndex } from '../store/archive-index.js';
import { normaliseUrl } from '../url/identity.js';
import { dechunked, splitHttp } from '../warc/http-block.js';
import { type ReadRecord, recordAt } from '../warc/reader.js';
import type { PageSource } from './lane.js';
import { REDIRECTS } from './reading.js';

type Setup = NonNullable<FetchOptions['archive']>;

/** An archive in place of the web: every URL is answered from the archive, and no requests are sent. */
export class ArchiveSource implements AnyFetcher, PageSource {
  readonly asksNobody = true;
  readonly archives = true;
  readonly #setup: Setup;
  readonly #maxBodyBytes: number;
  readonly #clock: Clock;
  readonly #index: ArchiveIndex;
  readonly #descriptors = new Map<string, number>();

  constructor(setup: Setup, maxBodyBytes: number, clock: Clock) {
    this.#setup = setup;
    this.#maxBodyBytes = maxBodyBytes;
    this.#clock = clock;
    this.#index = new ArchiveIndex(setup.index);
  }

  fetch(request: FetchRequest): PendingFetch {
    const ignore = (): void => {};
    return { promise: this.#answer(request), pause: ignore, resume: ignore, abort: ignore };
  }

  resolve(): Promise<string> {
    return Promise.reject(notThere());
  }

  resize(): void {}

  retire(): number {
    return 0;
  }

  async close(): Promise<void> {
    this.#index.close();
    for (const descriptor of this.#descriptors.values()) {
      closeSync(descriptor);
    }
    this.#descriptors.clear();
  }

  async #answer(request: FetchRequest): Promise<FetchResponse> {
    const capture = this.#index.find(normaliseUrl(request.url)?.url ?? request.url, request.method);
    if (capture === null) {
      throw notThere();
    }
    if (capture.error !== null) {
      const errorClass: ErrorClass = isErrorClass(capture.error) ? capture.error : 'unknown';
      throw new FetchError(errorClass, capture.message ?? 'There was no answer when the archive was made.');
    }
    const record = this.#read(capture);
    const { head, body: ownBody } = splitHttp(record.block);
    const { status, headers } = parse(head);
    const wanted = this.#wantsBody(request, capture, status, headers.get('content-type'), headers.get('location'));
    const wire = wanted
      ? dechunked(capture.isRevisit ? this.#payloadOf(capture) : ownBody, headers.get('transfer-encoding'))
      : null;
    const ending = record.fields.get('warc-truncated');
    const endedEarly = !capture.isRevisit && ending === 'disconnect';
    const decoded = wire === null ? null : await this.#decoded(wire, headers.get('content-encoding'), request);
    const body = decoded === null ? null : firstOf(decoded.body, request.firstBytes);
    const at = this.#clock.now();
    return {
      ...{ status, headers, body, wireBytes: 0, bodyBytes: body?.length ?? 0 },
      cut: body === null && request.method === 'GET',
      endedEarly: endedEarly && body !== null,
      truncated: body !== null && (endedEarly || decoded!.damage !== null),
      damage: decoded?.damage ?? null,
      ...{ ttfbMs: 0, headersAt: at, endedAt: at, remoteAddress: null, cached: true },
      answeredAt: capture.at,
    };
  }

  /** As on the network, the bodies of redirects and of files that are not text are not read. */
  #wantsBody(
    { method, wantBody }: FetchRequest,
    capture: ArchivedCapture,
    status: number,
    type: string | null,
    location: string | null,
  ): boolean {
    const isRedirect = REDIRECTS.has(status) && location !== null;
    return method !== 'HEAD' && capture.method !== 'HEAD' && !isRedirect && wantBody(status, type);
  }

  #read({ part, offset, length }: ArchivedCapture): ReadRecord {
    const { path } = this.#setup.parts[part]!;
    let descriptor = this.#descriptors.get(path);
    if (descriptor === undefined) {
      descriptor = openSync(path, 'r');
      this.#descriptors.set(path, descriptor);
    }
    const record = recordAt(descriptor, offset, length, this.#setup.mostRecordBytes);
    if (record === null || record.block.length < record.blockBytes) {
      throw new FetchError('unknown', 'The record in the archive is damaged, or the file was changed.');
    }
    return record;
  }

  #payloadOf({ digest }: ArchivedCapture): Buffer {
    const first = digest === null ? null : this.#index.payload(digest);
    if (first === null) {
      throw new FetchError('not_kept', 'The archive says that it has the page elsewhere, but it does not.');
    }
    const { head, body } = splitHttp(this.#read(first).block);
    return dechunked(body, parse(head).headers.get('transfer-encoding'));
  }

  /** Some programs keep the header and undo the encoding: a body that is not encoded as it says is used as it is. */
  async #decoded(wire: Buffer, encoding: string | null, { leastMaxBodyBytes = 0 }: FetchRequest) {
    const encodings = readContentEncoding(encoding);
    const max = Math.max(this.#maxBodyBytes, leastMaxBodyBytes);
    if (wire.length > max) {
      throw new FetchError('too_large', `The body is larger than ${max} bytes.`);
    }
    const decoded = await decodeBody(wire, encodings, max);
    return decoded.damage !== null && decoded.body.length === 0 && wire.length > 0
      ? { body: wire, damage: null }
      : decoded;
  }
}

const firstOf = (body: Buffer, bytes: number | undefined): Buffer =>
  bytes === undefined ? body : body.subarray(0, bytes);

/** Versions that the reader of the wire does not know are those of HTTP/2 and its like. */
function parse(head: string): ReturnType<typeof parseHead> {
  try {
    return parseHead(head.replace(/^HTTP\/\d+(?:\.\d+)?[ \t]+/, '1.1 '));
  } catch (error) {
    throw new FetchError('unknown', `The answer in the archive cannot be read: ${(error as Error).message}`);
  }
}

const notThere = (): FetchError => new FetchError('not_kept', 'The archive does not have it.');
