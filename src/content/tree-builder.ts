import { Element } from './element.js';
import { OpenFormatting } from './formatting.js';
import {
  BLOCK_ENDS,
  BREAKS_OUT_OF_FOREIGN,
  BUTTON_SCOPE,
  ENDS_PARAGRAPH,
  FORMATTING,
  HEAD_CONTENT,
  HEADINGS,
  INTEGRATION_POINTS,
  LIST_SCOPE,
  MARKERS,
  ROW_GROUPS,
  SCOPE,
  SPECIAL,
  TABLE_PARTS,
  TABLE_SCOPE,
  VOID,
} from './tag-rules.js';
import type { TokenHandler } from './tokenizer.js';

/**
 * No tree is deeper, as in browsers: the tags below count for nothing, their text stays. So whoever goes through a tree may recurse,
 * and no search among the open elements is long.
 */
export const MAX_DEPTH = 400;

/** Not what a person reads. TeX in a script is. */
const DROPPED = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes']);

const NO_WALLS: ReadonlySet<string> = new Set();

const isWhiteSpace = (text: string): boolean => !/[^\t\n\f\r ]/.test(text);

/**
 * Makes a tree of tags as HTML5 says, with these differences: no html, head, body and tbody that the page does not have, and what
 * stands in a table outside of its cells stays there.
 */
export class TreeBuilder implements TokenHandler {
  readonly root = new Element('', []);
  readonly #open: Element[] = [this.root];
  readonly #formatting = new OpenFormatting();
  /** Tags that were too deep, as long as they are open. */
  #tooDeep = 0;
  /** Paragraphs that are open: most tags would end one, and most of the time there is none. */
  #openParagraphs = 0;
  /** How many elements were open outside of each stretch of SVG or MathML, and of each stretch of HTML in those. */
  readonly #foreignFrom: number[] = [];
  /** A line feed behind `<pre>` is not part of it. */
  #dropsLineFeed = false;

  get isForeign(): boolean {
    return this.#foreignFrom.length % 2 === 1;
  }

