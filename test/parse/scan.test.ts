import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { ENTITY_TABLE } from '../../src/parse/entity-table.js';
import { decodeReferences } from '../../src/parse/html-rules.js';
import { LINK_KINDS } from '../../src/parse/links.js';
import { scanPage } from '../../src/parse/scan.js';
import { kindsAndUrls, scanText } from './scan-oracle.js';

const textsOf = (source: string) => scanText(source, { anchorText: true }).links.texts;
const hashOf = (source: string) => scanText(source, { textHash: true }).textHash;

describe('links', () => {
  test('a link element for messages to a site is no link: whoever asks for it is refused', () => {
    const scan = scanText('<link rel=pingback href=xmlrpc.php><link rel="Webmention" href=w><link rel=icon href=i>');
    expect(scan.links.hrefs).toEqual(['i']);
  });

  test('the relation of an anchor is read among plain markup too', () => {
    const scan = scanText(
      '<html><p>x <a href="1" rel="nofollow">y</a> <a class="z" href="2">y</a><a REL="ugc" href="3">',
    );
    expect(scan.links.rels).toEqual(['nofollow', '', 'ugc']);
  });

  test('rels are lower case with white space folded, and empty for links without one', () => {
    const scan = scanText('<a href=1 rel=" NoFollow\n UGC "><a href=2><link rel="Icon" href=3><img src=4 rel=x>');
    expect(scan.links.rels).toEqual(['nofollow ugc', '', 'icon', '']);
  });

  test('what was not asked for is null', () => {
    const { links, textHash, anchors } = scanText('<a href=1 id=x>text</a>');
    const unasked = [links.texts, links.lines, links.columns, links.ignored, textHash, anchors];
    expect(unasked.filter((fact) => fact !== null)).toEqual([]);
  });

  test('a mark to leave a link out counts for every link of its own element, and for none inside it', () => {
    const page = `<div data-gossamer-ignore><a href=1>x</a></div><a href=2 Data-Gossamer-Ignore=false><img src=3></a>
      <img src=4 srcset="5 1x, 6 2x" data-gossamer-ignore><link rel=icon href=7 data-gossamer-ignored><svg><a href=8 data-gossamer-ignore /></svg>`;
    const { hrefs, ignored } = scanText(page, { ignoreMarks: true }).links;
    expect(hrefs.filter((_, i) => ignored![i])).toEqual(['2', '4', '5', '6', '8']);
    expect(ignored!.length).toBe(8);
  });

  test('a frame counts wherever it stands, and so does a form in a form', () => {
    expect(kindsAndUrls(scanText('<frameset><frame src=1></frameset>'))).toEqual(['frame 1']);
    expect(kindsAndUrls(scanText('<div><frame src=1></div><form action=2><form action=3>'))).toEqual([
      'frame 1',
      'form 2',
      'form 3',
    ]);
  });

  test('every kind of link is found', () => {
    const page = `<a href=1><area href=1><iframe src=1></iframe><frame src=1><meta http-equiv=refresh content="0;url=1">
      <link rel=next href=1><link rel=prev href=1><link rel=canonical href=1><link rel=alternate hreflang=x href=1><link rel=icon href=1>
      <link rel=stylesheet href=1><img src=1 srcset=1><script src=1></script><video src=1></video><embed src=1><object data=1></object><form action=1>`;
    const kinds = scanText(page).links.kinds.map((kind) => LINK_KINDS[kind]);
    expect(kinds).toEqual(LINK_KINDS.filter((kind) => !['redirect', 'css', 'hook'].includes(kind)));
  });

  test('what style and SVG load is found where it is asked for, and nowhere else', () => {
    const page = `<style>@import "1"; a{b:url(2)}</style><p style="c:url(3)"><img src=4 style="c:url('5')">
      <svg><image href=6 /><use xlink:href="7#x"/><feImage href=8 /><script href=9></script><rect style="fill:url(10)"/></svg>
      <template><p style="c:url(no)"></template>`;
    const found = kindsAndUrls(scanText(page, { loads: true }));
    const svg = ['img 6', 'img 7#x', 'img 8', 'script 9', 'css 10'];
    expect(found).toEqual(['stylesheet 1', 'css 2', 'css 3', 'img 4', 'css 5', ...svg]);
    expect(kindsAndUrls(scanText(page))).toEqual(['img 4']);
  });

  test('a style in SVG is read like any other, one of another type is not, and a page in a page is', () => {
    const page = `<svg><style>a{b:url(1)}</style><style><![CDATA[a{b:url(2)}]]></style></svg><style type="text/less">a{b:url(no)}</style>
      <style type="TEXT/CSS">a{b:url(3)}</style><body background=4><td background=5><p background=no>
      <iframe src=no srcdoc="&lt;a href='6'>x&lt;/a>&lt;iframe srcdoc='&amp;lt;img src=7>'>&lt;/iframe>"></iframe>`;
    const found = kindsAndUrls(scanText(page, { loads: true }));
    expect(found).toEqual(['css 1', 'css 2', 'css 3', 'img 4', 'img 5', 'a 6', 'img 7']);
  });

  test('meta robots is read under the name of the agent that was given, and no other', () => {
    const page = '<meta name=robots content=a><meta name=gossamer content=b><meta name=MyBot content=c>';
    expect(scanText(page).robots).toEqual(['a', 'b']);
    expect(scanText(page, { product: 'mybot' }).robots).toEqual(['a', 'c']);
  });

  test('what was found does not keep the page in memory, but for the links', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const pageBytes = 500_000;
    const kept: unknown[] = [];
    const scanOne = (number: number) => {
      const head = `<html lang=a-rather-long-language><title>A title that is long ${number}</title>`;
      const link = `<a href="/a/rather/long/path/${number}.html" rel="a-rather-long-relation-${number}" id=a-rather-long-id-${number}>A rather long text</a>`;
      const page = Buffer.from(`${head}${link}${'x'.repeat(pageBytes)}`);
      const { links, ...facts } = scanPage(page, 'utf-8', { anchorText: true, anchors: true });
      // Links are looked up and forgotten: they hold on to the page that their hrefs stand in.
      kept.push(facts, links.rels, links.texts);
    };
    scanOne(0);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let number = 1; number <= 40; number++) {
      scanOne(number);
    }
    collectGarbage();
    expect(kept.length).toBe(3 * 41);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * pageBytes);
  });
});

