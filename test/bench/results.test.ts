import { expect, test } from 'vitest';
import type { Contestant } from '../../bench/contestant.js';
import { failureOf, type Lap, takesPart } from '../../bench/race.js';
import { notesOf } from '../../bench/results.js';

const contestant: Contestant = { name: 'x', kind: 'peer', language: 'C', version: '1', commands: () => [] };
const lap = (facts: Partial<Lap>): Lap => ({
  wallMs: 1,
  cpuMs: 1,
  peakBytes: 1,
  exitCode: 0,
  stopped: null,
  threads: null,
  pages: 100,
  missing: 0,
  extra: 0,
  requests: 100,
  ...facts,
});

test('a peer that fetched the same pages has nothing to explain', () => {
  expect(notesOf({ contestant, failure: null, laps: [lap({}), lap({ extra: 3, pages: 103 })] })).toEqual([]);
});

test('one page in a hundred may be missing', () => {
  expect(notesOf({ contestant, failure: null, laps: [lap({ pages: 99, missing: 1 })] })).toEqual([]);
});

test('where more are missing the worst lap is told', () => {
  expect(notesOf({ contestant, failure: null, laps: [lap({}), lap({ pages: 83, missing: 17 })] })).toEqual([
    'fetched 83 %',
  ]);
  expect(notesOf({ contestant, failure: null, laps: [lap({ pages: 90, missing: 17, extra: 7 })] })).toEqual([
    'fetched 83 %',
  ]);
});

test('a contestant that was stopped says so once', () => {
  const stopped = 'not done after 300 s';
  expect(notesOf({ contestant, failure: null, laps: [lap({ stopped }), lap({ stopped })] })).toEqual([stopped]);
});

test('a contestant that broke down after its first laps says so', () => {
  expect(notesOf({ contestant, failure: 'fetched no page', laps: [lap({})] })).toEqual(['failed in a later round']);
});

test('one of ours that was stopped keeps its figures, unless it says what the pages are', () => {
  const ours = { kind: 'ours' } as const;
  const stopped = { exitCode: 1, stopped: 'not done after 150 s' };
  expect(failureOf(ours, stopped, 100, '', false)).toBeNull();
  expect(failureOf(ours, stopped, 100, '', true)).toBe('was not done after 150 s');
  expect(failureOf(ours, { exitCode: 1, stopped: null }, 100, 'oh', false)).toBe('ended with code 1: oh');
});

test('who needed more than a minute runs in every other round', () => {
  const rounds = (wallMs: number) => [1, 2, 3, 4].filter((round) => takesPart({ wallMs }, round));
  expect(rounds(59_000)).toEqual([1, 2, 3, 4]);
  expect(rounds(61_000)).toEqual([2, 4]);
  expect(takesPart(undefined, 1)).toBe(true);
});
