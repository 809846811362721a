import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import { readPage } from '../../src/docs/page-content.js';

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
