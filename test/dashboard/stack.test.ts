import { expect, it } from 'vitest';
import { stackOf } from '../../src/dashboard/ui/stack.js';

it('columns stand on each other, and one that is 0 has no edge of its own', () => {
  const { tops, edges } = stackOf([
    [4, 4, 4, 4],
    [0, 0, 0, 0],
    [0, 0, 0, 2],
  ]);
  expect(tops.at(-1)).toEqual([4, 4, 4, 6]);
  expect(edges).toEqual([
    [4, 4, 4, 4],
    [null, null, null, null],
    [null, null, 4, 6],
  ]);
});

it('a second of which nothing is known counts as none', () => {
  expect(
    stackOf([
      [null, 1],
      [2, null],
    ]).tops,
  ).toEqual([
    [0, 1],
    [2, 1],
  ]);
});
