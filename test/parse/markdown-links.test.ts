import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { markdownAnchors, markdownLinks } from '../../src/parse/markdown/markdown-links.js';

/** `kind href|text` of each link. */
const read = (text: string) =>
  markdownLinks(text).map(({ kind, href, text: label }) => `${kind} ${href}${label === '' ? '' : `|${label}`}`);

/** Mostly the examples of the CommonMark specification; null: no link at all. */
const INLINE: [markdown: string, expected: string | string[] | null][] = [
  ['[link](/uri "title")', 'inline /uri|link'],
  ['[link](/uri)', 'inline /uri|link'],
  ['[](./target.md)', 'inline ./target.md'],
  ['[link]()', 'inline |link'],
  ['[link](<>)', 'inline |link'],
  ['[](<>)', 'inline '],
  ['[link](/my uri)', null],
  ['[link](</my uri>)', 'inline /my uri|link'],
  ['[link](foo\nbar)', null],
  ['[link](<foo\nbar>)', null],
  ['[a](<b)c>)', 'inline b)c|a'],
  ['[link](<foo\\>)', null],
  ['[a](<b)c\n[a](<b)c>\n[a](<b>c)', null],
  ['[link](\\(foo\\))', 'inline (foo)|link'],
  ['[link](foo(and(bar)))', 'inline foo(and(bar))|link'],
  ['[link](foo(and(bar))', null],
  ['[link](foo\\(and\\(bar\\))', 'inline foo(and(bar)|link'],
  ['[link](<foo(and(bar)>)', 'inline foo(and(bar)|link'],
  ['[link](foo\\)\\:)', 'inline foo):|link'],
  ['[link](#fragment)', 'inline #fragment|link'],
  ['[link](https://example.com?foo=3#frag)', 'inline https://example.com?foo=3#frag|link'],
  ['[link](foo\\bar)', 'inline foo\\bar|link'],
  ['[link](foo%20b&auml;)', 'inline foo%20bä|link'],
  ['[link]("title")', 'inline "title"|link'],
  ['[link](/url "title")', 'inline /url|link'],
  ["[link](/url 'title')", 'inline /url|link'],
  ['[link](/url (title))', 'inline /url|link'],
  ['[link](/url "title \\"&quot;")', 'inline /url|link'],
  ['[link](/url\u00a0"title")', 'inline /url\u00a0"title"|link'],
  ['[link](/url "title "and" title")', null],
  ['[link](/url \'title "and" title\')', 'inline /url|link'],
  ['[link](   /uri\n  "title"  )', 'inline /uri|link'],
  ['[link] (/uri)', null],
  ['[link [foo [bar]]](/uri)', 'inline /uri|link [foo [bar]]'],
  ['[link] bar](/uri)', null],
  ['[link [bar](/uri)', 'inline /uri|bar'],
  ['[link \\[bar](/uri)', 'inline /uri|link [bar'],
  ['[link *foo **bar** `#`*](/uri)', 'inline /uri|link foo bar #'],
  ['[![moon](moon.jpg)](/uri)', ['image moon.jpg|moon', 'inline /uri|moon']],
  ['[foo [bar](/uri)](/uri)', 'inline /uri|bar'],
  ['[foo *[bar [baz](/uri)](/uri)*](/uri)', 'inline /uri|baz'],
  ['![[[foo](uri1)](uri2)](uri3)', 'image uri3|[foo](uri2)'],
  ['*[foo*](/uri)', 'inline /uri|foo'],
  ['[foo *bar](baz*)', 'inline baz*|foo *bar'],
  ['[foo <bar attr="](baz)">', null],
  ['[foo`](/uri)`', null],
  [
    '[foo<https://example.com/?search=](uri)>',
    'autolink https://example.com/?search=](uri)|https://example.com/?search=](uri)',
  ],
  ['\\[not a link](/foo)', null],
  ['\\![image](/foo)', 'inline /foo|image'],
  ['!\\[foo]', null],
  ['![foo](/url "title")', 'image /url|foo'],
  ['![foo ![bar](/url)](/url2)', 'image /url2|foo bar'],
  ['![foo [bar](/url)](/url2)', 'image /url2|foo bar'],
  ['![](/url)', 'image /url'],
  ['My ![foo bar](/path/to/train.jpg  "title"   )', 'image /path/to/train.jpg|foo bar'],
  ['[a](b) [c](d)', ['inline b|a', 'inline d|c']],
  ['[a](b&amp;c&copy=1)', 'inline b&c&copy=1|a'],
  ['[a](b&lt;&#35;&#x41;&nope;)', 'inline b<#A&nope;|a'],
  ['[a_b_c](d) [_e_](f)', ['inline d|a_b_c', 'inline f|e']],
  ['[a\nb](c)', 'inline c|a b'],
  [`[a](${'('.repeat(33)}${')'.repeat(33)})`, null],
];

