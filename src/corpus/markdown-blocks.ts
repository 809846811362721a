import { BlockReader } from '../parse/markdown/blocks.js';
import { MarkdownSource } from '../parse/markdown/source.js';

/** A run of lines of a Markdown text that belong together. */
export interface Block {
  kind: 'heading' | 'code' | 'table' | 'text';
  lines: string[];
  /** Of a heading, 1…6; else 0. */
  level: number;
  /** Of a heading, without its signs; else empty. */
  title: string;
  /** Blank lines before it. */
  gap: number;
}

/** The blocks of a text in their order; all of its lines but the blank ones between blocks are in them. */
export function readBlocks(markdown: string): Block[] {
  const source = new MarkdownSource(markdown);
  const lines = Array.from({ length: source.lineCount }, (_, i) => {
    const { start, end } = source.line(i);
    return markdown.slice(start, end);
  });
  const blocks: Block[] = [];
  let at = 0;
  let gap = 0;
  const addText = (end: number): void => {
    while (at < end) {
      const first = at;
      while (at < end && lines[at]!.trim() !== '') {
        at++;
      }
      if (at > first) {
        blocks.push({ kind: 'text', lines: lines.slice(first, at), level: 0, title: '', gap });
        gap = 0;
      } else {
        gap++;
        at++;
      }
    }
  };
  for (const { kind, first, last, level, title } of new BlockReader(source).lineBlocks) {
    addText(first);
    blocks.push({ kind, lines: lines.slice(first, last + 1), level, title, gap });
    gap = 0;
    at = last + 1;
  }
  addText(lines.length);
  return blocks;
}
