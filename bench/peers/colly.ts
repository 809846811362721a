import { join } from 'node:path';
import { folderOf, type Peer, versionIfThere } from './peer.js';

const program = join(folderOf('colly'), 'colly');

export const colly: Peer = {
  name: 'colly',
  language: 'Go',
  install: 'go mod tidy && go build -o colly .',
  find: () => versionIfThere(program, '2.3.0'),
  entries: [{ name: 'colly', commands: ({ starts }) => [{ file: program, args: starts }] }],
};