const REFERENCES: [markdown: string, expected: string | string[] | null][] = [
  ['[foo]: /url "title"\n\n[foo]', 'reference /url|foo'],
  ["   [foo]: \n      /url  \n           'the title'  \n\n[foo]", 'reference /url|foo'],
  ["[Foo*bar\\]]:my_(url) 'title (with parens)'\n\n[Foo*bar\\]]", 'reference my_(url)|Foo*bar]'],
  ["[Foo bar]:\n<my url>\n'title'\n\n[Foo bar]", 'reference my url|Foo bar'],
  ["[foo]: /url '\ntitle\nline1\n'\n\n[foo]", 'reference /url|foo'],
  ["[foo]: /url 'title\n\nwith blank line'\n\n[foo]", null],
  ['[foo]:\n/url\n\n[foo]', 'reference /url|foo'],
  ['[foo]:\n\n[foo]', null],
  ['[foo]: <>\n\n[foo]', 'reference |foo'],
  ['[foo]: <bar>(baz)\n\n[foo]', null],
  ['[foo]: /url\\bar\\*baz "foo\\"bar\\baz"\n\n[foo]', 'reference /url\\bar*baz|foo'],
  ['[foo]\n\n[foo]: url', 'reference url|foo'],
  ['[foo]\n\n[foo]: first\n[foo]: second', ['reference first|foo', 'reference second']],
  ['[FOO]: /url\n\n[Foo]', 'reference /url|Foo'],
  ['[ΑΓΩ]: /φου\n\n[αγω]', 'reference /φου|αγω'],
  ['[ẞ]\n\n[SS]: /url', 'reference /url|ẞ'],
  ['[foo]: /url', 'reference /url'],
  ['[\nfoo\n]: /url\nbar', 'reference /url'],
  ['[foo]: /url "title" ok', null],
  ['[foo]: /url\n"title" ok', 'reference /url'],
  ['    [foo]: /url "title"\n\n[foo]', null],
  ['```\n[foo]: /url\n```\n\n[foo]', null],
  ['Foo\n[bar]: /baz\n\n[bar]', null],
  ['# [Foo]\n[foo]: /url\n> bar', 'reference /url|Foo'],
  ['[foo]: /url\nbar\n===\n[foo]', 'reference /url|foo'],
  ['[foo]: /url\n===\n[foo]', 'reference /url|foo'],
  [
    '[foo]: /foo-url "foo"\n[bar]: /bar-url\n  "bar"\n[baz]: /baz-url\n\n[foo],\n[bar],\n[baz]',
    ['reference /foo-url|foo', 'reference /bar-url|bar', 'reference /baz-url|baz'],
  ],
  ['[foo]\n\n> [foo]: /url', 'reference /url|foo'],
  ['[foo][bar]\n\n[bar]: /url "title"', 'reference /url|foo'],
  ['[link [foo [bar]]][ref]\n\n[ref]: /uri', 'reference /uri|link [foo [bar]]'],
  ['[![moon](moon.jpg)][ref]\n\n[ref]: /uri', ['image moon.jpg|moon', 'reference /uri|moon']],
  ['[foo [bar](/uri)][ref]\n\n[ref]: /uri', ['inline /uri|bar', 'reference /uri|ref']],
  ['[foo][BaR]\n\n[bar]: /url', 'reference /url|foo'],
  ['[Foo\n  bar]: /url\n\n[Baz][Foo bar]', 'reference /url|Baz'],
  ['[foo] [bar]\n\n[bar]: /url', 'reference /url|bar'],
  ['[bar][foo\\!]\n\n[foo!]: /url', ['undefined foo\\!|bar', 'reference /url']],
  ['[foo][ref\\[]\n\n[ref\\[]: /uri', 'reference /uri|foo'],
  ['[bar\\\\]: /uri\n\n[bar\\\\]', 'reference /uri|bar\\'],
  ['[]\n\n[]: /uri', null],
  ['[foo][]\n\n[foo]: /url', 'reference /url|foo'],
  ['[*foo* bar][]\n\n[*foo* bar]: /url', 'reference /url|foo bar'],
  ['[foo] \n[]\n\n[foo]: /url', 'reference /url|foo'],
  ['[[*foo* bar]]\n\n[*foo* bar]: /url', 'reference /url|foo bar'],
  ['[[bar [foo]\n\n[foo]: /url', 'reference /url|foo'],
  ['[foo](not a link)\n\n[foo]: /url1', 'reference /url1|foo'],
  ['[foo]()\n\n[foo]: /url1', ['inline |foo', 'reference /url1']],
  ['[foo][bar][baz]\n\n[baz]: /url', 'reference /url|bar'],
  ['[foo][bar][baz]\n\n[baz]: /url1\n[bar]: /url2', ['reference /url2|foo', 'reference /url1|baz']],
  ['![foo *bar*][]\n\n[foo *bar*]: train.jpg', 'image train.jpg|foo bar'],
  ['![foo][bar]\n\n[bar]: /url', 'image /url|foo'],
  ['![foo]\n\n[foo]: /url', 'image /url|foo'],
  ['!\\[foo]\n\n[foo]: /url', 'reference /url'],
  ['[text][nope]', 'undefined nope|text'],
  ['![text][nope]', 'undefined nope|text'],
  ['[x] done, [ ] to do, [[wiki]], [nope], [nope][]', null],
  ['list[0][1] and f()[a][b]', null],
  [`[foo]: /url\n\n[a][${'x'.repeat(1000)}]`, 'reference /url'],
  ['a[^1] and [b][^1]\n\n[^1]: note with [c](d)\n\n    and [e](f)', ['inline d|c', 'inline f|e']],
];

