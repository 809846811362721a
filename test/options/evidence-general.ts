import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSnapshot } from '../../src/watch/live.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { DATA, type Row, type Stage } from './harness.js';
import { askedPages, says } from './questions.js';
import { broken, HOME, kept, small, smallSite } from './small-stages.js';
import { crawlOf, here } from './stages.js';

const ESCAPE = '\u001b[';

const withConfigFile: Stage = {
  name: 'a config file',
  async play(values, trial) {
    writeFileSync(join(trial.folder, 'shallow.json'), '{ "depth": 0 }');
    const web = await trial.web();
    web.site('small.test', smallSite());
    return trial.run([...trial.walk, HOME, ...here(web), '--delay', '0', '--data-dir', DATA, ...values]);
  },
};

/** It takes more than a second, so that there is something to say while it runs. */
const unhurried = crawlOf({
  name: 'a page that takes its time',
  seeds: ['http://unhurried.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => ({ 'unhurried.test': pathSite({ '/': { ...html(linkPage('Home', [])), afterMs: 1_500 } }) }),
});

/** What every command takes, at those where it has something to change. */
export const GENERAL_EVIDENCE: Row[] = [
  {
    key: 'config',
    stage: withConfigFile,
    values: [[], ['--config', 'shallow.json']],
    sees: (seen) => askedPages(seen).length,
    gives: [2, 1],
  },
  {
    key: 'printConfig',
    stage: small,
    values: [[], ['--print-config']],
    sees: (seen) => [askedPages(seen).length, /^--delay +0 ms +flag$/m.test(seen.stdout), seen.files.size > 0],
    gives: [
      [2, false, true],
      [0, true, false],
    ],
  },
  {
    key: 'quiet',
    stage: small,
    values: [[], ['--quiet']],
    sees: (seen) => [seen.stderr === '', seen.pages.length],
    gives: [
      [false, 2],
      [true, 2],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'quiet',
    command: 'delete',
    stage: kept('delete', 'delete', DATA),
    values: [[], ['-q']],
    sees: (seen) => [seen.code, says(seen, 'deleted')],
    gives: [
      [0, true],
      [0, false],
    ],
  },
  {
    key: 'quiet',
    command: 'export',
    stage: kept('export', 'export', DATA),
    values: [
      ['-f', 'edges'],
      ['-f', 'edges', '-q'],
    ],
    sees: (seen) => [seen.code, says(seen, '--anchor-text')],
    gives: [
      [0, true],
      [0, false],
    ],
  },
  {
    key: 'progress',
    stage: unhurried,
    values: [[], ['--progress', 'json'], ['--progress', 'none']],
    sees: (seen) => {
      const lines = seen.stderr.split('\n');
      const moments = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LiveSnapshot);
      return [
        lines.some((line) => / in flight, .* pages\/s/.test(line)),
        moments.map(({ state }) => state).filter((state, at, all) => state !== all[at - 1]),
      ];
    },
    gives: [
      [true, []],
      [false, ['running', 'ended']],
      [false, []],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'verbose',
    stage: small,
    values: [[], ['--verbose']],
    sees: (seen) => seen.stderr.split('\n').filter((line) => line.startsWith('done 200 http://small.test/')),
    gives: [[], ['done 200 http://small.test/', 'done 200 http://small.test/a']],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'verboseNetwork',
    stage: broken,
    values: [[], ['--verbose-network']],
    sees: (seen) => [seen.code, says(seen, 'ECONNREFUSED')],
    gives: [
      [4, false],
      [4, true],
    ],
  },
  {
    key: 'color',
    stage: broken,
    values: [
      ['--ignore-robots', '--no-color'],
      ['--ignore-robots', '--color'],
    ],
    sees: (seen) => [says(seen, `${ESCAPE}33mwarning:`), says(seen, `${ESCAPE}31merror:`), says(seen, ESCAPE)],
    gives: [
      [false, false, false],
      [true, true, true],
    ],
  },
  {
    key: 'exitSimple',
    stage: broken,
    values: [[], ['--exit-simple']],
    sees: (seen) => seen.code,
    gives: [4, 1],
  },
  ...(['export', 'status', 'delete', 'resume'] as const).map(
    (command): Row => ({
      key: 'exitSimple',
      command,
      stage: { name: `${command} of nothing`, play: (values, trial) => trial.run([command, 'nothing', ...values]) },
      values: [[], ['--exit-simple']],
      sees: (seen) => [seen.code, says(seen, 'there is no crawl in')],
      gives: [
        [3, true],
        [1, true],
      ],
    }),
  ),
];
