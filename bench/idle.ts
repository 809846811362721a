/**
 * CPU of the whole process, lanes and store thread included, over ten seconds in which only delayed hosts remain:
 *   node dist/bench/idle.js [hosts]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { main } from '../src/cli/main.js';
import { star } from '../test/web/plain.js';
import { html, linkPage, pathSite, text } from '../test/web/site.js';
import { openWeb } from '../test/web/web.js';

const HOSTS = Number(process.argv[2] ?? 100);
const MEASURED_MS = 10_000;
const QUIET_MS = 2_000;
const SETTLED_MS = 15_000;

const web = await openWeb();
// Enough pages for the lanes to be threads; done long before the delayed hosts are.
web.site('quick.test', star(500));
const slow = pathSite({
  '/robots.txt': text('User-agent: *\nCrawl-delay: 45\n'),
  '/': html(linkPage('Home', ['/a', '/b'])),
  '/a': html(linkPage('A', [])),
});
const seeds = Array.from({ length: HOSTS }, (_, i) => `slow-${i}.test`);
for (const host of seeds) {
  web.site(host, slow);
}

const folder = mkdtempSync(join(tmpdir(), 'gossamer-idle-'));
const args = [...seeds, 'quick.test'].map((host) => `http://${host}/`);
void main(['crawl', ...args, '--delay', '0', '--connect-to', web.connectTo[0]!, '--data-dir', join(folder, 'crawl')]);

for (let seen = -1; seen !== web.log.length || seen < HOSTS + 500; await pause(QUIET_MS)) {
  seen = web.log.length;
}
// V8 collects once more when a thread has come to rest.
await pause(SETTLED_MS);
const before = process.cpuUsage();
const startedAt = performance.now();
await pause(MEASURED_MS);
const { user, system } = process.cpuUsage(before);
const wallMs = performance.now() - startedAt;
const cpuMs = (user + system) / 1000;
process.stdout.write(
  `${HOSTS} delayed hosts: ${cpuMs.toFixed(0)} ms of CPU in ${(wallMs / 1000).toFixed(1)} s, ${((100 * cpuMs) / wallMs).toFixed(2)} % of a core; ${web.log.length} requests before\n`,
);
await web.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
