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

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const CLOSING_SIGNS = /(?:^|[ \t])#+[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** A fence may stand in a quote or an item of a list. */
const FENCE = /^((?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})(.*)$/;
const DELIMITER_ROW = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;
const INDENTED = /^(?: {4}|\t)/;
const LIST_ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/;

/** The blocks of a text in their order; all of its lines but the blank ones between blocks are in them. */
export function readBlocks(markdown: string): Block[] {
  const lines = markdown.split(/\r\n?|\n/);
  const blocks: Block[] = [];
  let gap = 0;
  let isInListBefore = false;
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at]!)) {
      gap++;
      at++;
      continue;
    }
    const isInList = inList(lines[at]!, isInListBefore);
    const block = blockAt(lines, at, gap, isInList);
    blocks.push(block);
    isInListBefore = isInList || LIST_ITEM.test(block.lines[0]!);
    at += block.lines.length;
    gap = 0;
  }
  return blocks;
}

/** What is indented below an item belongs to it; anywhere else it is code. */
const inList = (line: string, before: boolean): boolean => before && /^[ \t]/.test(line);

function blockAt(lines: readonly string[], at: number, gap: number, isInList: boolean): Block {
  const heading = headingAt(lines[at]!);
  if (heading !== null) return { kind: 'heading', lines: [lines[at]!], gap, ...heading };
  const fenced = fenceLength(lines, at);
  if (fenced > 0) return plain('code', lines.slice(at, at + fenced), gap);
  const rows = tableLength(lines, at);
  if (rows > 0) return plain('table', lines.slice(at, at + rows), gap);
  if (!isInList && INDENTED.test(lines[at]!)) return plain('code', lines.slice(at, indentedEnd(lines, at)), gap);
  return textAt(lines, at, gap);
}

function indentedEnd(lines: readonly string[], at: number): number {
  let end = at + 1;
  for (let i = end; i < lines.length && (isBlank(lines[i]!) || INDENTED.test(lines[i]!)); i++) {
    if (!isBlank(lines[i]!)) end = i + 1;
  }
  return end;
}

function textAt(lines: readonly string[], at: number, gap: number): Block {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]!)) {
    const [, underline] = UNDERLINE.exec(lines[end]!) ?? [];
    if (underline !== undefined && isParagraph(lines, at, end)) {
      const text = lines.slice(at, end + 1);
      const title = text.slice(0, -1).join(' ').trim();
      return { kind: 'heading', lines: text, gap, level: underline[0] === '=' ? 1 : 2, title };
    }
    if (headingAt(lines[end]!) !== null || FENCE.test(lines[end]!) || tableLength(lines, end) > 0) break;
    end++;
  }
  return plain('text', lines.slice(at, end), gap);
}

const plain = (kind: Block['kind'], lines: string[], gap: number): Block => ({ kind, lines, level: 0, title: '', gap });

const isBlank = (line: string): boolean => line.trim() === '';

function headingAt(line: string): { level: number; title: string } | null {
  const [, signs, text] = ATX.exec(line) ?? [];
  return signs === undefined ? null : { level: signs.length, title: (text ?? '').replace(CLOSING_SIGNS, '').trim() };
}

/** What an underline makes a heading of: a few lines of text, none of them in a list, a quote, a table or code. */
function isParagraph(lines: readonly string[], at: number, end: number): boolean {
  return end - at <= 3 && !/^(?: {4}|\t| {0,3}(?:[-*+>|<]|\d{1,9}[.)]))/.test(lines[at]!);
}

/** Lines of the code that begins here, its fences included; 0 where none does. Without an end it goes to where its quote or list ends. */
function fenceLength(lines: readonly string[], at: number): number {
  const [, prefix = '', fence, info = ''] = FENCE.exec(lines[at]!) ?? [];
  if (fence === undefined || (fence[0] === '`' && info.includes('`'))) return 0;
  const quotes = prefix.replace(/[^>]/g, '').length;
  const indent = quotes === 0 ? prefix.length : 0;
  for (let end = at + 1; end < lines.length; end++) {
    const line = lines[end]!;
    if (quotes > 0 && (/^[ >]*/.exec(line)![0].match(/>/g) ?? []).length < quotes) return end - at;
    // Up to three blanks belong to no list.
    if (indent > 3 && !isBlank(line) && /^[ \t]*/.exec(line)![0].length < Math.min(indent, 2)) return end - at;
    const rest = line.replace(/^[ \t>]*/, '').trimEnd();
    if (rest.length >= fence.length && rest === fence[0]!.repeat(rest.length)) return end - at + 1;
  }
  return lines.length - at;
}

/** Lines of the table that begins here, head and delimiter row included; 0 where none does. */
function tableLength(lines: readonly string[], at: number): number {
  const delimiters = lines[at + 1];
  if (!lines[at]!.includes('|') || delimiters === undefined || !delimiters.includes('-')) return 0;
  if (!DELIMITER_ROW.test(withoutPrefix(delimiters)) || cells(lines[at]!) !== cells(delimiters)) return 0;
  let end = at + 2;
  while (end < lines.length && lines[end]!.includes('|')) end++;
  return end - at;
}

function cells(row: string): number {
  const text = withoutPrefix(row)
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return text.split(/(?<!\\)\|/).length;
}

const withoutPrefix = (line: string): string => line.replace(/^[ \t>]+/, '').trimEnd();
