import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CHECK_FORMATS } from '../../src/config/option-spec.js';
import { html, linkPage, notFound, pathSite, redirect, type Site, text } from '../web/site.js';
import { GARDEN, gardenSites, has } from './garden.js';
import { handedOn } from './handed-on.js';
import { DATA, type Row, type Seen, type Stage, type Trial } from './harness.js';
import { atOnce, oneHost } from './layer-stages.js';
import { asked, askedPages, says, timesAsked } from './questions.js';
import { here } from './stages.js';

const ONE_LOOK = ['--second-look-budget', '0'];
const HOME = 'http://links.test/';

/** A link that moved, one behind a login, one that leads out. */
const linksSite = (): Site =>
  pathSite({
    '/': html(linkPage('Links', ['/old', '/login', 'http://out.test/page'])),
    '/old': redirect('/new', 301),
    '/new': html(linkPage('New', [])),
    '/login': text('Who are you?', 401),
  });
const outSite = (): Site => pathSite({ '/page': html(linkPage('Out', ['/further'])) });

/** A check as its user starts it: with the defaults of checks. */
const check = (name: string, sites: () => Record<string, Site>, ...args: string[]): Stage => ({
  name,
  play: async (values, trial) => trial.run(['check', ...(await serve(trial, sites())), ...args, ...values]),
});

async function serve(trial: Trial, sites: Record<string, Site>): Promise<string[]> {
  const web = await trial.web();
  for (const [host, site] of Object.entries(sites)) {
    web.site(host, site);
  }
  return here(web);
}

const linkSites = () => ({ 'links.test': linksSite(), 'out.test': outSite() });
const links = check('links of every kind', linkSites, HOME, ...ONE_LOOK);
const garden = check('the garden, checked', gardenSites, `${GARDEN}/docs/`, ...ONE_LOOK);

const KNOWN = { url: `${HOME}old`, verdict: 'moved', firstSeen: '2026-01-31' };
/** One link fails, and a baseline may know it. */
const knownLinks: Stage = {
  name: 'links and what is known of them',
  async play(values, trial) {
    writeFileSync(join(trial.folder, 'empty.json'), '{ "version": 1, "links": [] }');
    writeFileSync(join(trial.folder, 'known.json'), JSON.stringify({ version: 1, links: [KNOWN] }));
    return trial.run([
      'check',
      HOME,
      ...(await serve(trial, linkSites())),
      ...ONE_LOOK,
      '--fail-on',
      '+moved',
      ...values,
    ]);
  },
};

/** Checked, and checked again. */
const twice: Stage = {
  name: 'the same check twice',
  async play(values, trial) {
    const args = ['check', HOME, ...(await serve(trial, linkSites())), ...ONE_LOOK, ...values];
    await trial.run(args);
    return trial.run(args);
  },
};

/** A page of a folder that links to where it will be published. */
const folder: Stage = {
  name: 'a folder',
  async play(values, trial) {
    mkdirSync(join(trial.folder, 'site'));
    writeFileSync(join(trial.folder, 'site', 'index.html'), linkPage('Home', ['http://links.test/about']));
    writeFileSync(join(trial.folder, 'site', 'about.html'), linkPage('About', []));
    return trial.run(['check', 'site', ...(await serve(trial, linkSites())), ...ONE_LOOK, ...values]);
  },
};

/** A page that is gone; once it was checked, it is back. */
const gone = (isBack: boolean): Site =>
  pathSite({
    '/': html(linkPage('Home', ['/fine', '/gone'])),
    '/fine': html(linkPage('Fine', [])),
    '/gone': isBack ? html(linkPage('Back', [])) : notFound,
  });
const brokenOnce = check(
  'a page that is gone',
  () => ({ 'links.test': gone(false) }),
  HOME,
  ...ONE_LOOK,
  '--data-dir',
  DATA,
);
const backAgain: Stage = { ...check('a page that is back', () => ({ 'links.test': gone(true) })), after: brokenOnce };
const lookedAt = check('a page that is gone, looked at', () => ({ 'links.test': gone(false) }), HOME, '--delay', '0');

/** A folder whose page begins a link with a slash. */
const rooted: Stage = {
  name: 'a folder below its root',
  async play(values, trial) {
    mkdirSync(join(trial.folder, 'en'));
    writeFileSync(join(trial.folder, 'en', 'index.html'), linkPage('Home', ['/logo.png']));
    writeFileSync(join(trial.folder, 'logo.png'), 'x');
    return trial.run(['check', 'en', ...ONE_LOOK, ...values]);
  },
};

const GONE = '?url=http%3A%2F%2Flinks.test%2Fgone';
const archiveSite: Site = {
  handle: () =>
    text(JSON.stringify({ archived_snapshots: { closest: { available: true, url: 'http://archive.test/kept' } } })),
};
const archived = check(
  'a page that is gone, and an archive',
  () => ({ 'links.test': gone(false), 'archive.test': archiveSite }),
  HOME,
  '--delay',
  '0',
);

