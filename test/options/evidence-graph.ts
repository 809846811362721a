import { expect } from 'vitest';
import { html, linkPage, pathSite } from '../web/site.js';
import { DATA, type Row, type Stage } from './harness.js';
import { crawlOf } from './stages.js';

const HOME = 'http://linked.test/';

/** Two folders, and a link out of the site. */
const linked = crawlOf({
  name: 'a site with two folders',
  seeds: [HOME],
  sites: () => ({
    'linked.test': pathSite({
      '/': html(linkPage('Home', ['/docs/a', '/docs/b', 'http://outside.test/'])),
      '/docs/a': html(linkPage('A', [HOME])),
      '/docs/b': html(linkPage('B', [HOME])),
    }),
  }),
  args: ['--seeding-strategy', 'none'],
});

const graph: Stage = {
  name: 'a graph of it',
  after: linked,
  play: (values, trial) => trial.run(['graph', DATA, ...values]),
};

const FORMATS: readonly (readonly [format: string, first: unknown])[] = [
  ['terminal', '3 pages, 4 edges (4 links)'],
  ['csv', 'from,to,weight\r'],
  ['jsonl', `{"from":"${HOME}","to":"${HOME}docs/a","weight":1}`],
  ['parquet', expect.stringMatching(/^PAR1/)],
  ['graphml', expect.stringMatching(/^<\?xml/)],
  ['gexf', expect.stringMatching(/^<\?xml/)],
  ['dot', 'digraph gossamer {'],
  ['html', '<!doctype html>'],
  ['svg', expect.stringMatching(/^<svg /)],
];

/** What `graph` takes. */
export const GRAPH_EVIDENCE: Row[] = [
  {
    key: 'format',
    command: 'graph',
    stage: graph,
    values: FORMATS.map(([format]) => ['--format', format]),
    sees: (seen) => [seen.stdout.split('\n')[0], /<(\w+)[ >]/g.exec(seen.stdout.slice(20))?.[1] ?? null],
    gives: FORMATS.map(([format, first]) => [
      first,
      { graphml: 'graphml', gexf: 'gexf', html: 'head', svg: 'title' }[format] ?? null,
    ]),
  },
  {
    key: 'output',
    command: 'graph',
    stage: graph,
    values: [
      ['-f', 'csv', '-o', '-'],
      ['-o', 'site.csv'],
    ],
    sees: (seen) => [seen.stdout.includes(HOME), (seen.files.get('site.csv') ?? '').includes(HOME)],
    gives: [
      [true, false],
      [false, true],
    ],
  },
  {
    key: 'level',
    command: 'graph',
    stage: graph,
    values: [
      ['-f', 'csv', '--level', 'page'],
      ['-f', 'csv', '--level', 'folder'],
      ['-f', 'csv', '--level', 'host'],
    ],
    sees: (seen) => seen.stdout.trimEnd().split('\r\n').slice(1),
    gives: [expect.objectContaining({ length: 4 }), [`${HOME},${HOME}docs/,2`, `${HOME}docs/,${HOME},2`], []],
  },
  {
    key: 'nodes',
    command: 'graph',
    stage: graph,
    values: [
      ['-f', 'csv'],
      ['-f', 'csv', '--nodes'],
    ],
    sees: (seen) => seen.stdout.split(',')[0],
    gives: ['from', 'url'],
  },
  {
    key: 'outside',
    command: 'graph',
    stage: graph,
    values: [[], ['--outside']],
    sees: (seen) => seen.stdout.split(',')[0],
    gives: ['3 pages', '4 pages'],
  },
  {
    key: 'json',
    command: 'graph',
    stage: graph,
    values: [[], ['--json']],
    sees: (seen) => (seen.stdout.startsWith('{') ? JSON.parse(seen.stdout).links : null),
    gives: [null, 4],
  },
];
