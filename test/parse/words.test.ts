import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ScanOptions } from '../../src/parse/links.js';
import { scanPage } from '../../src/parse/scan.js';
import { countWords, textFacts } from './words-oracle.js';

/** All that makes the scanner listen, so that plain markup is not passed over by the kernel. */
const LISTENING: ScanOptions = { anchorText: true, positions: true, anchors: true, textHash: true, loads: true };

const scanned = (source: string | Uint8Array, options: ScanOptions = {}, encoding = 'utf-8') => {
  const { h1, wordCount } = scanPage(Buffer.from(source as string), encoding, options);
  return { h1, wordCount };
};
const wordsOf = (source: string): number | null => scanned(source).wordCount;

describe('words of a page', () => {
  const folder = new URL('../content/pages/', import.meta.url);
  const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));

  test.each(pages)('and its h1 are those of the tree that parse5 builds: %s', (name) => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const expected = textFacts(source);
    expect(expected.wordCount).toBeGreaterThan(20);
    expect(scanned(source)).toEqual(expected);
    expect(scanned(source, LISTENING)).toEqual(expected);
  });

  test.each([
    ['', 0],
    ['<p></p>', 0],
    ['one', 1],
    ['<p>one two\tthree\n four&#32;five</p>', 5],
    ['<p>one</p><p>two</p>', 2],
    ['one<br>two<img>three<hr>four', 4],
    ['H<sub>2</sub>O and <b>b</b>old, <a href=x>a link</a>.', 5],
    ['wo<!-- a comment -->rd', 1],
    ['a < b <', 4],
    ['one&nbsp;two&nbsp three&#160;four&#xA0;five\u00a0six', 6],
    ['&nbsp; &nbsp;&#xa0;', 0],
    ['&copy;&amp;x &lt;b&gt; &', 3],
    ['<td>&nbsp;</td><td>1</td>', 1],
    ['x<script>var a b c</script>y', 2],
    ['x<style>a b</style>y<noscript>no <b>script</b></noscript>z', 3],
    ['<title>a b c</title>x<textarea>a b</textarea>y<template>t <p>t</template>', 2],
    ['x<svg><title>icon of a</title><text>t</text></svg>y<math><mi>m</mi></math>', 2],
    ['<SPAN>o</SPAN>ne<Strong>two</Strong>', 1],
    ['wörter über Äpfel – „so“ 😀', 6],
    ['русские слова', 2],
    ['漢字かな交じり文。', 8],
    ['中文,abc 字 カタカナー・々', 10],
    ['全角　スペース，Ｆｕｌｌ', 7],
    ['한국어 단어', 2],
    ['&#20013;&#x6587;', 2],
  ])('%j are %i', (source, count) => {
    expect(countWords('漢字かな交じり文。')).toBe(8);
    expect([wordsOf(source), textFacts(source).wordCount]).toEqual([count, count]);
    expect(scanned(source, LISTENING).wordCount).toBe(count);
    // At every place of the blocks of sixteen bytes that the kernel looks at.
    for (let shift = 1; shift < 17; shift++) {
      expect(wordsOf(`<p class=${'x'.repeat(shift)}>${source}`)).toBe(count);
    }
  });

  it('are those of parse5 in any mixture of tags, references and scripts', () => {
    const piece = fc.constantFrom(
      ...['a', 'word', ' ', '\n', '.', '漢', 'かな', '。', 'é', 'б', '\u00a0', '\u200b', '한', '😀', '&nbsp;', '&#32;'],
      ...[
        '&#x4e2d;',
        '&amp;',
        '&eacute;',
        '&bogus;',
        '&',
        '&#',
        '&#x',
        ' < ',
        '<b>',
        '</b>',
        '<i class="a b">',
        '</i>',
      ],
      ...[
        '<p>',
        '<br>',
        '<div title="x > y">',
        '<!-- c -->',
        '<span>',
        '</span>',
        '<script>s s</script>',
        '<svg>t</svg>',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        // A tag that closes nothing is no boundary to a tree; to the scanner it is the tag that it is.
        const source = `<!doctype html><body><p>${pieces.join('')}`;
        const { wordCount } = textFacts(source);
        expect(scanned(source).wordCount).toBe(wordCount);
        expect(scanned(source, LISTENING).wordCount).toBe(wordCount);
      }),
      { numRuns: 3000, seed: 3 },
    );
  });

  test.each([
    ['windows-1252', Buffer.from('ein\xa0h\xfcbsches <b>W</b>ort', 'latin1'), 3],
    ['koi8-r', Buffer.from('\xd3\xcc\xcf\xd7\xcf\x9a\xd3\xcc\xcf\xd7\xcf', 'latin1'), 2],
    ['shift_jis', Buffer.from('<p>\x8a\xbf\x8e\x9a\x82\xa9 abc', 'latin1'), 4],
    ['gbk', Buffer.from('<p>\xd6\xd0\xce\xc4 abc', 'latin1'), 3],
    ['euc-kr', Buffer.from('<p>\xc7\xd1\xb1\xdb \xb4\xdc\xbe\xee', 'latin1'), 2],
    ['utf-16le', Buffer.from('<p>one two 漢', 'utf16le'), 3],
  ])('are counted in %s as they are in UTF-8', (encoding, bytes, count) => {
    const source = new TextDecoder(encoding).decode(bytes);
    expect([scanned(bytes, {}, encoding).wordCount, wordsOf(source)]).toEqual([count, count]);
  });

  it('are not known of a page that is too large for the kernel', () => {
    expect(wordsOf(`<p>${'x '.repeat((4 << 20) + 1)}`)).toBeNull();
  });

  it('never hide a tag behind bytes that are no UTF-8', () => {
    for (const lead of ['\xc2', '\xe3', '\xe9\x80', '\xef', '\xf0\x9f\x98', '&#', '&#x1']) {
      for (let shift = 0; shift < 17; shift++) {
        const page = Buffer.from(`<p>${'x'.repeat(shift)}${lead}<a href=1>`, 'latin1');
        expect(scanPage(page, 'utf-8', {}).links.hrefs).toEqual(['1']);
      }
    }
  });
});

describe('the first h1', () => {
  test.each([
    ['<p>none', null],
    ['<h1></h1><h1>second</h1>', ''],
    ['<h1 class="x">  One\n <em>two</em>\t</h1><h1>no</h1>', 'One two'],
    ['<h1>One<br>two &amp; <a href=x>three</a></h1>', 'One two & three'],
    ['<h1>a < b</h1>', 'a < b'],
    ['<h1>open<h2>other</h2>', 'open'],
    ['<h1>closed by</h2> another', 'closed by'],
    ['<h1>one<h1>two</h1>', 'one'],
    ['<div><noscript><h1>no</h1></noscript><template><h1>no</h1></template><h1>yes</h1>', 'yes'],
    ['<h1><svg><title>icon</title></svg>Text<script>var x</script></h1>', 'Text'],
    ['<H1>Ünï 漢字</H1>', 'Ünï 漢字'],
  ])('of %j is %j', (source, text) => {
    expect([scanned(source).h1, scanned(source, LISTENING).h1, textFacts(source).h1]).toEqual([text, text, text]);
  });

  it('that is never closed does not hold the page', () => {
    const { h1 } = scanned(`<h1>${'<b>word </b>'.repeat(100_000)}`);
    expect(h1!.length).toBeLessThan(6_000);
  });
});
