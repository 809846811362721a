import { type Options, selectAll } from 'css-select';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Tag = DefaultTreeAdapterTypes.Element;

const isTag = (node: Node): node is Tag => 'tagName' in node;
const childrenOf = (node: Node): Node[] => ('childNodes' in node ? node.childNodes : []);
const parentOf = (node: Node): Node | null => ('parentNode' in node ? node.parentNode : null);
const attributeOf = (tag: Tag, name: string): string | undefined => tag.attrs.find((each) => each.name === name)?.value;
const textOf = (node: Node): string => ('value' in node ? node.value : childrenOf(node).map(textOf).join(''));

/** css-select as it is, over the tree of parse5: no part of it is replaced and nothing is noted. */
const OPTIONS: Options<Node, Tag> = {
  adapter: {
    isTag,
    getName: ({ tagName }) => tagName.toLowerCase(),
    getParent: parentOf,
    getChildren: childrenOf,
    getSiblings: (node) => {
      const parent = parentOf(node);
      return parent === null ? [node] : childrenOf(parent);
    },
    getText: textOf,
    getAttributeValue: attributeOf,
    hasAttrib: (tag, name) => attributeOf(tag, name) !== undefined,
    removeSubsets: (nodes) => nodes,
  },
  cacheResults: false,
  // As in browsers: white space is content.
  pseudos: { empty: (tag) => childrenOf(tag).every((child) => !isTag(child) && textOf(child) === '') },
};

/** The places, among all elements of the page, of those that a selector finds. */
export function referencePlaces(html: string, selectors: readonly string[]): number[][] {
  const document = parse(html, { scriptingEnabled: false });
  const places = new Map(selectAll<Node, Tag>('*', document, OPTIONS).map((tag, i) => [tag, i]));
  return selectors.map((each) => selectAll<Node, Tag>(each, document, OPTIONS).map((tag) => places.get(tag)!));
}
