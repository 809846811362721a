import { BREAKS_OUT_OF_FOREIGN, MATH_INTEGRATION_POINTS, SVG_INTEGRATION_POINTS } from '../parse/html-rules.js';
import { Element } from './element.js';
import { endFormatting, OpenElements, reopenFormatting } from './open-elements.js';
import {
  BLOCK_ENDS,
  BUTTON_SCOPE,
  ENDS_PARAGRAPH,
  FORMATTING,
  HEAD_CONTENT,
  HEADINGS,
  LIST_SCOPE,
  MARKERS,
  ROW_GROUPS,
  SCOPE,
  SPECIAL,
  TABLE_PARTS,
  TABLE_SCOPE,
  VOID,
} from './tag-rules.js';
import { type TokenHandler, tokenize } from './tokenizer.js';

/** Elements whose content people do not read. TeX in a script is read all the same. */
const DROPPED = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes']);
const STRUCTURE = new Set(['', 'html', 'head', 'body']);

/** Whatever `annotation-xml` says that it holds. */
const INTEGRATION_POINTS = new Set([...SVG_INTEGRATION_POINTS, ...MATH_INTEGRATION_POINTS, 'annotation-xml']);

const NO_WALLS: ReadonlySet<string> = new Set();

const isWhiteSpace = (text: string): boolean => !/[^\t\n\f\r ]/.test(text);

/**
 * Makes a tree of tags as HTML5 says, but what stands in a table outside of its cells stays there. A light tree has no html, head, body
 * and tbody that the page does not have, and nothing that people do not read; a whole one has them all.
 */
export class TreeBuilder implements TokenHandler {
  readonly root = new Element('', []);
  readonly #open: OpenElements;
  readonly #isWhole: boolean;
  /** Of a whole tree, as soon as it has one. */
  #head: Element | null = null;
  /** A whole tree has no body yet. */
  #isBeforeBody: boolean;
  /** A line feed behind `<pre>` is not part of it. */
  #dropsLineFeed = false;

  constructor(isWhole = false) {
    this.#open = new OpenElements(this.root, isWhole);
    this.#isWhole = isWhole;
    this.#isBeforeBody = isWhole;
  }

  /** Of a whole tree, its elements in their order; null where only a walk can tell. */
  get elements(): Element[] | null {
    return this.#open.inOrder;
  }

  get isForeign(): boolean {
    return this.#open.isForeign;
  }

  text(text: string): void {
    const rest = this.#dropsLineFeed && text.startsWith('\n') ? text.slice(1) : text;
    this.#dropsLineFeed = false;
    if (rest === '') {
      return;
    }
    const open = this.#open;
    if (this.#isBeforeBody && STRUCTURE.has(open.current.name)) {
      if (open.current.name !== 'head' && isWhiteSpace(rest)) {
        return;
      }
      if (!isWhiteSpace(rest)) {
        this.#startBody([]);
      }
    }
    if (open.current.name === 'head' && !isWhiteSpace(rest)) {
      open.pop();
    }
    if (!open.isForeign) {
      reopenFormatting(open);
    }
    const { children } = open.current;
    const last = children.length - 1;
    if (typeof children[last] === 'string') {
      children[last] += rest;
    } else {
      children.push(rest);
    }
  }

  start(name: string, attributes: readonly string[], selfClosing: boolean, content: string | null): void {
    this.#dropsLineFeed = false;
    if (this.#open.isForeign) {
      if (!breaksOut(name, attributes)) {
        this.#startForeign(name, attributes, selfClosing);
        return;
      }
      this.#open.leaveForeign();
    }
    const known = name === 'image' ? 'img' : name;
    if (this.#isIgnored(known)) {
      return;
    }
    if (this.#isBeforeBody && this.#startStructure(known, attributes)) {
      return;
    }
    this.#closeImplied(known);
    if (content !== null) {
      this.#startWithContent(known, attributes, content);
    } else {
      this.#startPlain(known, attributes, selfClosing);
    }
  }

  end(name: string): void {
    this.#dropsLineFeed = false;
    const open = this.#open;
    if (open.tooDeep > 0) {
      open.tooDeep--;
      return;
    }
    if (this.#isBeforeBody && STRUCTURE.has(open.current.name) && this.#endsBeforeBody(name)) {
      return;
    }
    if (open.hasForeign && open.endForeign(name)) {
      return;
    }
    if (name === 'br') {
      this.start('br', [], false, null);
    } else if (FORMATTING.has(name)) {
      if (!endFormatting(name, open)) {
        this.#endOther(name);
      }
    } else if (HEADINGS.has(name)) {
      this.#endHeading();
    } else if (name === 'li') {
      open.endInScope(name, LIST_SCOPE);
    } else if (name === 'p') {
      this.#endParagraph();
    } else if (BLOCK_ENDS.has(name) || name === 'dd' || name === 'dt') {
      open.endInScope(name, SCOPE);
    } else if (name === 'table' || TABLE_PARTS.has(name)) {
      open.endInScope(name, TABLE_SCOPE);
    } else if (name === 'template') {
      open.endInScope(name, NO_WALLS);
    } else if (name !== 'body' && name !== 'html') {
      this.#endOther(name);
    }
  }

