import { describe, expect, test } from 'vitest';
import { detectEncoding } from '../../src/parse/charset.js';
import { decodeText, encodingOfLabel } from '../../src/parse/encodings.js';

const detect = (page: string | Uint8Array, contentType: string | null = null) =>
  Object.values(detectEncoding(typeof page === 'string' ? Buffer.from(page, 'latin1') : page, contentType))
    .filter((part) => part !== null)
    .join(' ');

describe('the encoding of a page', () => {
  test('is that of its byte order mark, whatever else is said', () => {
    expect(detect('\xef\xbb\xbf<meta charset=latin1>', 'text/html; charset=koi8-r')).toBe('utf-8 bom');
    expect(detect('\xff\xfe<\0', 'text/html; charset=utf-8')).toBe('utf-16le bom');
    expect(detect('\xfe\xff\0<')).toBe('utf-16be bom');
  });

  test('is that of the header before that of the page', () => {
    const page = '<meta charset=utf-8>';
    expect(detect(page, 'text/html; charset=ISO-8859-1')).toBe('windows-1252 header');
    expect(detect(page, 'text/html;charset="Shift_JIS"')).toBe('shift_jis header');
    expect(detect(page, "text/html; x=y; Charset = 'koi8-r' ; z")).toBe('koi8-r header');
    expect(detect('', 'text/html; charset=utf-16')).toBe('utf-16le header');
  });

  test('is UTF-16 where its NULs say so, whatever else is said', () => {
    const little = Buffer.from('<title>Привет мир 😀</title><a href="/x?q=Привет">l</a>', 'utf16le');
    const big = Buffer.from(little).swap16();
    expect(detect(little)).toBe('utf-16le fallback');
    expect(detect(big)).toBe('utf-16be fallback');
    expect(detect(big, 'text/html; charset=utf-16be')).toBe('utf-16be header');
    expect(detect(big, 'text/html; charset=utf-16')).toBe('utf-16be fallback wrong_charset');
    expect(detect(little, 'text/html; charset=utf-8')).toBe('utf-16le fallback wrong_charset');
    expect(detect(little, 'text/html; charset=iso-8859-1')).toBe('utf-16le fallback wrong_charset');
    expect(detect('<p>a\0b</p>')).toBe('utf-8 fallback');
    const counts = Buffer.from(Array.from({ length: 64 }, (_, i) => [i, 0]).flat());
    expect(detect(counts)).toBe('utf-8 fallback');
  });

  test('is looked for elsewhere where a label is not known', () => {
    expect(detect('<meta charset=gbk>', 'text/html; charset=none-such')).toBe('gbk meta');
    expect(detect('<meta charset=none-such><meta charset=gbk>')).toBe('gbk meta');
    expect(detect('<meta charset=none-such>', 'text/html; charset=')).toBe('utf-8 fallback');
  });

  test.each([
    ['<meta charset=big5>', 'big5 meta'],
    ['<META CHARSET = " Big5 ">', 'big5 meta'],
    ['<meta/charset=big5/>', 'utf-8 fallback'],
    ['<meta charset="big5"/>', 'big5 meta'],
    ['<meta content="text/html; charset=big5" http-equiv=Content-Type>', 'big5 meta'],
    ['<meta http-equiv="content-type" content="text/html; charset = \'big5\'">', 'big5 meta'],
    ['<meta http-equiv="content-type" content="charset charset=big5;x">', 'big5 meta'],
    ['<meta http-equiv="content-type" content="text/html; charset=\'big5">', 'utf-8 fallback'],
    ['<meta content="text/html; charset=big5">', 'utf-8 fallback'],
    ['<meta http-equiv=refresh content="text/html; charset=big5">', 'utf-8 fallback'],
    ['<meta content="charset=big5" charset=gbk>', 'gbk meta'],
    ['<meta charset=gbk charset=big5>', 'gbk meta'],
    ['<!-- <meta charset=gbk> --><meta charset=big5>', 'big5 meta'],
    ['<!--><meta charset=gbk>', 'gbk meta'],
    ['<a title="<meta charset=gbk>"><meta charset=big5>', 'big5 meta'],
    ["</a title='<meta charset=gbk>'><meta charset=big5>", 'big5 meta'],
    ['<!x <meta charset=gbk><meta charset=big5>', 'big5 meta'],
    ['<?x <meta charset=gbk><meta charset=big5>', 'big5 meta'],
    ['<metax charset=gbk><meta charset=big5>', 'big5 meta'],
    ['< meta charset=gbk><meta charset=big5>', 'big5 meta'],
    ['<meta charset=big5', 'utf-8 fallback'],
    ['<meta charset="big5>', 'utf-8 fallback'],
    ['<meta charset=utf-16>', 'utf-8 meta'],
    ['<meta charset=utf-16be>', 'utf-8 meta'],
    ['<meta charset=x-user-defined>', 'windows-1252 meta'],
    ['<?xml version="1.0" encoding="koi8-r"?><html>', 'koi8-r meta'],
    ["<?xml version='1.0' encoding='koi8-r'?><meta charset=big5>", 'big5 meta'],
    ['<\0?\0x\0m\0l\0', 'utf-16le meta'],
    ['\0<\0?\0x\0m\0l', 'utf-16be meta'],
    ['<meta charset=>', 'utf-8 fallback'],
    ['<meta', 'utf-8 fallback'],
    ['<', 'utf-8 fallback'],
  ])('%j: %s', (page, expected) => {
    expect(detect(page)).toBe(expected);
  });

  test('is looked for behind the first 1,024 bytes too, where anything depends on it', () => {
    const meta = '<meta charset=big5>';
    expect(detect(' '.repeat(1024 - meta.length) + meta)).toBe('big5 meta');
    expect(detect(`${' '.repeat(5_000)}${meta}<p>\xa4\xa4\xa4\xe5`)).toBe('big5 meta');
    expect(detect(' '.repeat(1025 - meta.length) + meta)).toBe('utf-8 fallback');
  });

  test.each([
    ['one broken byte in a page of UTF-8', `${'\xc3\xa9'.repeat(9)}\xff`, 'utf-8', 'utf-8 header undecodable_bytes'],
    ['one byte alone, said to be UTF-8', 'caf\xe9 ok', 'utf-8', 'utf-8 header undecodable_bytes'],
    ['windows-1252 throughout, said to be UTF-8', 'caf\xe9 cr\xe8me', 'utf-8', 'windows-1252 fallback wrong_charset'],
    [
      'a page that names its encoding, and a header that cannot be right',
      '<meta charset=koi8-r>\xf0\xd2\xc9\xd7\xc5\xd4',
      'utf-8',
      'koi8-r meta wrong_charset',
    ],
    ['UTF-8 said to be UTF-16', '<p>caf\xc3\xa9', 'utf-16', 'utf-8 fallback wrong_charset'],
    ['UTF-8 said to be ASCII', '<p>caf\xc3\xa9', 'us-ascii', 'utf-8 fallback wrong_charset'],
    ['UTF-8 said to be in EUC-KR', '<p>\xe2\x82\xac', 'euc-kr', 'utf-8 fallback wrong_charset'],
    ['UTF-8 said to be latin1, as browsers read it', '<p>caf\xc3\xa9', 'iso-8859-1', 'windows-1252 header'],
    ['one broken byte and nothing said', `${'\xc3\xa9'.repeat(9)}\xff`, null, 'utf-8 fallback undecodable_bytes'],
    ['a byte order mark and a broken byte', '\xef\xbb\xbfx\xff', null, 'utf-8 bom undecodable_bytes'],
    ['UTF-8 that was cut in its last character', 'caf\xc3\xa9\xc3', 'utf-8', 'utf-8 header'],
  ])('%s', (_, page, label, expected) => {
    expect(detect(page, label === null ? null : `text/html; charset=${label}`)).toBe(expected);
  });

  test('is UTF-8 where nothing is said and the bytes allow it, else windows-1252', () => {
    expect(detect('')).toBe('utf-8 fallback');
    expect(detect(Buffer.from('é'))).toBe('utf-8 fallback');
    expect(detect('caf\xe9')).toBe('windows-1252 fallback');
    expect(detect('caf\xe9 cr\xe8me')).toBe('windows-1252 fallback');
  });

  test('is UTF-8 also where the last character was cut in two', () => {
    const page = Buffer.from('é 日本 😀');
    for (const missing of [1, 2, 3]) {
      expect(detect(page.subarray(0, page.length - missing))).toBe('utf-8 fallback');
    }
  });

  test('never makes it throw, wherever the page ends', () => {
    const page = '<!-- x --><a b="c"><meta http-equiv=content-type content="a; charset=big5"></a><?x?><!y>';
    for (let length = 0; length <= page.length; length++) {
      detect(page.slice(0, length));
    }
  });
});

