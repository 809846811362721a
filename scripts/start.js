/**
 * `npm start`: without arguments it serves a small made-up site on loopback and crawls it; with arguments it is the command line,
 * as in `npm start -- crawl https://example.com`.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, isBuilt } from './build.js';

/** Says that a directory was made by the demo, and so may be deleted by it. */
const MARK = '.made-by-npm-start';

if (!isBuilt()) {
  // Installed without scripts, or freshly cleaned.
  console.error('building first …');
  await build();
}
const { main } = await import('../dist/bundle/main.js');
const args = process.argv.slice(2);
process.exitCode = args.length > 0 ? await main(args) : await demo();

async function demo() {
  const { openWeb } = await import('../dist/test/web/web.js');
  const { demoSite } = await import('../dist/test/web/demo.js');
  const directory = emptyDirectory();
  const web = await openWeb();
  web.site('127.0.0.1', demoSite());
  console.error(`The site of a made-up bakery is at ${web.origin}/ while this runs.`);
  console.error(`$ gossamer crawl ${web.origin}/ --data-dir ${directory}\n`);
  try {
    const exitCode = await main(['crawl', `${web.origin}/`, '--data-dir', directory]);
    if (exitCode === 0) {
      console.error('\nNow a site of yours:  npm start -- crawl https://example.com');
      console.error('All there is:         npm start -- --help');
    }
    return exitCode;
  } finally {
    await web.close();
  }
}

/** A fresh directory each time. What the last demo left is deleted; what is somebody else's is left alone. */
function emptyDirectory() {
  for (let number = 1; ; number++) {
    const directory = join('gossamer-data', number === 1 ? 'demo' : `demo-${number}`);
    if (existsSync(directory) && !existsSync(join(directory, MARK))) {
      continue;
    }
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, MARK), '');
    return directory;
  }
}
