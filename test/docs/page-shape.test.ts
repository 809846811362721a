import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import { factsOf, readPage } from '../../src/docs/convert/page-content.js';
import { pageShape } from '../../src/docs/convert/page-shape.js';

const HTML = `<!doctype html><title>A page</title><body>
<nav><a href="/">Home</a></nav>
<div class="ad"><p>Buy this <b>now</b>, and that too.</p></div>
<div class="text" id="one"><h1>The title</h1><p>First words of the page.</p><div class="text"><p>Within it.</p></div><p class="note">A note.</p></div>
<div class="more"><p>More words of the page, see <a href="other#place">there</a>.</p></div>`;
const PAGE = { url: 'https://a.test/x', type: 'text/html; charset=utf-8', packed: deflateRawSync(HTML) };

const markdownOf = (content: string[], remove: string[]) =>
  readPage(PAGE, new SiteMemory(), new Set(), pageShape({ content, remove }));

describe('what the user says of a page', () => {
  it('is its text where a selector matches, in the order of the page, nothing twice', () => {
    const { markdown, title } = markdownOf(['.more', '.text', 'div.text p'], []);
    expect(title).toBe('The title');
    expect(markdown).toBe(
      '# The title\n\nFirst words of the page.\n\nWithin it.\n\nA note.\n\nMore words of the page, see [there](https://a.test/other#place).\n',
    );
  });

  it('takes out what is not wanted, within what is wanted too', () => {
    expect(markdownOf(['.text'], ['.note', '.text .text']).markdown).toBe('# The title\n\nFirst words of the page.\n');
    expect(markdownOf([], ['.ad', 'nav']).markdown).not.toContain('Buy this');
    expect(markdownOf(['.text'], ['*']).markdown.trim()).toBe('');
  });

  it('does not matter where nothing matches', () => {
    expect(markdownOf(['.none'], ['.nobody'])).toEqual(markdownOf([], []));
  });

  it('is looked at when pages are learned from as well', () => {
    const shape = pageShape({ content: ['.text'], remove: [] });
    expect(factsOf(PAGE, shape).linked).toEqual([]);
    const more = pageShape({ content: ['.more'], remove: [] });
    expect(factsOf(PAGE, more).linked).toEqual([{ url: 'https://a.test/other', id: 'place' }]);
  });

  it('is refused with the place of the fault', () => {
    expect(() => pageShape({ content: ['div['], remove: [] })).toThrow(/selector "div\[", character/);
    expect(() => pageShape({ content: [], remove: [''] })).toThrow(/nothing stands there/);
  });
});
