import { join } from 'node:path';
import { folderOf, type Peer, versionSaidBy } from './peer.js';

const program = join(folderOf('linkchecker'), 'bin/linkchecker');

/** A link checker that asks for ten pages a second at most unless it is told otherwise: no contestant in a race. */
export const linkchecker: Peer = {
  name: 'linkchecker',
  language: 'Python',
  install: 'python3 -m venv . && bin/pip install --quiet LinkChecker==10.6.0',
  find: () => versionSaidBy(program, '--version'),
  entries: [],
};
