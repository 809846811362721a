import { expect, it } from 'vitest';
import { pageText, textOfPage } from '../../src/content/page-text.js';

it('a line for each block, blanks folded, without what nobody sees', () => {
  const html = `<!doctype html><head><title> A &amp; B </title><style>p { color: red }</style><script>var hidden = 1;</script></head>
    <body><nav><a href=/>Home</a> <a href=/x>Next</a></nav><p>One <b>bold</b>\n\tword&nbsp;here.<br>Second line</p>
    <template><p>not shown</p></template><noscript>no <noscript>nested</noscript> script</noscript>
    <table><tr><td>cell</td><td>other</td></tr></table><svg><text>drawn</text></svg><footer>End</footer>`;
  expect(pageText(html).split('\n')).toEqual([
    'A & B',
    'Home Next',
    'One bold word here.',
    'Second line',
    'cell',
    'other',
    'End',
  ]);
});

it('text is what people read: pages and plain text, by the charset of the answer', () => {
  const bytes = Buffer.from('<p>caf\u00e9', 'latin1');
  expect(textOfPage(bytes, 'text/html; charset=iso-8859-1')).toBe('caf\u00e9');
  expect(textOfPage(bytes, 'text/plain; charset=iso-8859-1')).toBe('<p>caf\u00e9');
  expect(textOfPage(Buffer.from('# A'), 'text/markdown')).toBe('# A');
  expect(textOfPage(Buffer.from('a {}'), 'text/css')).toBeNull();
});
