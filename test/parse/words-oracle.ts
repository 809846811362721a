import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;

/** What no reader sees as text of the page. */
const UNSEEN = new Set(
  'script style noscript template iframe noembed noframes title textarea xmp plaintext svg math'.split(' '),
);
/** Written out again: elements that stand within words. */
const JOINING = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby s samp slot small span strike ' +
    'strong sub sup time tt u var wbr'
  ).split(' '),
);
/** Ideographs and kana, each a word; and what parts words. */
const ALONE =
  '\\u3005-\\u3007\\u3040-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}';
const PARTING =
  '\\t-\\r \\u00a0\\u3000-\\u3004\\u3008-\\u303f\\u30fb\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65';
const WORD = new RegExp(`[${ALONE}]|[^${ALONE}${PARTING}]+`, 'gu');

export const countWords = (text: string): number => text.match(WORD)?.length ?? 0;

/** The facts of a page that are made of its text, found by walking the tree that parse5 builds. */
export function textFacts(source: string): { h1: string | null; wordCount: number } {
  const document = parse(source, { scriptingEnabled: false });
  const heading = firstHeading(document);
  const h1 =
    heading === null
      ? null
      : textOf(heading, (name) => (name === 'br' ? ' ' : ''))
          .replace(/[\t\n\f\r ]+/g, ' ')
          .replace(/^ | $/g, '');
  return { h1, wordCount: countWords(textOf(document, (name) => (JOINING.has(name) ? '' : ' '))) };
}

function textOf(node: Node, boundary: (name: string) => string): string {
  if (node.nodeName === '#text') {
    return (node as DefaultTreeAdapterTypes.TextNode).value;
  }
  if (!('childNodes' in node) || UNSEEN.has(node.nodeName)) {
    return boundary(node.nodeName.startsWith('#') ? 'a' : node.nodeName);
  }
  const edge = boundary(node.nodeName);
  return `${edge}${node.childNodes.map((child) => textOf(child, boundary)).join('')}${edge}`;
}

function firstHeading(node: Node): DefaultTreeAdapterTypes.Element | null {
  if (node.nodeName === 'h1') {
    return node as DefaultTreeAdapterTypes.Element;
  }
  if (!('childNodes' in node) || UNSEEN.has(node.nodeName)) {
    return null;
  }
  for (const child of node.childNodes) {
    const found = firstHeading(child);
    if (found !== null) {
      return found;
    }
  }
  return null;
}
