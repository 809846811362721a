import { join } from 'node:path';
import type { Command } from '../../src/config/commands.js';
import { page, write } from '../corpus/fixture.js';
import { html, linkPage, pathSite } from '../web/site.js';
import type { Row, Seen, Stage } from './harness.js';
import { here } from './stages.js';

/** A command on a corpus of three pages. */
const lookedUp = (command: Command, ...args: string[]): Stage => ({
  name: `${command} in a corpus`,
  async play(values, trial) {
    const pages = ['/a', '/b', '/c'].map((path) =>
      page(path, { markdown: `# Page\n\nThe same word, and ${path}.`, kept: path === '/a' ? 0.25 : 1 }),
    );
    await write(join(trial.folder, 'corpus'), pages);
    return trial.run([command, 'corpus', ...args, ...values]);
  },
});
const listed = lookedUp('list');
const search = lookedUp('search', 'word');
const show = lookedUp('show', 'a.md');

/** The same of a corpus that was made of a crawl, by its data directory. */
const shownOfCrawl: Stage = {
  name: 'show in the corpus of a crawl',
  async play(values, trial) {
    const web = await trial.web();
    const page = html(linkPage('Home', [], 'The only page of its site, and some words of its own.'));
    web.site('home.test', pathSite({ '/': page }));
    await trial.run(['docs', 'http://home.test/', ...here(web), '--data-dir', 'made', '-o', 'corpus', '--delay', '0']);
    return trial.run(['show', 'made', 'http://home.test/', ...values]);
  },
};

const hits = (seen: Seen): number => seen.stdout.match(/^ {2}[abc]\.md$/gm)?.length ?? 0;

/** What the commands take that look into a corpus. */
export const CORPUS_EVIDENCE: Row[] = [
  {
    key: 'low',
    command: 'list',
    stage: { ...listed, name: 'the pages of a corpus' },
    values: [[], ['--low']],
    sees: (seen) => seen.stdout.match(/\b[abc]\.md/g)?.length ?? 0,
    gives: [3, 1],
  },
  { key: 'limit', command: 'search', stage: search, values: [[], ['--limit', '2']], sees: hits, gives: [3, 2] },
  { key: 'prefix', command: 'search', stage: search, values: [[], ['--prefix', 'b']], sees: hits, gives: [3, 1] },
  {
    key: 'json',
    command: 'search',
    stage: search,
    values: [[], ['--json']],
    sees: (seen) => (seen.stdout.startsWith('[') ? JSON.parse(seen.stdout).length : hits(seen) + 10),
    gives: [13, 3],
  },
  {
    key: 'json',
    command: 'show',
    stage: show,
    values: [[], ['--json']],
    sees: (seen) => (seen.stdout.startsWith('{') ? JSON.parse(seen.stdout).path : seen.stdout.split('\n')[0]),
    gives: ['# Page', 'a.md'],
  },
  {
    key: 'why',
    command: 'show',
    stage: shownOfCrawl,
    values: [[], ['--why']],
    sees: (seen) => [seen.code, / blocks? kept$/m.test(seen.stdout), /^(?:kept|left out) .*\|/m.test(seen.stdout)],
    gives: [
      [0, false, false],
      [0, true, true],
    ],
  },
];
