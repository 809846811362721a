export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of some measurements between the least and the greatest. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  low: Math.min(...values),
  median: median(values),
  high: Math.max(...values),
});

/** A whole number with its thousands set apart. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Columns under their headings, the first to the left and the others to the right. */
export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ');
  return `${[line(headings), ...rows.map(line)].join('\n')}\n`;
}

/** The same for a Markdown page. */
export function markdownTable(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const rule = `|${headings.map((_, column) => (column === 0 ? '---|' : '---:|')).join('')}\n`;
  return line(headings) + rule + rows.map(line).join('');
}
