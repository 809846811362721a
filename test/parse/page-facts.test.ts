import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanPage } from '../../src/parse/scan.js';

const scan = (html: string, options = {}, encoding = 'utf-8') => scanPage(Buffer.from(html), encoding, options);
const print = (html: string, options = {}) => scan(html, options).textPrint;

describe('the hash of what a reader sees', () => {
  it('is the same whatever stands between the words, and another for other words or another order', () => {
    const same = [
      '<p>One two three, and more</p>',
      '<div>One <!-- no --> two\n\n\tthree, <i>and</i> more<script>x y</script></div>',
      '<title>Another</title><h1>One two</h1><p class="x y">three, and more</p><template>no</template>',
    ];
    const hashes = new Set(same.map((html) => print(html)!.hash));
    expect(hashes.size).toBe(1);
    for (const html of [
      '<p>One three two, and more</p>',
      '<p>One two three, and mor</p>',
      '<p>One two three and more</p>',
    ]) {
      expect(hashes).not.toContain(print(html)!.hash);
    }
    expect(print('<p> </p>')).toBeNull();
  });

  it('does not depend on where words stand in the memory, nor on what else is asked of the page', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '漢'), minLength: 1, maxLength: 40 }), {
          minLength: 1,
        }),
        (list) => {
          const plain = print(`<p>${list.join(' ')}</p>`)!;
          const spread = `<html><body data-x="${'y'.repeat(list.length % 17)}"><p>${list.join('   \n')}</p>`;
          expect(print(spread)).toEqual(plain);
          expect(print(spread, { anchorText: true, positions: true, anchors: true, textHash: true })).toEqual(plain);
          expect(print(list.map((word) => `<p>${word}</p>`).join(''))).toEqual(plain);
        },
      ),
    );
  });

  it('is that of the words, where tags stand within them and however long the text is', () => {
    expect(print('<p>H<b>el</b>lo wo<!-- x -->rld</p>')).toEqual(print('<p>Hello world</p>'));
    expect(print('<p>Hello<br>world</p>')).not.toEqual(print('<p>Helloworld</p>'));
    const words = Array.from({ length: 30_000 }, (_, i) => `wörd${i} a&nbsp;b &amp; 漢`);
    const plain = scan(`<p>${words.join(' ')}</p>`);
    expect(plain.wordCount).toBe(5 * words.length);
    for (const between of ['</p>\n\t<p>', '\n', '<br>', '</i>  <i>']) {
      const other = scan(`<div>${words.join(between)}</div>`);
      expect([other.wordCount, other.textPrint]).toEqual([plain.wordCount, plain.textPrint]);
    }
    const long = 'x'.repeat(200_001);
    expect(scan(`<p>a ${long} b<i>${long}</i>c &${long}`).wordCount).toBe(4);
  });

  it('has a sketch that changes by little with a word, and by all with the text', () => {
    const words = Array.from({ length: 500 }, (_, i) => `w${i}`);
    const of = (list: string[]) => Buffer.from(print(`<p>${list.join(' ')}</p>`)!.sketch, 'base64');
    const first = of(words);
    const shared = (other: Buffer) => first.filter((byte, i) => byte === other[i]).length;
    expect(first).toHaveLength(64);
    expect(shared(of(words.with(250, 'x')))).toBeGreaterThan(58);
    expect(shared(of(words.map((word) => `${word}x`)))).toBeLessThan(6);
    expect(shared(of(['x', ...words]))).toBeGreaterThan(58);
  });
});

describe('what is counted on a page', () => {
  it.each([
    ['<h1>a</h1><h1>b</h1><h2>c</h2>', 2],
    ['<h1>a</h1><template><h1>b</h1></template><svg><h1x/></svg><noscript><h1>c</h1></noscript>', 1],
    ['<h1><h1>a</h1></h1>', 2],
    ['<p>no</p>', 0],
  ])('%s has so many h1: %s', (html, count) => {
    expect(scan(html).h1Count).toBe(count);
  });

  it.each([
    ['<img src=a>', 1, 1],
    ['<img src=a alt>', 1, 0],
    ['<img src=a alt="">', 1, 0],
    ['<img src=a alt=x><IMG SRC=b>', 2, 1],
    ['<img src=a aria-label=x><img src=b role=presentation><img src=c role=None><img src=d aria-hidden=true>', 4, 0],
    ['<img src=a role=button><img src=b aria-hidden=false>', 2, 2],
    ['<noscript><img src=a></noscript><template><img src=b></template><p>x</p>', 0, 0],
    ['<input type=image src=a>', 0, 0],
  ])('%s has %s images, %s of them without a text', (html, images, without) => {
    const { images: all, imagesWithoutAlt } = scan(html);
    expect([all, imagesWithoutAlt]).toEqual([images, without]);
  });

  it('has the languages that a page names', () => {
    const { languages } = scan(
      '<link rel=alternate hreflang=" de " href="/de"><link rel="ALTERNATE" hreflang=x-default href=/>' +
        '<link rel=alternate href=/feed><link rel=stylesheet hreflang=fr href=/x><a hreflang=en href=/en>x</a><link rel=alternate hreflang=it href="">',
    );
    expect(languages).toEqual([
      ['de', '/de'],
      ['x-default', '/'],
    ]);
  });

  it('has meta elements and JSON-LD only where they are asked for', () => {
    const html =
      '<meta property="og:title" content="A  B"><meta name=Author content=C><meta name=author content=D><script type="application/ld+json">{"@type":"X"}</script><script>x</script>';
    expect(scan(html).extras).toBeNull();
    const { metas, jsonLd } = scan(html, { extras: true }).extras!;
    expect([[...metas], jsonLd]).toEqual([
      [
        ['og:title', 'A B'],
        ['author', 'C'],
      ],
      ['{"@type":"X"}'],
    ]);
  });
});
