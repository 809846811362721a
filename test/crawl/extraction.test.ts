import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { readExtractRule } from '../../src/base/extract-rule.js';
import { Extractor } from '../../src/lane/extraction.js';

const PAGE = `<!doctype html><title>Shop</title>
<meta name="Author" content="Ann"><meta property="og:image" content="/a.png"><meta property="og:image" content="/b.png">
<template><meta name="author" content="nobody"></template>
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
  {"@type":"WebPage","name":"Page"},
  {"@type":["Product","Thing"],"name":"Cup","offers":[{"price":9.5,"in":true},{"price":"10"}],"brand":{"name":"B"}}]}</script>
<script type="application/ld+json">{"@type":"http://schema.org/Product","name":"Pot"}</script>
<h1> A <b>cup</b> </h1>
<ul><li class=p>1.50<li class=p>2.50</ul><a id=x href="/next?a=1&amp;b=2">more</a>
<!-- sku: 77-A sku: 78-B -->`;

function extracted(html: string, ...rules: string[]): { data: unknown; notes: string[] } {
  const { data, notes } = new Extractor(rules).extract(html);
  return { data: JSON.parse(data), notes };
}

describe('a rule takes from a page', () => {
  it.each([
    ['v=h1', 'A cup'],
    ['v=h1@text', 'A cup'],
    ['v=h1@html', '<h1> A <b>cup</b> </h1>'],
    ['v=#x@href', '/next?a=1&b=2'],
    ['v=a[href*="@"]', null],
    ['v=.p', '1.50'],
    ['v[]=.p', ['1.50', '2.50']],
    ['v=.none', null],
    ['v[]=.none', []],
    ['v=a@title', null],
    ['v=meta:author', 'Ann'],
    ['v=meta:OG:image', '/a.png'],
    ['v[]=meta:og:image', ['/a.png', '/b.png']],
    ['v=meta:none', null],
    ['v=jsonld:@Product.name', 'Cup'],
    ['v[]=jsonld:@Product.name', ['Cup', 'Pot']],
    ['v[]=jsonld:name', ['Page', 'Cup', 'Pot']],
    ['v=jsonld:@Product.offers.price', 9.5],
    ['v[]=jsonld:@Product.offers.price', [9.5, '10']],
    ['v=jsonld:@Product.offers.1.price', '10'],
    ['v=jsonld:@Product.brand', { name: 'B' }],
    ['v=jsonld:@Thing.@type', 'Product'],
    ['v=jsonld:@Product.offers.in', true],
    ['v=jsonld:@Recipe.name', null],
    ['v=re:sku: (\\d+)-', '77'],
    ['v[]=re:sku: \\S+', ['sku: 77-A', 'sku: 78-B']],
  ])('%s', (rule, value) => {
    expect(extracted(PAGE, rule)).toEqual({ data: { v: value }, notes: [] });
    // With a tree and without one.
    expect(extracted(PAGE, rule, 'other=title')).toEqual({ data: { v: value, other: 'Shop' }, notes: [] });
  });
});

