import { printable } from '../base/text.js';
import { type OutputFiles, type OutputNotes, xmlText } from '../report/output.js';
import { type CellValue, edgesOf, type MeasuredGraph, type NodeColumn, nodeColumns } from './measured-graph.js';
import { writeText } from './tables.js';

/** The parts of a file that names nodes first and then the edges between them. Nodes are n0, n1 and so on: what an id may be, a URL is not. */
interface GraphFormat {
  head(columns: readonly NodeColumn[]): string;
  node(node: number, name: string, attributes: readonly Attribute[]): string;
  readonly between: string;
  edge(place: number, from: number, to: number, weight: number): string;
  readonly foot: string;
}

interface Attribute {
  /** The place of its column. */
  readonly place: number;
  readonly name: string;
  readonly value: string | number | boolean;
}

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const attributeText = (value: CellValue): string => (typeof value === 'string' ? xmlText(value) : String(value));

const GRAPHML_TYPES = { text: 'string', integer: 'long', number: 'double', boolean: 'boolean' } as const;

const GRAPHML: GraphFormat = {
  head: (columns) => `${XML_HEAD}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
${columns.map(({ name, type }, place) => `<key id="d${place}" for="node" attr.name="${name}" attr.type="${GRAPHML_TYPES[type]}"/>\n`).join('')}<key id="w" for="edge" attr.name="weight" attr.type="long"/>
<graph edgedefault="directed">
`,
  node: (node, _name, attributes) =>
    `<node id="n${node}">${attributes.map(({ place, value }) => `<data key="d${place}">${attributeText(value)}</data>`).join('')}</node>\n`,
  between: '',
  edge: (_place, from, to, weight) => `<edge source="n${from}" target="n${to}"><data key="w">${weight}</data></edge>\n`,
  foot: '</graph>\n</graphml>\n',
};

const GEXF_TYPES = { ...GRAPHML_TYPES, integer: 'long' } as const;

/** Of version 1.2: every reader knows it, and some know no other. */
const GEXF: GraphFormat = {
  head: (columns) => `${XML_HEAD}<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>gossamer</creator></meta>
<graph mode="static" defaultedgetype="directed">
<attributes class="node">
${columns.map(({ name, type }, place) => `<attribute id="${place}" title="${name}" type="${GEXF_TYPES[type]}"/>\n`).join('')}</attributes>
<nodes>
`,
  node: (node, name, attributes) =>
    `<node id="n${node}" label="${xmlText(name)}"><attvalues>${attributes.map(({ place, value }) => `<attvalue for="${place}" value="${attributeText(value)}"/>`).join('')}</attvalues></node>\n`,
  between: '</nodes>\n<edges>\n',
  edge: (place, from, to, weight) => `<edge id="${place}" source="n${from}" target="n${to}" weight="${weight}"/>\n`,
  foot: '</edges>\n</graph>\n</gexf>\n',
};

/** Quoted. A backslash would begin an escape of a label, or take the end of the text away. */
const dotText = (text: string): string => `"${printable(text, Number.POSITIVE_INFINITY).replace(/[\\"]/g, '\\$&')}"`;

const DOT: GraphFormat = {
  head: () => 'digraph gossamer {\n',
  node: (node, name, attributes) => {
    const facts = attributes.slice(1).map(({ name: key, value }) => `, ${key}=${dotText(String(value))}`);
    return `n${node} [label=${dotText(name)}${facts.join('')}];\n`;
  },
  between: '',
  edge: (_place, from, to, weight) => `n${from} -> n${to} [weight=${weight}];\n`,
  foot: '}\n',
};

const FORMATS = { graphml: GRAPHML, gexf: GEXF, dot: DOT } as const;

/** Nodes with all their measures, then edges with their weights. */
export function writeGraphFormat(
  format: keyof typeof FORMATS,
  graph: MeasuredGraph,
  files: OutputFiles,
): Promise<OutputNotes> {
  const { head, node, between, edge, foot } = FORMATS[format];
  const columns = nodeColumns(graph);
  return writeText(files, async (text) => {
    await text.write(head(columns));
    for (let each = 0; each < graph.nodes; each++) {
      const attributes = columns.flatMap(({ name, value: valueAt }, place) => {
        const value = valueAt(each);
        return value === null ? [] : [{ place, name, value }];
      });
      const wait = text.write(node(each, graph.nameOf(each), attributes));
      if (wait !== undefined) {
        await wait;
      }
    }
    await text.write(between);
    let count = 0;
    for (const { from, to, weight } of edgesOf(graph)) {
      const wait = text.write(edge(count++, from, to, weight));
      if (wait !== undefined) {
        await wait;
      }
    }
    await text.write(foot);
    return graph.nodes + count;
  });
}
