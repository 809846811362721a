import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Element, textOf, walk } from '../../src/content/element.js';
import { parseTree } from '../../src/content/tree-builder.js';

import { browserForm, browserText, browserWholeForm, ownForm, wholeForm } from './tree-form.js';

/** What browsers stop at. */
const DEEPEST = 512;

/** How deep it goes, without recursion. */
function depthOf(root: Element): number {
  let depth = 0;
  for (let level = [root]; level.length > 0; depth++) {
    const next: Element[] = [];
    for (const { children } of level) {
      for (const child of children) {
        if (typeof child !== 'string') {
          next.push(child);
        }
      }
    }
    level = next;
  }
  return depth;
}

describe('the tree of a page is that of a browser', () => {
  it.each([
    '<!doctype html><html lang=en><script></script><head><title>a &amp; b</title><meta charset=utf-8></head><body id=b><p>x</body></html>',
    '<p>one<p>two<div>three</div>four',
    '<ul><li>one<li>two<ul><li>deep</ul><li>three</ul>',
    '<ul><li><p>one<li><p>two</ul>',
    '<dl><dt>a<dd>b<dt>c<dd><p>d<dd>e</dl>',
    '<table><tr><td>a<td>b<tr><th>c<td>d</table>',
    '<table><caption>t</caption><thead><tr><th>a</thead><tbody><tr><td>b<table><tr><td>inner</table>after</table>x',
    '<table><tr><td>1<table><tr><td>2</td></tr></table></td><td>3</table>',
    '<table id=a><table id=b><tr><td>x</table></table>',
    '<select><option>a<option>b<optgroup><option>c</select>',
    '<h1>a<h2>b</h1>c',
    '<p>a<pre>\n b\n</pre>c',
    '<textarea>\n<b>x</textarea><b>y',
    '<b>1<p>2</b>3</p>4',
    '<b><i>1</b>2</i>3',
    '<p><b>one<p>two</b>three',
    '<a id=a href=x>1<a id=b href=y>2</a>3',
    '<a id=a href=x>1<div>2<a id=b href=y>3</div>4',
    '<b>a<div>b<i>c</b>d</div>e</i>f',
    '<font id=1><font id=2><p>x</font>y',
    '<button>a<button>b</button>c',
    '<form id=1><form id=2>x</form>y',
    '<ruby>a<rt>b<rp>c<rt>d</ruby>',
    '</p>x</br>y',
    'a</b></div></table>b',
    '<svg><title>t</title><path d=x /><g id=g>x</g></svg><p>y',
    '<svg><desc><p>in</desc><circle/></svg>x',
    '<math><mi>x</mi><mo>=</mo></math><svg><div>out',
    '<!-- a --><!--> --><!---> b <!-- c --!> d <!x> <?y?> </ z> e',
    '<script>"<p>" <!-- <script> </script> --> </script>x<style>p{}</style><template><p>y</template>z',
    '<noscript><p>n</noscript><iframe><p></iframe><xmp><b></xmp>q',
    '<p title="a>b" id=\'c"d\' x=1/>e<br/>f<img src=x>g',
    '<div id=a id=b>x &lt;b> &nbsp;&copy &notit; &#x41;&#0;',
    '<p>x<plaintext></p><b>',

    '<address><p>a</address>b<center><p>c</center>',
    '<li>a<li>b<p>c',
    '<p>a<table><tr><td><p>b</table>c',
    '<object><p>a</object>b<p>c<object></p>d</object>',
    '<',
    '<a href="x',
    'x</',
  ])('%s', (html) => {
    const page = html.startsWith('<!doctype') ? html : `<!doctype html><body>${html}`;
    expect(ownForm(page)).toBe(browserForm(page));
  });

  it('whatever the order of tags', () => {
    const name = fc.constantFrom(
      ...'p div b i a em span ul li h1 h2 pre code dl dt dd button section address'.split(' '),
    );
    const part = fc.oneof(
      fc.tuple(name, fc.nat(9)).map(([tag, id]) => `<${tag} id=${id}>`),
      name.map((tag) => `</${tag}>`),
      fc.constantFrom('x', 'y', ' ', '<br>', '<!-- c -->', '<hr>', '<img id=7>'),
    );
    const soup = fc.array(part, { maxLength: 25 }).map((parts) => `<!doctype html><body>${parts.join('')}`);
    fc.assert(
      fc.property(soup, (html) => {
        expect(ownForm(html)).toBe(browserForm(html));
      }),
      { numRuns: 5000, seed: 3 },
    );
  });

  it('whatever the bytes, all text that is no markup stays', () => {
    const part = fc.constantFrom(
      ...`< > / = " ' & ! - ? a b p td tr table svg script style title x &amp; <!-- --> </p> <b> <td>`.split(' '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const html = parts.join('');
        const words = (text: string) => text.replace(/[^x]/g, '');
        expect(words(textOf(parseTree(html)))).toBe(words(browserText(html)));
      }),
      { numRuns: 3000, seed: 4 },
    );
  });
});

