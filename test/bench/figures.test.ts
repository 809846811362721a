import { expect, test } from 'vitest';
import { markdownTable, median, spreadOf, table } from '../../bench/figures.js';

test('the median is the middle, or between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 6])).toBe(5.5);
  expect(median([7])).toBe(7);
});

test('the spread is from the least to the greatest', () => {
  expect(spreadOf([9, 10, 1])).toEqual({ low: 1, median: 9, high: 10 });
});

test('columns stand under their headings', () => {
  expect(table(['name', 'n'], [['a', '100']])).toBe('name    n\na     100\n');
});

test('a Markdown cell cannot break out of its column', () => {
  expect(markdownTable(['name', 'n'], [['a|b', '1']])).toBe('| name | n |\n|---|---:|\n| a\\|b | 1 |\n');
});
