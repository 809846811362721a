import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, type Installable, versionSaidBy } from './peers/peer.js';
import { WishError } from './scenario.js';

/** A program of Node that is not the one that runs the bench. */
export interface OtherNode {
  readonly file: string;
  readonly version: string;
}

const MAJORS = ['24', '26'];
/** The package that holds the program itself, where the one called node would fetch it by a script. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

export const NODES: readonly Installable[] = MAJORS.map((major) => ({
  name: `node-${major}`,
  install: `npm install --prefix . --no-audit --no-fund ${PACKAGE}@${major}`,
}));

/** Those of the command line, or those that were installed by --setup and are not what runs the bench. */
export async function otherNodes(files: readonly string[] | null): Promise<OtherNode[]> {
  const installed = MAJORS.filter((major) => !process.version.startsWith(`v${major}.`))
    .map((major) => join(folderOf(`node-${major}`), 'node_modules', PACKAGE, 'bin/node'))
    .filter((file) => existsSync(file));
  return Promise.all(
    (files ?? installed).map(async (file) => {
      const version = await versionSaidBy(file, '--version');
      if (version === null) {
        throw new WishError(`--node ${file} is no program that can be asked for its version`);
      }
      return { file, version };
    }),
  );
}
