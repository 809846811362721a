import { describe, expect, it } from 'vitest';
import { decodeBytes, inEncodingOfPage } from '../../src/parse/encodings.js';

const queryOf = (text: string, encoding: string): string =>
  new URL(inEncodingOfPage(`?q=${text}`, encoding), 'http://a.test/').search.slice(3);

describe('the query of a link', () => {
  it.each([
    ['ä', 'utf-8', '%C3%A4'],
    ['ä', 'utf-16le', '%C3%A4'],
    ['ä', 'windows-1252', '%E4'],
    ['€', 'windows-1252', '%80'],
    ['字', 'windows-1252', '%26%2323383%3B'],
    ['П', 'koi8-r', '%F0'],
    ['日本', 'shift_jis', '%93%FA%96{'],
    ['ｱ', 'shift_jis', '%B1'],
    ['日本', 'euc-jp', '%C6%FC%CB%DC'],
    ['日本 a', 'iso-2022-jp', '%1B$BF|K\\%1B(B%20a'],
    ['中', 'gbk', '%D6%D0'],
    ['€', 'gbk', '%80'],
    ['😀', 'gbk', '%26%23128512%3B'],
    ['€', 'gb18030', '%A2%E3'],
    ['😀', 'gb18030', '%949%FC6'],
    ['中', 'big5', '%A4%A4'],
    ['한', 'euc-kr', '%C7%D1'],
  ])('%s on a page in %s is asked for as %s', (text, encoding, query) => {
    expect(queryOf(text, encoding)).toBe(query);
  });

  it.each(['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr', 'windows-1251', 'iso-8859-2'])(
    'in %s is read back as what was written',
    (encoding) => {
      for (const text of ['Ж', 'ł', 'あ', '語', '한', '中']) {
        const query = queryOf(text, encoding);
        if (query.startsWith('%26')) {
          continue;
        }
        const bytes = query.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        expect(decodeBytes(Buffer.from(bytes, 'latin1'), encoding)).toBe(text);
      }
    },
  );

  it('is all that changes: neither path nor fragment, nor a link of another scheme', () => {
    expect(inEncodingOfPage('/ä?ä#ä', 'windows-1252')).toBe('/ä?%E4#ä');
    expect(inEncodingOfPage('/ä#?ä', 'windows-1252')).toBe('/ä#?ä');
    expect(inEncodingOfPage('mailto:a@b.test?subject=ä', 'windows-1252')).toBe('mailto:a@b.test?subject=ä');
    expect(inEncodingOfPage('HTTP://b.test/?ä', 'windows-1252')).toBe('HTTP://b.test/?%E4');
  });
});