  #startPlain(name: string, attributes: readonly string[], selfClosing: boolean): void {
    const open = this.#open;
    const isBlock = ENDS_PARAGRAPH.has(name) || TABLE_PARTS.has(name) || HEAD_CONTENT.has(name) || STRUCTURE.has(name);
    if (!isBlock) {
      reopenFormatting(open);
    }
    const element = new Element(name, attributes);
    if (VOID.has(name)) {
      open.add(element);
      return;
    }
    if (this.#isWhole && name === 'template') {
      // What a template holds is not part of the page; itself it is.
      open.current.append(new Element(name, attributes));
    }
    if (!open.push(element, DROPPED.has(name))) {
      return;
    }
    if (FORMATTING.has(name)) {
      open.formatting.add(element);
    }
    if (MARKERS.has(name)) {
      open.formatting.addMarker();
    }
    if (name === 'svg' || name === 'math') {
      if (selfClosing) {
        open.pop();
      } else {
        open.turnForeign();
      }
    }
    this.#dropsLineFeed = name === 'pre' || name === 'listing';
  }

  #startWithContent(name: string, attributes: readonly string[], content: string): void {
    const element = new Element(name, attributes);
    if (DROPPED.has(name) && !this.#isWhole && !(name === 'script' && saysText(element, content))) {
      return;
    }
    if (this.#isWhole ? !HEAD_CONTENT.has(name) : name !== 'title') {
      reopenFormatting(this.#open);
    }
    const text = name === 'textarea' && content.startsWith('\n') ? content.slice(1) : content;
    if (text !== '') {
      element.append(text);
    }
    this.#open.add(element);
  }

  #startForeign(name: string, attributes: readonly string[], selfClosing: boolean): void {
    if (!this.#open.push(new Element(name, attributes))) {
      return;
    }
    if (selfClosing) {
      this.#open.pop();
    } else if (INTEGRATION_POINTS.has(name)) {
      this.#open.turnForeign();
    }
  }

  // Of a whole tree: what every page has.

  /** Makes what has to be there before this element; true where the element itself was part of that, or does not count. */
  #startStructure(name: string, attributes: readonly string[]): boolean {
    const open = this.#open;
    if (open.has('template')) {
      return STRUCTURE.has(name);
    }
    if (name === 'body') {
      // A noscript or the like in the head that was never closed.
      open.popDownTo(Math.min(open.length, 2));
    }
    if (!STRUCTURE.has(open.current.name)) {
      return false;
    }
    if (open.length === 1) {
      open.push(new Element('html', name === 'html' ? attributes : []));
    }
    if (name === 'html') {
      return true;
    }
    if (name === 'head') {
      this.#startHead(attributes);
      return true;
    }
    if (HEAD_CONTENT.has(name)) {
      this.#startHead([]);
      return false;
    }
    this.#startBody(name === 'body' ? attributes : []);
    return name === 'body';
  }

  /** What belongs in the head and stands behind it gets there all the same. */
  #startHead(attributes: readonly string[]): void {
    const open = this.#open;
    if (open.current.name === 'head') {
      return;
    }
    const isFirst = this.#head === null;
    this.#head ??= new Element('head', attributes);
    open.push(this.#head, !isFirst);
  }

  /** Before the body most end tags have nothing to end, and do not begin it. */
  #endsBeforeBody(name: string): boolean {
    if (name === 'body' || name === 'html') {
      this.#startBody([]);
    }
    return name !== 'br' && name !== 'head';
  }

  /** A page without a body has an empty one. */
  finish(): void {
    if (this.#isBeforeBody) {
      this.#open.popDownTo(Math.min(this.#open.length, 2));
      this.#startBody([]);
    }
  }

  #startBody(attributes: readonly string[]): void {
    const open = this.#open;
    if (open.length === 1) {
      open.push(new Element('html', []));
    }
    if (this.#head === null) {
      this.#startHead([]);
    }
    open.popDownTo(2);
    open.push(new Element('body', attributes));
    this.#isBeforeBody = false;
  }

  // What a start tag closes.

  #isIgnored(name: string): boolean {
    if (name === 'html' || name === 'head') {
      return this.#open.has(name) || this.#open.has('body');
    }
    if (name === 'body' || name === 'form') {
      return this.#open.has(name);
    }
    if (name === 'frameset') {
      return true;
    }
    return TABLE_PARTS.has(name) && !this.#open.has('table');
  }

  #closeImplied(name: string): void {
    const open = this.#open;
    if (open.current.name === 'head' && !HEAD_CONTENT.has(name)) {
      open.pop();
    }
    if (name === 'li') {
      this.#closeItem('li', 'li');
    } else if (name === 'dd' || name === 'dt') {
      this.#closeItem('dd', 'dt');
    } else if (TABLE_PARTS.has(name)) {
      this.#enterTablePart(name);
    } else if (name === 'a') {
      this.#closeLink();
    } else if (name === 'option' || name === 'optgroup') {
      this.#closeOption(name);
    } else if (name === 'button') {
      open.endInScope('button', SCOPE);
    } else if (name === 'table') {
      this.#closeTable();
    } else if ((name === 'rt' || name === 'rp') && /^r[tp]$/.test(open.current.name)) {
      open.pop();
    }
    if (open.paragraphs > 0 && ENDS_PARAGRAPH.has(name)) {
      open.endInScope('p', BUTTON_SCOPE);
    }
    if (HEADINGS.has(name) && HEADINGS.has(open.current.name)) {
      open.pop();
    }
  }

  #closeItem(one: string, other: string): void {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const { name } = this.#open.at(i)!;
      if (name === one || name === other) {
        this.#open.popDownTo(i);
        return;
      }
      if (SPECIAL.has(name) && name !== 'address' && name !== 'div' && name !== 'p') {
        return;
      }
    }
  }

  #enterTablePart(name: string): void {
    const open = this.#open;
    const isCell = name === 'td' || name === 'th';
    let wall = open.lastOf('table') + 1;
    if ((isCell || name === 'tr') && ROW_GROUPS.has(open.at(wall)?.name ?? '')) {
      wall++;
    }
    if (isCell && open.at(wall)?.name === 'tr') {
      wall++;
    }
    if (name === 'col' && open.at(wall)?.name === 'colgroup') {
      wall++;
    }
    open.popDownTo(wall);
    if (this.#isWhole && open.current.name === 'table' && (isCell || name === 'tr')) {
      open.push(new Element('tbody', []));
    }
    if (this.#isWhole && open.current.name === 'table' && name === 'col') {
      open.push(new Element('colgroup', []));
    }
    if (isCell && open.current.name !== 'tr') {
      open.push(new Element('tr', []));
    }
  }

  /** A table that begins in another, but in none of its cells, ends that. */
  #closeTable(): void {
    const table = this.#open.lastOf('table');
    if (table > this.#open.lastOf('td', 'th', 'caption')) {
      this.#open.popDownTo(table);
    }
  }

  /** A link that begins in another ends that. */
  #closeLink(): void {
    const { formatting } = this.#open;
    const link = formatting.find('a');
    if (link === null) {
      return;
    }
    endFormatting('a', this.#open);
    formatting.remove(link);
    this.#open.remove(link);
  }

  #closeOption(name: string): void {
    if (this.#open.current.name === 'option') {
      this.#open.pop();
    }
    if (name === 'optgroup' && this.#open.current.name === 'optgroup') {
      this.#open.pop();
    }
  }

  // What an end tag closes.

  #endParagraph(): void {
    if (this.#open.inScope('p', BUTTON_SCOPE) === -1) {
      this.start('p', [], false, null);
    }
    this.#open.endInScope('p', BUTTON_SCOPE);
  }

  #endHeading(): void {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const { name } = this.#open.at(i)!;
      if (HEADINGS.has(name)) {
        this.#open.popDownTo(i);
      }
      if (SCOPE.has(name) || HEADINGS.has(name)) {
        return;
      }
    }
  }

  #endOther(name: string): void {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const open = this.#open.at(i)!.name;
      if (open === name) {
        this.#open.popDownTo(i);
        return;
      }
      if (SPECIAL.has(open)) {
        return;
      }
    }
  }
}

function breaksOut(name: string, attributes: readonly string[]): boolean {
  if (BREAKS_OUT_OF_FOREIGN.has(name)) {
    return true;
  }
  return name === 'font' && attributes.some((each, i) => i % 2 === 0 && /^(?:color|face|size)$/.test(each));
}

/** Whether a script is a formula or holds the text of the page for machines. */
function saysText(element: Element, content: string): boolean {
  const type = element.attribute('type') ?? '';
  return type.startsWith('math/tex') || (type === 'application/ld+json' && content.includes('"articleBody"'));
}

/** The tree of a page, without comments, styles, templates and most scripts. The root has no name. */
export const parseTree = (html: string): Element => built(html, new TreeBuilder()).root;

/** The whole tree of a page, with html, head, body and tbody where the page leaves them out, and with scripts and styles: for selectors. */
export const parseDocument = (html: string): Element => parseWhole(html).root;

/** The same, and its elements in their order; null where only a walk can tell. */
export const parseWhole = (html: string): Pick<TreeBuilder, 'root' | 'elements'> => built(html, new TreeBuilder(true));

function built(html: string, builder: TreeBuilder): TreeBuilder {
  tokenize(html, builder);
  builder.finish();
  return builder;
}
