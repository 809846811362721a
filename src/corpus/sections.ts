import { type Block, readBlocks } from './markdown-blocks.js';

/** A heading with what stands below it. The root has no heading of its own. */
export interface Section {
  level: number;
  title: string;
  /** The heading itself, if there is one, and what stands before the first heading below it. */
  blocks: Block[];
  children: Section[];
}

/** Each chunk below a heading names it: one as long as the page must not make a corpus of many times its size. */
const LONGEST_TITLE = 300;

/** A page as a tree of its headings; a level that is left out is no section. */
export function readSections(markdown: string): Section {
  const root: Section = { level: 0, title: '', blocks: [], children: [] };
  const open = [root];
  for (const block of readBlocks(markdown)) {
    if (block.kind === 'heading') {
      while (open.at(-1)!.level >= block.level) open.pop();
      const section: Section = { level: block.level, title: shortened(block.title), blocks: [], children: [] };
      open.at(-1)!.children.push(section);
      open.push(section);
    }
    open.at(-1)!.blocks.push(block);
  }
  return root;
}

/** All blocks of a section and of those below it, in their order. */
export function allBlocks({ blocks, children }: Section): Block[] {
  return [...blocks, ...children.flatMap(allBlocks)];
}

/** Not cut within a character. */
const shortened = (title: string): string =>
  title.length <= LONGEST_TITLE ? title : title.slice(0, LONGEST_TITLE).replace(/[\ud800-\udbff]$/, '');
