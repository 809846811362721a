import { join } from 'node:path';
import { CONCURRENCY, folderOf, type Peer, versionSaidBy } from './peer.js';

const program = join(folderOf('linkinator'), 'node_modules/.bin/linkinator');

/** A link checker: it goes into the pages below the start page's folder, and is kept from asking other hosts at all. */
export const linkinator: Peer = {
  name: 'linkinator',
  language: 'TypeScript',
  // The last version that runs on Node 20.
  install: 'npm install --prefix . --no-audit --no-fund linkinator@7.6.1',
  find: () => versionSaidBy(program, '--version'),
  entries: [
    {
      name: 'linkinator',
      commands: ({ starts }) => [
        {
          file: program,
          args: [
            ...starts,
            '--recurse',
            `--concurrency=${CONCURRENCY}`,
            `--skip=^(?!${starts.map((start) => new URL(start).origin).join('|')})`,
            '--verbosity=error',
          ],
        },
      ],
    },
  ],
};
