import { join } from 'node:path';
import { CONCURRENCY, folderOf, type Peer, versionSaidBy } from './peer.js';

const program = join(folderOf('lychee'), 'bin/lychee');

/** A link checker that does not go from page to page: it is told them, and asks for each as a page and as a link. */
export const lychee: Peer = {
  name: 'lychee',
  language: 'Rust',
  install: 'cargo install lychee@0.24.2 --locked --root .',
  find: () => versionSaidBy(program, '--version'),
  entries: [
    {
      name: 'lychee',
      note: 'checks a given list',
      commands: ({ starts, pagesFile }) => [
        {
          file: program,
          args: [
            ...['--files-from', pagesFile],
            `--max-concurrency=${CONCURRENCY}`,
            `--host-concurrency=${CONCURRENCY}`,
            '--host-request-interval=0s',
            ...starts.map((start) => `--include=^${new URL(start).origin}/`),
            '--no-progress',
          ],
        },
      ],
    },
  ],
};
