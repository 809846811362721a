import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pathSite, text } from '../web/site.js';
import type { Row, Stage } from './harness.js';
import { says } from './questions.js';
import { here } from './stages.js';

const ROBOTS = 'User-agent: *\nDisallow: /closed\n\nUser-agent: otherbot\nDisallow: /\n';
/** `gossamer robots` about a file, or about a host of which robots.txt is slow. */
const robotsFile: Stage = {
  name: 'robots.txt in a file',
  play(values, trial) {
    writeFileSync(join(trial.folder, 'robots.txt'), ROBOTS);
    writeFileSync(join(trial.folder, 'open.txt'), '');
    return trial.run(['robots', ...values], { input: 'User-agent: *\nDisallow: /\n' });
  },
};
export const robotsServed: Stage = {
  name: 'robots.txt of a host',
  async play(values, trial) {
    const web = await trial.web();
    web.site('asked.test', pathSite({ '/robots.txt': { ...text(ROBOTS), afterMs: 600 } }));
    return trial.run(['robots', 'http://asked.test/closed/1', ...here(web), ...values]);
  },
};

/** What only `gossamer robots` takes, or takes in a way of its own. */
export const ROBOTS_EVIDENCE: Row[] = [
  {
    key: 'file',
    command: 'robots',
    stage: robotsFile,
    values: [
      ['http://a.test/closed', '--file', 'robots.txt'],
      ['http://a.test/closed', '--file', 'open.txt'],
      ['http://a.test/', '--file', '-'],
    ],
    sees: (seen) => [seen.code, seen.stdout.includes('line 2')],
    gives: [
      [1, true],
      [0, false],
      [1, true],
    ],
  },
  {
    key: 'agent',
    command: 'robots',
    stage: robotsFile,
    values: [
      ['http://a.test/x', '--file', 'robots.txt', '--agent', 'gossamer'],
      ['http://a.test/x', '--file', 'robots.txt', '--agent', 'otherbot'],
    ],
    sees: (seen) => [seen.code, seen.stdout.includes('for otherbot')],
    gives: [
      [0, false],
      [1, true],
    ],
  },
  {
    key: 'url',
    command: 'robots',
    stage: robotsFile,
    values: [
      ['--file', 'robots.txt', '--url', 'http://a.test/open'],
      ['--file', 'robots.txt', '--url', 'http://a.test/closed/1'],
    ],
    sees: (seen) => seen.code,
    gives: [0, 1],
  },
  {
    key: 'userAgent',
    command: 'robots',
    stage: robotsServed,
    values: [[], ['--user-agent', 'otherbot/2']],
    sees: (seen) => [seen.log.map(({ userAgent }) => userAgent), seen.stdout.includes('for otherbot (line 5')],
    gives: [
      [[expect.stringContaining('gossamer/')], false],
      [['otherbot/2'], true],
    ],
  },
  {
    key: 'contact',
    command: 'robots',
    stage: robotsServed,
    values: [[], ['--contact', 'me@asked.test']],
    sees: (seen) => seen.log.map(({ userAgent }) => userAgent.endsWith(' me@asked.test')),
    gives: [[false], [true]],
  },
  {
    key: 'robotsTimeoutMs',
    command: 'robots',
    stage: robotsServed,
    values: [[], ['--robots-timeout', '200ms']],
    sees: (seen) => [
      seen.code === 1 && seen.stdout.includes('line 2'),
      says(seen, '200 ms') || seen.stdout.includes('cannot be'),
    ],
    gives: [
      [true, false],
      [false, true],
    ],
  },
];
