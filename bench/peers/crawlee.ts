import { join } from 'node:path';
import { folderOf, type Peer, versionIfThere } from './peer.js';

const VERSION = '3.18.1';
const folder = folderOf('crawlee');

/** Its CheerioCrawler, with its storage on disk as it comes. */
export const crawlee: Peer = {
  name: 'crawlee',
  language: 'TypeScript',
  install: `npm install --prefix . --no-audit --no-fund @crawlee/cheerio@${VERSION}`,
  find: () => versionIfThere(join(folder, 'node_modules/@crawlee/cheerio'), VERSION),
  entries: [
    {
      name: 'crawlee',
      commands: ({ starts, diskFolder }) => [
        {
          file: process.execPath,
          args: [join(folder, 'crawl.mjs'), ...starts],
          env: { CRAWLEE_STORAGE_DIR: diskFolder },
        },
      ],
    },
  ],
};