  get #current(): Element {
    return this.#open[this.#open.length - 1]!;
  }

  text(text: string): void {
    const rest = this.#dropsLineFeed && text.startsWith('\n') ? text.slice(1) : text;
    this.#dropsLineFeed = false;
    if (rest === '') return;
    if (this.#current.name === 'head' && !isWhiteSpace(rest)) this.#popTo('head');
    if (!this.isForeign) this.#reopenFormatting();
    this.#appendText(rest);
  }

  start(name: string, attributes: readonly string[], selfClosing: boolean, content: string | null): void {
    this.#dropsLineFeed = false;
    if (this.isForeign) {
      if (!breaksOut(name, attributes)) {
        this.#startForeign(name, attributes, selfClosing);
        return;
      }
      this.#leaveForeign();
    }
    const known = name === 'image' ? 'img' : name;
    if (this.#isIgnored(known)) return;
    this.#closeImplied(known);
    if (content !== null) this.#startWithContent(known, attributes, content);
    else this.#startPlain(known, attributes, selfClosing);
  }

  end(name: string): void {
    this.#dropsLineFeed = false;
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    if (this.#foreignFrom.length > 0 && this.#endForeign(name)) return;
    if (name === 'br') this.start('br', [], false, null);
    else if (FORMATTING.has(name)) this.#endFormatting(name);
    else if (HEADINGS.has(name)) this.#endHeading();
    else if (name === 'li') this.#endInScope(name, LIST_SCOPE);
    else if (name === 'p') this.#endParagraph();
    else if (BLOCK_ENDS.has(name) || name === 'dd' || name === 'dt') this.#endInScope(name, SCOPE);
    else if (name === 'table' || TABLE_PARTS.has(name)) this.#endInScope(name, TABLE_SCOPE);
    else if (name === 'template') this.#endInScope(name, NO_WALLS);
    else if (name === 'body' || name === 'html') return;
    else this.#endOther(name);
  }

  #startPlain(name: string, attributes: readonly string[], selfClosing: boolean): void {
    const isInline = !ENDS_PARAGRAPH.has(name) && !TABLE_PARTS.has(name) && !HEAD_CONTENT.has(name);
    if (isInline && name !== 'html' && name !== 'head' && name !== 'body') this.#reopenFormatting();
    const element = new Element(name, attributes);
    if (VOID.has(name)) {
      this.#current.append(element);
      return;
    }
    if (!this.#push(element)) return;
    if (FORMATTING.has(name)) this.#formatting.add(element);
    if (MARKERS.has(name)) this.#formatting.addMarker();
    if (name === 'svg' || name === 'math') {
      if (selfClosing) this.#pop();
      else this.#foreignFrom.push(this.#open.length - 1);
    }
    this.#dropsLineFeed = name === 'pre' || name === 'listing';
  }

  #startWithContent(name: string, attributes: readonly string[], content: string): void {
    const element = new Element(name, attributes);
    const isTex = name === 'script' && (element.attribute('type') ?? '').startsWith('math/tex');
    if (DROPPED.has(name) && !isTex) return;
    if (name !== 'title') this.#reopenFormatting();
    const text = name === 'textarea' && content.startsWith('\n') ? content.slice(1) : content;
    if (text !== '') element.append(text);
    this.#current.append(element);
  }

  /** False where the tree is deep enough. A template is open but hangs on nothing, and is forgotten when it closes. */
  #push(element: Element): boolean {
    if (this.#open.length >= MAX_DEPTH) {
      this.#tooDeep++;
      return false;
    }
    if (!DROPPED.has(element.name)) this.#current.append(element);
    this.#open.push(element);
    if (element.name === 'p') this.#openParagraphs++;
    return true;
  }

  #pop(): Element {
    const element = this.#open.pop()!;
    if (element.name === 'p') this.#openParagraphs--;
    while ((this.#foreignFrom.at(-1) ?? 0) >= this.#open.length) this.#foreignFrom.pop();
    if (MARKERS.has(element.name)) this.#formatting.clearToMarker();
    return element;
  }

  #popTo(name: string): void {
    while (this.#open.length > 1 && this.#pop().name !== name);
  }

  #appendText(text: string): void {
    const { children } = this.#current;
    const last = children.length - 1;
    if (typeof children[last] === 'string') children[last] += text;
    else children.push(text);
  }

  // What a start tag closes.

  #isIgnored(name: string): boolean {
    if (name === 'html' || name === 'head') return this.#isOpen(name) || this.#isOpen('body');
    if (name === 'body') return this.#isOpen('body');
    if (name === 'form') return this.#isOpen('form');
    if (name === 'frameset') return true;
    return TABLE_PARTS.has(name) && !this.#isOpen('table');
  }

  #isOpen(name: string): boolean {
    return this.#open.some((element) => element.name === name);
  }

  #closeImplied(name: string): void {
    if (this.#current.name === 'head' && !HEAD_CONTENT.has(name)) this.#popTo('head');
    if (name === 'li') this.#closeItem('li', 'li');
    else if (name === 'dd' || name === 'dt') this.#closeItem('dd', 'dt');
    else if (TABLE_PARTS.has(name)) this.#enterTablePart(name);
    else if (name === 'a' && this.#formatting.find('a') !== null) this.#closeLink();
    else if (name === 'option' || name === 'optgroup') this.#closeOption(name);
    else if (name === 'button') this.#endInScope('button', SCOPE);
    else if (name === 'rt' || name === 'rp') this.#closeRuby();
    else if (name === 'table') this.#closeTable();
    if (this.#openParagraphs > 0 && ENDS_PARAGRAPH.has(name)) this.#endInScope('p', BUTTON_SCOPE);
    if (HEADINGS.has(name) && HEADINGS.has(this.#current.name)) this.#pop();
  }

  #closeItem(one: string, other: string): void {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const { name } = this.#open[i]!;
      if (name === one || name === other) {
        this.#popDownTo(i);
        return;
      }
      if (SPECIAL.has(name) && name !== 'address' && name !== 'div' && name !== 'p') return;
    }
  }

  /** Closes what is open from a place in the stack on. */
  #popDownTo(length: number): void {
    while (this.#open.length > length) this.#pop();
  }

  #enterTablePart(name: string): void {
    const table = this.#lastOpen('table');
    let wall = table + 1;
    if (name === 'td' || name === 'th' || name === 'tr') {
      if (ROW_GROUPS.has(this.#open[wall]?.name ?? '')) wall++;
    }
    const isCell = name === 'td' || name === 'th';
    if (isCell && this.#open[wall]?.name === 'tr') wall++;
    this.#popDownTo(wall);
    if (isCell && this.#current.name !== 'tr') this.#push(new Element('tr', []));
  }

  /** A table that begins in another, but in none of its cells, ends that. */
  #closeTable(): void {
    const table = this.#lastOpen('table');
    const inCell = this.#open.findLastIndex(({ name }) => name === 'td' || name === 'th' || name === 'caption') > table;
    if (table !== -1 && !inCell) this.#popDownTo(table);
  }

  #lastOpen(name: string): number {
    return this.#open.findLastIndex((element) => element.name === name);
  }

  #closeLink(): void {
    const link = this.#formatting.find('a')!;
    this.#endFormatting('a');
    this.#formatting.remove(link);
    const at = this.#open.indexOf(link);
    if (at !== -1) this.#open.splice(at, 1);
  }

  #closeOption(name: string): void {
    if (this.#current.name === 'option') this.#pop();
    if (name === 'optgroup' && this.#current.name === 'optgroup') this.#pop();
  }

  #closeRuby(): void {
    if (this.#current.name === 'rt' || this.#current.name === 'rp') this.#pop();
  }

  // What an end tag closes.

  #placeInScope(name: string, walls: ReadonlySet<string>): number {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const open = this.#open[i]!.name;
      if (open === name) return i;
      if (walls.has(open)) return -1;
    }
    return -1;
  }

  #endInScope(name: string, walls: ReadonlySet<string>): void {
    const at = this.#placeInScope(name, walls);
    if (at !== -1) this.#popDownTo(at);
  }

  #endParagraph(): void {
    if (this.#placeInScope('p', BUTTON_SCOPE) === -1) this.start('p', [], false, null);
    this.#endInScope('p', BUTTON_SCOPE);
  }

  #endHeading(): void {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const { name } = this.#open[i]!;
      if (HEADINGS.has(name)) this.#popDownTo(i);
      if (SCOPE.has(name) || HEADINGS.has(name)) return;
    }
  }

  #endOther(name: string): void {
    for (let i = this.#open.length - 1; i > 0; i--) {
      const open = this.#open[i]!.name;
      if (open === name) {
        this.#popDownTo(i);
        return;
      }
      if (SPECIAL.has(open)) return;
    }
  }

  // SVG and MathML.

  #startForeign(name: string, attributes: readonly string[], selfClosing: boolean): void {
    const element = new Element(name, attributes);
    if (!this.#push(element)) return;
    if (selfClosing) this.#pop();
    else if (INTEGRATION_POINTS.has(name)) this.#foreignFrom.push(this.#open.length - 1);
  }

  #leaveForeign(): void {
    this.#popDownTo(this.#foreignFrom.at(-1)!);
  }

  /** Whether the end tag was one of SVG or MathML. */
  #endForeign(name: string): boolean {
    const from = this.#foreignFrom.at(-1)!;
    const wall = this.isForeign ? from : Math.max(from, this.#open.length - 1);
    for (let i = this.#open.length - 1; i >= wall; i--) {
      if (this.#open[i]!.name !== name) continue;
      this.#popDownTo(i);
      return true;
    }
    return false;
  }

  // Formatting that is not closed where its block ends, or is closed in the wrong order.

  #reopenFormatting(): void {
    const { entries } = this.#formatting;
    let from = entries.length;
    while (from > 0 && entries[from - 1] !== null && this.#open.lastIndexOf(entries[from - 1]!) === -1) from--;
    for (let i = from; i < entries.length; i++) {
      const copy = copyOf(entries[i]!);
      if (!this.#push(copy)) {
        this.#tooDeep = 0;
        return;
      }
      this.#formatting.replace(i, copy);
    }
  }

  /** The adoption agency of HTML5: `<b>1<p>2</b>3</p>` is bold up to 2. */
  #endFormatting(name: string): void {
    if (this.#current.name === name && this.#formatting.indexOf(this.#current) === -1) {
      this.#pop();
      return;
    }
    for (let round = 0; round < 8; round++) {
      const formatting = this.#formatting.find(name);
      if (formatting === null) {
        this.#endOther(name);
        return;
      }
      const at = this.#open.lastIndexOf(formatting);
      if (at === -1) {
        this.#formatting.remove(formatting);
        return;
      }
      if (this.#placeInScope(name, SCOPE) === -1) return;
      const block = this.#open.findIndex((element, i) => i > at && SPECIAL.has(element.name));
      if (block === -1) {
        this.#popDownTo(at);
        this.#formatting.remove(formatting);
        return;
      }
      this.#adopt(formatting, at, block);
    }
  }

  #adopt(formatting: Element, at: number, blockAt: number): void {
    const block = this.#open[blockAt]!;
    let bookmark = this.#formatting.indexOf(formatting);
    let last = block;
    for (let i = blockAt - 1, inner = 1; i > at; i--, inner++) {
      const node = this.#open[i]!;
      const place = this.#formatting.indexOf(node);
      if (inner > 3 && place !== -1) this.#formatting.remove(node);
      if (place === -1 || inner > 3) {
        this.#open.splice(i, 1);
        if (place !== -1 && place < bookmark) bookmark--;
        continue;
      }
      const copy = copyOf(node);
      this.#formatting.replace(place, copy);
      this.#open[i] = copy;
      if (last === block) bookmark = place + 1;
      move(last, copy);
      last = copy;
    }
    move(last, this.#open[at - 1]!);
    const copy = copyOf(formatting);
    for (const child of block.children.splice(0)) copy.append(child);
    block.append(copy);
    const old = this.#formatting.indexOf(formatting);
    this.#formatting.remove(formatting);
    this.#formatting.insert(old < bookmark ? bookmark - 1 : bookmark, copy);
    this.#open.splice(this.#open.indexOf(formatting), 1);
    this.#open.splice(this.#open.indexOf(block) + 1, 0, copy);
  }
}

const copyOf = (element: Element): Element => new Element(element.name, element.attributes);

function move(element: Element, to: Element): void {
  const from = element.parent;
  if (from !== null) from.children.splice(from.children.lastIndexOf(element), 1);
  to.append(element);
}

function breaksOut(name: string, attributes: readonly string[]): boolean {
  if (BREAKS_OUT_OF_FOREIGN.has(name)) return true;
  return name === 'font' && attributes.some((each, i) => i % 2 === 0 && /^(?:color|face|size)$/.test(each));
}
