import { expect } from 'vitest';
import type { Command } from '../../src/config/commands.js';
import { readLines } from '../crawl/support.js';
import { html, pathSite } from '../web/site.js';
import { robotsServed } from './evidence-robots.js';
import { DATA, type Row, type Seen, type Stage } from './harness.js';
import { askedPages, says } from './questions.js';
import { again, HOME, interrupted, kept, resumed, small, smallSite } from './small-stages.js';
import { crawlOf, here } from './stages.js';

const isJson = (output: string): boolean => {
  try {
    return typeof JSON.parse(output) === 'object';
  } catch {
    return false;
  }
};
const jsonRow = (command: Command, stage: Stage, shows: (answer: unknown) => unknown, answer: unknown): Row => ({
  key: 'json',
  command,
  stage,
  values: [[], ['--json']],
  sees: (seen) => [seen.code, isJson(seen.stdout), isJson(seen.stdout) ? shows(JSON.parse(seen.stdout)) : null],
  gives: [
    [expect.any(Number), false, null],
    [expect.any(Number), true, answer],
  ],
});
const EXPORTS: readonly (readonly [format: string, firstLine: unknown])[] = [
  ['jsonl', expect.stringContaining('{"url":"http://small.test/"')],
  ['sitemap', expect.stringContaining('<?xml')],
  ['csv', expect.stringContaining('url,state')],
  ['parquet', expect.stringMatching(/^PAR1/)],
  ['edges', expect.stringContaining('{"from":"http://small.test/"')],
  ['hosts', expect.stringContaining('small.test')],
  ['seeds', '# done 200'],
];
const exported = kept('export', 'an export', DATA);
/** An archive of two pages, then the same pages, asked for or replayed. */
const ON_SMALL = ['--delay', '0', '--seeding-strategy', 'none'];
const archived: Stage = {
  name: 'an archived crawl',
  async play(_values, trial) {
    const web = await trial.web();
    web.site('small.test', smallSite());
    return trial.run(['crawl', HOME, ...here(web), ...ON_SMALL, '--data-dir', DATA, '--format', 'warc']);
  },
};
const ofArchive = (command: Command, ...more: string[]): Stage => ({
  name: `a ${command} of an archive`,
  after: archived,
  async play(values, trial) {
    const web = await trial.web();
    web.site('small.test', smallSite());
    const args = [...ON_SMALL, '--data-dir', 'replayed', ...more];
    return trial.run([command, HOME, ...here(web), ...args, ...values]);
  },
});
const ARCHIVED = ['--from', `${DATA}/archive/gossamer-00001.warc.gz`];
const audited = kept('audit', 'an audit', DATA);
const AUDITS: readonly (readonly [format: string, firstLine: unknown])[] = [
  ['terminal', expect.stringMatching(/error|warning|notice/)],
  ['json', expect.stringContaining('{"version":1,"summary"')],
  ['csv', expect.stringContaining('rule,severity')],
  ['parquet', expect.stringMatching(/^PAR1/)],
  ['markdown', expect.stringContaining('## Audit of')],
  ['sarif', expect.stringContaining('{"version":"2.1.0"')],
  ['html', '<!doctype html>'],
];

/** What is kept shows in what can be done with it. */
const keptAndRead: Stage = {
  name: 'a crawl, then a corpus and a search of it',
  async play(values, trial) {
    await small.play(values, trial);
    await trial.run(['docs', DATA, '--output', 'corpus']);
    return trial.run(['search', DATA, 'word']);
  },
};

