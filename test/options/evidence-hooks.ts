import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, linkPage, pathSite, text } from '../web/site.js';
import { DATA, type Row, type Seen, type Stage } from './harness.js';
import { fateOf } from './questions.js';
import { here } from './stages.js';

/** Three pages, and a module whose hook does something at one of them. */
const hooked = (name: string, source: string, ...args: string[]): Stage => ({
  name,
  async play(values, trial) {
    const web = await trial.web();
    web.site(
      'hooked.test',
      pathSite({ '/': html(linkPage('Home', ['/a', '/b.txt'])), '/a': html(linkPage('A', [])), '/b.txt': text('B') }),
    );
    writeFileSync(join(trial.folder, 'hooks.ts'), source);
    const site = ['http://hooked.test/', ...here(web), '--delay', '0', '--seeding-strategy', 'none'];
    return trial.run(['crawl', ...site, '--data-dir', DATA, ...args, ...values]);
  },
});

const COUNTS = 'export default { page: ({ body }) => ({ length: body.length }) };';
const THROWS = `export default { page({ url }) { if (url.endsWith('/a')) throw new Error('no'); } };`;
/** It waits for four seconds at one page. */
const WAITS = `export default { page: ({ url }) => url.endsWith('/a') ? new Promise((go) => setTimeout(go, 4_000)) : undefined };`;
const withData = (seen: Seen): number => seen.pages.filter(({ data = null }) => data !== null).length;
const fate = (seen: Seen) => fateOf(seen, 'http://hooked.test/a');

export const HOOK_EVIDENCE: Row[] = [
  {
    key: 'hooks',
    stage: hooked('three pages', COUNTS),
    values: [[], ['--hooks', 'hooks.ts']],
    sees: withData,
    gives: [0, 2],
  },
  {
    key: 'contentTypes',
    stage: hooked('three pages and a hook that counts', COUNTS, '--hooks', 'hooks.ts'),
    values: [[], ['--content-types', 'text/plain']],
    sees: withData,
    gives: [2, 3],
  },
  {
    key: 'onHookError',
    stage: hooked('a hook that throws', THROWS, '--hooks', 'hooks.ts'),
    values: [[], ['--on-hook-error', 'stop']],
    sees: ({ code }) => code,
    gives: [0, 3],
  },
  {
    key: 'hookTimeoutMs',
    stage: hooked('a hook that waits', WAITS, '--hooks', 'hooks.ts'),
    values: [[], ['--hook-timeout', '1s']],
    sees: fate,
    gives: ['done', 'failed hook'],
  },
];