const baselineOf = (seen: Seen, name: string): unknown => JSON.parse(seen.files.get(name) ?? 'null')?.links;

/** The first line of each format. */
const FIRST_LINES: Record<(typeof CHECK_FORMATS)[number], unknown> = {
  terminal: '',
  json: expect.stringContaining('{"schema":'),
  jsonl: expect.stringMatching(/^\{"schema":.*\}$/),
  csv: expect.stringContaining('url,fragment,verdict'),
  junit: expect.stringContaining('<?xml'),
  sarif: expect.stringContaining('sarif-schema-2.1.0.json'),
  github: expect.stringContaining('::'),
  markdown: expect.stringMatching(/^#+ /),
  html: '<!doctype html>',
};

/** What a check does otherwise than a crawl, and what only it takes. */
const OWN: Omit<Row, 'command'>[] = [
  {
    key: 'external',
    stage: links,
    values: [[], ['--no-external']],
    sees: (seen) => seen.log.filter(({ host }) => host === 'out.test').map(({ method, path }) => `${method} ${path}`),
    gives: [['GET /robots.txt', 'HEAD /page'], []],
  },
  {
    key: 'nofollow',
    stage: garden,
    values: [[], ['--nofollow', 'obey']],
    sees: (seen) => has(seen, 'www.garden.test/marked-by-rel', 'www.garden.test/behind-meta'),
    gives: [
      [true, true],
      [false, false],
    ],
  },
  {
    key: 'delayMs',
    stage: links,
    values: [[], ['--delay', '0']],
    sees: (seen) => [says(seen, 'delay 100 ms'), says(seen, 'no delay')],
    gives: [
      [true, false],
      [false, true],
    ],
  },
  {
    key: 'failOn',
    stage: links,
    values: [[], ['--fail-on', '+moved'], ['--fail-on', '+moved,-moved']],
    sees: ({ code }) => code,
    gives: [0, 1, 0],
  },
  {
    key: 'accept',
    stage: check('a login', linkSites, HOME, ...ONE_LOOK, '--fail-on', '+auth_required,+unverifiable'),
    values: [[], ['--accept', '401'], ['--accept', '402,403..451']],
    sees: ({ code }) => code,
    gives: [1, 0, 1],
  },
  {
    key: 'secondLookBudgetMs',
    stage: lookedAt,
    values: [[], ONE_LOOK],
    sees: (seen) => timesAsked(seen, 'links.test/gone'),
    gives: [2, 1],
  },
  {
    key: 'baseline',
    stage: knownLinks,
    values: [[], ['--baseline', 'known.json'], ['--baseline', 'empty.json']],
    sees: (seen) => [seen.code, baselineOf(seen, 'known.json'), baselineOf(seen, 'empty.json')],
    gives: [
      [1, [KNOWN], []],
      [0, [KNOWN], []],
      [1, [KNOWN], []],
    ],
  },
  {
    key: 'updateBaseline',
    stage: knownLinks,
    values: [
      ['--baseline', 'empty.json'],
      ['--baseline', 'empty.json', '--update-baseline'],
      ['--baseline', 'known.json', '--update-baseline'],
      ['--baseline', 'new.json', '--update-baseline'],
    ],
    sees: (seen) => ['empty.json', 'known.json', 'new.json'].map((name) => baselineOf(seen, name)),
    gives: [
      [[], [KNOWN], undefined],
      [[{ ...KNOWN, firstSeen: expect.any(String) }], [KNOWN], undefined],
      [[], [KNOWN], undefined],
      [[], [KNOWN], [{ ...KNOWN, firstSeen: expect.any(String) }]],
    ],
  },
  {
    key: 'cache',
    stage: twice,
    values: [[], ['--cache', 'kept.jsonl']],
    sees: (seen) => [timesAsked(seen, 'out.test/page'), timesAsked(seen, 'links.test/'), seen.files.has('kept.jsonl')],
    gives: [
      [2, 2, false],
      [1, 2, true],
    ],
  },
  {
    key: 'cacheAgeMs',
    stage: twice,
    values: [
      ['--cache', 'kept.jsonl'],
      ['--cache', 'kept.jsonl', '--cache-age', '0'],
    ],
    sees: (seen) => timesAsked(seen, 'out.test/page'),
    gives: [1, 2],
  },
  {
    key: 'baseUrl',
    stage: folder,
    values: [[], ['--base-url', HOME]],
    sees: (seen) => [asked(seen).includes('links.test/about'), seen.stdout.includes('links.test/about')],
    gives: [
      [true, true],
      [false, false],
    ],
  },
  {
    key: 'rootDir',
    stage: rooted,
    values: [[], ['--root-dir', '.']],
    sees: (seen) => seen.stdout.includes('logo.png'),
    gives: [true, false],
  },
  {
    key: 'remaps',
    stage: links,
    values: [[], ['--remap', `http://out.test=${HOME}moved`]],
    sees: (seen) => [timesAsked(seen, 'out.test/page'), timesAsked(seen, 'links.test/moved/page')],
    gives: [
      [1, 0],
      [0, expect.any(Number)],
    ],
  },
  {
    key: 'offline',
    stage: folder,
    values: [[], ['--offline']],
    sees: (seen) => [
      asked(seen).length > 0,
      seen.stderr.includes('1 on the net') || seen.stdout.includes('1 on the net'),
    ],
    gives: [
      [true, false],
      [false, true],
    ],
  },
  {
    key: 'dump',
    stage: links,
    values: [[], ['--dump']],
    sees: (seen) => [askedPages(seen), seen.stdout.includes('http://out.test/page  http://links.test/')],
    gives: [
      [expect.arrayContaining(['links.test/', 'links.test/login']), false],
      [['links.test/'], true],
    ],
  },
  {
    key: 'requireHttps',
    stage: links,
    values: [[], ['--require-https']],
    sees: (seen) => [seen.code, seen.stdout.includes('insecure (')],
    gives: [
      [0, false],
      [1, true],
    ],
  },
  {
    key: 'suggest',
    stage: archived,
    values: [[], ['--suggest', '--suggest-url', 'http://archive.test/one']],
    sees: (seen) => [timesAsked(seen, `archive.test/one${GONE}`), seen.stdout.includes('http://archive.test/kept')],
    gives: [
      [0, false],
      [1, true],
    ],
  },
  {
    key: 'suggestUrl',
    stage: archived,
    values: [
      ['--suggest', '--suggest-url', 'http://archive.test/one'],
      ['--suggest', '--suggest-url', 'http://archive.test/two'],
    ],
    sees: (seen) => [timesAsked(seen, `archive.test/one${GONE}`), timesAsked(seen, `archive.test/two${GONE}`)],
    gives: [
      [1, 0],
      [0, 1],
    ],
  },
  {
    key: 'recheck',
    stage: backAgain,
    values: [
      [HOME, ...ONE_LOOK],
      ['--recheck', DATA, ...ONE_LOOK],
    ],
    sees: (seen) => [seen.code, askedPages(seen)],
    gives: [
      [0, ['links.test/', 'links.test/fine', 'links.test/gone']],
      [0, ['links.test/gone']],
    ],
  },
  {
    key: 'dataDir',
    stage: links,
    values: [[], ['--data-dir', 'kept']],
    sees: (seen) => [seen.code, [...seen.files.keys()].filter((name) => name.endsWith('crawl.sqlite'))],
    gives: [
      [0, []],
      [0, ['kept/crawl.sqlite']],
    ],
  },
  {
    key: 'reports',
    stage: links,
    values: [[], ['--report', 'csv=links.csv', '--report', 'junit=links.xml']],
    sees: (seen) => ['links.csv', 'links.xml'].map((name) => (seen.files.get(name) ?? '').includes(`${HOME}login`)),
    gives: [
      [false, false],
      [true, true],
    ],
  },
  {
    key: 'format',
    stage: links,
    values: CHECK_FORMATS.map((format) => ['--format', format]),
    sees: (seen) => [seen.stdout.split('\n')[0], seen.stdout.includes(`${HOME}login`)],
    gives: CHECK_FORMATS.map((format) => [FIRST_LINES[format], true]),
  },
  {
    key: 'output',
    stage: links,
    values: [
      ['-f', 'csv', '-o', '-'],
      ['-f', 'csv', '-o', 'out.csv'],
    ],
    sees: (seen) => [seen.stdout.includes(HOME), (seen.files.get('out.csv') ?? '').includes(HOME)],
    gives: [
      [true, false],
      [false, true],
    ],
  },
  {
    key: 'color',
    stage: links,
    values: [['--no-color'], ['--color']],
    sees: (seen) => seen.stdout.includes('\u001b['),
    gives: [false, true],
  },
  {
    key: 'verbose',
    stage: links,
    values: [[], ['--verbose']],
    sees: (seen) => seen.stdout.includes('http://out.test/page'),
    gives: [false, true],
  },
  {
    key: 'preset',
    stage: oneHost,
    values: [['--no-auto-tune'], ['--no-auto-tune', '--preset', 'many-hosts']],
    sees: (seen) => [atOnce(seen, 'inflightPerHost', seen.log) > 2, askedPages(seen).length],
    gives: [
      [true, 25],
      [false, 25],
    ],
  },
];

export const CHECK_EVIDENCE: Row[] = [...OWN.map((row): Row => ({ ...row, command: 'check' })), ...handedOn('check')];
