import { join } from 'node:path';
import { CONCURRENCY, folderOf, type Peer, versionSaidBy } from './peer.js';

const program = join(folderOf('katana'), 'katana');
/** It has no word for "no limit" to either. */
const DEPTH = 10_000;
const REQUESTS_PER_SECOND = 1_000_000;

export const katana: Peer = {
  name: 'katana',
  language: 'Go',
  install: 'GOBIN="$PWD" go install github.com/projectdiscovery/katana/cmd/katana@latest',
  find: () => versionSaidBy(program, '-version'),
  entries: [
    {
      name: 'katana',
      commands: ({ starts }) => [
        {
          file: program,
          args: [
            ...['-list', starts.join(',')],
            ...['-depth', String(DEPTH)],
            ...['-concurrency', String(CONCURRENCY)],
            ...['-parallelism', String(starts.length)],
            ...['-rate-limit', String(REQUESTS_PER_SECOND)],
            ...['-field-scope', 'fqdn'],
            '-silent',
            '-disable-update-check',
          ],
        },
      ],
    },
  ],
};
