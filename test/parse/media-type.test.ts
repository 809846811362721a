import { expect, it } from 'vitest';
import { isHtmlType, isMarkdownType } from '../../src/parse/media-type.js';

it.each([
  ['text/html', true],
  ['Text/HTML ; charset=x', true],
  ['text/html;charset=x', true],
  ['text/html, text/html', true],
  ['application/xhtml+xml', true],
  ['text/html-x', false],
  ['text/html.x', false],
  ['application/xhtml+xml-x', false],
  ['application/xhtml+xmlfoo', false],
  ['text/htmlx', false],
])('%s is HTML: %s', (type, isHtml) => {
  expect(isHtmlType(type)).toBe(isHtml);
});

it('text/markdown-x is not Markdown', () => {
  expect([isMarkdownType('text/markdown; a=b'), isMarkdownType('text/markdown-x')]).toEqual([true, false]);
});
