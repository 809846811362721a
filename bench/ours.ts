import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contestant } from './contestant.js';
import { GOSSAMER_BIN } from './folders.js';
import { otherNodes } from './nodes.js';
import { WishError, type Wishes } from './scenario.js';

/** A built checkout of ours, and the Node that runs it. */
export interface Build {
  readonly name: string;
  readonly note?: string;
  readonly version: string;
  readonly node: string;
  readonly bin: string;
}

const programOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const language = 'TypeScript';

export const ownBuild: Build = {
  name: 'gossamer',
  version: versionIn(join(GOSSAMER_BIN, '../..')),
  node: process.execPath,
  bin: GOSSAMER_BIN,
};

/** What else of ours is to run beside it. */
export async function otherBuilds({ previous, nodes }: Pick<Wishes, 'previous' | 'nodes'>): Promise<Build[]> {
  const others = await otherNodes(nodes);
  return [
    ...(previous === null ? [] : [previousBuild(resolve(previous))]),
    ...others.map(({ file, version }) => ({
      ...ownBuild,
      name: `gossamer-node-${version.split('.')[0]}`,
      note: `on Node ${version}`,
      node: file,
    })),
  ];
}

function previousBuild(folder: string): Build {
  const bin = join(folder, 'bin/gossamer.js');
  if (!existsSync(bin) || !existsSync(join(folder, 'dist/bundle/main.js'))) {
    throw new WishError(`--previous ${folder} is no built checkout: run npm run build there`);
  }
  const version = versionIn(folder);
  return { name: 'gossamer-previous', note: `built in ${folder}`, version, node: process.execPath, bin };
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** As a user types it, every answer on disk. */
export const crawlOf = ({ node, bin, ...words }: Build): Contestant => ({
  ...words,
  kind: 'ours',
  language,
  commands: ({ starts, diskFolder }) => [
    {
      file: node,
      args: [
        bin,
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
});

export const durable = crawlOf(ownBuild);

/** By the library, with a store that leaves nothing. */
export const temporary: Contestant = {
  kind: 'ours',
  language,
  version: ownBuild.version,
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
