import { UsageError } from '../base/errors.js';
import { HEADER_VALUE, headerProblem, readHeaderLine } from '../base/header-line.js';
import { HostPolicies } from '../url/host-policies.js';
import { ACCEPT_ENCODING_STREAMED } from './body.js';
import type { FetchOptions, FetchRequest, Header } from './contract.js';

/** Reads what -H may say: a header, and whom it goes to (see base/header-line.ts). */
export function parseHeaderOption(text: string): { to: string; header: Header } {
  const line = readHeaderLine(text);
  // The message leaves out the text, which may be a secret.
  if (line === null) {
    throw new UsageError('A header is written as "Name: value" or "https://HOST|Name: value".');
  }
  return { to: line.to, header: checkedHeader(line.name, line.value) };
}

/** Throws UsageError for what must not or cannot be sent. */
export function checkedHeader(name: string, value: string): Header {
  const header: Header = [name.trim(), value.trim()];
  assertHeader(header);
  return header;
}

/** Reads `user:password`, as -u has it, into the header that it means. */
export function parseUserOption(text: string): Header {
  const colon = text.indexOf(':');
  if (colon < 1) {
    throw new UsageError('--user wants user:password.');
  }
  return basicAuthorization(text.slice(0, colon), text.slice(colon + 1));
}

export function basicAuthorization(user: string, password: string): Header {
  return ['authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
}

function assertHeader([name, value]: Header): void {
  const problem = headerProblem(name, value);
  if (problem !== null) {
    throw new UsageError(problem);
  }
}

interface HeaderBlock {
  /** Names, in lower case, and values in turn. */
  flat: string[];
  hasAccept: boolean;
  encodingAt: number;
}

/** How many origins' headers are kept put together; those of more are put together again. */
const MOST_REMEMBERED = 10_000;

/** The headers of every request, put together once for each origin that has its own. */
export class RequestHeaders {
  readonly #common: HeaderBlock;
  readonly #ofOrigin = new Map<string, HeaderBlock>();
  readonly #policies: HostPolicies;
  /** Headers for origins that have an entry in `hosts`. */
  readonly #byPolicy = new Map<string, HeaderBlock>();

  constructor(
    options: Pick<FetchOptions, 'userAgent' | 'headers' | 'originHeaders'>,
    acceptEncoding: string,
    policies = new HostPolicies([]),
  ) {
    this.#policies = policies;
    const ours: Header[] = [
      ['user-agent', options.userAgent],
      ['accept-encoding', acceptEncoding],
    ];
    this.#common = mergeLayers([ours, options.headers]);
    // A crawl may have a million seeds, and nearly all of them the same headers.
    const blocks = new Map<Header[], HeaderBlock>();
    for (const [origin, headers] of Object.entries(options.originHeaders)) {
      const block = blocks.get(headers) ?? mergeLayers([ours, options.headers, headers]);
      blocks.set(headers, block);
      this.#ofOrigin.set(new URL(origin).origin, block);
    }
  }

  #blockFor(origin: string): HeaderBlock {
    const block = this.#ofOrigin.get(origin) ?? this.#common;
    const { userAgent, headers } = this.#policies.ofOrigin(origin);
    if (userAgent === undefined && headers === undefined) {
      return block;
    }
    let own = this.#byPolicy.get(origin);
    if (own === undefined) {
      const agent: Header[] = userAgent === undefined ? [] : [['user-agent', userAgent]];
      own = mergeLayers([pairsOf(block.flat), agent, Object.entries(headers ?? {})]);
      if (this.#byPolicy.size >= MOST_REMEMBERED) {
        this.#byPolicy.clear();
      }
      this.#byPolicy.set(origin, own);
    }
    return own;
  }

  for(origin: string, request: FetchRequest): string[] {
    const block = this.#blockFor(origin);
    const headers = block.flat.slice();
    if (!block.hasAccept) {
      headers.push('accept', request.accept);
    }
    if (request.firstBytes !== undefined) {
      headers.push('range', `bytes=0-${request.firstBytes - 1}`);
      headers[block.encodingAt] = 'identity';
    }
    if (request.sink !== undefined) {
      headers[block.encodingAt] = ACCEPT_ENCODING_STREAMED;
    }
    if (request.cookie !== undefined) {
      addCookie(headers, request.cookie);
    }
    for (const [name, value] of request.headers ?? []) {
      setHeader(headers, name, value);
    }
    if (request.body !== undefined) {
      headers.push('content-length', String(request.body.length));
    }
    const { etag, lastModified } = request.ifModified ?? {};
    // The values once came from a server; one that cannot be a header is left out.
    if (etag !== undefined && HEADER_VALUE.test(etag)) {
      headers.push('if-none-match', etag);
    }
    if (lastModified !== undefined && HEADER_VALUE.test(lastModified)) {
      headers.push('if-modified-since', lastModified);
    }
    return headers;
  }
}

function setHeader(headers: string[], name: string, value: string): void {
  const at = headers.findIndex((each, i) => i % 2 === 0 && each === name);
  if (at < 0) {
    headers.push(name, value);
  } else {
    headers[at + 1] = value;
  }
}

/** The user's own cookies stay; one of them wins over a cookie of the same name. */
function addCookie(headers: string[], cookie: string): void {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name === 'cookie') + 1;
  if (at === 0) {
    headers.push('cookie', cookie);
    return;
  }
  const given = new Set(headers[at]!.split(';').map(nameOfCookie));
  const added = cookie.split('; ').filter((pair) => !given.has(nameOfCookie(pair)));
  headers[at] = [headers[at]!, ...added].join('; ');
}

const nameOfCookie = (pair: string): string => pair.trim().replace(/=.*$/s, '');

/** Names in lower case. A later layer replaces all headers of the same name in the earlier ones. */
export function overlay(layers: Header[][]): Header[] {
  let merged: Header[] = [];
  for (const layer of layers) {
    for (const header of layer) {
      assertHeader(header);
    }
    const named = layer.map(([name, value]): Header => [name.toLowerCase(), value]);
    const names = new Set(named.map(([name]) => name));
    merged = merged.filter(([name]) => !names.has(name)).concat(named);
  }
  return merged;
}

function mergeLayers(layers: Header[][]): HeaderBlock {
  const merged = overlay(layers);
  return {
    flat: merged.flat(),
    hasAccept: merged.some(([name]) => name === 'accept'),
    encodingAt: merged.findIndex(([name]) => name === 'accept-encoding') * 2 + 1,
  };
}

function pairsOf(flat: readonly string[]): Header[] {
  const pairs: Header[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    pairs.push([flat[i]!, flat[i + 1]!]);
  }
  return pairs;
}
