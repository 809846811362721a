import { serveRealSites } from '../test/real/serve.js';
import { oneSite } from './one-site.js';
import { seen } from './seen.js';

const USAGE = `npm run bench -- [site [rounds] | seen | seen-on-disk]
  site          one big site (openjdk-17-doc by nginx on loopback): durable, temporary store, raw dispatch floor
  seen          a million distinct URLs and ten million repeats, the filter sized for 1,000
  seen-on-disk  the same with a key table of 4 MiB: most keys are on disk behind the filter
Without a word: site, seen, seen-on-disk. Others: node dist/bench/scan.js, node dist/bench/idle.js.
`;

const [what, count] = process.argv.slice(2);
const known = ['site', 'seen', 'seen-on-disk'];
if (what !== undefined && !known.includes(what)) {
  process.stderr.write(USAGE);
  process.exit(2);
}
if (what === undefined || what === 'site') {
  const served = await serveRealSites();
  try {
    await oneSite(served.sites.find(({ name }) => name === 'jdk')!.url, Number(count ?? 3));
  } finally {
    await served.close();
  }
}
if (what === undefined || what === 'seen') {
  await seen({ seenMemoryBytes: null });
}
if (what === undefined || what === 'seen-on-disk') {
  await seen({ seenMemoryBytes: 4 * 1024 * 1024 });
}
