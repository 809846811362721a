import { join } from 'node:path';
import { installRealSites } from '../test/real/install.js';
import { say } from './compete.js';
import { installedFolder } from './extraction/installed-sites.js';
import { table, whole } from './figures.js';
import { DISK_FOLDER, GOSSAMER_BIN, removeFolder, temporaryFolder } from './folders.js';
import { lastWords, runCommands } from './run.js';
import type { Scenario } from './scenario.js';
import { serve } from './serve.js';

const SITES = ['python', 'django', 'openjdk'];
const HEADINGS = ['', 'pages', 's', 'pages/s', 'CPU ms/page', 'peak MiB'];

/** What a corpus costs beside the crawl that it is made of, and what it costs when nothing has changed. */
export const docs: Scenario = {
  word: 'docs',
  sentence: 'documentation sites crawled, made a corpus of, and brought up to date without a change',
  run: async ({ only }) => {
    const { nginx } = await installRealSites(say);
    for (const name of SITES.filter((site) => only === null || only.includes(site))) {
      const root = installedFolder(name);
      if (root === null) {
        say(`${name} is not installed`);
      } else {
        await measure(nginx, name, root);
      }
    }
  },
};

async function measure(nginx: string, name: string, root: string): Promise<void> {
  const field = await serve(nginx, [{ host: `${name}.test`, root, startPage: 'index.html' }]);
  const folder = temporaryFolder(DISK_FOLDER);
  const rows: string[][] = [];
  const run = async (what: string, ...args: string[]): Promise<void> => {
    field.forgetVisits();
    const command = { file: process.execPath, args: [GOSSAMER_BIN, ...args, '--quiet'] };
    const { wallMs, cpuMs, peakBytes, exitCode } = await runCommands([command], join(folder, what));
    const pages = new Set((await field.visits()).map(({ path }) => path)).size;
    if (exitCode !== 0) {
      say(`${name}, ${what}: ${lastWords(join(folder, what))}`);
    }
    const perPage = cpuMs === null ? '–' : (cpuMs / pages).toFixed(1);
    const peak = peakBytes === null ? '–' : whole(peakBytes / 2 ** 20);
    rows.push([what, whole(pages), (wallMs / 1000).toFixed(1), whole((pages / wallMs) * 1000), perPage, peak]);
  };
  const [start] = field.starts as [string];
  const corpus = ['docs', start, '--data-dir', join(folder, 'data'), '--output', join(folder, 'out')];
  await run('crawl', 'crawl', start, '--data-dir', join(folder, 'crawled'));
  await run('docs', ...corpus);
  await run('docs again', ...corpus);
  process.stdout.write(`\n${name}\n${table(HEADINGS, rows)}`);
  await field.close();
  removeFolder(folder);
}
