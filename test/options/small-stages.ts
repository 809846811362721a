import type { Command } from '../../src/config/commands.js';
import { html, linkPage, notFound, pathSite, type Site } from '../web/site.js';
import { DATA, type Stage, type Trial } from './harness.js';
import { crawlOf, here } from './stages.js';

export const HOME = 'http://small.test/';
export const smallSite = (): Site =>
  pathSite({ '/': html(linkPage('Small', ['/a'], 'A word.')), '/a': html(linkPage('A', [HOME])) });

export const small = crawlOf({ name: 'two pages', seeds: [HOME], sites: () => ({ 'small.test': smallSite() }), args: ['--seeding-strategy', 'none'] });

/** A kept crawl of two pages, and then a command on it. */
export const kept = (command: Command, name: string, ...args: string[]): Stage => ({
  name,
  async play(values, trial) {
    await keepCrawl(trial);
    return trial.run([command, ...args, ...values]);
  },
});
async function keepCrawl(trial: Trial, ...more: string[]): Promise<string[]> {
  const web = await trial.web();
  web.site('small.test', smallSite());
  const crawl = ['crawl', HOME, ...here(web), '--delay', '0', '--seeding-strategy', 'none', ...more];
  await trial.run([...crawl, '--data-dir', DATA]);
  web.clearLog();
  return crawl;
}
export const again: Stage = {
  name: 'the same crawl again',
  async play(values, trial) {
    const crawl = await keepCrawl(trial);
    return trial.run([...crawl, '--data-dir', DATA, ...values]);
  },
};

/** Cut short by a limit, then resumed without it. */
export const resumed: Stage = {
  name: 'a crawl that is resumed',
  async play(values, trial) {
    await keepCrawl(trial, '--max-urls', '1');
    return trial.run(['resume', DATA, '--max-urls', '2', ...values]);
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
        if (path === '/') return html(linkPage('Held', ['/held']));
        if (path !== '/held') return notFound;
        begin();
        await wanted;
        return html(linkPage('Late', []));
      },
    });
    const program = trial.start(['crawl', 'http://held.test/', ...here(web), '--delay', '0', '--data-dir', DATA, ...values]);
    await begun;
    const stopping = new Promise<void>((resolve) => {
      program.child.stderr.on('data', () => {
        if (program.stderr().includes('stopping:')) resolve();
      });
    });
    program.child.kill('SIGINT');
    await stopping;
    // With no grace it ends by itself; else it waits for this.
    if (!values.includes('0')) answer();
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
    return trial.run(['crawl', `http://127.0.0.1:${port}/`, '--retries', '0', '--data-dir', DATA, ...values]);
  },
};
