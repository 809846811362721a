import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { Child } from '../../src/content/element.js';
import { parseDocument, parseTree } from '../../src/content/tree-builder.js';

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;

/** What the light tree leaves out, or does not add. */
const DROPPED = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes']);
const UNWRAPPED = new Set(['html', 'head', 'body', 'tbody', 'colgroup', '#document', '']);

/** A tree as a line: tags with their ids, and text without its white space. */
export const ownForm = (html: string): string => form(parseTree(html));

function form(node: Child): string {
  if (typeof node === 'string') {
    return textForm(node);
  }
  return tagForm(node.name, node.id, node.children.map(form));
}

/** The same of a browser's tree. */
export const browserForm = (html: string): string => nodeForm(parse(html, { scriptingEnabled: false }));

function nodeForm(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) {
    return textForm(node.value);
  }
  if (node.nodeName !== '#document' && node.nodeName.startsWith('#')) {
    return '';
  }
  const id = 'attrs' in node ? (node.attrs.find(({ name }) => name === 'id')?.value ?? '') : '';
  return tagForm(node.nodeName.toLowerCase(), id, 'childNodes' in node ? node.childNodes.map(nodeForm) : []);
}

/** All text of a browser's tree. */
export const browserText = (html: string): string => nodeText(parse(html, { scriptingEnabled: false }));

function nodeText(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) {
    return node.value;
  }
  return 'childNodes' in node && !DROPPED.has(node.nodeName) ? node.childNodes.map(nodeText).join('') : '';
}

/** The whole tree as a line, and a browser's: all tags, and text without its white space. */
export const wholeForm = (html: string): string => fullForm(parseDocument(html));

function fullForm(node: Child): string {
  return typeof node === 'string'
    ? textForm(node)
    : fullTag(node.name, node.id, node.children.map(fullForm).join('').replaceAll('""', ''));
}

export const browserWholeForm = (html: string): string => fullNodeForm(parse(html, { scriptingEnabled: false }));

function fullNodeForm(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) {
    return textForm(node.value);
  }
  if (node.nodeName !== '#document' && node.nodeName.startsWith('#')) {
    return '';
  }
  const id = 'attrs' in node ? (node.attrs.find(({ name }) => name === 'id')?.value ?? '') : '';
  const name = node.nodeName === '#document' ? '' : node.nodeName.toLowerCase();
  const inner = 'childNodes' in node && name !== 'template' ? node.childNodes.map(fullNodeForm) : [];
  return fullTag(name, id, inner.join('').replaceAll('""', ''));
}

const fullTag = (name: string, id: string, inner: string): string =>
  name === '' ? inner : `<${name}${id === '' ? '' : ` ${id}`}>${inner}</>`;

const textForm = (text: string): string => {
  const seen = text.replace(/[\t\n\f\r ]+/g, '');
  return seen === '' ? '' : `"${seen}"`;
};

function tagForm(name: string, id: string, children: readonly string[]): string {
  if (DROPPED.has(name)) {
    return '';
  }
  const inner = children.join('').replaceAll('""', '');
  return UNWRAPPED.has(name) ? inner : `<${name}${id === '' ? '' : ` ${id}`}>${inner}</>`;
}
