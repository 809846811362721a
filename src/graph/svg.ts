import { counted } from '../base/figures.js';
import { printable } from '../base/text.js';
import { type OutputFiles, type OutputNotes, xmlText } from '../report/output.js';
import type { MeasuredGraph } from './measured-graph.js';
import { pictureOf } from './picture.js';
import { COLORS, colorOf, LeafMark, type Picture, REST_COLOR } from './picture-shape.js';
import { highest } from './summary.js';
import { writeText } from './tables.js';

const BOUNDS = { leaves: 1_500, edges: 3_000 } as const;
const [WIDTH, HEIGHT] = [1200, 800] as const;
const MARGIN = 28;
const HEADING = 64;
const LEGEND_WIDTH = 250;
const MOST_NAMED = 16;
const LONGEST_LABEL = 34;
const FONT = 13;

const STYLE = `text{font:${FONT}px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:#1c2126}
.back{fill:#fff}.quiet{fill:#5c6670}.title{font-size:20px;font-weight:600}
.label{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.edges{fill:none;stroke-width:.6;stroke-opacity:.28}.nodes{stroke:#fff;stroke-width:.6}
@media(prefers-color-scheme:dark){text{fill:#e6e9ec}.back{fill:#14171a}.quiet{fill:#9aa5b1}.label{stroke:#14171a}.nodes{stroke:#14171a}.edges{stroke-opacity:.4}}`;

/** A picture for a report: it asks nobody for anything, runs nothing, and the same crawl gives the same one. */
export function writeSvg(graph: MeasuredGraph, files: OutputFiles): Promise<OutputNotes> {
  const picture = pictureOf(graph, BOUNDS);
  return writeText(files, async (text) => {
    await text.write(svgText(picture));
    return picture.leaves.names.length;
  });
}

