import type { Job } from '../contestant.js';
import { type Peer, versionSaidBy } from './peer.js';

const THREADS = 32;

const crawlInto = (folder: string, starts: Job['starts']) => [
  {
    file: 'wget2',
    args: ['--recursive', '--level=inf', `--max-threads=${THREADS}`, '--no-robots', '--quiet', '-P', folder, ...starts],
  },
];

/** Keeps the pages as files, and no state. */
export const wget2: Peer = {
  name: 'wget2',
  language: 'C',
  install: 'apt-get update -qq && apt-get install -y --no-install-recommends wget2',
  find: () => versionSaidBy('wget2', '--version'),
  entries: [
    {
      name: 'wget2-ram',
      note: `${THREADS} threads, files on a RAM disk`,
      commands: ({ starts, ramFolder }) => crawlInto(ramFolder, starts),
    },
    {
      name: 'wget2-disk',
      note: `${THREADS} threads, files on disk`,
      commands: ({ starts, diskFolder }) => crawlInto(diskFolder, starts),
    },
  ],
};
