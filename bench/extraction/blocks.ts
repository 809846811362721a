import { createHash } from 'node:crypto';
import { type DefaultTreeAdapterTypes, parse, defaultTreeAdapter as tree } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** The text of one run of a page: from where one block-level tag stands to where the next one does. */
export interface Block {
  /** White space folded. */
  readonly text: string;
  /** The lines as they stand where it is preformatted, else null. */
  readonly code: string | null;
  /** Number of the table cell that it is in, else null. */
  readonly cell: number | null;
}

interface Place {
  /** Inside of preformatted text. */
  readonly pre: boolean;
  readonly cell: number | null;
}

interface Step {
  /** Null: what stood at this place has ended. */
  readonly node: Node | null;
  readonly place: Place;
  /** Two inline elements that touch are words of their own, as style sheets set them apart; so are exponents and notes. */
  readonly parted: boolean;
}

/** What starts a run of its own; buttons and options do too, as they are words of the page's furniture. */
const BLOCK_TAGS = new Set(
  `address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure
  footer form h1 h2 h3 h4 h5 h6 header hgroup hr label legend li main menu nav ol optgroup option p pre search section select
  summary table tbody td tfoot th thead tr ul`.split(/\s+/),
);
/** What no reader sees as text of the page. */
const SKIPPED_TAGS = new Set('head script style template noscript svg iframe object textarea'.split(' '));

/** All text of a page, cut into blocks, in document order. Blocks without a visible character are left out. */
export function blocksOf(html: string): Block[] {
  const blocks: Block[] = [];
  let run = '';
  let cells = 0;
  const end = ({ pre, cell }: Place): void => {
    const text = fold(run);
    if (text !== '') {
      blocks.push({ text, code: pre ? run : null, cell });
    }
    run = '';
  };
  // An explicit stack: a page may be nested more deeply than calls may.
  const stack: Step[] = [{ node: parse(html), place: { pre: false, cell: null }, parted: false }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { node, place, parted } = step;
    if (node === null) {
      end(place);
      continue;
    }
    if (parted) {
      run += ' ';
    }
    if (tree.isTextNode(node)) {
      run += node.value;
      continue;
    }
    let inner = place;
    if (tree.isElementNode(node)) {
      if (SKIPPED_TAGS.has(node.tagName)) {
        continue;
      }
      if (node.tagName === 'br') {
        run += '\n';
        continue;
      }
      if (BLOCK_TAGS.has(node.tagName)) {
        end(place);
        const isCell = node.tagName === 'td' || node.tagName === 'th';
        inner = { pre: place.pre || node.tagName === 'pre', cell: isCell ? cells++ : place.cell };
        stack.push({ node: null, place: inner, parted: false });
      }
    }
    if (!('childNodes' in node)) {
      continue;
    }
    const { childNodes } = node;
    for (let i = childNodes.length - 1; i >= 0; i -= 1) {
      const parted = !inner.pre && isParted(childNodes[i - 1], childNodes[i]!);
      stack.push({ node: childNodes[i]!, place: inner, parted });
    }
  }
  return blocks;
}

const isParted = (before: Node | undefined, node: Node): boolean =>
  (isInline(before) && isInline(node)) || isRaised(before) || isRaised(node);

const isInline = (node: Node | undefined): boolean =>
  node !== undefined && tree.isElementNode(node) && !BLOCK_TAGS.has(node.tagName) && !SKIPPED_TAGS.has(node.tagName);

const isRaised = (node: Node | undefined): boolean =>
  node !== undefined && tree.isElementNode(node) && (node.tagName === 'sup' || node.tagName === 'sub');

/** What pages say in place of their images. */
export function altsOf(html: string): string[] {
  const alts: string[] = [];
  const stack: Node[] = [parse(html)];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (tree.isElementNode(node) && node.tagName === 'img') {
      alts.push(fold(node.attrs.find(({ name }) => name === 'alt')?.value ?? ''));
    }
    if ('childNodes' in node) {
      stack.push(...node.childNodes);
    }
  }
  return alts.filter((alt) => alt !== '');
}

/** What a reader would copy from a page: a block a line, code as it stands. */
export function textOf(html: string): string {
  return blocksOf(html)
    .map(({ text, code }) => code ?? text)
    .join('\n');
}

/** Zero-width characters go: they are what some systems write into the links of their headings. */
export const fold = (text: string): string =>
  text
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
