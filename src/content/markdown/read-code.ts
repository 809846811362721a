import type { Child, Element } from '../element.js';
import { languageOf } from './languages.js';
import type { Code } from './model.js';
import { isNoise } from './noise.js';

/** Each of them is a line of its own inside of a code block. */
const LINE_ELEMENTS = new Set(['div', 'p', 'li', 'tr']);
/** What mdBook and rustdoc hide of an example until the reader asks. */
const HIDDEN_LINES = 'boring';

export function readCode(outer: Element): Code | null {
  // mdBook puts a `pre` into a `pre`.
  const pre =
    outer.children.find((child): child is Element => typeof child !== 'string' && child.name === 'pre') ?? outer;
  const text = codeText(pre)
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  if (text === '') return null;
  return { type: 'code', language: languageOf(pre, text), text };
}

/** The text of a code block as it is shown, white space and all. */
export function codeText(pre: Element): string {
  const pieces: string[] = [];
  let endsLine = true;
  const add = (text: string): void => {
    if (text === '') return;
    pieces.push(text);
    endsLine = text.endsWith('\n');
  };
  const visit = (node: Child): void => {
    if (typeof node === 'string') {
      add(node);
      return;
    }
    if (node.name === 'br') add('\n');
    else if (node.name === 'img') add(node.attribute('alt') ?? '');
    if (isNoise(node) || node.hasClass(HIDDEN_LINES)) return;
    const isLine = LINE_ELEMENTS.has(node.name);
    if (isLine && !endsLine) add('\n');
    const before = pieces.length;
    for (const child of node.children) visit(child);
    if (isLine && (!endsLine || pieces.length === before)) add('\n');
  };
  for (const child of pre.children) visit(child);
  // A space that does not break is one that does not compile; one that is not seen says where a line may break.
  return pieces.join('').replaceAll('\u00a0', ' ').replaceAll('\u200b', '');
}

const CODE_TABLES = [
  'highlighttable',
  'rouge-table',
  'codehilitetable',
  'hljs-ln',
  'lntable',
  'gutter-table',
  'js-file-line-container',
];

/** A table that puts line numbers beside code: the `pre` with the code, or the rows that are its lines. */
export function readCodeTable(table: Element): Code | null {
  const isCode = CODE_TABLES.some((each) => table.hasClass(each)) || hasGutter(table);
  if (!isCode) return null;
  const pre = lastPre(table);
  return readCode(pre ?? table);
}

function hasGutter(table: Element): boolean {
  const cells = cellsOfFirstRow(table);
  if (cells.length !== 2) return false;
  const [gutter, code] = cells as [Element, Element];
  return (
    ['gutter', 'linenos', 'lineno', 'line-numbers', 'rouge-gutter'].some((each) => gutter.hasClass(each)) &&
    lastPre(code) !== null
  );
}

function cellsOfFirstRow(table: Element): Element[] {
  let element: Element | undefined = table;
  while (element !== undefined && element.name !== 'tr') {
    element = element.children.find(
      (child): child is Element => typeof child !== 'string' && /^(?:thead|tbody|tr)$/.test(child.name),
    );
  }
  return element?.children.filter((child): child is Element => typeof child !== 'string') ?? [];
}

/** Numbers stand first, so the code is in the last one that is not noise. */
function lastPre(element: Element): Element | null {
  for (const child of element.children.toReversed()) {
    if (typeof child === 'string' || (child.name !== 'pre' && isNoise(child))) continue;
    const found = child.name === 'pre' ? child : lastPre(child);
    if (found !== null) return found;
  }
  return null;
}
