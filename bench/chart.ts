import type { Spread } from './figures.js';

export interface Bar extends Spread {
  readonly label: string;
  /** Written behind the bar. */
  readonly text: string;
  readonly kind: 'ours' | 'floor' | 'peer';
}

export interface Chart {
  readonly title: string;
  readonly subtitle: string;
  readonly bars: readonly Bar[];
  readonly footnotes: readonly string[];
}

const WIDTH = 860;
const MARGIN = 24;
const LABEL_WIDTH = 170;
const BAR_WIDTH = 330;
const BAR_HEIGHT = 18;
const ROW_HEIGHT = 30;
const HEAD_HEIGHT = 84;
const FOOTNOTE_HEIGHT = 18;

// The card brings its own background, so that it can be read whatever page it stands on.
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .card { fill: #ffffff; stroke: #d1d9e0 }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #59636e; font-size: 12px }
  .ours text { font-weight: 600 }
  .peer rect { fill: #a8b3bf }
  .floor rect { fill: none; stroke: #a8b3bf; stroke-dasharray: 3 3 }
  .ours rect { fill: #1f7a5c }
  line { stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .card { fill: #0d1117; stroke: #3d444d }
    .quiet { fill: #9198a1 }
    .peer rect { fill: #56606b }
    .floor rect { stroke: #6b7682 }
    .ours rect { fill: #3fb68b }
    line { stroke: #f0f6fc }
  }
`;

/** Horizontal bars as long as the median, each with a thin line from the least to the greatest measurement. */
export function barChart({ title, subtitle, bars, footnotes }: Chart): string {
  const longest = Math.max(...bars.map(({ high }) => high));
  const scale = (value: number) => Number(((value / longest) * BAR_WIDTH).toFixed(1));
  const footTop = HEAD_HEIGHT + bars.length * ROW_HEIGHT + FOOTNOTE_HEIGHT;
  const height = footTop + footnotes.length * FOOTNOTE_HEIGHT + MARGIN / 2;
  const rows = bars.map((bar, row) => drawBar(bar, HEAD_HEIGHT + row * ROW_HEIGHT, scale));
  const notes = footnotes.map(
    (note, i) => `<text class="quiet" x="${MARGIN}" y="${footTop + i * FOOTNOTE_HEIGHT}">${escapeXml(note)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text class="title" x="${MARGIN}" y="36">${escapeXml(title)}</text>
<text class="quiet" x="${MARGIN}" y="58">${escapeXml(subtitle)}</text>
${[...rows, ...notes].join('\n')}
</svg>
`;
}

function drawBar(bar: Bar, top: number, scale: (value: number) => number): string {
  const left = MARGIN + LABEL_WIDTH;
  const middle = top + BAR_HEIGHT / 2;
  const baseline = middle + 4.5;
  const [low, high] = [left + scale(bar.low), left + scale(bar.high)];
  return `<g class="${bar.kind}">
  <text x="${left - 12}" y="${baseline}" text-anchor="end">${escapeXml(bar.label)}</text>
  <rect x="${left}" y="${top}" width="${scale(bar.median)}" height="${BAR_HEIGHT}" rx="2"/>
  <line x1="${low}" y1="${middle}" x2="${high}" y2="${middle}"/>
  <text x="${Math.max(high, left + scale(bar.median)) + 10}" y="${baseline}">${escapeXml(bar.text)}</text>
</g>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
