import type { Child } from '../element.js';
import { findFootnotes } from './footnotes.js';
import { baseOf, LinkMaker, type LinkOptions } from './links.js';
import { type Block, type Inline, plainText } from './model.js';
import { blockReader } from './read-blocks.js';
import { survey } from './survey.js';
import { type WrittenHeading, writeBlocks } from './write-blocks.js';

export interface MarkdownOptions extends LinkOptions {
  /** Ids of the page that others link to, beside those that its own links lead to. */
  readonly linkedIds?: ReadonlySet<string>;
}

export interface Markdown {
  readonly markdown: string;
  /** The words alone. */
  readonly text: string;
  readonly headings: readonly WrittenHeading[];
}

/** Parts of a page as CommonMark with the extensions of GitHub. */
export function toMarkdown(nodes: readonly Child[], options: MarkdownOptions): Markdown {
  const known = survey(nodes, options.pageUrl, baseOf(options));
  const footnotes = findFootnotes(known.noteReferences, known.byId);
  const linkedIds = [...known.linkedIds, ...(options.linkedIds ?? [])];
  const reader = blockReader({
    survey: known,
    footnotes,
    links: new LinkMaker(options, known.byId),
    wantedIds: new Set(linkedIds.filter((id) => !footnotes.ids.has(id))),
  });
  const blocks = reader.read(nodes);
  for (const { label, content } of footnotes.notes) {
    reader.nest(content, (children): Block => ({ type: 'footnote', label, children }), blocks);
  }
  reader.addAnchors(blocks);
  return { ...writeBlocks(blocks), text: writeText(blocks) };
}

/** The words of a page and nothing else, for counting and searching. */
function writeText(blocks: readonly Block[]): string {
  const lines: string[] = [];
  addBlocks(blocks, lines);
  return lines.join('\n').trim();
}

function addBlocks(blocks: readonly Block[], lines: string[]): void {
  for (const block of blocks) {
    addBlock(block, lines);
    if (lines.length > 0 && lines.at(-1) !== '') {
      lines.push('');
    }
  }
}

const textOfLine = (content: readonly Inline[]): string => plainText(content).trim();

function addBlock(block: Block, lines: string[]): void {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      lines.push(textOfLine(block.content));
      return;
    case 'code':
      lines.push(block.text);
      return;
    case 'math':
      lines.push(block.tex);
      return;
    case 'rule':
      return;
    case 'table':
      for (const row of [block.head, ...block.rows]) {
        const line = row
          .map(textOfLine)
          .filter((cell) => cell !== '')
          .join('\t');
        if (line !== '') {
          lines.push(line);
        }
      }
      return;
    case 'list':
      for (const { children } of block.items) {
        addItem(children, lines);
      }
      return;
    case 'details':
      lines.push(textOfLine(block.summary), '');
      addBlocks(block.children, lines);
      return;
    case 'quote':
    case 'footnote':
      addBlocks(block.children, lines);
  }
}

/** Items of one line stay together. */
function addItem(children: readonly Block[], lines: string[]): void {
  const [only] = children;
  if (children.length === 1 && only?.type === 'paragraph') {
    lines.push(textOfLine(only.content));
  } else {
    addBlocks(children, lines);
  }
}
