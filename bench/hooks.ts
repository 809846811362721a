import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compete, say } from './compete.js';
import type { Contestant } from './contestant.js';
import { RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { durable } from './ours.js';
import { realSites } from './real-sites.js';
import type { Scenario } from './scenario.js';
import { writeCopies } from './site-100k.js';

/** What each module of hooks does on every page. */
const MODULES: readonly { name: string; note: string; source: string }[] = [
  { name: 'page-hook', note: 'a page hook that does nothing', source: 'export default { page() {} };' },
  { name: 'link-hook', note: 'a link hook that follows all', source: 'export default { link() { return true; } };' },
  {
    name: 'select-hook',
    note: 'a page hook that selects the heading',
    source: `export default { page: ({ select }) => ({ heading: select('h1')?.text ?? null }) };`,
  },
];

/** So many pages that the start of the threads, and of what a hook needs, does not count for much. */
const COPIES = 3;

/** What hooks of the user's cost, a page: the same crawl without any and with each, in turn. */
export const hooks: Scenario = {
  word: 'hooks',
  sentence: 'one big site without hooks, with an empty page hook, with a link hook and with a selector: CPU a page',
  run: async (wishes) => {
    const { nginx, sites } = await realSites(say);
    const jdk = sites.find(({ name }) => name === 'jdk')!;
    const folder = temporaryFolder(RAM_FOLDER);
    const root = temporaryFolder(RAM_FOLDER);
    writeCopies(root, jdk.root, jdk.startPage, COPIES);
    try {
      await compete(
        {
          word: 'hooks',
          title: 'Hooks',
          about: `${COPIES} times ${jdk.packageName} ${jdk.version} under one host, nginx on the same machine, no delay, 64 requests at a time.`,
          measure: 'pages/s',
          ours: [durable, ...MODULES.map((module) => withHooks(folder, module))],
          peers: [],
          nginx,
          sites: [{ host: 'copies.test', root, startPage: 'index.html' }],
          rounds: wishes.rounds ?? 5,
        },
        wishes,
      );
    } finally {
      removeFolder(folder);
      removeFolder(root);
    }
  },
};

function withHooks(folder: string, { name, note, source }: (typeof MODULES)[number]): Contestant {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, source);
  return {
    ...durable,
    name: `gossamer-${name}`,
    note,
    commands: (task) =>
      durable.commands(task).map((command) => ({ ...command, args: [...command.args, '--hooks', file] })),
  };
}
