import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import {
  attributeOf,
  compileSelector,
  htmlOf,
  Selection,
  SelectionTooLong,
  selectAll,
  selectFirst,
  textOf,
} from '../../src/content/select.js';
import { parseDocument } from '../../src/content/tree-builder.js';
import { referencePlaces } from './reference-select.js';

const SHOP = `<!doctype html><html lang=en><head><title>Shop</title><meta name=author content=Ann></head><body class="shop page">
<header><h1>Books &amp; more</h1><nav><a href=/ class=on>Home</a> <a href=/b>Books</a> <a href=/c rel="next nofollow">More</a></nav></header>
<main id=list><h2>New</h2><p>Intro</p>
<ul class=items>
<li class="item new" data-id=1><h3>One</h3><span class=price>1.50</span><ul><li>deep</li></ul></li>
<li class=item data-id=2><h3>Two</h3><span class="price sale">2.50</span></li>
<li class=item data-id=33><h3>Three</h3><b>sold out</b><br><em></em></li>
</ul>
<h2>Old</h2><p>Text</p><p class=last>End</p>
<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>
<form><input type=TEXT disabled><input type=checkbox checked><select><option>x<option selected>y</select></form>
</main><footer lang=de-AT><p>Fuß</p></footer><script>var x = "<p>";</script></body></html>`;

/** Of all elements of a page, the places of those that a selector finds. */
function ownPlaces(html: string, selectors: readonly string[]): number[][] {
  const root = parseDocument(html);
  const places = new Map(selectAll(root, compileSelector('*')).map((element, i) => [element, i]));
  const selection = new Selection(root);
  return selectors.map((each) => selection.all(compileSelector(each)).map((element) => places.get(element)!));
}

const found = (html: string, selector: string): string[] =>
  selectAll(parseDocument(html), compileSelector(selector)).map((element) => textOf(element));

