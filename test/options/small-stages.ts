import type { Command } from '../../src/config/commands.js';
import { html, linkPage, notFound, pathSite, type Site } from '../web/site.js';
import { DATA, type Stage } from './harness.js';
import { crawlOf, here } from './stages.js';

export const HOME = 'http://small.test/';
export const smallSite = (): Site =>
  pathSite({ '/': html(linkPage('Small', ['/a'], 'A word.')), '/a': html(linkPage('A', [HOME])) });

export const small = crawlOf({
  name: 'two pages',
  seeds: [HOME],
  sites: () => ({ 'small.test': smallSite() }),
  args: ['--seeding-strategy', 'none'],
});

/** A command on a kept crawl of two pages. */
export const kept = (command: Command, name: string, ...args: string[]): Stage => ({
  name,
  after: small,
  play: (values, trial) => trial.run([command, ...args, ...values]),
});

export const again: Stage = { ...small, name: 'the same crawl again', after: small };

/** Cut short by a limit, then resumed without it. */
export const resumed: Stage = {
  name: 'a crawl that is resumed',
  after: { name: 'one page', play: (_values, trial) => small.play(['--max-urls', '1'], trial) },
  async play(values, trial) {
    const web = await trial.web();
    web.site('small.test', smallSite());
    return trial.run(['resume', DATA, '--max-urls', '2', ...here(web), ...values]);
  },
};

/** The second page is answered when the test says so, after Ctrl+C. */
export const interrupted: Stage = {
  name: 'Ctrl+C while a page is under way',
  async play(values, trial) {
    const web = await trial.web();
    let begin = (): void => {};
    let answer = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const wanted = new Promise<void>((resolve) => {
      answer = resolve;
    });
    web.site('held.test', {
      async handle({ path }) {
        if (path === '/') {
          return html(linkPage('Held', ['/held']));
        }
        if (path !== '/held') {
          return notFound;
        }
        begin();
        await wanted;
        // Later than the grace that is the default, sooner than the one that is given.
        return { ...html(linkPage('Late', [])), afterMs: 6000 };
      },
    });
    const program = trial.start([
      ...trial.walk,
      'http://held.test/',
      ...here(web),
      // What is slow here is the machine: no time-out may end the page that is held.
      ...['--timeout', '60s', '--idle-timeout', '60s'],
      '--delay',
      '0',
      '--data-dir',
      DATA,
      ...values,
    ]);
    await begun;
    const stopping = new Promise<void>((resolve) => {
      program.child.stderr.on('data', () => {
        if (program.stderr().includes('stopping:')) {
          resolve();
        }
      });
    });
    program.child.kill('SIGINT');
    await stopping;
    // With no grace it ends by itself; else it waits for this.
    if (!values.includes('0')) {
      answer();
    }
    const run = await program.ended;
    answer();
    return run;
  },
};

export const broken: Stage = {
  name: 'nobody there',
  async play(values, trial) {
    const web = await trial.web();
    const { port } = web;
    await web.close();
    return trial.run([...trial.walk, `http://127.0.0.1:${port}/`, '--retries', '0', '--data-dir', DATA, ...values]);
  },
};
