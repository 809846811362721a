import { type OptionKey, specOf } from '../../src/config/options.js';
import type { Row, Walker } from './harness.js';
import { askedPages } from './questions.js';
import { small } from './small-stages.js';

/**
 * What only figures of the engine would show, and checks and corpora keep none: that the engine, which is the same, is given them. All at
 * once, for nothing else is looked at.
 */
const HANDED_ON: Partial<Record<OptionKey, readonly [text: string, value: unknown]>> = {
  frontierLimit: ['7', 7],
  expectedUrls: ['1007', 1007],
  fpRate: ['0.25', 0.25],
  fpCheckLimit: ['7', 7],
  readyHeapLimit: ['1007', 1007],
  parseBufferBytes: ['32MiB', 32 * 1024 * 1024],
  parseWorkers: ['1', 1],
  seenMemoryBytes: ['8MiB', 8 * 1024 * 1024],
  minSpeedBytesPerSecond: ['7B', 7],
};
const ALL_HANDED_ON = Object.entries(HANDED_ON).flatMap(([key, [value]]) => [
  `--${specOf(key as OptionKey).flag}`,
  value,
]);

export const handedOn = (command: Walker): Row[] =>
  Object.entries(HANDED_ON).map(([key, [, value]]) => ({
    key: key as OptionKey,
    command,
    stage: small,
    values: [[], ALL_HANDED_ON],
    sees: (seen) => [seen.kept?.options[key], askedPages(seen).length],
    gives: [
      [undefined, 2],
      [value, 2],
    ],
  }));
