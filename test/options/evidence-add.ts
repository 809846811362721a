import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, linkPage, pathSite, type Site } from '../web/site.js';
import { DATA, type Row, type Stage } from './harness.js';
import { askedPages, says } from './questions.js';
import { kept } from './small-stages.js';
import { crawlOf, here } from './stages.js';

const page = (...links: string[]) => html(linkPage('A page', links, 'words'));
const site = (): Site =>
  pathSite({ '/': page('/a'), '/a': page(), '/x': page('/y'), '/y': page('/z'), '/z': page(), '/listed': page() });

/** Its home page is asked for, and the link on it waits. */
const cut = crawlOf({
  name: 'one page of a crawl by priority',
  seeds: ['http://more.test/'],
  sites: () => ({ 'more.test': site() }),
  args: [
    ...['--seeding-strategy', 'none', '--order', 'priority', '--depth', '2'],
    ...['--max-urls', '1', '--workers', '1', '--max-inflight-per-host', '1'],
  ],
});

/** Something is added to it, and it goes on. */
const addedTo: Stage = {
  name: 'a crawl that is added to',
  after: cut,
  async play(values, trial) {
    writeFileSync(join(trial.folder, 'list.txt'), 'http://more.test/listed\n');
    await trial.run(['add', DATA, 'http://more.test/x', ...values]);
    const web = await trial.web();
    web.site('more.test', site());
    return trial.run(['resume', DATA, '--max-urls', '20', ...here(web)]);
  },
};

const adding = kept('add', 'adding', DATA, 'http://small.test/x');
const dataOf = (url: string) => (seen: Parameters<Row['sees']>[0]) =>
  (seen.pages.find((each) => each.url === url) as { data?: unknown } | undefined)?.data ?? null;

/** What is said of URLs that are added. */
export const ADD_EVIDENCE: Row[] = [
  {
    key: 'atDepth',
    command: 'add',
    stage: addedTo,
    values: [[], ['--at-depth', '2']],
    sees: (seen) => askedPages(seen).includes('more.test/y'),
    gives: [true, false],
  },
  {
    key: 'rank',
    command: 'add',
    stage: addedTo,
    values: [[], ['--rank', '7']],
    sees: (seen) => askedPages(seen)[0],
    gives: ['more.test/x', 'more.test/a'],
  },
  {
    key: 'givenData',
    command: 'add',
    stage: addedTo,
    values: [[], ['--data', '{"id":7}']],
    sees: dataOf('http://more.test/x'),
    gives: [null, { id: 7 }],
  },
  {
    key: 'seedsFiles',
    command: 'add',
    stage: addedTo,
    values: [[], ['--seeds-file', 'list.txt']],
    sees: (seen) => askedPages(seen).includes('more.test/listed'),
    gives: [false, true],
  },
  {
    key: 'json',
    command: 'add',
    stage: adding,
    values: [[], ['--json']],
    sees: (seen) => seen.stdout.startsWith('{'),
    gives: [false, true],
  },
  {
    key: 'quiet',
    command: 'add',
    stage: adding,
    values: [[], ['-q']],
    sees: (seen) => says(seen, 'added'),
    gives: [true, false],
  },
];