describe('what is too much is cut, and said', () => {
  it('a value of more than 65,536 characters', () => {
    const { data, notes } = extracted(`<p>${'x'.repeat(70_000)}`, 'v=p', 'w=p@html', 'r=re:x+');
    expect(data).toMatchObject({ v: 'x'.repeat(65_536), w: `<p>${'x'.repeat(65_533)}`, r: 'x'.repeat(65_536) });
    expect(notes).toEqual(['extract_cut:v', 'extract_cut:w', 'extract_cut:r']);
  });

  it('no cut makes half a character', () => {
    const { data } = extracted(`<p>x${'😀'.repeat(40_000)}`, 'v=p');
    expect((data as { v: string }).v).toBe(`x${'😀'.repeat(32_767)}`);
  });

  it('an object of JSON-LD with more than 65,536 characters, which would be no JSON when it is cut', () => {
    const script = `<script type=application/ld+json>{"big":{"a":"${'x'.repeat(70_000)}"},"small":{"a":1}}</script>`;
    expect(extracted(script, 'v=jsonld:big', 's=jsonld:small')).toEqual({
      data: { v: null, s: { a: 1 } },
      notes: ['extract_cut:v'],
    });
  });

  it('a pattern that is at it for more than a second', () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 300));
    try {
      const { data, notes } = extracted('aaaaaaaaaa', 'v[]=re:a');
      expect([data, notes]).toEqual([{ v: ['a', 'a', 'a', 'a'] }, ['extract_stopped:v']]);
    } finally {
      clock.mockRestore();
    }
  });

  it('a list of more than 1,000 values', () => {
    const { data, notes } = extracted('<i>1</i>'.repeat(1_001), 'v[]=i', 'r[]=re:<i>');
    expect((data as { v: string[] }).v).toHaveLength(1_000);
    expect((data as { r: string[] }).r).toHaveLength(1_000);
    expect(notes).toEqual(['extract_cut:v', 'extract_cut:r']);
    expect(extracted('<i>1</i>'.repeat(1_000), 'v[]=i').notes).toEqual([]);
  });

  it('more than 262,144 characters of a page', () => {
    const { data, notes } = extracted(`<p>${'x'.repeat(60_000)}</p>`.repeat(9), 'v[]=p', 'w=p', 'small=re:<p>');
    expect((data as { v: string[] }).v).toHaveLength(4);
    expect(data).toMatchObject({ w: null, small: '<p>' });
    expect(notes).toEqual(['extract_cut:v', 'extract_cut:w']);
  });

  it('a selector that would look at too much', () => {
    const { data, notes } = extracted('<li>'.repeat(20_000), 'v=li:has(~ p)', 'w=title');
    expect(data).toEqual({ v: null, w: null });
    expect(notes).toContain('extract_stopped:v');
  });

  it('JSON-LD that is none, or is nested without end', () => {
    const script = (text: string) => `<script type=application/ld+json>${text}</script>`;
    expect(extracted(script('{"name":') + script('{"name":1}'), 'v=jsonld:name')).toEqual({
      data: { v: 1 },
      notes: ['extract_bad_jsonld:v'],
    });
    expect(extracted(script('<!-- {"name":2} -->'), 'v=jsonld:name').data).toEqual({ v: 2 });
    expect(extracted(script(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 'v=jsonld:a').data).toEqual({ v: null });
    const deep = `{"a":${'{"b":'.repeat(50_000)}1${'}'.repeat(50_000)}}`;
    expect(extracted(script(deep), 'v=jsonld:a')).toEqual({ data: { v: null }, notes: ['extract_cut:v'] });
    expect(extracted(script('{"__proto__":{"x":1},"name":3}'), 'v=jsonld:x').data).toEqual({ v: null });
  });

  it('whatever the page is, there is a value for each name', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: fc.constantFrom(...'<>/ ="ax!-{}[]:,1') }), (html) => {
        const { data } = extracted(`<script type=application/ld+json>${html}`, 'a=a', 'b[]=*', 'c=jsonld:a', 'd=re:a+');
        expect(Object.keys(data as object)).toEqual(['a', 'b', 'c', 'd']);
      }),
    );
  });
});

describe('a rule that is wrong is refused with the place', () => {
  it.each([
    ['v=a[', 'selector "a[", character 2: the "[" is not closed'],
    ['v=re:a[b', 'expression "a[b", character 2: missing closing ]'],
    ['v=re:(?=a)', 'character 1: invalid or unsupported Perl syntax'],
    ['v=jsonld:a..b', 'path "a..b", character 3: a key is missing'],
    ['v=jsonld:a.b[0]', 'path "a.b[0]", character 3: a key has no brackets'],
    ['v=re:', 'nothing stands after "re:"'],
    ['v=@href', 'there is no selector'],
  ])('%s', (rule, message) => {
    expect(() => new Extractor([rule])).toThrow(UsageError);
    expect(() => new Extractor([rule])).toThrow(message);
  });

  it.each(['a', '=a', '1=a', 'a b=x', 'a.b=x', '-a=x', '__proto__=x', 'constructor=x', `${'a'.repeat(65)}=x`, 'a[=x'])(
    '%s names no column',
    (rule) => {
      expect(typeof readExtractRule(rule)).toBe('string');
    },
  );
});
