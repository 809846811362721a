import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { html, pathSite, text } from '../web/site.js';
import type { Row, Stage } from './harness.js';
import { headersSent, says } from './questions.js';
import { here } from './stages.js';

const PAGE =
  '<title>One</title><h1>One</h1><p>Some text that is <a href="more">long enough</a> to be read.</p><h2>Two</h2>';

const served: Stage = {
  name: 'one page, robots.txt and page slow',
  async play(values, trial) {
    const web = await trial.web();
    web.site(
      'read.test',
      pathSite({
        '/robots.txt': { ...text('User-agent: *\nAllow: /\n'), afterMs: 600 },
        '/': { ...html(PAGE), afterMs: 600 },
      }),
    );
    return trial.run(['md', 'http://read.test/', ...here(web), ...values]);
  },
};
const file: Stage = {
  name: 'a page in a file',
  play(values, trial) {
    writeFileSync(join(trial.folder, 'page.html'), PAGE);
    return trial.run(['md', 'page.html', ...values]);
  },
};

/** What `gossamer md` takes beside the options of the network. */
const ROWS: Row[] = [
  {
    key: 'userAgent',
    stage: served,
    values: [[], ['--user-agent', 'otherbot/2']],
    sees: (seen) => headersSent(seen, 'user-agent'),
    gives: [[expect.stringContaining('gossamer/')], ['otherbot/2']],
  },
  {
    key: 'contact',
    stage: served,
    values: [[], ['--contact', 'me@read.test']],
    sees: (seen) => seen.log.map(({ userAgent }) => userAgent.endsWith(' me@read.test')),
    gives: [
      [false, false],
      [true, true],
    ],
  },
  {
    key: 'robotsTimeoutMs',
    stage: served,
    values: [[], ['--robots-timeout', '200ms']],
    sees: (seen) => [seen.code, seen.log.some(({ path }) => path === '/')],
    gives: [
      [0, true],
      [4, false],
    ],
  },
  {
    key: 'timeoutMs',
    stage: served,
    values: [[], ['--timeout', '200ms']],
    sees: (seen) => [seen.code, says(seen, 'could not be reached')],
    gives: [
      [0, false],
      [4, true],
    ],
  },
  {
    key: 'baseUrl',
    stage: file,
    values: [[], ['--base-url', 'http://a.test/b/c']],
    sees: (seen) => /\[long enough\]\((.*?)\)/.exec(seen.stdout)?.[1],
    gives: ['more', 'http://a.test/b/more'],
  },
  {
    key: 'content',
    stage: file,
    values: [[], ['--content', 'h1']],
    sees: (seen) => seen.stdout.includes('Some text'),
    gives: [true, false],
  },
  {
    key: 'remove',
    stage: file,
    values: [[], ['--remove', 'p']],
    sees: (seen) => seen.stdout.includes('Some text'),
    gives: [true, false],
  },
  {
    key: 'output',
    stage: file,
    values: [[], ['--output', 'page.md']],
    sees: (seen) => [seen.stdout.startsWith('# One'), (seen.files.get('page.md') ?? '').startsWith('# One')],
    gives: [
      [true, false],
      [false, true],
    ],
  },
  {
    key: 'json',
    stage: file,
    values: [[], ['--json']],
    sees: (seen) => (seen.stdout.startsWith('{') ? JSON.parse(seen.stdout).title : null),
    gives: [null, 'One'],
  },
];
export const MD_EVIDENCE = ROWS.map((row): Row => ({ ...row, command: 'md' }));