describe('the differences', () => {
  it('what stands in a table outside of its cells stays there', () => {
    expect(ownForm('<table>a<tr>b<td>c</table>')).toBe('<table>"a"<tr>"b"<td>"c"</></></>');
  });

  it('TeX in a script is text', () => {
    expect(textOf(parseTree('<p><script type="math/tex">x^2</script><script>y</script>'))).toBe('x^2');
  });
});

describe('hostile pages', () => {
  const DEEP = 100_000;

  it.each([
    'div',
    'b',
    'ul><li',
    'blockquote',
    'table><tr><td',
    'svg',
    'font',
    'a',
    'b><p',
    'dl><dd',
    'span><div',
    'template',
  ])('%s nested 100,000 times: the tree is no deeper than a browser makes it, and the text is there', (tags) => {
    const root = parseTree(`<p>before</p>${`<${tags}>`.repeat(DEEP)}inside`);
    expect(depthOf(root)).toBeLessThanOrEqual(DEEPEST);
    expect(textOf(root)).toBe(tags === 'template' ? 'before' : 'beforeinside');
  });

  it('closed again as often, what follows stands where it belongs', () => {
    const root = parseTree(`${'<div>'.repeat(DEEP)}x${'</div>'.repeat(DEEP)}<p id=after>y`);
    const after = [...walk(root)].find((node): node is Element => node instanceof Element && node.id === 'after');
    expect(after?.parent).toBe(root);
  });

  it('attributes of megabytes and in thousands', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `a${i}="${i}"`).join(' ');
    const root = parseTree(`<p id="${'x'.repeat(5_000_000)}" class="${'c '.repeat(1_000_000)}">a<p ${many} id=last>b`);
    const [first, second] = root.children as [Element, Element];
    expect([first.id.length, first.classes.length, second.id]).toEqual([5_000_000, 1_000_000, 'last']);
  });

  it.each([
    ['open tags', '<'],
    ['open comments', '<!--'],
    ['open scripts in scripts', '<script><!--<script>'],
    ['open quotes', '<a href="'],
    ['ends of nothing', '</b></p></table>'],
    ['formatting in blocks', '<b><p>x</b>', 1_000_000],
    ['formatting that is never closed', '<font color=1><i><p>x', 1_000_000],
    ['links in links', '<a href=x>', 1_000_000],
    ['ampersands', '&'],
  ])('%s in megabytes', (_name, piece, size = 4_000_000) => {
    const root = parseTree(piece.repeat(size / piece.length));
    expect(depthOf(root)).toBeLessThanOrEqual(DEEPEST);
  });
});

describe('the whole tree of a page is that of a browser', () => {
  it.each([
    '<p>x',
    'x',
    '',
    '<title>t</title><p>x',
    '<!doctype html><title>t</title><meta charset=utf-8>text<link rel=x><p>y',
    '<html id=h><head id=i><title>t</title></head><body id=b><p>x</body></html>after',
    '<head></head><link id=a><p>x',
    '<head></head> <style>x</style> <body id=b>y',
    '<script>1</script><style>2</style><p>x<script>3</script>y<style>4</style>',
    '<p><b>one<p><script>x</script>two',
    '<table><tr><td>a<td>b<tr><th>c</table>',
    '<table><td>a</table>',
    '<table><col id=a><col id=b><colgroup><col id=c></colgroup><thead><tr><th>h</thead><tr><td>x</table>',
    '<table><tbody id=a><tr><td>1<tbody id=b><tr><td>2</table><p>x',
    '<body id=a><body id=b>x',
    '<template id=t><p>x</template><p>y<template><tr><td>z</template>',
    '<p>x</p><iframe id=i><p></iframe><noframes>x</noframes>',
    '<head><template><div>x</div></template><title>t</title></head><p>y',
    '<template><body>x',
    '<br>x',
    '</p>x',
    '<svg id=s><script id=t>x</script><title>u</title></svg>',
    '<html><body><ul><li>a<li>b</ul></html><p>c',
    '<base href=x><noscript><link id=n></noscript><h1>x</h1>',
  ])('%s', (html) => {
    expect(wholeForm(html)).toBe(browserWholeForm(html));
  });

  it('whatever the order of tags', () => {
    const name = fc.constantFrom(
      ...'p div b i a span ul li h1 pre html head body title meta link script style template br'.split(' '),
    );
    const part = fc.oneof(
      name.map((tag) => `<${tag}>`),
      name.map((tag) => `</${tag}>`),
      fc.constantFrom('x', ' ', '<script>1</script>', '<title>t</title>', '<table><tr><td>c</td></tr></table>'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const html = `<!doctype html>${parts.join('')}`;
        expect(wholeForm(html)).toBe(browserWholeForm(html));
      }),
      { numRuns: 500 },
    );
  });
});
