import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher } from 'undici';

export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A client whose every connection goes to one loopback port. */
export class Client {
  readonly #agent: Agent;

  constructor(port: number) {
    const connect = buildConnector({});
    this.#agent = new Agent({
      connect: (options, callback) => connect({ ...options, hostname: '127.0.0.1', port: String(port) }, callback),
    });
  }

  async get(url: string, options: Partial<Dispatcher.RequestOptions> = {}): Promise<Got> {
    const { origin } = new URL(url);
    // The path as written: parsing would lose an empty query.
    const path = url.slice(origin.length);
    const response = await this.#agent.request({ origin, path, method: 'GET', ...options });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, body };
  }

  stop(): Promise<void> {
    return this.#agent.destroy();
  }
}

const MARKS: Record<string, string> = { feff: 'utf-16be', fffe: 'utf-16le', efbb: 'utf-8' };

/** The text of a page: byte order mark, then header, then meta. */
export function decoded({ headers, body }: Got): string {
  const encoding = headers['content-encoding'];
  const bytes = encoding === 'gzip' ? gunzipSync(body) : encoding === 'br' ? brotliDecompressSync(body) : body;
  const inHeader = /charset="?([^";]+)/i.exec(String(headers['content-type']))?.[1];
  const inPage = /charset="?([\w-]+)/.exec(bytes.toString('latin1', 0, 1024))?.[1];
  for (const label of [MARKS[bytes.toString('hex', 0, 2)], inHeader, inPage]) {
    if (label !== undefined && isKnown(label)) {
      return decode(bytes, new TextDecoder(label));
    }
  }
  return new TextDecoder().decode(bytes);
}

/** The bytes 80 to 9F of windows-1252, which some versions of Node take for control characters. */
const UPPER_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function decode(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string {
  if (decoder.encoding !== 'windows-1252') {
    return decoder.decode(bytes);
  }
  return bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (octet) => UPPER_1252[octet.charCodeAt(0) - 0x80]!);
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label) !== null;
  } catch {
    return false;
  }
}
