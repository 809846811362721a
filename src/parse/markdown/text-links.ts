import { withoutTrailing } from './bare-url.js';
import type { MarkdownLink } from './markdown-links.js';
import { MarkdownSource } from './source.js';

/** A link of a text, as one of Markdown has it. */
export type TextLink = Omit<MarkdownLink, 'kind'>;

interface Found {
  element: 'a' | 'img';
  href: string;
  text: string;
  offset: number;
}

/** A URL ends at white space, at what encloses it in prose or code, and at the punctuation of scripts that write without spaces. */
const BARE = /\bhttps?:\/\/(?=[\p{L}\p{N}[])[^\s<>"`{}|\\^\u3000-\u303f\uff00-\uffef]+/giu;

/** URLs as they stand in plain text. */
export function plainTextLinks(text: string): TextLink[] {
  return inOrder(text, bareUrls(text));
}

/**
 * Links of reStructuredText: URLs in the text, `` `text <url>`_ ``, `.. _name: url`, images and figures with their `:target:`. What
 * stands in literals, in code and in comments is left out.
 */
export function rstLinks(text: string): TextLink[] {
  const read = withoutLiterals(text);
  const found: Found[] = [];
  for (const { index, 0: whole, 1: label, 2: written } of read.matchAll(/`([^`<]*)<([^`<>]+)>`__?/g)) {
    const href = written!.replace(/\s+/g, '');
    // `<name_>` is another label.
    if (!href.endsWith('_')) {
      found.push({ element: 'a', href, text: folded(label!), offset: index + whole.indexOf('<') + 1 });
    }
  }
  for (const { index, 0: whole, 1: href } of read.matchAll(
    /^[ \t]*\.\. _(?:`[^`\n]+`|(?:[^:`\n\\]|\\.|:(?=\S))+):[ \t]+(\S+)[ \t]*$/gm,
  )) {
    if (!/_$|^`/.test(href!)) {
      found.push({ element: 'a', href: href!, text: '', offset: index + whole.lastIndexOf(href!) });
    }
  }
  for (const { index, 0: whole, 1: href } of read.matchAll(
    /^[ \t]*\.\. (?:\|[^|\n]+\|[ \t]+)?(?:image|figure)::[ \t]+(\S+)[ \t]*$/gm,
  )) {
    found.push({ element: 'img', href: href!, text: '', offset: index + whole.lastIndexOf(href!) });
  }
  for (const { index, 0: whole, 1: href } of read.matchAll(/^[ \t]+:target:[ \t]+(\S+)[ \t]*$/gm)) {
    if (!/_$|^`/.test(href!)) {
      found.push({ element: 'a', href: href!, text: '', offset: index + whole.lastIndexOf(href!) });
    }
  }
  const known = new Set(found.map(({ offset }) => offset));
  return inOrder(text, [...found, ...bareUrls(read).filter(({ offset }) => !known.has(offset))]);
}

function bareUrls(text: string): Found[] {
  return [...text.matchAll(BARE)].map(({ index, 0: run }) => ({
    element: 'a',
    href: text.slice(index, endOf(text, index, index + run.length)),
    text: '',
    offset: index,
  }));
}

/** A bracket that was not opened in the URL is the sentence's, as a parenthesis is. */
function endOf(text: string, start: number, runEnd: number): number {
  let end = withoutTrailing(text, start, runEnd);
  while (text[end - 1] === ']' && !text.slice(start, end).includes('[')) {
    end = withoutTrailing(text, start, end - 1);
  }
  return end;
}

export function inOrder(text: string, found: readonly Found[]): TextLink[] {
  const source = new MarkdownSource(text);
  return [...found]
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, ...link }) => ({ ...link, ...source.placeOf(offset), ignored: false }));
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The same text with spaces instead of all that is not a line end: places stay what they are. */
export const blank = (text: string): string => text.replace(/[^\r\n]/g, ' ');

const CODE = /^\.\. (?:code|code-block|sourcecode|parsed-literal|highlight|raw|math|literalinclude|testcode|doctest)::/;
/** Directives, targets, footnotes, citations and substitutions; what else begins with two dots is a comment. */
const EXPLICIT = /^\.\. (?:[\w:+.-]+::|_|__|\[|\|)/;

function withoutLiterals(text: string): string {
  let until: number | null = null;
  const lines = text.split(/(?<=\n)/).map((line) => {
    const content = line.trim();
    const indent = line.length - line.trimStart().length;
    if (content === '') {
      return line;
    }
    if (until !== null && indent > until) {
      return blank(line);
    }
    until = null;
    const isMarked = content.startsWith('.. ') || content === '..';
    const isComment = isMarked && !EXPLICIT.test(content);
    if (isComment || CODE.test(content) || (!isMarked && content.endsWith('::'))) {
      until = indent;
    }
    return isComment ? blank(line) : line;
  });
  return lines.join('').replace(/``[^`\n](?:[^`\n]|`(?!`))*``/g, blank);
}