export function svgText(picture: Picture): string {
  const spots = spotsOf(picture);
  const { site, title, nodes, edges, links, notes, level } = picture;
  const about = `${counted(nodes, level)}, ${counted(links, 'link')}`;
  const plain = (text: string, most = 90): string => xmlText(printable(text, most));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="t d">
<title id="t">Links of ${plain(site)}</title>
<desc id="d">${xmlText([`${about} (${counted(edges, 'edge')})`, ...notes].join('. '))}</desc>
<style>${STYLE}</style>
<rect class="back" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text class="title" x="${MARGIN}" y="40">${plain(title || site)}</text>
<text class="quiet" x="${MARGIN}" y="60">${plain(site)} · ${xmlText(about)}</text>
${edgePaths(picture, spots)}<g class="nodes">
${circles(picture, spots)}</g>
${labels(picture, spots)}${legend(picture)}</svg>
`;
}

interface Spots {
  readonly x: number[];
  readonly y: number[];
  readonly radius: number[];
}

/** Places and sizes on the paper. */
function spotsOf({ leaves }: Picture): Spots {
  const count = leaves.x.length;
  const most = leaves.rank.reduce((a, b) => Math.max(a, b), 0) || 1;
  const largest = count > 400 ? 15 : 22;
  const smallest = count > 400 ? 2 : 4;
  const radius = leaves.rank.map((rank) => smallest + (largest - smallest) * Math.sqrt(rank / most));
  const [left, right] = ends(leaves.x);
  const [top, bottom] = ends(leaves.y);
  const [roomX, roomY] = [WIDTH - LEGEND_WIDTH - 2 * MARGIN - largest, HEIGHT - HEADING - 2 * MARGIN - largest];
  // Each direction for itself, within bounds: paper is wider than it is high, and a circle of pages would waste half of it.
  const scaleX = roomX / Math.max(1, right - left);
  const scaleY = roomY / Math.max(1, bottom - top);
  const scale = Math.min(scaleX, scaleY, 6);
  const [stretchX, stretchY] = [Math.min(scaleX, scale * 1.35), Math.min(scaleY, scale * 1.35)];
  const middleX = MARGIN + largest / 2 + roomX / 2;
  const middleY = HEADING + MARGIN / 2 + largest / 2 + roomY / 2;
  return {
    x: leaves.x.map((x) => middleX + (x - (left + right) / 2) * stretchX),
    y: leaves.y.map((y) => middleY + (y - (top + bottom) / 2) * stretchY),
    radius,
  };
}

const ends = (values: readonly number[]): [number, number] =>
  values.length === 0
    ? [0, 0]
    : [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];

const fixed = (value: number): string => value.toFixed(1).replace(/\.0$/, '');
const whole = (value: number): string => value.toFixed(0);

/** One path for each colour, which is that of the page that the links stand on. */
function edgePaths({ leaves, drawn }: Picture, { x, y }: Spots): string {
  const paths = new Map<string, string[]>();
  drawn.from.forEach((from, i) => {
    const to = drawn.to[i]!;
    const color = colorOf(leaves.communities[from]!);
    const path = paths.get(color) ?? [];
    paths.set(color, path);
    path.push(`M${whole(x[from]!)} ${whole(y[from]!)}L${whole(x[to]!)} ${whole(y[to]!)}`);
  });
  const lines = [...paths].map(([color, path]) => `<path stroke="${color}" d="${path.join('')}"/>\n`);
  return `<g class="edges">\n${lines.join('')}</g>\n`;
}

/** By colour, and the small ones last: they would be under the large ones. */
function circles({ leaves }: Picture, { x, y, radius }: Spots): string {
  const groups = new Map<string, string[]>();
  const order = radius.map((_, leaf) => leaf).sort((a, b) => radius[b]! - radius[a]! || a - b);
  for (const leaf of order) {
    const color = colorOf(leaves.communities[leaf]!);
    const group = groups.get(color) ?? [];
    groups.set(color, group);
    const shape = (leaves.marks[leaf]! & LeafMark.folded) !== 0 ? ' stroke-dasharray="2 2" stroke="#5c6670"' : '';
    group.push(`<circle cx="${fixed(x[leaf]!)}" cy="${fixed(y[leaf]!)}" r="${fixed(radius[leaf]!)}"${shape}/>\n`);
  }
  return [...groups].map(([color, group]) => `<g fill="${color}">\n${group.join('')}</g>\n`).join('');
}

/** Names of the highest ranks, where there is room for them. */
function labels({ leaves }: Picture, { x, y, radius }: Spots): string {
  const byRank = (a: number, b: number): number => leaves.rank[b]! - leaves.rank[a]! || a - b;
  const taken: { left: number; right: number; top: number; bottom: number }[] = [];
  const written: string[] = [];
  for (const leaf of highest(leaves.rank.length, MOST_NAMED * 4, byRank)) {
    const text = labelOf(leaves, leaf);
    const width = text.length * FONT * 0.55;
    const isRight = x[leaf]! + radius[leaf]! + 4 + width < WIDTH - LEGEND_WIDTH;
    const left = isRight ? x[leaf]! + radius[leaf]! + 4 : x[leaf]! - radius[leaf]! - 4 - width;
    const box = { left, right: left + width, top: y[leaf]! - FONT * 0.7, bottom: y[leaf]! + FONT * 0.6 };
    const isFree = taken.every(
      (each) => box.right < each.left || each.right < box.left || box.bottom < each.top || each.bottom < box.top,
    );
    if (isFree && left > 0 && written.length < MOST_NAMED) {
      taken.push(box);
      written.push(
        `<text class="label" x="${fixed(left)}" y="${fixed(y[leaf]! + FONT * 0.35)}">${xmlText(text)}</text>\n`,
      );
    }
  }
  return written.join('');
}

const labelOf = ({ titles, labels: names }: Picture['leaves'], leaf: number): string =>
  printable(titles[leaf] || names[leaf] || '', LONGEST_LABEL);

/** Communities with the page that stands for each, and what the picture leaves out. */
function legend({ leaves }: Picture): string {
  const heads = new Map<number, number>();
  const sizes = new Map<number, number>();
  leaves.communities.forEach((community, leaf) => {
    sizes.set(community, (sizes.get(community) ?? 0) + leaves.sizes[leaf]!);
    const head = heads.get(community);
    if (head === undefined || leaves.rank[leaf]! > leaves.rank[head]!) {
      heads.set(community, leaf);
    }
  });
  const named = [...heads].filter(([community]) => community <= COLORS.length).sort(([a], [b]) => a - b);
  const left = WIDTH - LEGEND_WIDTH + 8;
  const rows = named.map(([community, head], row) => {
    const y = HEADING + MARGIN + row * 38;
    return `<circle cx="${left}" cy="${y - 4}" r="6" fill="${colorOf(community)}"/><text x="${left + 14}" y="${y}">${xmlText(printable(labelOf(leaves, head), 30))}</text><text class="quiet" x="${left + 14}" y="${y + 16}">${counted(sizes.get(community)!, 'page')}</text>\n`;
  });
  const others = heads.size - named.length;
  const y = HEADING + MARGIN + named.length * 38;
  const rest =
    others > 0
      ? `<circle cx="${left}" cy="${y - 4}" r="6" fill="${REST_COLOR}"/><text class="quiet" x="${left + 14}" y="${y}">${counted(others, 'smaller community', 'smaller communities')}</text>\n`
      : '';
  return rows.join('') + rest;
}
