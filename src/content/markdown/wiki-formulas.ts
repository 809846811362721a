import type { Child, Element } from '../element.js';
import { visible } from './tidy.js';

/** Signs that are drawn over several lines, by their first piece. */
const BRACKETS = new Map(Object.entries({ '⎛': '(', '⎞': ')', '⎡': '[', '⎤': ']', '⎧': '{', '⎫': '}', '⎪': '|' }));

/** Whether an element is a formula that a wiki has put together of spans and tables, without TeX. */
export const isWikiFormula = (element: Element): boolean => element.name === 'span' && element.hasClass('texhtml');

/** Such a formula as a line of text that says the same: `1/(σ√(2π))`. */
export function spokenWikiFormula(element: Element): string {
  return visible(spokenAll(element.children)).replace(/\s+/g, ' ').trim();
}

const spokenAll = (children: readonly Child[]): string => children.map(spoken).join('');

function spoken(node: Child): string {
  if (typeof node === 'string') {
    return node;
  }
  if (node.hasClass('t-mfrac')) {
    return fraction(node);
  }
  if (node.hasClass('t-mparen')) {
    return bracketed(node);
  }
  if (node.hasClass('t-mrad')) {
    return `√${group(spokenAll(node.children.slice(1)))}`;
  }
  if (node.hasClass('t-su')) {
    return raised(node);
  }
  if (node.name === 'sup') {
    return `^${group(spokenAll(node.children))}`;
  }
  if (node.name === 'sub') {
    return `_${group(spokenAll(node.children))}`;
  }
  return node.name === 'br' ? ' ' : spokenAll(node.children);
}

const group = (text: string): string => (text.trim().length > 1 ? `(${text.trim()})` : text.trim());

function fraction(element: Element): string {
  const cells = element.children.flatMap((table) => descendants(table, 'td'));
  return cells.map((cell) => group(spokenAll(cell.children))).join('/');
}

function bracketed(element: Element): string {
  const [open, ...rest] = element.children;
  const close = rest.pop();
  return `${bracketOf(open)}${spokenAll(rest).trim()}${bracketOf(close)}`;
}

function bracketOf(node: Child | undefined): string {
  const text = node === undefined ? '' : spoken(node).trim();
  return BRACKETS.get(text.charAt(0)) ?? text;
}

/** What stands above a line break is an exponent, what stands below it an index. */
function raised(element: Element): string {
  const at = element.children.findIndex((child) => typeof child !== 'string' && child.name === 'br');
  const above = spokenAll(at === -1 ? element.children : element.children.slice(0, at)).trim();
  const below = at === -1 ? '' : spokenAll(element.children.slice(at + 1)).trim();
  return `${below === '' ? '' : `_${group(below)}`}${above === '' ? '' : `^${group(above)}`}`;
}

function descendants(node: Child, name: string): Element[] {
  if (typeof node === 'string') {
    return [];
  }
  return node.name === name ? [node] : node.children.flatMap((child) => descendants(child, name));
}
