import { join } from 'node:path';
import { CONCURRENCY, folderOf, oneEach, type Peer, versionSaidBy } from './peer.js';

const program = join(folderOf('muffet'), 'muffet');

/** A link checker: it goes into the pages of the start page's host, and is kept from asking other hosts at all. */
export const muffet: Peer = {
  name: 'muffet',
  language: 'Go',
  install: 'GOBIN="$PWD" go install github.com/raviqqe/muffet/v2@latest',
  find: () => versionSaidBy(program, '--version'),
  entries: [
    {
      name: 'muffet',
      commands: oneEach((start) => ({
        file: program,
        args: [
          `--max-connections=${CONCURRENCY}`,
          `--max-connections-per-host=${CONCURRENCY}`,
          `--include=^${new URL(start).origin}/`,
          '--ignore-fragments',
          start,
        ],
      })),
    },
  ],
};
