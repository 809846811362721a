import type { Block, Inline, List, Table } from './model.js';

const BREAK: Inline = { type: 'break' };

/** Blocks as one line, parted by line breaks; null if they cannot be: a code block of many lines, a large table. */
export function fold(blocks: readonly Block[]): Inline[] | null {
  const lines: Inline[][] = [];
  for (const block of blocks) {
    const folded = foldBlock(block);
    if (folded === null) {
      return null;
    }
    for (const line of folded) {
      if (line.length > 0) {
        lines.push(line);
      }
    }
  }
  return lines.flatMap((line, i) => (i === 0 ? line : [BREAK, ...line]));
}

function foldBlock(block: Block): Inline[][] | null {
  switch (block.type) {
    case 'paragraph':
      return [block.content];
    case 'heading':
      return [
        [...block.ids.map((id): Inline => ({ type: 'anchor', id })), { type: 'strong', children: block.content }],
      ];
    case 'code':
      return block.text.includes('\n') ? null : [[{ type: 'code', text: block.text.trim() }]];
    case 'math':
      return [[{ type: 'math', tex: block.tex }]];
    case 'list':
      return foldList(block);
    case 'quote':
      return block.alert === null ? asLines(fold(block.children)) : foldAlert(block.alert, block.children);
    case 'rule':
      return [];
    case 'details':
      return asLines(fold([{ type: 'paragraph', content: block.summary }, ...block.children]));
    case 'table':
      return foldTable(block);
    case 'footnote':
      return null;
  }
}

const asLines = (line: Inline[] | null): Inline[][] | null => (line === null ? null : [line]);

function foldList({ start, items }: List): Inline[][] | null {
  const lines: Inline[][] = [];
  for (const [i, item] of items.entries()) {
    const line = fold(item.children);
    if (line === null) {
      return null;
    }
    const mark = item.checked === null ? '' : item.checked ? '☑ ' : '☐ ';
    lines.push([`${start === null ? '•' : `${start + i}.`} ${mark}`, ...line]);
  }
  return lines;
}

const LARGEST_FOLDED_TABLE = 12;

/** A small table in a cell of another one: a line for each row. */
function foldTable({ head, rows }: Table): Inline[][] | null {
  if (rows.length * head.length > LARGEST_FOLDED_TABLE) {
    return null;
  }
  return [head, ...rows].map((row) =>
    row.filter((cell) => cell.length > 0).flatMap((cell, i): Inline[] => (i === 0 ? cell : [' ', ...cell])),
  );
}

function foldAlert(alert: string, children: readonly Block[]): Inline[][] | null {
  const line = fold(children);
  if (line === null) {
    return null;
  }
  const word = alert[0] + alert.slice(1).toLowerCase();
  return [[{ type: 'strong', children: [`${word}:`] }, ' ', ...line]];
}
