import type { Span } from './source.js';

/** The rows of a table are texts of their own, cell by cell: null where the lines hold none, else the place of its head. */
export function tableHead(source: string, lines: readonly Span[]): number | null {
  for (let i = 1; i < lines.length; i++) {
    const cells = isDelimiterRow(source, lines[i]!) ? cellsOf(source, lines[i]!).length : 0;
    if (cells > 0 && cellsOf(source, lines[i - 1]!).length === cells) return i - 1;
  }
  return null;
}

function isDelimiterRow(source: string, { start, end }: Span): boolean {
  const row = source.slice(start, end);
  if (!row.includes('-') || !row.includes('|') || /[^-|: \t]/.test(row)) return false;
  return cellsOf(source, { start, end }).every((cell) => /^:?-+:?$/.test(source.slice(cell.start, cell.end).trim()));
}

/** What stands between the pipes that are not escaped; a pipe at either end of the row parts nothing. */
export function cellsOf(source: string, line: Span): Span[] {
  const cells: Span[] = [];
  let { start } = line;
  for (let i = start; i < line.end; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === '|') {
      if (i > line.start) cells.push({ start, end: i });
      start = i + 1;
    }
  }
  if (source.slice(start, line.end).trim() !== '') cells.push({ start, end: line.end });
  return cells;
}