describe('decodeText', () => {
  test('gives the text without its byte order mark', () => {
    expect(decodeText(Buffer.from('\ufeffé'), 'utf-8')).toEqual({ text: 'é', undecodable: false });
    expect(decodeText(Buffer.from('\ufeffé', 'utf16le'), 'utf-16le')).toEqual({ text: 'é', undecodable: false });
  });

  test('says what cannot be decoded, and decodes the rest', () => {
    expect(decodeText(Buffer.from('a\xffb', 'latin1'), 'utf-8')).toEqual({ text: 'a\ufffdb', undecodable: true });
    expect(decodeText(Buffer.from([0x61, 0x82]), 'shift_jis').undecodable).toBe(true);
    expect(decodeText(Buffer.from([0x82, 0xa0]), 'shift_jis')).toEqual({ text: 'あ', undecodable: false });
  });

  test('reads windows-1252 as browsers do', () => {
    expect(decodeText(Buffer.from('\x80\x81\x92\xe9', 'latin1'), 'windows-1252')).toEqual({
      text: '€\x81’é',
      undecodable: false,
    });
  });
});

test('labels are known by every name of the Encoding standard', () => {
  expect(['UTF8', ' utf-8 ', 'latin1', 'ascii', 'sjis', 'x-gbk', 'ks_c_5601-1987'].map(encodingOfLabel)).toEqual([
    'utf-8',
    'utf-8',
    'windows-1252',
    'windows-1252',
    'shift_jis',
    'gbk',
    'euc-kr',
  ]);
  expect(encodingOfLabel('none-such')).toBe(null);
});
