import { type Block, type Inline, plainText } from './model.js';

/** The words of a page and nothing else, for counting and searching. */
export function writeText(blocks: readonly Block[]): string {
  const lines: string[] = [];
  addBlocks(blocks, lines);
  return lines.join('\n').trim();
}

function addBlocks(blocks: readonly Block[], lines: string[]): void {
  for (const block of blocks) {
    addBlock(block, lines);
    if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
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
        if (line !== '') lines.push(line);
      }
      return;
    case 'list':
      for (const { children } of block.items) addItem(children, lines);
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
  if (children.length === 1 && only?.type === 'paragraph') lines.push(textOfLine(only.content));
  else addBlocks(children, lines);
}