export const OUTPUT_EVIDENCE: Row[] = [
  {
    key: 'dataDir',
    stage: small,
    values: [[], ['--data-dir', 'elsewhere']],
    sees: (seen) => [...seen.files.keys()].filter((name) => name.endsWith('pages.jsonl')),
    gives: [[`${DATA}/pages.jsonl`], ['elsewhere/pages.jsonl']],
  },
  {
    key: 'reports',
    stage: small,
    values: [[], ['--report', 'csv=pages.csv', '--report', 'seeds=seeds.txt']],
    sees: (seen) => ['pages.csv', 'seeds.txt'].map((name) => (seen.files.get(name) ?? '').includes(HOME)),
    gives: [
      [false, false],
      [true, true],
    ],
  },
  {
    key: 'format',
    stage: small,
    values: [[], ['--format', 'warc']],
    sees: (seen) => [...seen.files.keys()].filter((name) => name.includes('/archive/')).sort(),
    gives: [[], [`${DATA}/archive/gossamer-00001.warc.gz`, `${DATA}/archive/index.cdxj`]],
  },
  {
    key: 'from',
    stage: ofArchive('crawl'),
    values: [[], ARCHIVED],
    sees: (seen) => [askedPages(seen).length > 0, (seen.files.get('replayed/pages.jsonl') ?? '').split('\n').length],
    gives: [
      [true, 3],
      [false, 3],
    ],
  },
  {
    key: 'from',
    command: 'check',
    stage: ofArchive('check', '-f', 'csv'),
    values: [[], ARCHIVED],
    sees: (seen) => [askedPages(seen).length > 0, seen.code],
    gives: [
      [true, 0],
      [false, 0],
    ],
  },
  {
    key: 'from',
    command: 'docs',
    stage: ofArchive('docs', '--output', 'corpus'),
    values: [[], ARCHIVED],
    sees: (seen) => [askedPages(seen).length > 0, [...seen.files.keys()].includes('corpus/index.json')],
    gives: [
      [true, true],
      [false, true],
    ],
  },
  {
    key: 'format',
    command: 'export',
    stage: exported,
    values: EXPORTS.map(([format]) => ['--format', format]),
    sees: (seen) => seen.stdout.split('\n')[0],
    gives: EXPORTS.map(([, line]) => line),
  },
  {
    key: 'sitemapExtras',
    stage: small,
    values: [[], ['--sitemap-extras']],
    sees: (seen) => (seen.files.get(`${DATA}/sitemap.xml`) ?? '').includes('xmlns:image'),
    gives: [false, true],
  },
  {
    key: 'sitemapExtras',
    command: 'export',
    stage: exported,
    values: [
      ['-f', 'sitemap'],
      ['-f', 'sitemap', '--sitemap-extras'],
    ],
    sees: (seen) => seen.stdout.includes('xmlns:image'),
    gives: [false, true],
  },
  {
    key: 'table',
    command: 'export',
    stage: exported,
    values: [['-f', 'csv'], ...['pages', 'links', 'hosts'].map((table) => ['-f', 'csv', '--table', table])],
    sees: (seen) => seen.stdout.split(',', 2).join(),
    gives: ['url,state', 'url,state', 'from,to', 'name,unicodeName'],
  },
  {
    key: 'bom',
    command: 'export',
    stage: exported,
    values: [
      ['-f', 'csv'],
      ['-f', 'csv', '--bom'],
    ],
    sees: (seen) => seen.stdout.slice(0, 4),
    gives: ['url,', '\ufeffurl'],
  },
  {
    key: 'bom',
    command: 'audit',
    stage: audited,
    values: [
      ['-f', 'csv'],
      ['-f', 'csv', '--bom'],
    ],
    sees: (seen) => seen.stdout.slice(0, 5),
    gives: ['rule,', '\ufeffrule'],
  },
  {
    key: 'output',
    command: 'export',
    stage: exported,
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
    key: 'format',
    command: 'audit',
    stage: audited,
    values: AUDITS.map(([format]) => ['--format', format]),
    sees: (seen) => seen.stdout.split('\n')[0],
    gives: AUDITS.map(([, line]) => line),
  },
  {
    key: 'output',
    command: 'audit',
    stage: audited,
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
    key: 'reports',
    command: 'audit',
    stage: audited,
    values: [[], ['--report', 'csv=audit.csv', '--report', 'html=audit.html']],
    sees: (seen) => ['audit.csv', 'audit.html'].map((name) => (seen.files.get(name) ?? '').includes(HOME)),
    gives: [
      [false, false],
      [true, true],
    ],
  },
  {
    key: 'failOn',
    command: 'audit',
    stage: audited,
    values: [[], ['--fail-on', 'redirect_loop'], ['--fail-on', 'notice']],
    sees: (seen) => seen.code,
    gives: [0, 0, 1],
  },
  {
    key: 'anchorText',
    stage: crawlOf({
      name: 'two pages and their edges',
      seeds: [HOME],
      sites: () => ({ 'small.test': smallSite() }),
      args: ['--seeding-strategy', 'none', '--report', 'edges=edges.jsonl'],
    }),
    values: [[], ['--anchor-text']],
    sees: (seen) =>
      readLines<{ text?: string | null }>(seen.files.get('edges.jsonl') ?? '').map((edge) => edge.text ?? null),
    gives: [
      [null, null],
      ['/a', HOME],
    ],
  },
  {
    key: 'keep',
    stage: keptAndRead,
    values: [[], ['--keep', 'text'], ['--keep', 'body']],
    sees: (seen) => [seen.code, seen.files.has('corpus/index.json')],
    gives: [
      [3, false],
      [0, false],
      [0, true],
    ],
  },
  {
    key: 'searches',
    stage: small,
    values: [[], ['--search', 'a WORD', '--search', 're:zzz+']],
    sees: (seen) => seen.summary?.found.map(({ pages }) => pages),
    gives: [[], [1, 0]],
  },
  {
    key: 'facts',
    stage: crawlOf({
      name: 'two pages and their facts',
      seeds: [HOME],
      sites: () => ({ 'small.test': pathSite({ '/': html('<meta name=author content=A><p>x') }) }),
      args: ['--seeding-strategy', 'none'],
    }),
    values: [[], ['--facts', 'all']],
    sees: (seen) => readLines<object>(seen.files.get(`${DATA}/pages.jsonl`) ?? '').map((page) => 'extras' in page),
    gives: [[false], [true]],
  },
  {
    key: 'extract',
    stage: crawlOf({
      name: 'two pages and what is taken of them',
      seeds: [HOME],
      sites: () => ({ 'small.test': smallSite() }),
      args: ['--seeding-strategy', 'none'],
    }),
    values: [[], ['--extract', 'to=a@href', '--extract', 'links[]=a']],
    sees: (seen) =>
      readLines<{ data?: unknown }>(seen.files.get(`${DATA}/pages.jsonl`) ?? '').map(({ data }) => data ?? null),
    gives: [
      [null, null],
      [
        { to: '/a', links: ['/a'] },
        { to: HOME, links: [HOME] },
      ],
    ],
  },
  {
    key: 'minFreeDiskBytes',
    stage: small,
    values: [[], ['--min-free-disk', '1024TiB']],
    sees: (seen) => [seen.code, askedPages(seen).length, says(seen, '--min-free-disk')],
    gives: [
      [0, 2, false],
      [3, 0, true],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'fresh',
    stage: again,
    values: [[], ['--fresh']],
    sees: (seen) => [seen.code, askedPages(seen).length, seen.files.has(`${DATA}.old-1/crawl.sqlite`)],
    gives: [
      [3, 0, false],
      [0, 2, true],
    ],
    check: 'same',
  },
  {
    key: 'resume',
    stage: again,
    values: [[], ['--resume']],
    sees: (seen) => [seen.code, askedPages(seen).length, says(seen, 'is finished; nothing to do')],
    gives: [
      [3, 0, false],
      [0, 0, true],
    ],
    // One that is finished says again what it found.
    check: [
      [3, 0, false],
      [0, 0, false],
    ],
  },
  {
    key: 'graceMs',
    stage: interrupted,
    values: [
      ['--grace', '30s'],
      ['--grace', '0'],
    ],
    sees: (seen) => [seen.code, seen.pages.filter(({ state }) => state === 'done').map(({ url }) => url)],
    gives: [
      [130, ['http://held.test/', 'http://held.test/held']],
      [130, ['http://held.test/']],
    ],
    check: 'same',
    docs: 'same',
  },
  jsonRow('crawl', small, (answer) => (answer as Seen['summary'])?.done, 2),
  jsonRow('docs', small, (answer) => (answer as { corpora: unknown[] }).corpora.length, 1),
  jsonRow('resume', resumed, (answer) => (answer as Seen['summary'])?.done, 2),
  jsonRow('explain', kept('explain', 'explain', DATA, HOME), (answer) => (answer as { state: string }).state, 'done'),
  jsonRow('robots', robotsServed, (answer) => (answer as { line: number }).line, 2),
  jsonRow('status', kept('status', 'status', DATA), (answer) => (answer as { state: string }).state, 'finished'),
  jsonRow('list', kept('list', 'list', '.'), (answer) => (answer as unknown[]).length, 1),
];
