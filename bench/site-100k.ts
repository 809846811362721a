import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compete, say } from './compete.js';
import { whole } from './figures.js';
import { RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { durable, floor } from './ours.js';
import { spider } from './peers/spider.js';
import { wget2 } from './peers/wget2.js';
import { realSites } from './real-sites.js';
import type { Scenario } from './scenario.js';

const COPIES = 10;
const TIME_LIMIT_MS = 150_000;

/** Long enough that neither the start of a process nor its warming up counts for much. */
export const site100k: Scenario = {
  word: 'site100k',
  sentence: `${COPIES} copies of the big site under one host, about ${whole(100_000)} pages: ours, the floor, wget2 and spider`,
  run: async (wishes) => {
    const { nginx, sites } = await realSites(say);
    const jdk = sites.find(({ name }) => name === 'jdk')!;
    const root = temporaryFolder(RAM_FOLDER);
    try {
      writeCopies(root, jdk.root, jdk.startPage, COPIES);
      await compete(
        {
          word: 'site100k',
          title: `A site of ${whole(100_000)} pages`,
          about: `${COPIES} times ${jdk.packageName} ${jdk.version} under one host, nginx on the same machine, no delay, 64 requests at a time.`,
          measure: 'pages/s',
          ours: [durable, floor],
          peers: [wget2, spider],
          nginx,
          sites: [{ host: 'copies.test', root, startPage: 'index.html' }],
          rounds: wishes.rounds ?? 5,
          options: { timeLimitMs: TIME_LIMIT_MS, watchesThreads: true },
        },
        wishes,
      );
    } finally {
      removeFolder(root);
    }
  },
};

/** Links to one folder, which nginx follows: the copies cost nothing, and their bytes are in the system's cache once. */
export function writeCopies(root: string, original: string, startPage: string, copies: number): void {
  const names = Array.from({ length: copies }, (_, copy) => `copy-${copy}`);
  for (const name of names) {
    symlinkSync(original, join(root, name));
  }
  const links = names.map((name) => `<li><a href="/${name}/${startPage}">${name}</a></li>`).join('\n');
  writeFileSync(
    join(root, 'index.html'),
    `<!DOCTYPE html>\n<html lang="en"><head><title>copies</title></head>\n<body><ul>\n${links}\n</ul></body></html>\n`,
  );
}
