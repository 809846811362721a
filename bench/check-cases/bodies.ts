import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type Answer, APART, answer, type Case, group, HERE, rawPage } from './case.js';

const body = group('body');
const LENGTH = 'RFC 9112 6.3';
const CODING = 'RFC 9110 8.4.1';
/** The place is found only by who has decoded the body, and read it to its end. */
const PLACE = '<a href="{t}#place">a link</a>';
const TEXT = `<!doctype html><title>A page</title><p>${'Words that somebody may read. '.repeat(20)}</p><p id="place">A place</p>`;
const plain = Buffer.from(TEXT);

/** Coded for who says that it can read it, else as it is (RFC 9110 12.5.3). */
const coded =
  (coding: string, bytes: Buffer): Answer =>
  (asked) => {
    const accepted = asked.headers['accept-encoding'] ?? '';
    const readable = coding.split(', ').every((each) => accepted.includes(each.replace('x-', '')));
    const headers = { 'Content-Type': 'text/html' };
    return (readable ? answer(200, { ...headers, 'Content-Encoding': coding }, bytes) : answer(200, headers, plain))(
      asked,
    );
  };
const head = (lines: string): string => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${lines}\r\n`;
const chunk = (text: string, extension = ''): string =>
  `${Buffer.byteLength(text).toString(16).toUpperCase()}${extension}\r\n${text}\r\n`;

export const BODY_CASES: readonly Case[] = [
  body('gzip', 'fine', CODING, PLACE, coded('gzip', gzipSync(plain))),
  body('gzip-place-missing', 'broken', CODING, '<a href="{t}#nowhere">a link</a>', coded('gzip', gzipSync(plain))),
  body('x-gzip', 'fine', 'RFC 9110 8.4.1.3', PLACE, coded('x-gzip', gzipSync(plain))),
  body(
    'gzip-then-bytes',
    'fine',
    'RFC 1952 2.2; zlib and browsers end at the stream',
    PLACE,
    coded('gzip', Buffer.concat([gzipSync(plain), Buffer.alloc(12)])),
  ),
  body(
    'gzip-two-members',
    'fine',
    'RFC 1952 2.2',
    PLACE,
    coded('gzip', Buffer.concat([gzipSync(plain.subarray(0, 300)), gzipSync(plain.subarray(300))])),
  ),
  body('brotli', 'fine', 'RFC 7932', PLACE, coded('br', brotliCompressSync(plain))),
  body('deflate', 'fine', 'RFC 9110 8.4.1.2', PLACE, coded('deflate', deflateSync(plain))),
  body('deflate-raw', 'fine', 'RFC 9110 8.4.1.2, note', PLACE, coded('deflate', deflateRawSync(plain))),
  body('two-codings', 'fine', 'RFC 9110 8.4', PLACE, coded('gzip, br', brotliCompressSync(gzipSync(plain)))),
  body(
    'identity',
    'fine',
    'RFC 9110 12.5.3',
    PLACE,
    answer(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'identity' }, plain),
  ),
  body(
    'chunked',
    'fine',
    'RFC 9112 7.1',
    PLACE,
    rawPage(`${head('Transfer-Encoding: chunked\r\n')}${chunk(TEXT.slice(0, 50))}${chunk(TEXT.slice(50))}0\r\n\r\n`),
  ),
  body(
    'chunk-extension',
    'fine',
    'RFC 9112 7.1.1',
    PLACE,
    rawPage(`${head('Transfer-Encoding: chunked\r\n')}${chunk(TEXT, ';a=b')}0\r\n\r\n`),
  ),
  body(
    'trailers',
    'fine',
    'RFC 9112 7.1.2',
    PLACE,
    rawPage(`${head('Transfer-Encoding: chunked\r\n')}${chunk(TEXT)}0\r\nX-Sum: 1\r\n\r\n`),
  ),
  body(
    'chunks-without-end',
    'broken',
    'RFC 9112 8',
    HERE,
    rawPage(`${head('Transfer-Encoding: chunked\r\n')}${chunk(TEXT)}`),
  ),
  body('shorter-than-said', 'broken', 'RFC 9112 8', HERE, rawPage(`${head('Content-Length: 5000\r\n')}${TEXT}`)),
  body(
    'longer-than-said',
    'fine',
    LENGTH,
    HERE,
    rawPage(`${head(`Content-Length: ${plain.length}\r\nConnection: close\r\n`)}${TEXT}and more`),
  ),
  body('until-close', 'fine', 'RFC 9112 6.3, rule 8', PLACE, rawPage(`${head('Connection: close\r\n')}${TEXT}`)),
  body('empty', 'fine', 'RFC 9110 6.4', HERE, answer(200, { 'Content-Type': 'text/html' })),
  body(
    'length-no-number',
    'broken',
    'RFC 9112 6.3, rule 5',
    APART,
    rawPage(`${head('Content-Length: many\r\n')}${TEXT}`),
  ),
  body(
    'two-lengths',
    'broken',
    'RFC 9112 6.3, rule 5',
    APART,
    rawPage(`${head('Content-Length: 10\r\nContent-Length: 20\r\n')}${TEXT}`),
  ),
  body(
    'byte-order-mark',
    'fine',
    'Encoding 6',
    PLACE,
    answer(200, { 'Content-Type': 'text/html; charset=utf-8' }, `\ufeff${TEXT}`),
  ),
  body(
    'nul-inside',
    'fine',
    'HTML 13.2.5.1',
    PLACE,
    answer(200, { 'Content-Type': 'text/html' }, TEXT.replace('Words', 'W\0rds')),
  ),
];