const OTHERS: [markdown: string, expected: string | string[] | null][] = [
  [
    '<https://foo.bar.baz/test?q=hello&id=22&boolean>',
    'autolink https://foo.bar.baz/test?q=hello&id=22&boolean|https://foo.bar.baz/test?q=hello&id=22&boolean',
  ],
  ['<MAILTO:FOO@BAR.BAZ>', 'autolink MAILTO:FOO@BAR.BAZ|MAILTO:FOO@BAR.BAZ'],
  ['<made-up-scheme://foo,bar>', 'autolink made-up-scheme://foo,bar|made-up-scheme://foo,bar'],
  ['<localhost:5001/foo>', 'autolink localhost:5001/foo|localhost:5001/foo'],
  ['<https://foo.bar/baz bim>', 'bare https://foo.bar/baz|https://foo.bar/baz'],
  ['<https://example.com/\\[\\>', 'autolink https://example.com/\\[\\|https://example.com/\\[\\'],
  ['<foo@bar.example.com>', 'autolink mailto:foo@bar.example.com|foo@bar.example.com'],
  ['<foo\\+@bar.example.com>', null],
  ['<> < https://x.test/ > <m:abc> <foo.bar.baz>', 'bare https://x.test/|https://x.test/'],
  ['www.commonmark.org', 'bare http://www.commonmark.org|www.commonmark.org'],
  ['Visit www.commonmark.org/help for more.', 'bare http://www.commonmark.org/help|www.commonmark.org/help'],
  ['Visit www.commonmark.org/a.b.', 'bare http://www.commonmark.org/a.b|www.commonmark.org/a.b'],
  [
    'www.google.com/search?q=Markup+(business)',
    'bare http://www.google.com/search?q=Markup+(business)|www.google.com/search?q=Markup+(business)',
  ],
  [
    '(www.google.com/search?q=Markup+(business)))',
    'bare http://www.google.com/search?q=Markup+(business)|www.google.com/search?q=Markup+(business)',
  ],
  [
    'www.google.com/search?q=(business))+ok',
    'bare http://www.google.com/search?q=(business))+ok|www.google.com/search?q=(business))+ok',
  ],
  [
    'www.google.com/search?q=commonmark&hl=en',
    'bare http://www.google.com/search?q=commonmark&hl=en|www.google.com/search?q=commonmark&hl=en',
  ],
  [
    'www.google.com/search?q=commonmark&hl;',
    'bare http://www.google.com/search?q=commonmark|www.google.com/search?q=commonmark',
  ],
  ['www.commonmark.org/he<lp', 'bare http://www.commonmark.org/he|www.commonmark.org/he'],
  [
    '(Visit https://encrypted.google.com/search?q=Markup+(business))',
    'bare https://encrypted.google.com/search?q=Markup+(business)|https://encrypted.google.com/search?q=Markup+(business)',
  ],
  ['**https://x.test/a**, ahttps://x.test/ and https://a_b.c_d/', 'bare https://x.test/a|https://x.test/a'],
  ['[see https://x.test/a](b)', 'inline b|see https://x.test/a'],
  [
    '[https://x.test/a] and [https://x.test/b',
    ['bare https://x.test/a|https://x.test/a', 'bare https://x.test/b|https://x.test/b'],
  ],
  ['`https://x.test/` and `` [a](b) ` ``', null],
  ['``[a](b)`', 'inline b|a'],
  ['\\`[a](b)`', 'inline b|a'],
  ['`a\n[a](b)` [c](d)', 'inline d|c'],
  ['```\n[a](b)\n```\n[c](d)', 'inline d|c'],
  ['~~~ md\n[a](b)\n```\n~~~~\n[c](d)', 'inline d|c'],
  ['````\n[a](b)\n```\n[c](d)', null],
  ['``` `x`\n[a](b)', 'inline b|a'],
  ['    [a](b)\n\n[c](d)', 'inline d|c'],
  ['\t[a](b)', null],
  ['text\n    [a](b)', 'inline b|a'],
  ['- item\n\n      [code](x)\n\n  [a](b)', 'inline b|a'],
  ['-     [code](x)\n- [a](b)', 'inline b|a'],
  ['1. a\n   - [b](c)\n\n     > [d](e)\nlazy [f](g)', ['inline c|b', 'inline e|d', 'inline g|f']],
  ['> ```\n> [a](b)\n[c](d)', 'inline d|c'],
  ['>     [a](b)\n>\n> [c](d)', 'inline d|c'],
  ['-\n\n  [a](b)', 'inline b|a'],
  ['-\n\n      [a](b)', null],
  ['<!-- [a](b) -->\n[c](d)', 'inline d|c'],
  ['<!--\n\n[a](b) <a href=x>\n\n-->\n[c](d)', 'inline d|c'],
  ['text <!-- [a](b) --> [c](d)', 'inline d|c'],
  ['<!-- never closed\n\n[a](b)\n<a href=c>', null],
  ['text <!-- [a](b)', 'inline b|a'],
  ['---\nlink: "[a](b)"\n---\n[c](d)', 'inline d|c'],
  ['+++\n[a](b)\n+++\n[c](d)', 'inline d|c'],
  ['---\n[a](b)', 'inline b|a'],
  ['<a href="x">[a](b) t</a>', ['html x|a t', 'inline b|a']],
  ['a <a href="x">[a](b)</a>', ['html x|a', 'inline b|a']],
  [
    '<div>\n<a href="x?a&amp;b">[a](b)</a>\n<IMG alt=t src=y>\n</div>\n\n[c](d)',
    ['html x?a&b|[a](b)', 'html y|t', 'inline d|c'],
  ],
  ['<div>\n\n[a](b)\n\n</div>', 'inline b|a'],
  ['> quote\n<b>\n[a](b)', 'inline b|a'],
  ['<script>\n"<a href=x>"\n\n[a](b)</script>\n[c](d)', 'inline d|c'],
  ['<pre>\n<a href=x>t</a>\n\n[a](b)\n</pre>\n[c](d)', ['html x|t', 'inline d|c']],
  ['a <a href=x title=">"> b <img src=\'y\'/> <a href="z" <a name=n>', ['html x', 'html y']],
  ['| a | b |\n|---|:-:|\n| [a](b) | `x |\n| y` [c](d) | \\| |', ['inline b|a', 'inline d|c']],
  ['[a](b)\n---\n# [c](d) #\n## [e](f)##', ['inline b|a', 'inline d|c', 'inline f|e']],
  ['#[a](b)\n\n***\n[c](d)', ['inline b|a', 'inline d|c']],
  ['* * *\n[a](b)\n* * * x [c](d)', ['inline b|a', 'inline d|c']],
  ['\ufeff[a](b)', 'inline b|a'],
  ['', null],
];