describe('looksLikeHtml', () => {
  test('is true from the first tag of HTML on', () => {
    for (const source of ['<p>', '<A href=1>', 'x <b> y', '<h1>', '<script>', '<title>x</title>']) {
      expect([source, scanText(source).looksLikeHtml]).toEqual([source, true]);
    }
  });

  test('is false for text, JSON, other XML and binary', () => {
    for (const source of [
      '',
      'a < b',
      '{"a":"b"}',
      '<?xml version="1.0"?><urlset><loc>x</loc></urlset>',
      '\x89PNG\r\n\x1a\n<\0',
    ]) {
      expect([source, scanText(source).looksLikeHtml]).toEqual([source, false]);
    }
  });
});

describe('anchor text', () => {
  test('is the text inside the anchor, references decoded, white space folded', () => {
    expect(textsOf('x<a href=1>\n a <b>b</b>c &amp;\t&lt;d&gt; é😀 </a>y<a href=2></a>')).toEqual([
      'a bc & <d> é😀',
      '',
    ]);
  });

  test('takes a line break for a space, and nothing from comments, scripts, styles and templates', () => {
    expect(
      textsOf('<a href=1>a<br>b<!-- c --><script>d</script><style>e</style><template>f</template><i>g</i></a>'),
    ).toEqual(['a bg']);
  });

  test('is the alternative text of its images only where there is no other', () => {
    expect(textsOf('<a href=1><img src=x alt=" a  b "><img src=y alt=c></a><a href=2><img src=x alt=a> t</a>')).toEqual(
      ['a b c', '', '', 't', ''],
    );
  });

  test('of an area is its alternative text', () => {
    expect(textsOf('<area href=1 alt=" a  b"><area href=2>')).toEqual(['a b', '']);
  });

  test('ends where the next anchor starts, as anchors cannot be nested, and at the end of the page', () => {
    expect(textsOf('<a href=1>a<a href=2>b<a name=x>c<a href=3>d')).toEqual(['a', 'b', 'd']);
  });

  test('of an anchor that is never closed is cut', () => {
    const [text] = textsOf(`<a href=1>${'word '.repeat(100_000)}`)!;
    expect(text!.length).toBe(1000);
    const [pairs] = textsOf(`<a href=1>x${'😀'.repeat(2000)}`)!;
    expect(Buffer.from(pairs!).toString()).toBe(pairs);
  });

  test('is found in SVG too', () => {
    expect(textsOf('<svg><a xlink:href=1><text>a</text></a></svg><a href=2>b</a>')).toEqual(['a', 'b']);
  });
});

