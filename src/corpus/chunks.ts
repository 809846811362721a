import { createHash } from 'node:crypto';
import { type Count, type Part, partsOf } from './chunk-parts.js';
import { type Block, readBlocks } from './markdown-blocks.js';

/** A piece of a page, as a line of chunks.jsonl. */
export interface Chunk {
  /** A UUID made of URL, headings and text: the same in every run in which these are the same. */
  id: string;
  url: string;
  title: string;
  /** From the outermost to the one that the text stands under. */
  headings: string[];
  text: string;
  tokens: number;
  /** SHA-256 of the text. */
  hash: string;
  /** From 0, in the page. */
  position: number;
}

/** With fewer there would be no room for fences and heads of tables. */
export const FEWEST_CHUNK_TOKENS = 64;

/**
 * Cuts a page by its headings: a section with all that is below it is one chunk where it fits, else its own text and each section below are
 * cut apart. Code and tables are cut only where they alone are too large, at lines, each part with the fences or the head of the table.
 */
export function chunkPage(
  page: { url: string; title: string; markdown: string },
  limit: number,
  count: Count,
): Chunk[] {
  const cutter = new Cutter(limit, count);
  cutter.cut(readSections(page.markdown), [], []);
  const seen = new Map<string, number>();
  return cutter.pieces.map(({ headings, text, tokens }, position) => {
    const content = JSON.stringify([page.url, headings, text]);
    const copies = seen.get(content) ?? 0;
    seen.set(content, copies + 1);
    const id = uuidOf(copies === 0 ? content : `${content}${copies}`);
    return { id, url: page.url, title: page.title, headings, text, tokens, hash: sha256(text), position };
  });
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Version 8: by an algorithm of one's own. Vector databases take UUIDs as ids, and some nothing else. */
function uuidOf(text: string): string {
  const hex = sha256(text);
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

class Cutter {
  readonly pieces: { headings: string[]; text: string; tokens: number }[] = [];
  readonly #limit: number;
  readonly #count: Count;
  readonly #counted = new Map<Block, number>();

  constructor(limit: number, count: Count) {
    this.#limit = limit;
    this.#count = count;
  }

  /** @param carried headings in front of the section that have no text of their own */
  cut(section: Section, above: readonly string[], carried: readonly Block[]): void {
    const headings = section.title === '' ? [...above] : [...above, section.title];
    const all = [...carried, ...allBlocks(section)];
    if (all.length === 0 || this.#takeWhole(headings, all)) {
      return;
    }
    const own = [...carried, ...section.blocks];
    const isOnlyHeadings = section.children.length > 0 && own.every(({ kind }) => kind === 'heading');
    if (!isOnlyHeadings) {
      this.#pack(headings, own);
    }
    section.children.forEach((child, i) => {
      this.cut(child, headings, i === 0 && isOnlyHeadings ? own : []);
    });
  }

  #takeWhole(headings: string[], blocks: readonly Block[]): boolean {
    const sum = blocks.reduce((total, block) => total + this.#tokensOf(block) + 1, 0);
    if (sum > this.#limit) {
      return false;
    }
    const text = joined(blocks.map(({ lines, gap }) => ({ text: lines.join('\n'), gap })));
    const tokens = this.#count(text);
    if (tokens > this.#limit) {
      return false;
    }
    this.pieces.push({ headings, text, tokens });
    return true;
  }

  #tokensOf(block: Block): number {
    let tokens = this.#counted.get(block);
    if (tokens === undefined) {
      tokens = this.#count(block.lines.join('\n'));
      this.#counted.set(block, tokens);
    }
    return tokens;
  }

  #pack(headings: string[], blocks: readonly Block[]): void {
    let group: Part[] = [];
    let tokens = 0;
    for (const block of blocks) {
      // A section that is cut anyway leaves room for its heading.
      const lead = group.every(({ isHeading }) => isHeading) && tokens <= this.#limit / 4 ? tokens : 0;
      const blockTokens = this.#tokensOf(block);
      const room = blockTokens > this.#limit ? this.#limit - lead : this.#limit;
      for (const part of partsOf(block, blockTokens, room, this.#count)) {
        if (group.length > 0 && (part.continues || tokens + part.tokens + 1 > this.#limit)) {
          this.#emit(headings, group);
          group = [];
          tokens = 0;
        }
        group.push(part);
        tokens += part.tokens + 1;
      }
    }
    if (group.length > 0) {
      this.#emit(headings, group);
    }
  }

  /** The tokens are counted again for the whole text: the sum of its parts is only nearly that. */
  #emit(headings: string[], parts: readonly Part[]): void {
    const text = joined(parts);
    const tokens = parts.length === 1 ? parts[0]!.tokens : this.#count(text);
    if (parts.length > 1 && tokens > this.#limit) {
      this.#emit(headings, parts.slice(0, -1));
      this.#emit(headings, parts.slice(-1));
    } else {
      this.pieces.push({ headings, text, tokens });
    }
  }
}

/** Joins blocks as they stood, with at most one blank line between them. */
function joined(parts: readonly { text: string; gap: number }[]): string {
  return parts.map(({ text, gap }, i) => (i === 0 ? text : `${gap > 0 ? '\n\n' : '\n'}${text}`)).join('');
}

/** A heading with what stands below it. The root has no heading of its own. */
interface Section {
  level: number;
  title: string;
  /** The heading itself, if there is one, and what stands before the first heading below it. */
  blocks: Block[];
  children: Section[];
}

/** Each chunk below a heading names it, so a heading as long as a page must not multiply the size of a corpus. */
const LONGEST_TITLE = 300;

/** Reads a page as a tree of its headings; a level that is skipped makes no section. */
function readSections(markdown: string): Section {
  const root: Section = { level: 0, title: '', blocks: [], children: [] };
  const open = [root];
  for (const block of readBlocks(markdown)) {
    if (block.kind === 'heading') {
      while (open.at(-1)!.level >= block.level) {
        open.pop();
      }
      const section: Section = { level: block.level, title: shortened(block.title), blocks: [], children: [] };
      open.at(-1)!.children.push(section);
      open.push(section);
    }
    open.at(-1)!.blocks.push(block);
  }
  return root;
}

/** All blocks of a section and of those below it, in their order. */
function allBlocks({ blocks, children }: Section): Block[] {
  return [...blocks, ...children.flatMap(allBlocks)];
}

/** Not cut within a character. */
const shortened = (title: string): string =>
  title.length <= LONGEST_TITLE ? title : title.slice(0, LONGEST_TITLE).replace(/[\ud800-\udbff]$/, '');
