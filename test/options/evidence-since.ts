import { expect } from 'vitest';
import { html, linkPage, pathSite, type SiteRequest, type WholeAnswer } from '../web/site.js';
import { DATA, type Row, type Stage } from './harness.js';
import { timesAsked } from './questions.js';
import { here } from './stages.js';

const HOME = html(linkPage('Home', ['/a'], 'Words.'));
const tagged = ({ headers }: SiteRequest): WholeAnswer =>
  headers['if-none-match'] === '"1"' ? { status: 304 } : { ...HOME, headers: { ...HOME.headers, etag: '"1"' } };
const OTHER = html(linkPage('Other', [], 'Words.'));

/** The same site twice, the second time with what the first knows. */
const again = (name: string, args: readonly string[]): Stage => ({
  name,
  async play(values, trial) {
    const web = await trial.web();
    web.site('known.test', pathSite({ '/': tagged, '/a': OTHER }));
    const line = [...trial.walk, 'http://known.test/', ...here(web), '--delay', '0'];
    await trial.run([...line, '--data-dir', 'first']);
    return trial.run([...line, '--data-dir', DATA, ...args, ...values]);
  },
});

/** Two crawls of a site that has changed between them, compared. */
const compared: Stage = {
  name: 'two crawls that differ',
  async play(values, trial) {
    const web = await trial.web();
    const crawl = async (host: string, title: string): Promise<void> => {
      web.site(host, pathSite({ '/': html(linkPage(title, [], 'Words.')) }));
      await trial.run(['crawl', `http://${host}/`, ...here(web), '--delay', '0', '--data-dir', host]);
    };
    await crawl('one.test', 'Before');
    await crawl('two.test', 'After');
    return trial.run(['diff', 'one.test', 'two.test', ...values]);
  },
};
const MAPPED = ['--map-host', 'one.test=two.test'];
const DIFFERS = 'http://two.test/';

export const SINCE_EVIDENCE: Row[] = [
  {
    key: 'since',
    stage: again('a page that has not changed', []),
    values: [[], ['--since', 'first']],
    sees: (seen) => JSON.parse(seen.files.get(`${DATA}/summary.json`)!).carriedOver,
    gives: [0, 1],
  },
  {
    key: 'maxAgeMs',
    stage: again('a page that is young', ['--since', 'first']),
    values: [[], ['--max-age', '1h']],
    sees: (seen) => timesAsked(seen, 'known.test/a'),
    gives: [2, 1],
  },
  {
    key: 'ignoredParts',
    command: 'diff',
    stage: compared,
    values: [MAPPED, [...MAPPED, '--ignore', 'title,h1,content']],
    sees: (seen) => [seen.stdout.includes('“Before” → “After”'), seen.code],
    gives: [
      [true, 1],
      [false, 0],
    ],
  },
  {
    key: 'mapHosts',
    command: 'diff',
    stage: compared,
    values: [[], MAPPED],
    sees: (seen) => /\d+ added, \d+ removed, \d+ changed/.exec(seen.stdout)?.[0],
    gives: ['1 added, 1 removed, 0 changed', '0 added, 0 removed, 1 changed'],
  },
  {
    key: 'format',
    command: 'diff',
    stage: compared,
    values: [[], ['--format', 'json'], ['--format', 'jsonl'], ['--format', 'html']],
    sees: (seen) => seen.stdout.split('\n')[0]!.slice(0, 15),
    gives: [expect.stringContaining('before '), '{"before":{"dir', '{"type":"page",', '<!doctype html>'],
  },
  {
    key: 'output',
    command: 'diff',
    stage: compared,
    values: [
      ['-o', '-'],
      ['-o', 'out.txt'],
    ],
    sees: (seen) => [seen.stdout.includes(DIFFERS), (seen.files.get('out.txt') ?? '').includes(DIFFERS)],
    gives: [
      [true, false],
      [false, true],
    ],
  },
  {
    key: 'reports',
    command: 'diff',
    stage: compared,
    values: [[], ['--report', 'html=changes.html', '--report', 'json=changes.json']],
    sees: (seen) => ['changes.html', 'changes.json'].map((name) => (seen.files.get(name) ?? '').includes(DIFFERS)),
    gives: [
      [false, false],
      [true, true],
    ],
  },
  {
    key: 'quiet',
    command: 'diff',
    stage: {
      name: 'two crawls that differ, as JSON',
      play: (values, trial) => compared.play(['--format', 'json', ...values], trial),
    },
    values: [[], ['-q']],
    sees: (seen) => seen.stderr.includes('diff: 1 added'),
    gives: [true, false],
  },
];
