import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import { factsOf, readPage } from '../../src/docs/convert/page-content.js';

const titleOf = (markdown: string): string =>
  readPage(
    { url: 'https://a.test/x.md', type: 'text/markdown', packed: deflateRawSync(markdown) },
    new SiteMemory(),
    new Set(),
  ).title;

describe('the title of a page that is Markdown', () => {
  it.each([
    ['# One\n\ntext', 'One'],
    ['text\n\n#  Two  ##  \n', 'Two'],
    ['# C#\n', 'C#'],
    ['# ##\n# Three', ''],
    ['## Below\n\ntext', ''],
    ['#\n\ntext that is no heading', ''],
    [`# ${'long '.repeat(1_000)}`, 'long '.repeat(60)],
  ])('%j', (markdown, title) => {
    expect(titleOf(markdown)).toBe(title);
  });

  it('is found in time that grows with the text', () => {
    expect(titleOf(`# a${' '.repeat(2_000_000)}b`)).toBe(`a${' '.repeat(299)}`);
    expect(titleOf(`# a${' #'.repeat(1_000_000)} b`)).toHaveLength(300);
  });
});

describe('the links of a page that is not UTF-8', () => {
  const page = {
    url: 'https://a.test/d/x',
    type: 'text/html; charset=windows-1251',
    packed: deflateRawSync(
      Buffer.from(
        `<h1 id=top>Head</h1><p>Words of the page, enough to be a text, and <a href="y?q=\xcf\xf0#\xe9">one</a>.</p>
         <p><img src="/i?q=\xcf" alt="A picture"></p>`,
        'latin1',
      ),
    ),
  };

  it('lead where the crawl has gone: queries are in its encoding', () => {
    const { markdown } = readPage(page, new SiteMemory(), new Set());
    expect(markdown).toContain('[one](https://a.test/d/y?q=%CF%F0#%D0%B9)');
    expect(markdown).toContain('https://a.test/i?q=%CF)');
  });

  it('name places on pages that were fetched', () => {
    expect(factsOf(page).linked).toContainEqual({ url: 'https://a.test/d/y?q=%CF%F0', id: 'й' });
  });
});
