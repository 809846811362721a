import { join } from 'node:path';
import { folderOf, oneEach, type Peer, versionIfThere } from './peer.js';

const program = join(folderOf('spider'), 'target/release/gossamer-bench-spider');

export const spider: Peer = {
  name: 'spider',
  language: 'Rust',
  install: 'cargo build --release',
  find: () => versionIfThere(program, '2.53.9'),
  entries: [{ name: 'spider', commands: oneEach((start) => ({ file: program, args: [start] })) }],
};
