import { type ApiClient, ApiTrouble } from '../../fetch/api-client.js';
import { hostInCertificate, isOfDomain } from './host-names.js';
import { isNotJson, MAX_ANSWER_BYTES, MAX_ENTRY_BYTES, parseObject, type SourceEnd } from './source.js';

/**
 * Reads the names below a domain from the public certificate logs as crt.sh lists them: one long list of certificates, each an object with its
 * names in `name_value`, one per line. A name is passed on as often as it is listed. `take` returns false when it has enough.
 */
export async function readCertificateNames(
  client: ApiClient,
  baseUrl: string,
  domain: string,
  take: (name: string) => boolean,
): Promise<SourceEnd> {
  const url = new URL(baseUrl);
  url.search = `?q=${encodeURIComponent(`%.${domain}`)}&output=json`;
  const objects = new JsonObjects(MAX_ENTRY_BYTES);
  let bytes = 0;
  const end = await client.ask(url.href, (piece) => {
    if (bytes === 0 && isNotJson(piece)) {
      throw new ApiTrouble('its answer is not JSON');
    }
    bytes += piece.length;
    for (const text of objects.read(piece)) {
      for (const name of namesIn(text, domain)) {
        if (!take(name)) {
          return false;
        }
      }
    }
    return bytes <= MAX_ANSWER_BYTES;
  });
  if (bytes > MAX_ANSWER_BYTES) {
    return { cut: 'too large' };
  }
  if (end === 'enough') {
    return { cut: 'limit' };
  }
  return { cut: end === 'truncated' || (end === 'complete' && !objects.isComplete) ? 'broken off' : null };
}

function namesIn(text: string, domain: string): string[] {
  const written = parseObject(text)?.name_value;
  if (typeof written !== 'string') {
    return [];
  }
  return written
    .split('\n')
    .map(hostInCertificate)
    .filter((name) => name !== null)
    .filter((name) => isOfDomain(name, domain));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const CLOSE_LIST = 0x5d;

/**
 * Reads the objects of a JSON list from bytes as they arrive, without holding the list: it counts braces outside strings, which are single
 * bytes in UTF-8. A list that breaks off still gives every object before the break.
 */
export class JsonObjects {
  readonly #maxBytes: number;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The part of the open object that arrived in earlier pieces. */
  #earlier: Buffer[] = [];
  #earlierBytes = 0;
  /** How many objects were larger than the cap. */
  oversized = 0;
  /** The list was closed: nothing is missing. */
  isComplete = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(piece: Buffer): IterableIterator<string> {
    let start = 0;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      if (this.#inString) {
        if (this.#isEscaped) {
          this.#isEscaped = false;
        } else if (byte === BACKSLASH) {
          this.#isEscaped = true;
        } else if (byte === QUOTE) {
          this.#inString = false;
        }
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OPEN) {
        if (this.#depth++ === 0) {
          start = i;
        }
      } else if (byte === CLOSE && this.#depth > 0) {
        if (--this.#depth === 0) {
          const text = this.#take(piece.subarray(start, i + 1));
          if (text !== null) {
            yield text;
          }
        }
      } else if (byte === CLOSE_LIST && this.#depth === 0) {
        this.isComplete = true;
      }
    }
    if (this.#depth > 0) {
      this.#keep(piece.subarray(start));
    }
  }

  #keep(bytes: Buffer): void {
    this.#earlierBytes += bytes.length;
    // Beyond the cap only the braces are counted.
    if (this.#earlierBytes > this.#maxBytes) {
      this.#earlier = [];
    } else {
      this.#earlier.push(Buffer.from(bytes));
    }
  }

  #take(bytes: Buffer): string | null {
    const length = this.#earlierBytes + bytes.length;
    const text = length > this.#maxBytes ? null : Buffer.concat([...this.#earlier, bytes], length).toString('utf8');
    this.#earlier = [];
    this.#earlierBytes = 0;
    if (text === null) {
      this.oversized++;
    }
    return text;
  }
}
