import { html, linkPage, pathSite, type Site } from './site.js';

/** One page in one encoding, and how its title must read. */
export interface CharsetCase {
  readonly path: string;
  readonly title: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** An ASCII page around a title in bytes; `meta` is what the page says of itself. */
function page(path: string, contentType: string, title: string, bytes: number[] | Buffer, meta = ''): CharsetCase {
  const head = `<!doctype html><html><head>${meta}<title>`;
  const tail = '</title></head><body><a href="/after">after</a></body></html>';
  return { path, title, contentType, body: Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]) };
}

function utf16(path: string, contentType: string, byteOrder: 'le' | 'be', withMark: boolean): CharsetCase {
  const whole = `<!doctype html><html><head><title>Café 日本</title></head><body><a href="/after">after</a></body></html>`;
  const body = Buffer.from(withMark ? `\ufeff${whole}` : whole, 'utf16le');
  return { path, title: 'Café 日本', contentType, body: byteOrder === 'be' ? body.swap16() : body };
}

const PLAIN = 'text/html';
const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const CYRILLIC_1251 = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2];

export const charsetCases: readonly CharsetCase[] = [
  page('/utf-8', 'text/html; charset=utf-8', 'Café €', utf8('Café €')),
  page('/utf-8-quoted-upper', 'text/html; Charset="UTF-8"', 'Café €', utf8('Café €')),
  page('/utf-8-meta', PLAIN, 'Café €', utf8('Café €'), '<meta charset=utf-8>'),
  page(
    '/utf-8-http-equiv',
    PLAIN,
    'Café €',
    utf8('Café €'),
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
  ),
  page('/header-beats-meta', 'text/html; charset=windows-1251', 'Привет', CYRILLIC_1251, '<meta charset="utf-8">'),
  page('/windows-1251-meta', PLAIN, 'Привет', CYRILLIC_1251, '<meta charset="windows-1251">'),
  page('/koi8-r', 'text/html; charset=koi8-r', 'Привет', [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]),
  page('/iso-8859-1-is-1252', 'text/html; charset=iso-8859-1', 'Café – €', [
    ...utf8('Caf'),
    0xe9,
    0x20,
    0x96,
    0x20,
    0x80,
  ]),
  page('/shift-jis', 'text/html; charset=Shift_JIS', '日本語', [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]),
  page('/euc-jp-meta', PLAIN, '日本語', [0xc6, 0xfc, 0xcb, 0xdc, 0xb8, 0xec], '<meta charset="euc-jp">'),
  page('/gbk', 'text/html; charset=gbk', '中文', [0xd6, 0xd0, 0xce, 0xc4]),
  page('/big5', 'text/html; charset=big5', '中文', [0xa4, 0xa4, 0xa4, 0xe5]),
  page('/euc-kr', 'text/html; charset=euc-kr', '한국어', [0xc7, 0xd1, 0xb1, 0xb9, 0xbe, 0xee]),
  page('/unknown-label', 'text/html; charset=klingon', 'Café €', utf8('Café €'), '<meta charset="utf-8">'),
  utf16('/utf-16le-mark', PLAIN, 'le', true),
  utf16('/utf-16be-mark', PLAIN, 'be', true),
  utf16('/utf-16le-header', 'text/html; charset=utf-16le', 'le', false),
  utf16('/mark-beats-header', 'text/html; charset=iso-8859-1', 'le', true),
  {
    ...page('/utf-8-mark', PLAIN, 'Café €', utf8('Café €')),
    body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), page('', '', '', utf8('Café €')).body]),
  },
  page('/broken-utf-8', 'text/html; charset=utf-8', 'Caf\ufffd ok', [...utf8('Caf'), 0xe9, ...utf8(' ok')]),
];

/** `/` links to a page per case; each of them links to /after. */
export function charsetZoo(): Site {
  const pages = charsetCases.map(({ path, contentType, body }) => [
    path,
    { headers: { 'content-type': contentType }, body },
  ]);
  return pathSite({
    '/': html(
      linkPage(
        'Charsets',
        charsetCases.map(({ path }) => path),
      ),
    ),
    '/after': html(linkPage('After', [])),
    ...Object.fromEntries(pages),
  });
}
