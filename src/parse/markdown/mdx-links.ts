import { decodeReferences } from '../html-rules.js';
import { markdownAnchors, markdownLinks } from './markdown-links.js';
import { blank, inOrder, type TextLink } from './text-links.js';

/**
 * MDX: Markdown with tags of JSX in it. Read are the links of Markdown, and `href` and `src` of any tag where their value is a text and no
 * program. What imports and exports name is no link.
 */
export class MdxFile {
  readonly #text: string;
  readonly #tags: JsxTag[];
  /** What is left for a reader of Markdown: no line is indented, since that makes no code here. */
  readonly #markdown: string;
  readonly #indents: number[] = [];

  constructor(text: string) {
    this.#text = text;
    const prose = withoutModules(text).replace(/\{\s*\/\*(?:[^*]|\*(?!\/))*\*\/\s*\}/g, blank);
    this.#tags = [...jsxTags(withoutCode(prose))];
    this.#markdown = this.#unindented(this.#withoutTags(prose));
  }

  links(): TextLink[] {
    const ofTags = this.#tags.flatMap(({ attributes }) =>
      attributes
        .filter(({ name }) => name === 'href' || name === 'src')
        .map(({ name, value, offset }) => ({
          element: name === 'src' ? ('img' as const) : ('a' as const),
          href: value.trim(),
          text: '',
          offset,
        })),
    );
    const ofMarkdown = markdownLinks(this.#markdown)
      .filter(({ kind }) => kind !== 'undefined')
      .map(({ kind: _, ...link }) => ({ ...link, column: link.column + (this.#indents[link.line - 1] ?? 0) }));
    return [...inOrder(this.#text, ofTags), ...ofMarkdown].sort((a, b) => a.line - b.line || a.column - b.column);
  }

  anchors(): Set<string> {
    const anchors = markdownAnchors(this.#markdown);
    for (const { name, value } of this.#tags.flatMap(({ attributes }) => attributes)) {
      if (name === 'id' && value !== '') {
        anchors.add(value);
      }
    }
    return anchors;
  }

  #withoutTags(prose: string): string {
    let kept = '';
    let at = 0;
    for (const { start, end } of this.#tags) {
      kept += prose.slice(at, start) + blank(prose.slice(start, end));
      at = end;
    }
    return kept + prose.slice(at);
  }

  #unindented(text: string): string {
    return text
      .split(/(?<=\n)/)
      .map((line) => {
        const indent = /^[ \t]*/.exec(line)![0].length;
        this.#indents.push(indent);
        return line.slice(indent);
      })
      .join('');
  }
}

interface JsxTag {
  start: number;
  end: number;
  attributes: { name: string; value: string; offset: number }[];
}

const MODULE = /^(?:import|export)(?=[\s{*"'])/;
const FENCE = /^[ \t]*(?:```+|~~~+)/;

/** Statements of a module end with a blank line behind their last bracket. */
function withoutModules(text: string): string {
  let fence: string | null = null;
  let depth: number | null = null;
  const lines = text.split(/(?<=\n)/).map((line) => {
    const mark = FENCE.exec(line)?.[0].trim() ?? null;
    if (depth === null && mark !== null && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null;
      return line;
    }
    if (fence !== null) {
      return line;
    }
    if (depth !== null && depth <= 0 && line.trim() === '') {
      depth = null;
    }
    if (depth === null && MODULE.test(line)) {
      depth = 0;
    }
    if (depth === null) {
      return line;
    }
    for (const character of line) {
      if ('{[('.includes(character)) {
        depth++;
      } else if ('}])'.includes(character)) {
        depth--;
      }
    }
    return blank(line);
  });
  return lines.join('');
}

/** Fenced code and code spans are text to readers. */
function withoutCode(text: string): string {
  let fence: string | null = null;
  const lines = text.split(/(?<=\n)/).map((line) => {
    const mark = FENCE.exec(line)?.[0].trim() ?? null;
    if (mark !== null && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null;
      return blank(line);
    }
    return fence === null ? line : blank(line);
  });
  // A template in braces has single backticks too, and is no code: `href={`…`}`.
  return lines.join('').replace(/(?<![{`])(`+)(?!`)[^`\n]+\1(?!`)/g, blank);
}

const TAG = /<[A-Za-z][\w.-]*(?=[\s/>])/g;
const ATTRIBUTE = /([A-Za-z_][\w:.-]*)[ \t\r\n]*=[ \t\r\n]*$/;
/** No tag that a person writes is longer. */
const LONGEST_TAG = 16 * 1024;
const LONGEST_NAME = 100;

/** Opening tags with those of their attributes whose value is a text. */
function* jsxTags(text: string): IterableIterator<JsxTag> {
  TAG.lastIndex = 0;
  for (let match = TAG.exec(text); match !== null; match = TAG.exec(text)) {
    const tag = readTag(text, match.index, TAG.lastIndex);
    TAG.lastIndex = tag.end;
    if (tag.isWhole) {
      yield tag;
    }
  }
}

function readTag(text: string, start: number, from: number): JsxTag & { isWhole: boolean } {
  const attributes: JsxTag['attributes'] = [];
  const last = Math.min(text.length, start + LONGEST_TAG);
  let at = from;
  while (at < last) {
    const character = text[at]!;
    if (character === '>') {
      return { start, end: at + 1, attributes, isWhole: true };
    }
    if (character === '<') {
      break;
    }
    if (character !== '"' && character !== "'" && character !== '{') {
      at++;
      continue;
    }
    const end = character === '{' ? endOfBraces(text, at, last) : text.indexOf(character, at + 1) + 1;
    if (end <= at || end > last) {
      return { start, end: last, attributes, isWhole: false };
    }
    const name = ATTRIBUTE.exec(text.slice(Math.max(from, at - LONGEST_NAME), at))?.[1];
    const value = name === undefined ? null : textOf(text, at, end);
    if (value !== null) {
      attributes.push({ name: name!, ...value });
    }
    at = end;
  }
  return { start, end: Math.max(at, from), attributes, isWhole: false };
}

/** Behind the brace that closes this one; 0 where none does. */
function endOfBraces(text: string, start: number, last: number): number {
  let depth = 0;
  for (let at = start; at < last; at++) {
    const character = text[at]!;
    if (character === '{') {
      depth++;
    } else if (character === '}' && --depth === 0) {
      return at + 1;
    } else if (character === '"' || character === "'" || character === '`') {
      const close = text.indexOf(character, at + 1);
      if (close < 0 || close >= last) {
        return 0;
      }
      at = close;
    }
  }
  return 0;
}

/** `"…"`, `{'…'}` and a template without a program in it. */
function textOf(text: string, start: number, end: number): { value: string; offset: number } | null {
  if (text[start] !== '{') {
    return { value: decodeReferences(text.slice(start + 1, end - 1), true), offset: start + 1 };
  }
  const [, space, quote, value] = /^\{(\s*)(["'`])([^"'`\\]*)\2\s*\}$/.exec(text.slice(start, end)) ?? [];
  if (value === undefined || (quote === '`' && value.includes('${'))) {
    return null;
  }
  return { value, offset: start + 2 + space!.length };
}
