import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from './compete.js';
import { median, table, whole } from './figures.js';
import { DISK_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { makeQueuedCrawl } from './queued-crawl.js';
import type { Scenario } from './scenario.js';

const SIZES = [250_000, 500_000, 1_000_000];
const CHILD = fileURLToPath(new URL('./resume-child.js', import.meta.url));

/** From the start of a process to its first request, where a crawl with very many queued URLs goes on. */
export const resume: Scenario = {
  word: 'resume',
  sentence: `a crawl with ${SIZES.map(whole).join(', ')} queued URLs goes on: time to the first request`,
  run: async ({ rounds }) => {
    const rows: string[][] = [];
    for (const queued of SIZES) {
      const folder = temporaryFolder(DISK_FOLDER);
      say(`making a crawl with ${whole(queued)} queued URLs`);
      await makeQueuedCrawl(join(folder, 'crawl'), queued);
      const runs = Array.from({ length: rounds ?? 3 }, () => goOn(join(folder, 'crawl')));
      const ms = median(runs.map((run) => run.ms));
      const mebibytes = Math.max(...runs.map(({ bytes }) => bytes)) / 2 ** 20;
      rows.push([whole(queued), whole(ms), ((ms * 1000) / queued).toFixed(2), whole(mebibytes)]);
      removeFolder(folder);
    }
    process.stdout.write(table(['queued URLs', 'ms to first request', 'µs/URL', 'MiB then'], rows));
  },
};

function goOn(directory: string): { ms: number; bytes: number } {
  return JSON.parse(execFileSync(process.execPath, [CHILD, directory], { encoding: 'utf8' }));
}
