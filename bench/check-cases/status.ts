import { APART, answer, type Case, close, group, HERE, page, raw, rawPage } from './case.js';

const status = group('status');
const CLASS = 'RFC 9110 15';
const LINE = 'RFC 9112 4';
const INTERIM = 'RFC 9110 15.2';
const html = { 'Content-Type': 'text/html' };
const OK =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\nConnection: close\r\n\r\n<title>Ok</title>text';

/** On the site itself: such an answer is about the page, not about the host. */
const here = (code: number, truth: 'fine' | 'broken', standard: string): Case =>
  status(String(code), truth, standard, HERE, answer(code, html, '<title>A page</title><p>With some text.'));

/** On an origin of its own, which a checker may rest after it. */
const apart = (code: number, standard: string): Case =>
  status(String(code), 'broken', standard, APART, answer(code, html, '<title>Sorry</title><p>Something failed.'));

export const STATUS_CASES: readonly Case[] = [
  here(200, 'fine', 'RFC 9110 15.3.1'),
  here(203, 'fine', 'RFC 9110 15.3.4'),
  here(299, 'fine', CLASS),
  status('204', 'fine', 'RFC 9110 15.3.5', HERE, raw('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')),
  status(
    '204-with-length',
    'fine',
    'RFC 9112 6.3, rule 1',
    HERE,
    raw('HTTP/1.1 204 No Content\r\nContent-Length: 40\r\nConnection: close\r\n\r\n'),
  ),
  status(
    '205',
    'fine',
    'RFC 9110 15.3.6',
    HERE,
    raw('HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  ),
  here(400, 'broken', 'RFC 9110 15.5.1'),
  here(404, 'broken', 'RFC 9110 15.5.5'),
  here(405, 'broken', 'RFC 9110 15.5.6'),
  here(406, 'broken', 'RFC 9110 15.5.7'),
  here(409, 'broken', 'RFC 9110 15.5.10'),
  here(410, 'broken', 'RFC 9110 15.5.11'),
  here(414, 'broken', 'RFC 9110 15.5.15'),
  here(422, 'broken', 'RFC 9110 15.5.21'),
  here(499, 'broken', CLASS),
  apart(500, 'RFC 9110 15.6.1'),
  apart(501, 'RFC 9110 15.6.2'),
  apart(502, 'RFC 9110 15.6.3'),
  apart(504, 'RFC 9110 15.6.5'),
  apart(505, 'RFC 9110 15.6.6'),
  apart(599, CLASS),
  apart(600, CLASS),
  apart(799, CLASS),
  status('301-nowhere', 'broken', 'RFC 9110 15.4.2', HERE, answer(301, html, '<title>Moved</title>Moved.')),
  status('302-nowhere', 'broken', 'RFC 9110 15.4.3', HERE, answer(302, html, '<title>Found</title>Found.')),
  status('307-nowhere', 'broken', 'RFC 9110 15.4.8', HERE, answer(307, html, '<title>Moved</title>Moved.')),
  status('308-nowhere', 'broken', 'RFC 9110 15.4.9', APART, answer(308, html, '<title>Moved</title>Moved.')),
  status('100-first', 'fine', INTERIM, HERE, rawPageAfter('HTTP/1.1 100 Continue\r\n\r\n')),
  status(
    '103-first',
    'fine',
    'RFC 8297 2',
    HERE,
    rawPageAfter('HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n'),
  ),
  status(
    'two-interim',
    'fine',
    INTERIM,
    HERE,
    rawPageAfter('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'),
  ),
  status('unknown-interim', 'fine', CLASS, HERE, rawPageAfter('HTTP/1.1 199 What\r\nX: y\r\n\r\n')),
  status(
    '103-then-404',
    'broken',
    'RFC 8297 2',
    HERE,
    raw('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  ),
  status(
    'http-1-0',
    'fine',
    'RFC 9112 2.3',
    HERE,
    rawPage('HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Old</title><p>text'),
  ),
  status(
    'no-reason',
    'fine',
    LINE,
    HERE,
    rawPage('HTTP/1.1 200 \r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Ok</title><p>text'),
  ),
  status(
    'wrong-reason',
    'broken',
    LINE,
    HERE,
    raw('HTTP/1.1 404 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  ),
  status(
    'folded-header',
    'fine',
    'RFC 9112 5.2',
    HERE,
    rawPage(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Note: one\r\n two\r\nConnection: close\r\n\r\n<title>Ok</title><p>text',
    ),
  ),
  status(
    'odd-header-case',
    'fine',
    'RFC 9110 5.1',
    HERE,
    rawPage('HTTP/1.1 200 OK\r\ncOnTeNt-TyPe:text/html\r\nCONNECTION:close\r\n\r\n<title>Ok</title><p>text'),
  ),
  status('not-http', 'broken', LINE, APART, raw('SSH-2.0-OpenSSH_9.6\r\n')),
  status('no-answer', 'broken', 'RFC 9112 8', APART, close),
  status('refused', 'broken', 'RFC 9110 7.6', '<a href="{closed}{t}">a link</a>'),
  status(
    'title-says-404',
    'fine',
    'RFC 9110 15.3.1',
    HERE,
    page('<h2>404: how to mend pages that are not found</h2>'.repeat(2)),
  ),
];

function rawPageAfter(interim: string) {
  const whole = raw(interim + OK);
  return (asked: Parameters<typeof whole>[0]) =>
    asked.method === 'HEAD'
      ? raw(`${interim}HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\nConnection: close\r\n\r\n`)(
          asked,
        )
      : whole(asked);
}