describe.each([
  ['inline links and images', INLINE],
  ['references', REFERENCES],
  ['autolinks, bare URLs, code, comments, HTML and containers', OTHERS],
])('%s are read as CommonMark and GFM read them', (_, cases) => {
  test.each(cases)('%j', (markdown, expected) => {
    const wanted = expected === null ? [] : [expected].flat();
    expect(read(markdown)).toEqual(wanted);
    // Line ends of any kind mean the same.
    expect(read(markdown.replaceAll('\n', '\r\n'))).toEqual(wanted);
    if (!/^(?:---|\+\+\+)/.test(markdown)) {
      expect(read(`before\n\n${markdown}\n\nafter`)).toEqual(wanted);
    }
  });
});

test('there are more than eighty cases', () => {
  expect(INLINE.length + REFERENCES.length + OTHERS.length).toBeGreaterThan(150);
});

describe('the place of a link is that of its destination', () => {
  const places = (text: string) => markdownLinks(text).map(({ line, column, href }) => `${line}:${column} ${href}`);

  it('inline, in angle brackets, in containers, on the next line', () => {
    expect(places('a [b](c)\n\n> - é😀 [d](<e f>)\n>   [g](\n>   h)')).toEqual(['1:7 c', '3:14 e f', '5:5 h']);
    expect(places('\ufeff[a](b)\r\n[c](d)\r[e](f)')).toEqual(['1:5 b', '2:5 d', '3:5 f']);
    expect(places('\t- x\n\n-\t[a](b)')).toEqual(['3:7 b']);
  });

  it('of references where they are defined, of labels without a definition where they stand', () => {
    expect(places('[a][x] [b][x] [c][none]\n\n [x]: <y>\n[z]: w')).toEqual(['3:8 y', '3:8 y', '1:19 none', '4:6 w']);
  });

  it('of autolinks, bare URLs, HTML and cells of tables', () => {
    expect(places('<http://a/> http://b/ <a\n href="c">\n\n<img src=d>\n\na|b\n-|-\nx|[e](f)')).toEqual([
      '1:2 http://a/',
      '1:13 http://b/',
      '2:8 c',
      '4:10 d',
      '8:7 f',
    ]);
  });

  it('an element can be marked to be left out', () => {
    const links = markdownLinks('<a href=a data-gossamer-ignore>x</a> <a href=b>y</a> [c](d)');
    expect(links.map(({ ignored }) => ignored)).toEqual([true, false, false]);
  });
});

