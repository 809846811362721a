import { closedPort } from '../crawl/support.js';
import { dashboardUrl } from '../dashboard/dashboard-url.js';
import { DATA, type Row, type Stage } from './harness.js';
import { small } from './small-stages.js';

/** Serves a kept crawl, notes where, and ends it as Ctrl+C does. `FREE` in an argument is a port that nobody listens on. */
const served: Stage = {
  name: 'a kept crawl is served',
  after: small,
  async play(values, trial) {
    const free = String(await closedPort());
    const program = trial.start(['serve', DATA, ...values.map((value) => value.replace('FREE', free))]);
    const { hostname, port } = new URL(await dashboardUrl(program));
    trial.notes.push(hostname, port === free ? 'the port that was named' : 'another port');
    program.child.kill('SIGINT');
    return program.ended;
  },
};

/** What lets people watch from a browser. */
export const DASHBOARD_EVIDENCE: Row[] = [
  {
    key: 'dashboard',
    stage: small,
    values: [[], ['--dashboard']],
    sees: (seen) => [/^dashboard: http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m.test(seen.stderr), seen.pages.length],
    gives: [
      [false, 2],
      [true, 2],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'port',
    command: 'serve',
    stage: served,
    values: [[], ['--port', 'FREE']],
    sees: ({ notes }) => notes[1],
    gives: ['another port', 'the port that was named'],
  },
  {
    key: 'address',
    command: 'serve',
    stage: served,
    values: [[], ['--address', 'localhost']],
    sees: ({ notes }) => notes[0],
    gives: ['127.0.0.1', 'localhost'],
  },
];