describe('a selector finds what it finds in a browser', () => {
  it.each([
    ['h1', ['Books & more']],
    ['.item > h3', ['One', 'Two', 'Three']],
    ['.item:has(.sale) h3', ['Two']],
    ['li.item:not(:has(.price)) h3', ['Three']],
    ['nav a:nth-child(2)', ['Books']],
    ['nav a:last-child', ['More']],
    ['h2 ~ p', ['Intro', 'Text', 'End']],
    ['h2 + p', ['Intro', 'Text']],
    ['table > tbody > tr:nth-of-type(2) > td', ['1', '2']],
    ['[rel~=next]', ['More']],
    ['#list > h2', ['New', 'Old']],
    ['a:is([href="/b"], .on)', ['Home', 'Books']],
    [':nth-child(2 of .item) h3', ['Two']],
    ['p:lang(de)', ['Fuß']],
    ['h3:contains("wo")', ['Two']],
    [':root > body > footer', ['Fuß']],
    ['H3, TITLE', ['Shop', 'One', 'Two', 'Three']],
    ['em:empty', ['']],
    ['li:has(> ul > li) > h3', ['One']],
    ['li:has(+ li > .sale) > h3', ['One']],
  ])('%s', (selector, texts) => {
    expect(found(SHOP, selector)).toEqual(texts);
  });

  it('the first in the order of the page', () => {
    const root = parseDocument(SHOP);
    expect(textOf(selectFirst(root, compileSelector('p, h3'))!)).toBe('Intro');
    expect(selectFirst(root, compileSelector('video'))).toBeNull();
  });

  it('within an element, by what is around it too, and that element is :scope', () => {
    const list = selectFirst(parseDocument(SHOP), compileSelector('.items'))!;
    expect(selectAll(list, compileSelector('body h3')).length).toBe(3);
    expect(selectAll(list, compileSelector(':scope > li')).length).toBe(3);
    expect(selectAll(list, compileSelector('nav a'))).toEqual([]);
  });

  it('as css-select over the tree of parse5, for any selector', () => {
    const simple = fc.constantFrom(
      ...'* li ul p h2 h3 a td tr body main .item .price .sale .new #list [data-id] [data-id="2"] [href^="/"] [class~=item] [type=text] [rel*=next]'.split(
        ' ',
      ),
    );
    const counted = fc
      .tuple(
        fc.constantFrom('nth-child', 'nth-last-child', 'nth-of-type', 'nth-last-of-type'),
        fc.constantFrom('1', '2', 'odd', '2n', '-n+2', 'n+3', '3n-1'),
      )
      .map(([name, formula]) => `:${name}(${formula})`);
    const named = fc.constantFrom(
      ...':first-child :last-child :only-child :first-of-type :last-of-type :only-of-type :empty :root :checked :disabled :enabled :link'.split(
        ' ',
      ),
    );
    const { selector } = fc.letrec<{ selector: string; compound: string; chain: string }>((tie) => ({
      compound: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        simple,
        fc.tuple(simple, counted).map(([a, b]) => a + b),
        fc.tuple(simple, named).map(([a, b]) => a + b),
        fc
          .tuple(simple, fc.constantFrom('not', 'is', 'has', 'where'), tie('selector'))
          .map(([a, name, inner]) => `${a}:${name}(${inner})`),
        fc
          .tuple(simple, fc.constantFrom('> ', '+ ', '~ '), tie('chain'))
          .map(([a, sign, inner]) => `${a}:has(${sign}${inner})`),
      ),
      chain: fc
        .array(fc.tuple(tie('compound'), fc.constantFrom(' ', ' > ', ' + ', ' ~ ')), { minLength: 1, maxLength: 3 })
        .map((parts) => parts.map(([part, sign], i) => (i === 0 ? part : sign + part)).join('')),
      selector: fc.array(tie('chain'), { minLength: 1, maxLength: 2 }).map((chains) => chains.join(', ')),
    }));
    // `of` in `:has()` is a weakness of css-select: it looks for `of` below the element alone.
    const counting = fc
      .tuple(counted, simple)
      .map(([a, b]) => a.replace(/^:nth-(last-)?of-type/, ':nth-$1child').replace(')', ` of ${b})`));
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: selector }, { weight: 1, arbitrary: counting }), (each) => {
        expect(ownPlaces(SHOP, [each])).toEqual(referencePlaces(SHOP, [each]));
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('a selector that is wrong is refused with the place', () => {
  it.each([
    ['a[href', 2, 'the "[" is not closed'],
    ['a:not(.b', 6, 'the "(" is not closed'],
    ['a[x="1]', 5, 'the " is not closed'],
    ['a > > b', 3, 'something is missing beside the ">"'],
    ['a, , b', 2, 'something is missing beside the ","'],
    ['a >', 3, 'something is missing beside the ">"'],
    ['', 1, 'nothing stands there'],
    ['a)', 2, 'nothing is open that the ")" could close'],
    ['div..b', 5, 'cannot stand there'],
    ['p:foo', 2, 'Unknown pseudo-class :foo'],
    ['h1::text', 3, 'write @text behind the selector'],
    ['p a:hover', 4, 'nobody uses the page'],
    ['> a', 1, 'nothing stands before the ">"'],
    ['li:nth-child(x)', 3, 'needs a number or a formula'],
    ['svg|a', 4, 'namespaces'],
    ['a < b', 3, 'no combinator'],
    ['a b$', 4, 'cannot stand there'],
    [':eq(1)', 1, 'Unknown pseudo-class'],
  ])('%s', (selector, character, what) => {
    const refused = () => compileSelector(selector);
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(`character ${character}:`);
    expect(refused).toThrow(what);
  });

  it('one that is too long', () => {
    expect(() => compileSelector(`a${'.b'.repeat(3_000)}`)).toThrow('at most 4096 characters, and this one has 6001');
  });

  it('whatever it is, nothing but a UsageError is thrown', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12, unit: fc.constantFrom(...'ab.#:()[]="\'>+~, *|<\\n1-/') }), (text) => {
        try {
          compileSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('hostile pages', () => {
  const FLAT = `<ul>${'<li><b>x</b>'.repeat(50_000)}</ul>`;

  it.each([
    'li:nth-child(2n+1)',
    'li:nth-last-child(3)',
    'li:nth-of-type(3n)',
    'p ~ li',
    'li ~ li',
    'b + li',
    'li + li',
    'li:only-of-type',
    'li:last-of-type',
    ':nth-child(3 of li)',
    'li:has(i)',
    'p ~ li ~ li b',
  ])('%s on 50,000 siblings takes steps by their number, not by its square', (selector) => {
    expect(() => selectAll(parseDocument(FLAT), compileSelector(selector))).not.toThrow();
  });

  it.each(['li:has(~ p)', 'li:has(~ li ~ p)'])('%s on 50,000 siblings is stopped', (selector) => {
    expect(() => selectAll(parseDocument(FLAT), compileSelector(selector))).toThrow(SelectionTooLong);
  });

  it('text and attributes that are looked through again and again are counted', () => {
    const text = parseDocument(`${'<div>'.repeat(300)}${'x'.repeat(5_000_000)}`);
    expect(() =>
      selectAll(text, compileSelector('div:contains("y") div, div:contains("x") i, div:contains("x")')),
    ).toThrow(SelectionTooLong);
    const attribute = parseDocument(`<div title="${'x'.repeat(1_000_000)}">${'<b></b>'.repeat(5_000)}</div>`);
    expect(() => selectAll(attribute, compileSelector('[title*=y] b'))).toThrow(SelectionTooLong);
    const classes = parseDocument(`<div class="${'x '.repeat(100_000)}">${'<b></b>'.repeat(5_000)}</div>`);
    expect(() => selectAll(classes, compileSelector('.y b'))).toThrow(SelectionTooLong);
  });

  it('elements within each other without end', () => {
    const root = parseDocument('<div><b>'.repeat(50_000));
    const deep = selectAll(root, compileSelector('div div:has(b) b'));
    expect(deep.length).toBeGreaterThan(100);
    expect(htmlOf(deep[0]!).length).toBeGreaterThan(1_000);
    expect(textOf(root)).toBe('');
  });
});

describe('an element as text', () => {
  const of = (html: string, selector = 'body') => selectFirst(parseDocument(html), compileSelector(selector))!;

  it('has its white space folded; blocks and line breaks part words, inline elements do not', () => {
    expect(textOf(of('<p> a <b>b</b>c\n d<br>e</p><p>f<i> g</i></p><ul><li>h<li>i</ul> '))).toBe('a bc d e f g h i');
    expect(textOf(of('<table><tr><td>1<td>2<tr><td>3</table>'))).toBe('1 2 3');
    expect(textOf(of('a<script>x</script>b<style>y</style>'))).toBe('ab');
    expect(textOf(of('a&nbsp;b'))).toBe('a\u00a0b');
  });

  it('of a script is what it holds', () => {
    expect(textOf(of('<script type=x> {"a": "<b>"} </script>', 'script'))).toBe('{"a": "<b>"}');
  });

  it('as an attribute, by its name in any case', () => {
    expect(attributeOf(of('<a href="?a=1&amp;b" HREF=2>', 'a'), 'HREF')).toBe('?a=1&b');
    expect(attributeOf(of('<a>', 'a'), 'href')).toBeNull();
  });

  it('as HTML that is read as the same tree again', () => {
    const html = '<div title="a&amp;&quot;<b>"><p>1 &lt; 2 &amp; &nbsp;</p><br><img src="x"><script>a<b</script></div>';
    const written = htmlOf(of(html, 'div'));
    expect(written).toContain('<p>1 &lt; 2 &amp; &nbsp;</p><br><img src="x"><script>a<b</script>');
    expect(htmlOf(of(written, 'div'))).toBe(written);
  });

  it('is no longer than asked', () => {
    const long = of(`<p>${'a b '.repeat(10_000)}<p>x`);
    expect(textOf(long, 10)).toBe('a b a b a ');
    expect(htmlOf(long, 10).length).toBeLessThan(50_000);
  });
});
