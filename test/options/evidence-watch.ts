import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines } from '../crawl/support.js';
import { html, linkPage, notFound, text } from '../web/site.js';
import { DATA, type Row, type Seen, type Stage } from './harness.js';
import { says } from './questions.js';
import { small } from './small-stages.js';
import { here } from './stages.js';

const METRICS = 'metrics.json';

/** The second page takes so long that a file which is written every second has been written again by then. */
const slow: Stage = {
  name: 'a second page that takes its time',
  async play(values, trial) {
    const web = await trial.web();
    web.site('late.test', {
      async handle({ path }) {
        if (path === '/') {
          return html(linkPage('Slow', ['/late'], 'A word.'));
        }
        if (path !== '/late') {
          return notFound;
        }
        await sleep(2_500);
        const { elapsedMs } = JSON.parse(readFileSync(join(trial.folder, METRICS), 'utf8'));
        trial.notes.push(elapsedMs > 900 ? 'written again' : 'written once');
        return html(linkPage('Late', ['/'], 'Another word.'));
      },
    });
    const args = ['--delay', '0', '--seeding-strategy', 'none', '--data-dir', DATA, '--metrics-file', METRICS];
    return trial.run([...trial.walk, 'http://late.test/', ...here(web), ...args, ...values]);
  },
};

/** A hook stands beside the site: `HOOK` in the values is its URL. */
const hooked: Stage = {
  name: 'a site and a hook',
  async play(values, trial) {
    const hook = await trial.web();
    hook.site('127.0.0.1', {
      handle({ method, path }) {
        trial.notes.push(`${method} ${path}`);
        return text('thanks');
      },
    });
    return small.play(
      values.map((value) => value.replace('HOOK', `http://127.0.0.1:${hook.port}/hook`)),
      trial,
    );
  },
};

const codesOf = (seen: Seen): string[] | null => {
  const log = seen.files.get('run.log');
  return log === undefined ? null : [...new Set(readLines<{ code: string }>(log).map(({ code }) => code))];
};
const logged = (seen: Seen) => {
  const codes = codesOf(seen) ?? [];
  return ['run_ended', 'page_done'].map((code) => codes.includes(code));
};
const ALIKE = { check: 'same', docs: 'same' } as const;

export const WATCH_EVIDENCE: Row[] = [
  {
    key: 'metricsPort',
    stage: small,
    values: [[], ['--metrics-port', '0']],
    sees: (seen) => says(seen, 'metrics at http://127.0.0.1:'),
    gives: [false, true],
    ...ALIKE,
  },
  {
    key: 'metricsFile',
    stage: small,
    values: [[], ['--metrics-file', 'm.json'], ['--metrics-file', 'm.prom'], ['--metrics-file', 'm']],
    sees: ({ files }) =>
      ['m.json', 'm.prom'].map((name) =>
        files.has(name) ? /gossamer_requests_total|"requests"/.test(files.get(name)!) : null,
      ),
    gives: [
      [null, null],
      [true, null],
      [null, true],
      [true, true],
    ],
    ...ALIKE,
  },
  {
    key: 'metricsIntervalMs',
    stage: slow,
    values: [[], ['--metrics-interval', '1s']],
    sees: ({ notes }) => notes.at(-1),
    gives: ['written once', 'written again'],
    ...ALIKE,
  },
  {
    key: 'logFile',
    stage: small,
    values: [[], ['--log-file', 'run.log']],
    sees: (seen) => codesOf(seen)?.[0] ?? null,
    gives: [null, 'run_began'],
    ...ALIKE,
  },
  {
    key: 'logLevel',
    stage: {
      ...small,
      name: 'two pages and a log',
      play: (values, trial) => small.play(['--log-file', 'run.log', ...values], trial),
    },
    values: [[], ['--log-level', 'debug'], ['--log-level', 'error']],
    sees: logged,
    gives: [
      [true, false],
      [true, true],
      [false, false],
    ],
    ...ALIKE,
  },
  {
    key: 'notify',
    stage: hooked,
    values: [[], ['--notify', 'HOOK']],
    sees: ({ notes }) => notes,
    gives: [[], ['POST /hook']],
    ...ALIKE,
  },
];
