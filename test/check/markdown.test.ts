import { describe, expect, it } from 'vitest';
import { exampleReport } from './example.js';
import { linkOf, reportOf, sourceOf, textOf } from './fixture.js';
import { hostileReport } from './hostile.js';
import { withoutCode } from './markdown-reader.js';

describe('the report in Markdown', () => {
  it('has a table of verdicts, and what fails with its places', () => {
    const text = textOf('markdown', exampleReport());
    expect(text).toContain('## Link check: 5 links fail\n');
    expect(text).toContain('of 1,204 links, read from 240 pages in 2 m 10 s.');
    expect(text).toContain('\n| ❌ | missing\\_fragment | 1 | 1 |\n');
    expect(text).toContain('\n| ⚠️ | timeout | 1 | 0 |\n');
    expect(text).toContain(
      '<details><summary>dead <code>https://docs.example.com/guide/getting-started</code>, in 14 places</summary>\n\n',
    );
    expect(text).toContain(
      '\n- [`https://docs.example.com/guide/install`](<https://docs.example.com/guide/install>) 40:9 `Getting started`\n',
    );
    expect(text).toContain('\n- and 4 more\n');
    expect(text).toMatch(/### To be looked at\n\n- timeout: /);
  });

  it('says it where nothing fails', () => {
    expect(textOf('markdown', reportOf([linkOf('ok')]))).toMatch(
      /^## Link check: nothing fails\n\n1 link, all fine, read from 3 pages/,
    );
  });

  it('fits into a comment, and says what does not', () => {
    const links = Array.from({ length: 2000 }, (_, number) => linkOf('dead', { url: `https://a.test/${number}` }));
    const text = textOf('markdown', reportOf([...links, linkOf('timeout')]));
    expect(text.length).toBeLessThan(65_536);
    const shown = text.split('<details>').length - 1;
    expect(shown).toBeGreaterThan(100);
    expect(text).toContain(`\n${(2000 - shown).toLocaleString('en-US')} more links (failing) do not fit in here.\n`);
  });

  it('keeps text from the net inside code, where there is no markup and nobody is called', () => {
    const link = linkOf('dead', {
      url: 'https://a.test/`x`',
      sources: [sourceOf({ text: '@somebody ``` <img src=x> [a](javascript:b) #1' })],
    });
    const text = textOf('markdown', reportOf([link]));
    expect(text).toContain(' 12:5 ````@somebody ``` <img src=x> [a](javascript:b) #1````\n');
    expect(withoutCode(text)).not.toMatch(/@|<img|javascript|#1|`/);
  });

  it('whatever the text is', () => {
    const rest = withoutCode(textOf('markdown', hostileReport()));
    expect(rest.match(/<\/?[a-z!][^>]*>?/gi)?.filter((tag) => !/^<\/?(?:details|summary|code)>$/.test(tag))).toEqual(
      [],
    );
    expect(rest).not.toMatch(/somebody|evil|[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it('links only what can be shown as it is, and only by http', () => {
    const one = (url: string) =>
      textOf('markdown', reportOf([linkOf('dead', { url, sources: [] })]))
        .split('\n')
        .find((line) => line.includes('Correct'))!;
    expect(one('https://a.test/a?b=1&copy=2>')).toMatch(
      /^\[`https:\/\/a\.test\/a\?b=1&copy=2>`\]\(<https:\/\/a\.test\/a\?b=1&amp;copy=2%3E>\): /,
    );
    expect(one('javascript:alert(1)')).toMatch(/^`javascript:alert\(1\)`: /);
    expect(one(`https://a.test/${'x'.repeat(1000)}`)).toMatch(/^`https:\/\/a\.test\/x+…`: /);
    expect(one('https://a.test/\u202e')).toMatch(/^`https:\/\/a\.test\/\ufffd`: /);
  });
});
