import { describe, expect, it } from 'vitest';
import { convert, PAGE } from './convert.js';

const markdown = (html: string): string => convert(html).markdown.trimEnd();

describe('lines', () => {
  it.each([
    ['<p>a  \n b&nbsp;c\u200bd', 'a b cd'],
    ['<p><b>bold</b>, <em>italic</em> and <code>code</code>', '**bold**, *italic* and `code`'],
    ['<p>a<b> b </b>c', 'a **b** c'],
    ['<p><b>a:</b>b', '<strong>a:</strong>b'],
    ['<p><b><i>x</i></b>', '**_x_**'],
    ['<p><i>a</i><b>b</b>', '_a_**b**'],
    ['<p><code>a `b` c</code> <code>`</code>', '``a `b` c`` `` ` ``'],
    ['<p><code>f(<a href="t.html">T</a> x)</code>', '`f(`[`T`](t.md) `x)`'],
    ['<p>one<br>two<br><br>three', 'one\\\ntwo\n\nthree'],
    ['<p><q>said</q> <ruby>字<rp>(</rp><rt>ji</rt></ruby>', '“said” 字 (ji)'],
    ['<p><button>Copy</button><input><select><option>x</select>y', 'y'],
    ['<p>a <span hidden>b</span><span style="display: none">c</span><svg><text>d</text></svg>', 'a'],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('Doxygen', () => {
  it.each([
    [
      'code in lines that are boxes',
      '<div class="fragment"><div class="line"><span class="lineno">    1</span>int main() {</div>\n<div class="line">  return std::abs(<a class="code" href="x.html">x</a>);</div>\n<div class="line">}</div>\n</div>',
      '```cpp\nint main() {\n  return std::abs(x);\n}\n```',
    ],
    [
      'a title that is no heading',
      '<div class="headertitle"><div class="title">Eigen::Matrix Class Reference</div></div>',
      '# Eigen::Matrix Class Reference',
    ],
    [
      'a signature in cells',
      '<div class="memproto"><table class="memname"><tr><td class="memname">int f</td><td>(</td><td class="paramtype">const T &amp;</td><td class="paramname"><em>v</em></td><td>)</td><td> const</td></tr></table></div>',
      '```cpp\nint f (const T & v) const\n```',
    ],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

it.each([
  '<div class="admonition note"><b>Note:</b> Mind the gap.</div>',
  '<div class="admonition note"><p><strong>Note:</strong> Mind the gap.</p></div>',
])('a note does not say twice that it is one: %s', (html) => {
  expect(markdown(html)).toBe('> [!NOTE]\n> Mind the gap.');
});

describe('backslashes stand where they are needed', () => {
  it.each([
    ['snake_case and __init__', 'snake_case and \\_\\_init\\_\\_'],
    ['*args', '*args'],
    ['*args, **kwargs', '*args, **kwargs'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['a*b*c', 'a\\*b\\*c'],
    ['C:\\dir \\* x', 'C:\\dir \\\\* x'],
    ['[a] and [b](c)', '[a] and [b\\](c)'],
    ['1. one', '1\\. one'],
    ['1.5 x', '1.5 x'],
    ['- x', '\\- x'],
    ['-x', '-x'],
    ['# x', '\\# x'],
    ['#1', '#1'],
    ['&gt; x', '\\> x'],
    ['a &lt;b&gt; &lt; c', 'a \\<b> < c'],
    ['&amp;amp; &amp; AT&amp;T', '\\&amp; & AT&T'],
    ['$5', '$5'],
    ['$a and $b', '\\$a and \\$b'],
    ['~ a', '~ a'],
    ['a | b', 'a | b'],
    ['[!NOTE]', '\\[!NOTE]'],
    ['[x]: y', '\\[x]: y'],
  ])('%j becomes %j', (text, expected) => {
    expect(markdown(`<p>${text}`)).toBe(expected);
  });
});

describe('links', () => {
  it.each([
    ['<a href="other.html#x">o</a>', '[o](other.md#x)'],
    ['<a href="../up.html">u</a>', '[u](https://docs.test/up.html)'],
    ['<a href="?q=1">q</a>', '[q](page.html?q=1)'],
    ['<a href="https://b.test/a(b">p</a>', '[p](<https://b.test/a(b>)'],
    ['<a href="https://b.test/">https://b.test/</a>', '<https://b.test/>'],
    ['<a href="javascript:alert(1)">j</a>', 'j'],
    ['<a href=" java\nscript:alert(1)">j</a>', 'j'],
    ['<a href="vbscript:x">v</a> <a href="data:text/html,x">d</a> <a href="file:///etc/passwd">f</a>', 'v d f'],
    ['<a href="mailto:a@b.test">m</a>', '[m](mailto:a@b.test)'],
    ['<a href="http://[">b</a>', 'b'],
    ['<a href="x.html"></a>z', 'z'],
    ['<a href="x.html">a <a href="y.html">b</a>', '[a](x.md) [b](y.md)'],
    ['<img src="i.png" alt="an [image]">', '![an [image]](i.png)'],
    ['<img src="data:image/png;base64,AAAA" alt="dot">', 'dot'],
    ['<a href="x.html"><img src=i.png alt=i></a>', '[![i](i.png)](x.md)'],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(`<p>${html}`)).toBe(expected);
  });

  it('are relative to the base of the page', () => {
    const { markdown: text } = convert('<a href="x">x</a> <a href="#y">y</a><p id=y>z', {
      baseHref: 'https://cdn.test/lib/',
    });
    expect(text).toBe('[x](https://cdn.test/lib/x) [y](https://cdn.test/lib/#y)\n\nz\n');
  });

  it('become what the caller says, or nothing', () => {
    const asked: [string, string][] = [];
    const linkFor = (url: string, fragment: string) => {
      asked.push([url, fragment]);
      return url.includes('keep') ? '../kept page.md' : null;
    };
    const { markdown: text } = convert('<a href="keep?a#b">k</a> <a href="drop">d</a>', { linkFor });
    expect(text).toBe('[k](<../kept page.md>) d\n');
    expect(asked).toEqual([
      ['https://docs.test/guide/keep?a', 'b'],
      ['https://docs.test/guide/drop', ''],
    ]);
  });
});

describe('anchors', () => {
  const page =
    '<h2 id="Intro">The Start</h2><h2 id="the-end">The End</h2><p id=p>x<dl><dt id=t>T<dd>y</dl><pre id=c>z</pre>';

  it('are where something on the page links to them, and a viewer would not find them', () => {
    const links = ['Intro', 'the-end', 'p', 't', 'c'].map((id) => `<a href="#${id}">${id}</a>`).join(' ');
    expect(markdown(page + links)).toBe(
      [
        '## <a id="Intro"></a>The Start',
        '## The End',
        '<a id="p"></a>x',
        '- <a id="t"></a>**T**: y',
        '<a id="c"></a>',
        '```\nz\n```',
        '[Intro](#Intro) [the-end](#the-end) [p](#p) [t](#t) [c](#c)',
      ].join('\n\n'),
    );
  });

  it('are not where nothing does', () => {
    expect(markdown(page)).not.toContain('<a id');
  });

  it('are where other pages link to, if the caller knows', () => {
    expect(convert(page, { linkedIds: new Set(['p']) }).markdown).toContain('<a id="p"></a>x');
    expect(convert(page, { linkedIds: new Set(['Intro']) }).markdown).toContain('## <a id="Intro"></a>The Start');
  });

  it('of a section or an empty element belong to the heading behind it', () => {
    const html = '<section id=s><span id=old></span><h2><a name=named></a>Title</h2></section>';
    const linkedIds = new Set(['s', 'old', 'named']);
    expect(convert(html, { linkedIds }).markdown).toBe('## <a id="s"></a><a id="old"></a><a id="named"></a>Title\n');
  });

  it('with hostile ids are only ids', () => {
    const id = '"><script>alert(1)</script>';
    const { markdown: text } = convert(`<h2 id='${id}'>T</h2>`, { linkedIds: new Set([id]) });
    expect(text).toBe('## <a id="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"></a>T\n');
  });

  it('that are not on the page lead to the page on the web', () => {
    expect(markdown('<a href="#gone">x</a>')).toBe('[x](page.md#gone)');
  });
});

describe('headings', () => {
  it('are told with level, text, id and place', () => {
    const { markdown: text, headings } = convert('<h1 id=a>A <code>b</code></h1><p>x<h3>C</h3><h3>C</h3>', {
      linkedIds: new Set(['a']),
    });
    expect(headings.map(({ offset, ...rest }) => ({ ...rest, line: text.slice(offset).split('\n')[0] }))).toEqual([
      { level: 1, text: 'A b', id: 'a', line: '# <a id="a"></a>A `b`' },
      { level: 3, text: 'C', id: 'c', line: '### C' },
      { level: 3, text: 'C', id: 'c-1', line: '### C' },
    ]);
  });

  it.each([
    ['<h2>C #</h2>', '## C \\#'],
    ['<h2>C#</h2>', '## C#'],
    ['<h2>a<br>b</h2>', '## a b'],
    ['<h2></h2>x', 'x'],
    ['<h2><a href="#x" id=x>Title</a></h2>', '## Title'],
    ['<h2>Title<a href="#t" aria-hidden=true><svg></svg></a></h2>', '## Title'],
    ['<h2>Title <a class=anchor href="#t">🔗</a></h2>', '## Title'],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('lists', () => {
  it.each([
    ['<ul><li>a<li><p>b</p></ul>', '- a\n- b'],
    ['<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c'],
    ['<ul><li>a<ul><li>b</ul>', '- a\n  - b'],
    ['<ul><li>a<ol start=3><li>b</ol></ul>', '- a\n\n  3. b'],
    ['<ul><li><p>a<p>b<li>c</ul>', '- a\n\n  b\n\n- c'],
    ['<ol start=9><li>a<li>b<pre>c</pre></ol>', '9. a\n\n10. b\n\n    ```\n    c\n    ```'],
    ['<ul><li>a</ul><ul><li>b</ul>', '- a\n\n* b'],
    ['<ul><li>a<ul><li></ul></ul>', '- a'],
    ['<ul><li><h3>T</h3>x</ul>', '### T\n\nx'],
    ['<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    ['<ol start=-4><li>a</ol>', '1. a'],
    ['<dl><dt>a<dd>b<dd>c<dt><code>d</code><dd>e</dl>', '- **a**: b\n\n  c\n\n- `d`: e'],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('tables', () => {
  const row = (name: string, ...cells: string[]) =>
    `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join('')}</tr>`;

  it.each([
    [`<table>${row('th', 'a', 'b')}${row('td', '1', '2|3')}</table>`, '| a | b |\n| --- | --- |\n| 1 | 2\\|3 |'],
    [`<table>${row('td', '1', '2')}${row('td', '3', '4')}</table>`, '|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |'],
    [
      `<table>${row('th', 'a', 'b', 'c')}<tr><td colspan=2>1<td>2<tr><td rowspan=2>3<td>4<td>5<tr><td>6<td>7</table>`,
      '| a | b | c |\n| --- | --- | --- |\n| 1 |  | 2 |\n| 3 | 4 | 5 |\n|  | 6 | 7 |',
    ],
    [`<table role=presentation>${row('td', '<p>a', '<p>b')}</table>`, 'a\n\nb'],
    ['<table><tr><td><p>a<p>b</table>', 'a\n\nb'],
    [
      `<table>${row('th', 'Name', 'Use')}${row('td', 'x', '<p>so:<pre>a\nb</pre>')}</table>`,
      '- **Name**: x\n\n  **Use**: so:\n\n  ```\n  a\n  b\n  ```',
    ],
    [
      `<table><caption>T</caption>${row('th', 'a', 'b')}${row('td', '<ul><li>1<li>2</ul>', '<p>x<p>y')}</table>`,
      '**T**\n\n| a | b |\n| --- | --- |\n| • 1<br>• 2 | x<br>y |',
    ],
    [
      '<table><tr><th>a<th>b<tr><td><code>x\\|y</code><td>z</table>',
      '| a | b |\n| --- | --- |\n| <code>x&#92;&#124;y</code> | z |',
    ],
    ['<div role=table><div role=row><span role=columnheader>a</span></div></div>', 'a'],
  ])('%s', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('code', () => {
  it.each([
    ['<pre>a\n  b\n\n\tc\n</pre>', '```\na\n  b\n\n\tc\n```'],
    ['<pre>a<br>b</pre>', '```\na\nb\n```'],
    ['<pre>```\nx\n````</pre>', '`````\n```\nx\n````\n`````'],
    ['<pre><code class="hljs language-C++">x</code></pre>', '```cpp\nx\n```'],
    ['<pre class="brush: js; toolbar: false">x</pre>', '```js\nx\n```'],
    ['<div class="sourceCode"><pre class="sourceCode haskell"><code>x</code></pre></div>', '```haskell\nx\n```'],
    ['<div class="highlight highlight-source-shell"><pre>x</pre></div>', '```shell\nx\n```'],
    [
      '<figure class="highlight ruby"><table><tr><td class=gutter><pre>1</pre><td class=code><pre>x</pre></table></figure>',
      '```ruby\nx\n```',
    ],
    ['<pre lang=go>x</pre>', '```go\nx\n```'],
    ['<pre class="language-x`y"><code>x</code></pre>', '```\nx\n```'],
    ['<pre><code><div class=line>a</div><div class=line>b</div></code></pre>', '```\na\nb\n```'],
    ['<pre><ol><li>a<li>b</ol></pre>', '```\na\nb\n```'],
    ['<pre><span class=linenumber>1</span>a\n<span class=linenumber>2</span>b</pre>', '```\na\nb\n```'],
    ['<body class="language-en"><pre>x</pre>', '```\nx\n```'],
    ['<pre>&gt;&gt;&gt; 1\n1</pre>', '```pycon\n>>> 1\n1\n```'],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('math', () => {
  it.each([
    ['<script type="math/tex">x^2</script>', '$x^2$'],
    ['<span class=MathJax>x2</span><script type="math/tex; mode=display">x^2</script>', '$$\nx^2\n$$'],
    ['<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>', 'a/(b+1)'],
    ['<math display=block alttext="a_1"></math>', '$$\na_1\n$$'],
    ['<img class=math alt="\\alpha" src=a.png>', '$\\alpha$'],
    [
      '<table><tr><th>a<th>b<tr><td><span class=math>\\(|x|\\)</span><td>1</table>',
      '| a | b |\n| --- | --- |\n| $\\vert x\\vert $ | 1 |',
    ],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('boxes and folds', () => {
  it.each([
    ['<div class="admonition tip"><p class=admonition-title>Tip</p>x</div>', '> [!TIP]\n> x'],
    ['<div class="admonition bug"><p class=admonition-title>Broken</p>x</div>', '> [!CAUTION]\n> **Broken**\n>\n> x'],
    ['<details><summary>a &lt; b</summary><p>x</details>', '<details>\n<summary>a &lt; b</summary>\n\nx\n\n</details>'],
    ['<blockquote><p>a<blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
    ['<figure><img src=i.png alt=i><figcaption>A <em>b</em></figcaption></figure>', '![i](i.png)\n\n*A b*'],
    ['<p>a<hr><hr><p>b', 'a\n\n---\n\nb'],
    ['<ul><li><p>a</p><hr></ul>', '- a\n\n  ---'],
  ])('%j becomes %j', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

describe('the text', () => {
  it('has the words and nothing else', () => {
    const html =
      '<h1>T <a href=x>l</a></h1><p>a <b>b</b> <code>c</code><ul><li>d<li>e</ul><pre>f\n g</pre><table><tr><th>h<th>i<tr><td>j<td>k</table>';
    expect(convert(html).text).toBe('T l\n\na b c\n\nd\ne\n\nf\n g\n\nh\ti\nj\tk');
  });
});

describe('hostile pages', () => {
  const DEEP = 100_000;

  it.each([
    'div',
    'blockquote',
    'ul><li',
    'b',
    'span',
    'table><tr><td',
    'dl><dd',
    'details',
    'a href=x',
    'em><strong',
    'pre',
    'code',
  ])('%s nested 100,000 times is converted, and its text is there', (tags) => {
    const { markdown: text } = convert(`<p>before</p>${`<${tags}>`.repeat(DEEP)}inside`);
    expect(text).toContain('before');
    expect(text).toContain('inside');
    expect(text.length).toBeLessThan(2000);
  });

  it.each([
    ['spans of thousands of columns', '<table>', '<tr><td colspan=1000>x<td>y', 20],
    ['lines in quotes in quotes', '<blockquote>'.repeat(300), '<p>x', 20],
    ['stars and underscores', '<p>', '*a _b ', 3],
    ['brackets', '<p>', '[', 3],
    ['the same heading', '', '<h2>x</h2>', 2],
    ['the same footnote', '<li id=n>y</li>', '<sup class=reference><a href="#n">1</a></sup>', 1],
    ['code in cells', '<table><tr><th>a<th>b', '<tr><td><pre>x\ny</pre><td>z', 3],
  ])('%s: the answer is not much longer than the page', (_name, start, piece, factor) => {
    const html = start + piece.repeat(20_000);
    expect(convert(html).markdown.length).toBeLessThan(html.length * factor);
  });

  it('control characters do not come through', () => {
    const { markdown: text } = convert(
      '<h1>a\u001b[31mb\u0007</h1><p title="\u001b">c\u009b\u2028d<a href="x\u001by">e</a>',
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
  });

  it('URLs that cannot be read, at any length', () => {
    expect(convert(`<a href="${'x'.repeat(1_000_000)}">y</a>`).markdown).toBe('y\n');
    expect(convert('<a href=y>z</a>', { pageUrl: PAGE, baseHref: 'http://[' }).markdown).toBe('[z](y)\n');
  });
});