describe('anchors', () => {
  it.each([
    ['# Hello World', ['hello-world']],
    ['# a\n# a\n## a\n# a-1', ['a', 'a-1', 'a-2', 'a-1-1']],
    ['# What? (yes!) & no', ['what-yes--no']],
    ['# Größe ÄÖ 日本語 привет', ['größe-äö-日本語-привет']],
    ['# 🎉 Party', ['-party']],
    ['# `code_span` and *emphasis* and _this_ and snake_case', ['code_span-and-emphasis-and-this-and-snake_case']],
    ['# A [link](x) ![image](y) end', ['a-link--end']],
    ['Setext *one*\n===\nTwo\nlines\n---', ['setext-one', 'two-lines']],
    ['# Title {#custom-id}', ['custom-id', 'title-custom-id']],
    ['## 1.2.3 v_1', ['123-v_1']],
    ['# a &amp; b \\* c', ['a--b--c']],
    ['<a id="one"></a> text <a name=two> <span id=three>', ['one', 'two', 'three']],
    ['<h1 align="center">My <b>Tool</b></h1>\n\n# My Tool', ['my-tool', 'my-tool-1']],
    ['```\n# no\n```\n    # no\n<!-- # no -->\n#no', []],
    ['> # quoted\n- # item', ['quoted', 'item']],
    ['# constructor\n# __proto__', ['constructor', 'proto']],
    ['#', ['']],
  ])('%j', (markdown, expected) => {
    expect([...markdownAnchors(markdown)]).toEqual(expected);
  });
});

