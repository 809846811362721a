import { Slugger } from '../../base/slug.js';
import { escapeHtml } from './escape.js';
import {
  type Block,
  type Code,
  type Heading,
  type Inline,
  type Item,
  type List,
  plainText,
  type Table,
} from './model.js';
import { writeInline } from './write-inline.js';

export interface WrittenHeading {
  readonly level: number;
  readonly text: string;
  /** What links name it by: its own id, or the one that Markdown viewers make of its text. */
  readonly id: string;
  /** Where its line begins in the Markdown. */
  readonly offset: number;
}

/** Lines, each with what it stands in before it: `> ` of quotes, the indent of items. */
class Lines {
  readonly #lines: string[] = [];
  #prefix = '';
  /** Before the next line instead: the marker of an item stands where the indent of its other lines is. */
  #first: string | null = null;
  length = 0;

  add(text: string): void {
    const line = ((this.#first ?? this.#prefix) + text).trimEnd();
    this.#first = null;
    this.#lines.push(line);
    this.length += line.length + 1;
  }

  /** Writes a line whose trailing blanks matter. */
  addExactly(text: string): void {
    if (text === '') {
      this.add('');
    } else {
      const line = (this.#first ?? this.#prefix) + text;
      this.#first = null;
      this.#lines.push(line);
      this.length += line.length + 1;
    }
  }

  get isAtMarker(): boolean {
    return this.#first !== null;
  }

  within(first: string, rest: string, write: () => void): void {
    const outer = this.#prefix;
    this.#first = (this.#first ?? outer) + first;
    this.#prefix = outer + rest;
    write();
    if (this.#first !== null) {
      this.add('');
    }
    this.#prefix = outer;
  }

  join(): string {
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`;
  }
}

export function writeBlocks(blocks: readonly Block[]): { markdown: string; headings: WrittenHeading[] } {
  const writer = new BlockWriter();
  writer.write(blocks);
  return { markdown: writer.lines.join(), headings: writer.headings };
}

const ALIGNMENT = { left: ':---', center: ':---:', right: '---:', none: '---' } as const;

class BlockWriter {
  readonly lines = new Lines();
  readonly headings: WrittenHeading[] = [];
  readonly #slugger = new Slugger();

  /** Blocks with an empty line between them, or none in a list that has no room between its items. */
  write(blocks: readonly Block[], isTight = false): void {
    let previous: Block | null = null;
    let otherMarker = false;
    for (const block of blocks) {
      if (previous !== null && !isTight) {
        this.lines.add('');
      }
      // Two lists of a kind in a row need different markers; otherwise they would be read as one list.
      otherMarker = block.type === 'list' && isSameKind(previous, block) && !otherMarker;
      this.#write(block, otherMarker);
      previous = block;
    }
  }

  #write(block: Block, otherMarker: boolean): void {
    switch (block.type) {
      case 'paragraph':
        this.#addText(writeInline(block.content, 'paragraph'));
        return;
      case 'heading':
        this.#writeHeading(block);
        return;
      case 'code':
        this.#writeCode(block);
        return;
      case 'math':
        this.#addText(`$$\n${block.tex.replace(/\n\s*\n/g, '\n')}\n$$`);
        return;
      case 'rule':
        this.lines.add(this.lines.isAtMarker ? '___' : '---');
        return;
      case 'quote':
        this.lines.within('> ', '> ', () => {
          if (block.alert !== null) {
            this.lines.add(`[!${block.alert}]`);
          }
          this.write(block.children);
        });
        return;
      case 'list':
        this.#writeList(block, otherMarker);
        return;
      case 'table':
        this.#writeTable(block);
        return;
      case 'details':
        this.#writeDetails(block.summary, block.children);
        return;
      case 'footnote':
        this.lines.within(`[^${block.label}]: `, '    ', () => this.write(block.children));
    }
  }

  #addText(text: string): void {
    for (const line of text.split('\n')) {
      this.lines.add(line);
    }
  }

  #writeHeading({ level, content, ids }: Heading): void {
    const text = plainText(content);
    const slug = this.#slugger.idOf(text);
    const anchors: Inline[] = ids.filter((id) => id !== slug).map((id) => ({ type: 'anchor', id }));
    this.headings.push({
      level,
      text,
      id: ids.length === 0 || ids.includes(slug) ? slug : ids[0]!,
      offset: this.lines.length,
    });
    this.lines.add(`${'#'.repeat(level)} ${writeInline([...anchors, ...content], 'heading')}`);
  }

  #writeCode({ language, text }: Code): void {
    let longest = 2;
    for (const [run] of text.matchAll(/`{3,}/g)) {
      longest = Math.max(longest, run.length);
    }
    const fence = '`'.repeat(longest + 1);
    this.lines.add(fence + language);
    for (const line of text.split('\n')) {
      this.lines.addExactly(line);
    }
    this.lines.add(fence);
  }

  #writeList(list: List, otherMarker: boolean): void {
    const isTight = list.items.every(isTightItem);
    for (const [i, item] of list.items.entries()) {
      if (i > 0 && !isTight) {
        this.lines.add('');
      }
      const marker = list.start === null ? (otherMarker ? '*' : '-') : `${list.start + i}${otherMarker ? ')' : '.'}`;
      const box = item.checked === null ? '' : item.checked ? '[x] ' : '[ ] ';
      this.lines.within(`${marker} ${box}`, ' '.repeat(marker.length + 1), () => this.write(item.children, isTight));
    }
  }

  #writeTable({ alignments, head, rows }: Table): void {
    const row = (cells: readonly Inline[][]): string => {
      const texts = cells.map((cell) => writeInline(cell, 'cell'));
      return `| ${texts.join(' | ')} |`;
    };
    this.lines.add(row(head));
    this.lines.add(`| ${alignments.map((each) => ALIGNMENT[each ?? 'none']).join(' | ')} |`);
    for (const cells of rows) {
      this.lines.add(row(cells.slice(0, 1 + Math.max(0, cells.findLastIndex(isFilled)))));
    }
  }

  #writeDetails(summary: readonly Inline[], children: readonly Block[]): void {
    this.lines.add('<details>');
    this.lines.add(`<summary>${escapeHtml(plainText(summary))}</summary>`);
    this.lines.add('');
    this.write(children);
    this.lines.add('');
    this.lines.add('</details>');
  }
}

/** Empty cells at the end of a row need not be written. */
const isFilled = (cell: readonly Inline[]): boolean => cell.length > 0;

function isSameKind(previous: Block | null, list: List): boolean {
  return previous?.type === 'list' && (previous.start === null) === (list.start === null);
}

/** One paragraph at most, and then lists that may follow one without an empty line. */
function isTightItem({ children }: Item): boolean {
  return children.every((block, i) => {
    if (block.type === 'paragraph') {
      return i === 0;
    }
    if (block.type !== 'list') {
      return i === 0 && children.length === 1;
    }
    if (i > 1 || !block.items.every(isTightItem)) {
      return false;
    }
    return i === 0 || ((block.start === null || block.start === 1) && block.items[0]!.children.length > 0);
  });
}
