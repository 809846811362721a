import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contestant } from './contestant.js';
import { GOSSAMER_BIN } from './folders.js';

const programOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const version = (JSON.parse(readFileSync(join(GOSSAMER_BIN, '../../package.json'), 'utf8')) as { version: string })
  .version;
const ours = { kind: 'ours', language: 'TypeScript', version } as const;

/** As a user types it, every answer on disk. */
export const durable: Contestant = {
  ...ours,
  name: 'gossamer',
  commands: ({ starts, diskFolder }) => [
    {
      file: process.execPath,
      args: [
        GOSSAMER_BIN,
        'crawl',
        ...starts,
        '--data-dir',
        join(diskFolder, 'crawl'),
        '--max-inflight-per-host',
        '64',
        '--no-auto-tune',
        '--quiet',
      ],
    },
  ],
};

/** By the library, with a store that leaves nothing. */
export const temporary: Contestant = {
  ...ours,
  name: 'gossamer-temporary',
  note: 'keeps nothing',
  commands: ({ starts }) => [{ file: process.execPath, args: [programOf('temporary-crawl.js'), ...starts] }],
};

/** No crawler: asks for pages that it is told, and looks at none. */
export const floor: Contestant = {
  kind: 'floor',
  language: 'JavaScript',
  version: process.version.slice(1),
  name: 'dispatch-floor',
  note: 'no crawler: fetches a given list',
  commands: ({ pagesFile }) => [{ file: process.execPath, args: [programOf('floor.js'), pagesFile] }],
};

export const OURS: readonly Contestant[] = [durable, temporary, floor];