describe('hostile files', () => {
  const SIZE = 1 << 18;
  const repeat = (text: string) => text.repeat(SIZE / text.length);
  const FILES = {
    brackets: repeat('['),
    'closing brackets': `${repeat('[')}${repeat(']')}`,
    images: repeat('!['),
    'nested images': `${repeat('![')}${repeat('](a)')}`,
    'links after open brackets': `${repeat('[')}${repeat('[a](b)')}`,
    'open destinations': repeat('[a]('),
    'open angles': repeat('[a](<b'),
    'open titles': repeat('[a](b "'),
    'open titles of three kinds': repeat('[a](b "\'('),
    parentheses: `[a](${repeat('(')}`,
    labels: repeat('[a]['),
    'undefined labels': repeat('[a][b] '),
    'open definitions': repeat('[a]: b "\n'),
    backslashes: repeat('\\'),
    backticks: Array.from({ length: 1000 }, (_, i) => '`'.repeat(i)).join(' '),
    'open comments': repeat('a <!--'),
    'open instructions': repeat('a <?'),
    'open declarations': repeat('a <!A'),
    'open CDATA': repeat('a <![CDATA['),
    'open tags': repeat('<a '),
    'open values': repeat('<a b="'),
    'values in values': repeat(`<a b="<a c='" d="'"`),
    'values in values, the other way': repeat(`x="<a y='" z="' `),
    'one open tag': `a <a ${repeat('b=c ')}`,
    quotes: repeat('>'),
    'quotes over many lines': `${'>'.repeat(30_000)}a\n${repeat('>\n')}`,
    items: repeat('- '),
    'items and blank lines': `${'- '.repeat(30_000)}a\n${repeat('\n')}`,
    indentation: `- a\n${repeat(' ')}b\n`,
    tabs: repeat('\t- '),
    emphasis: repeat('*_a '),
    'closing emphasis': repeat('a_'),
    'bare URLs': repeat('http://a.b/('),
    'a bare URL': `http://a.b/${repeat(')')}`,
    references: `http://a.b/${repeat('&amp;')}`,
    domains: `http://${repeat('a.')}`,
    emails: repeat('<a@a'),
    rules: repeat('- - -\n'),
    underlines: repeat('a\n=\n'),
    tables: `a|b\n-|-\n${repeat('|')}`,
    'rows of pipes': repeat('|-|\n'),
    'headings of one name': repeat('# a\n'),
    'front matter without an end': `---\n${repeat('a\n')}`,
    'open scripts': repeat('<script>'),
    'line ends': repeat('\r\n\r'),
  };

  // No clock: what is quadratic in a quarter of a megabyte would run into the time limit of the test.
  test.each(Object.entries(FILES))('%s take linear time', (_, file) => {
    expect(markdownLinks(file).every(({ line, column }) => line >= 1 && column >= 1)).toBe(true);
    expect(markdownAnchors(file)).toBeInstanceOf(Set);
  });

  const soup = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...'[ ] ( ) < > ! ` ~ " \' \\ & # * _ - + > | : ; = \t a 1'.split(' '),
          ' ',
          '\n',
          '\r\n',
          '\0',
        ),
        fc.constantFrom(
          '](',
          '][',
          ']: ',
          '![',
          '```',
          '<!--',
          '-->',
          '<a href="',
          '</a>',
          'http://a.b/',
          'www.',
          '\n\n',
          '&amp;',
        ),
        fc.constantFrom(
          '    ',
          '> ',
          '- ',
          '1. ',
          '<div>',
          '<script>',
          '\u2028',
          'é😀',
          '\ud800',
          '---\n',
          '{#x}',
          '[^1]',
        ),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''));

  /** Whatever the file: nothing is thrown, and what stands at the place of a link is what it was made of. */
  function expectSound(text: string): void {
    const lines = text.replace(/^\ufeff/, '').split(/\r\n?|\n/);
    for (const { line, column, href, kind } of markdownLinks(text)) {
      const rest = lines[line - 1]!.slice(column - 1);
      const isAsWritten = /^[\w./#-]*$/.test(href) && kind !== 'bare';
      if (isAsWritten) {
        expect(rest.startsWith(href.slice(0, rest.length))).toBe(true);
      }
      expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    }
    markdownAnchors(text);
  }

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => expectSound(Buffer.from(bytes).toString('latin1'))),
      { numRuns: 2000, seed: 1 },
    );
  });

  test('the marks of Markdown in any order', () => {
    fc.assert(fc.property(soup, expectSound), { numRuns: 5000, seed: 2 });
  });
});