describe('text hash', () => {
  test('does not change with digits, layout, tags, comments, scripts and styles', () => {
    const hash = hashOf('<p>Page 1 of 20 <b>x</b></p>');
    expect(hashOf('<div>\n  Page 333 of 4\t<i>x</i></div>')).toBe(hash);
    expect(hashOf('<p>Page 1<!-- c --> of<script>s</script> 20 <style>t</style>x<template>u</template>')).toBe(hash);
  });

  test('changes with words, their order and case', () => {
    const hashes = ['a b', 'b a', 'A b', 'ab', 'a b c', 'a 1 b', ''].map((text) => hashOf(`<p>${text}</p>`));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('counts the title, text areas and CDATA of SVG', () => {
    const hashes = [
      '<title>a</title>',
      '<title>b</title>',
      '<textarea>c</textarea>',
      '<svg><![CDATA[d]]></svg>',
      '<plaintext>e',
    ].map(hashOf);
    expect(new Set([...hashes, hashOf('')]).size).toBe(hashes.length + 1);
  });

  test('is an unsigned number of 32 bits', () => {
    for (let i = 0; i < 50; i++) {
      const hash = hashOf(`<p>${'x'.repeat(i)}`)!;
      expect(hash).toBe(hash >>> 0);
    }
  });
});

describe('encodings', () => {
  const page = '<title>日本</title><a href="/é?日本=1" title="x">テスト</a>';
  const facts = (bytes: Uint8Array, encoding: string) => {
    const { title, links } = scanPage(bytes, encoding, { anchorText: true, positions: true });
    return { title, href: links.hrefs, text: links.texts, column: links.columns };
  };

  test('UTF-16 is read in either order, its byte order mark passed over', () => {
    const expected = { title: '日本', href: ['/é?日本=1'], text: ['テスト'], column: [18] };
    const little = Buffer.from(`\ufeff${page}`, 'utf16le');
    expect(facts(little, 'utf-16le')).toEqual(expected);
    expect(facts(Buffer.from(little).swap16(), 'utf-16be')).toEqual(expected);
    expect(facts(Buffer.from(`\ufeff${page}`), 'utf-8')).toEqual(expected);
  });

  test('ISO-2022-JP does not hide or make markup', () => {
    // In its two-byte mode `<a/href=3>` is five characters.
    const bytes = Buffer.from('<a href=1>\x1b$B<a/href=3>\x1b(B</a><a href=2>', 'latin1');
    expect(kindsAndUrls(scanPage(bytes, 'iso-2022-jp', {}))).toEqual(['a 1', 'a 2']);
  });

  test('Shift_JIS: a second byte that looks like ASCII is none', () => {
    const bytes = Buffer.concat([Buffer.from('<a href="/'), Buffer.from([0x83, 0x5c, 0x95, 0x5c]), Buffer.from('">')]);
    const { links } = scanPage(bytes, 'shift_jis', { positions: true });
    expect(links.hrefs).toEqual(['/ソ表']);
  });

  test('windows-1252 has letters where Latin-1 has control characters', () => {
    const bytes = Buffer.from('<title>\x93a\x94 \x80 \xe9</title><a href="/\x85">', 'latin1');
    expect(scanPage(bytes, 'windows-1252', {})).toMatchObject({ title: '“a” € é', links: { hrefs: ['/…'] } });
  });

  test('a lead byte without its second does not swallow the quote after it', () => {
    const bytes = Buffer.concat([Buffer.from('<a title="'), Buffer.from([0x83]), Buffer.from('" href="/x">')]);
    expect(scanPage(bytes, 'shift_jis', {}).links.hrefs).toEqual(['/x']);
  });
});

describe('character references', () => {
  test('every name of the standard means what it means to parse5, with and without its semicolon', () => {
    const decodeWithParse5 = (text: string) => {
      const [node] = parseFragment(text).childNodes;
      return node !== undefined && 'value' in node ? node.value : '';
    };
    const attributeOfParse5 = (text: string) => {
      const [node] = parseFragment(`<a href="${text}">`).childNodes;
      return node !== undefined && 'attrs' in node ? node.attrs[0]!.value : '';
    };
    const names = [...ENTITY_TABLE.matchAll(/(\w+)[:!]/g)].map(([, name]) => name!);
    expect(names.length).toBe(2125);
    for (const name of names) {
      for (const text of [`&${name};`, `&${name}`, `&${name}x`, `&${name}=`, `&${name}1;`, `&${name} `]) {
        expect([text, decodeReferences(`.${text}`, false)]).toEqual([text, decodeWithParse5(`.${text}`)]);
        expect([text, decodeReferences(text, true)]).toEqual([text, attributeOfParse5(text)]);
      }
    }
  });
});

describe('hostile sizes take linear time', () => {
  const MEGABYTE = 1 << 20;
  const SOURCES = {
    'open brackets': '<'.repeat(MEGABYTE),
    'open comments': '<!--'.repeat(MEGABYTE / 4),
    'comments that never end': `<!--${'x>'.repeat(MEGABYTE / 2)}`,
    'spaces in a value': `<a href="x${' '.repeat(MEGABYTE)}y&amp;">`,
    'commas in a srcset': `<img srcset="x${','.repeat(MEGABYTE)}y 1x">`,
    'spaces in a refresh': `<meta http-equiv=refresh content="1;url=x${' '.repeat(MEGABYTE)}y">`,
    'elements in SVG': `<svg>${'<g>'.repeat(MEGABYTE / 8)}${'</h>'.repeat(MEGABYTE / 8)}`,
    'SVG in integration points': `${'<svg><desc>'.repeat(MEGABYTE / 16)}${'</g>'.repeat(MEGABYTE / 8)}`,
    ampersands: `<a href="${'&'.repeat(MEGABYTE)}">`,
    'a name without an end': `<a href="&${'a'.repeat(MEGABYTE)}">`,
    attributes: `<a ${'href=x '.repeat(MEGABYTE / 8)}>`,
    'anchors on one line': '<a href=x>é'.repeat(MEGABYTE / 16),
    'scripts in scripts': `<script><!--${'<script>'.repeat(MEGABYTE / 8)}`,
  };

  // No clock: a quadratic scan of a megabyte would run into the time limit of the test.
  test.each(Object.entries(SOURCES))('%s', (_, source) => {
    const scan = scanText(source, { anchorText: true, positions: true, textHash: true, anchors: true });
    expect(scan.links.hrefs.length).toBe(scan.links.texts!.length);
  });
});
