import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installRealSites } from '../test/real/install.js';
import { compete, say } from './compete.js';
import { RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { durable } from './ours.js';
import type { Scenario } from './scenario.js';

const PAGES = 20;

/** What starting, stopping and the first page cost, where there is next to nothing to crawl. */
export const small: Scenario = {
  word: 'small',
  sentence: `a site of ${PAGES} pages: ms from the start of the process to its end`,
  run: async (wishes) => {
    const { nginx } = await installRealSites(say);
    const root = temporaryFolder(RAM_FOLDER);
    try {
      writePages(root);
      await compete(
        {
          word: 'small',
          title: `A site of ${PAGES} pages`,
          about: 'From the start of the process to its end, nginx on the same machine, no delay.',
          measure: 'ms',
          ours: [durable],
          nginx,
          sites: [{ host: 'small.test', root, startPage: 'index.html' }],
          rounds: wishes.rounds ?? 7,
        },
        wishes,
      );
    } finally {
      removeFolder(root);
    }
  },
};

/** Every page links to all of them. */
function writePages(root: string): void {
  const names = Array.from({ length: PAGES }, (_, number) => (number === 0 ? 'index.html' : `page-${number}.html`));
  const links = names.map((name) => `<li><a href="/${name === 'index.html' ? '' : name}">${name}</a></li>`).join('\n');
  for (const name of names) {
    const page = `<!DOCTYPE html>\n<html lang="en"><head><title>${name}</title></head>\n<body><h1>${name}</h1><ul>\n${links}\n</ul></body></html>\n`;
    writeFileSync(join(root, name), page);
  }
}
