import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATA, type Row, type Stage } from './harness.js';
import { small } from './small-stages.js';

const split: Stage = {
  name: 'a crawl that is split',
  after: small,
  async play(values, trial) {
    const run = await trial.run(['split', DATA, ...values]);
    const parts = join(trial.folder, 'parts');
    return { ...run, stdout: run.stdout + (existsSync(parts) ? readdirSync(parts).sort().join(' ') : '') };
  },
};

const merged: Stage = {
  name: 'a crawl that is split and merged',
  after: small,
  async play(values, trial) {
    await trial.run(['split', DATA, '--nodes', '2', '-o', 'parts']);
    const run = await trial.run(['merge', 'parts/slot-0', 'parts/slot-1', ...values]);
    return { ...run, stdout: run.stdout + (existsSync(join(trial.folder, 'whole', 'crawl.sqlite')) ? 'a crawl' : '') };
  },
};

const NODES = ['--nodes', '2'];
const PARTS = ['-o', 'parts'];
const WHOLE = ['-o', 'whole'];

/** What `split` and `merge` take. */
export const SPLIT_EVIDENCE: Row[] = [
  {
    key: 'clusterNodes',
    command: 'split',
    stage: split,
    values: [
      [...NODES, ...PARTS],
      ['--nodes', '3', ...PARTS],
    ],
    sees: (seen) => seen.stdout,
    gives: ['slot-0 slot-1', 'slot-0 slot-1 slot-2'],
  },
  {
    key: 'output',
    command: 'split',
    stage: split,
    values: [NODES, [...NODES, ...PARTS]],
    sees: (seen) => [seen.code, seen.stdout],
    gives: [
      [2, ''],
      [0, 'slot-0 slot-1'],
    ],
  },
  {
    key: 'json',
    command: 'split',
    stage: split,
    values: [
      [...NODES, ...PARTS],
      [...NODES, ...PARTS, '--json'],
    ],
    sees: (seen) => seen.stdout.startsWith('{'),
    gives: [false, true],
  },
  {
    key: 'quiet',
    command: 'split',
    stage: split,
    values: [
      [...NODES, ...PARTS],
      [...NODES, ...PARTS, '--quiet'],
    ],
    sees: (seen) => seen.stderr.includes('2 parts in'),
    gives: [true, false],
  },
  {
    key: 'output',
    command: 'merge',
    stage: merged,
    values: [[], WHOLE],
    sees: (seen) => [seen.code, seen.stdout],
    gives: [
      [2, ''],
      [0, 'a crawl'],
    ],
  },
  {
    key: 'json',
    command: 'merge',
    stage: merged,
    values: [WHOLE, [...WHOLE, '--json']],
    sees: (seen) => seen.stdout.startsWith('{'),
    gives: [false, true],
  },
  {
    key: 'quiet',
    command: 'merge',
    stage: merged,
    values: [WHOLE, [...WHOLE, '--quiet']],
    sees: (seen) => seen.stderr.includes('URLs, '),
    gives: [true, false],
  },
];
