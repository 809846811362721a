import { describe, expect, it } from 'vitest';
import { convert } from './convert.js';

const markdown = (html: string): string => convert(html).markdown;

describe('what whole sites have shown', () => {
  it('a session is pycon, whatever its page calls Python', () => {
    const block = (text: string) =>
      `<div class="highlight-python3"><div class="highlight"><pre>${text}</pre></div></div>`;
    expect(markdown(block('&gt;&gt;&gt; 1 + 1\n2'))).toContain('```pycon\n');
    expect(markdown(block('x = 1'))).toContain('```python\n');
  });

  it.each([
    ['programlisting', 'SELECT a\n  FROM b;', 'sql'],
    ['programlisting', '-- all\nCREATE TEXT SEARCH DICTIONARY d (TEMPLATE = x);', 'sql'],
    ['programlisting', 'SET a = 1;', 'sql'],
    ['programlisting', 'SET a=1', ''],
    ['programlisting', 'BEGIN { print }', ''],
    ['screen', 'SELECT 1;\n a\n---\n 1\n(1 row)', ''],
    ['screen', 'NOTIFY v;\nreceived', ''],
    ['screen', '$ ls', 'console'],
    ['programlisting', '# a comment\nkey = value', ''],
    ['synopsis', 'SELECT [ ALL ] x', ''],
  ])('DocBook: %s with %j is %j', (kind, text, language) => {
    expect(markdown(`<pre class="${kind}">${text}</pre>`)).toBe(`\`\`\`${language}\n${text}\n\`\`\`\n`);
  });

  it('javadoc: code in comments is Java where it looks so', () => {
    const comment = (code: string) =>
      markdown(`<section class="detail"><div class="block"><pre>${code}</pre></div></section>`);
    expect(comment('a.b();')).toContain('```java');
    expect(comment('[ 1 0 ]\n[ 0 1 ]')).toContain('```\n[');
    expect(comment('&lt;element/&gt;;')).toContain('```\n<');
  });

  it('places that other pages link to keep their ids beside those of its own links', () => {
    const html = '<p id="a">x</p><p id="b">y <a href="#a">up</a></p><p id="c">z</p>';
    expect(convert(html, { linkedIds: new Set(['b']) }).markdown).toBe(
      '<a id="a"></a>x\n\n<a id="b"></a>y [up](#a)\n\nz\n',
    );
  });

  it('an id with escapes in it is found as it is written', () => {
    expect(markdown('<p id="impl-A%3CB%3E">x</p><p><a href="#impl-A%3CB%3E">l</a></p>')).toBe(
      '<a id="impl-A%3CB%3E"></a>x\n\n[l](#impl-A%3CB%3E)\n',
    );
  });

  it('the title of a box makes no layout of the list around it', () => {
    const html = '<dl><dt>a</dt><dd>b<div class="note"><h3>Note</h3><p>c</p></div></dd></dl>';
    expect(markdown(html)).toBe('- **a**: b\n\n  > [!NOTE]\n  > c\n');
  });

  it('what a wiki indents belongs to the item above, and the list goes on after it', () => {
    const html = '<ul><li>a</li></ul><dl><dd><ul><li>b</li></ul></dd></dl><ul><li>c</li></ul>';
    expect(markdown(html)).toBe('- a\n  - b\n- c\n');
  });

  it('a formula of spans and tables is a line', () => {
    const frac = '<span class="t-mfrac"><table><tr><td>1</td></tr><tr><td>2π</td></tr></table></span>';
    expect(markdown(`<div>f = <span class="texhtml">${frac}x<span class="t-su">2<br></span></span></div>`)).toBe(
      'f = 1/(2π)x^2\n',
    );
  });

  it('columns of one list are no table', () => {
    expect(markdown('<table><tr><td><ul><li>a</li></ul></td><td><ul><li>b</li></ul></td></tr></table>')).toBe(
      '- a\n\n* b\n',
    );
  });

  it('terms of an index stand for themselves', () => {
    const html = '<div class="indexdiv"><dl><dt>a</dt><dt>b</dt><dd><dl><dt>c</dt></dl></dd></dl></div>';
    expect(markdown(html)).toBe('- a\n- b\n  - c\n');
  });
});
