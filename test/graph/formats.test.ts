import { parquetReadObjects } from 'hyparquet';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { writeGraphFormat } from '../../src/graph/graph-formats.js';
import type { MeasuredGraph } from '../../src/graph/measured-graph.js';
import { writeParquet } from '../../src/graph/parquet.js';
import { nodeRows, type Table, writeCsv, writeJsonl } from '../../src/graph/tables.js';
import { bytesOf, namedGraph } from './graphs.js';

/** Names as hostile as text can be. */
const NASTY = [
  '=cmd|calc!A1',
  'a"b\\',
  '<b>&amp;\'"]]>',
  'line\r\nend\ttab',
  'escape \u001b[31m bell \u0007 null \u0000',
  'turned \u202e round \ufffe lone \ud800 surrogate',
  'quotes "" and \\" and \\n',
  'Käse 日本語 🕸',
];
const PAIRS = NASTY.map((_, i) => [i, (i + 1) % NASTY.length] as const);
const graph = namedGraph(NASTY, [...PAIRS, [0, 1], [0, 3]]);
const textOf = async (format: 'graphml' | 'gexf' | 'dot', of: MeasuredGraph = graph) =>
  (await bytesOf((files) => writeGraphFormat(format, of, files))).toString();

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

/** A strict parser of XML throws at whatever XML cannot hold. */
function elementsOf(xml: string): Element[] {
  const found: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' };
    found.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) {
      element.text += text;
    }
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return found;
}

const XML_SAFE = NASTY.map((name) => name.replace(/[\u0000-\u0008\u001b\ufffe\ud800]/g, '\ufffd'));

describe('GraphML', () => {
  it('names every attribute with its type, and holds hostile names as text', async () => {
    const elements = elementsOf(await textOf('graphml'));
    const keys = elements
      .filter(({ name }) => name === 'key')
      .map(({ attributes }) => `${attributes['attr.name']}:${attributes['attr.type']}`);
    expect(keys).toEqual([
      ...[
        'host:string',
        'pages:long',
        'innerLinks:long',
        'depth:long',
        'pagerank:double',
        'inDegree:long',
        'outDegree:long',
      ],
      ...[
        'inLinks:long',
        'outLinks:long',
        'component:long',
        'community:long',
        'orphan:boolean',
        'deadEnd:boolean',
        'weight:long',
      ],
    ]);
    const names = elements
      .filter(({ name, attributes }) => name === 'data' && attributes.key === 'd0')
      .map(({ text }) => text);
    expect(names).toEqual(XML_SAFE.map((name) => name.replace('\r\n', '\n')));
    const edges = elements
      .filter(({ name }) => name === 'edge')
      .map(({ attributes }) => `${attributes.source} ${attributes.target}`);
    expect(edges).toHaveLength(9);
    expect(edges[0]).toBe('n0 n1');
  });
});

describe('GEXF', () => {
  it('labels nodes, hostile names included, and weighs edges', async () => {
    const elements = elementsOf(await textOf('gexf'));
    const labels = elements.filter(({ name }) => name === 'node').map(({ attributes }) => attributes.label);
    expect(labels).toEqual(XML_SAFE.map((name) => name.replace(/\r\n|\t/g, ' ')));
    const [first] = elements.filter(({ name }) => name === 'edge');
    expect(first!.attributes).toEqual({ id: '0', source: 'n0', target: 'n1', weight: '2' });
  });
});

describe('DOT', () => {
  it('has one statement a line, whatever is in a name', async () => {
    const text = await textOf('dot');
    const quoted = String.raw`"(?:[^"\\\n\u0000-\u001f]|\\["\\])*"`;
    const lines = text.trimEnd().split('\n');
    const node = new RegExp(`^n\\d+ \\[label=${quoted}(?:, \\w+=${quoted})*\\];$`);
    expect(lines.slice(1, 9).filter((line) => !node.test(line))).toEqual([]);
    expect(lines.slice(9, -1).filter((line) => !/^n\d+ -> n\d+ \[weight=\d+\];$/.test(line))).toEqual([]);
    expect([lines[0], lines.at(-1)]).toEqual(['digraph gossamer {', '}']);
    expect(lines[2]).toContain(String.raw`label="a\"b\\"`);
  });
});

describe('tables', () => {
  const tableOf = async (write: typeof writeCsv, table: Table) =>
    (await bytesOf((files) => write(graph, table, files))).toString();

  it('of CSV run in no spreadsheet', async () => {
    const edges = await tableOf(writeCsv, 'edges');
    expect(edges.split('\r\n').slice(0, 2)).toEqual(['from,to,weight', `'=cmd|calc!A1,"a""b\\",2`]);
    expect(edges).not.toMatch(/[\u0000\u0007\u001b\u202e]/);
    expect(await tableOf(writeCsv, 'nodes')).toMatch(/^host,pages,innerLinks,depth,pagerank,/);
  });

  it('of JSON are exact, and fit for a terminal', async () => {
    const text = await tableOf(writeJsonl, 'nodes');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual([...nodeRows(graph)]);
    expect(rows.map(({ host }) => host)).toEqual(NASTY);
  });

  it('of Parquet give back the same values', async () => {
    const bytes = await bytesOf((files) => writeParquet(graph, 'nodes', files));
    const file = new Uint8Array(bytes).buffer;
    const rows = await parquetReadObjects({ file });
    const plain = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      ),
    );
    const utf8 = (row: object) => JSON.parse(JSON.stringify(row).replaceAll('\\ud800', '\ufffd'));
    expect(plain).toEqual([...nodeRows(graph)].map(utf8));
  });

  it('of Parquet are written in groups of rows, none lost between them', async () => {
    const nodes = 400;
    const pairs = Array.from(
      { length: 70_000 },
      (_, i) => [i % nodes, (i % nodes) + 1 + Math.floor(i / nodes)] as const,
    ).filter(([, to]) => to < nodes);
    const large = namedGraph(
      Array.from({ length: nodes }, (_, i) => `host-${i}`),
      [...pairs, ...pairs.map(([a, b]) => [b, a] as const)],
    );
    const bytes = await bytesOf((files) => writeParquet(large, 'edges', files));
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    expect(rows).toHaveLength(large.edges.out.ends.length);
    expect(rows.length).toBeGreaterThan(65_536);
    expect(new Set(rows.map(({ from, to }) => `${from} ${to}`)).size).toBe(rows.length);
  });
});
