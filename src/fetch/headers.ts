import { UsageError } from '../base/errors.js';
import { readHeaderLine } from '../base/header-line.js';
import { compilePattern, type UrlPattern } from '../url/pattern.js';
import { ACCEPT_ENCODING_STREAMED } from './body.js';
import type { FetchOptions, FetchRequest, Header } from './contract.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that frame or route a request: a wrong one would break it, or send it to another host than the guard checked. */
const OURS: Record<string, string> = {
  host: 'use --connect-to to send a host elsewhere',
  'proxy-authorization': 'write --proxy http://user:password@host:port',
};
for (const name of [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]) {
  OURS[name] = 'it is set for each request';
}

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
  if (!TOKEN.test(name)) {
    throw new UsageError(`"${shown(name)}" is not a name of a header.`);
  }
  if (!VALUE.test(value)) {
    throw new UsageError(`The value of header ${name} has a line break, a control character or one beyond latin1.`);
  }
  const reason = OURS[name.toLowerCase()];
  if (reason !== undefined) {
    throw new UsageError(`Header ${name} cannot be set: ${reason}.`);
  }
}

const shown = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);

interface HeaderBlock {
  /** Names, in lower case, and values in turn. */
  flat: string[];
  hasAccept: boolean;
  encodingAt: number;
}

/** The headers of every request, put together once for each origin that has its own. */
export class RequestHeaders {
  readonly #common: HeaderBlock;
  readonly #ofOrigin = new Map<string, HeaderBlock>();
  readonly #rules: { patterns: UrlPattern[]; headers: Header[] }[];

  constructor(
    options: Pick<FetchOptions, 'userAgent' | 'headers' | 'originHeaders' | 'headerRules'>,
    acceptEncoding: string,
  ) {
    this.#rules = (options.headerRules ?? []).map(({ match, headers }) => ({
      patterns: match.map((text) => compilePattern(text, 'a rule')),
      headers: headers.map(([name, value]): Header => [name.toLowerCase(), value]),
    }));
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

  #blockFor(origin: string, url: string): HeaderBlock {
    const block = this.#ofOrigin.get(origin) ?? this.#common;
    const rule = this.#rules.find(({ patterns }) => patterns.some((matches) => matches(url)));
    return rule === undefined ? block : mergeLayers([pairsOf(block.flat), rule.headers]);
  }

  for(origin: string, request: FetchRequest): string[] {
    const block = this.#blockFor(origin, request.url);
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
    if (etag !== undefined && VALUE.test(etag)) {
      headers.push('if-none-match', etag);
    }
    if (lastModified !== undefined && VALUE.test(lastModified)) {
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
