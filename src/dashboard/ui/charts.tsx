import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { SERIES_COLUMNS, type SeriesColumn, type SeriesPoint } from '../api.js';
import { stackOf } from './stack.js';

/** One line of a chart. Lines differ in their dashes as well as in their colour. */
export interface Line {
  readonly column: SeriesColumn;
  readonly label: string;
  /** The name of a colour in the style sheet. */
  readonly color: string;
  readonly dash?: readonly number[];
}

export interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly points: readonly SeriesPoint[];
  /** Lines stand on each other's shoulders: the top one is the sum. */
  readonly isStacked?: boolean;
  figure(value: number): string;
  /** Of the axis. */
  tick(value: number): string;
}

const HEIGHT = 168;
const placeOf = (column: SeriesColumn): number => SERIES_COLUMNS.indexOf(column);

const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Changes when light becomes dark, or dark light: a canvas does not follow the style sheet. */
function useScheme(): string {
  const [scheme, setScheme] = useState('');
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const look = (): void => setScheme(query.matches ? 'dark' : 'light');
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return scheme;
}

export function Chart({ title, lines, points, isStacked = false, figure, tick }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const scheme = useScheme();
  const [pointed, setPointed] = useState<number | null>(null);
  const data = dataOf(points, lines, isStacked);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const place = box.current!;
    const made = new uPlot(optionsOf(lines, isStacked, tick, place.clientWidth, setPointed), latest.current, place);
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: HEIGHT }));
    observer.observe(place);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [scheme]);
  useEffect(() => chart.current?.setData(latest.current), [points]);

  const point = points[pointed ?? points.length - 1];
  const figureOf = ({ column }: Line): string => {
    const value = point?.[placeOf(column)];
    return value === undefined || value === null ? '–' : figure(value);
  };
  const said = lines.map((line) => `${line.label} ${figureOf(line)}`).join(', ');
  return (
    <section class="card chart">
      <div class="chart-head">
        <h2>{title}</h2>
        <ul class="legend">
          {lines.map((line) => (
            <li key={line.column}>
              <svg width="14" height="10" aria-hidden="true">
                <line
                  x1="0"
                  y1="5"
                  x2="14"
                  y2="5"
                  class={`stroke-${line.color}`}
                  stroke-dasharray={(line.dash ?? []).join(' ')}
                />
              </svg>
              {line.label} <b>{figureOf(line)}</b>
            </li>
          ))}
        </ul>
      </div>
      <div
        ref={box}
        class="plot"
        role="img"
        aria-label={`${title}: ${points.length === 0 ? 'nothing measured yet' : said}`}
      />
    </section>
  );
}

function dataOf(points: readonly SeriesPoint[], lines: readonly Line[], isStacked: boolean): uPlot.AlignedData {
  const times = points.map((point) => point[0]! / 1000);
  const columns = lines.map(({ column }) => points.map((point) => point[placeOf(column)] ?? null));
  if (isStacked) {
    const { tops, edges } = stackOf(columns);
    return [times, ...tops, ...edges] as unknown as uPlot.AlignedData;
  }
  return [times, ...columns] as uPlot.AlignedData;
}

function optionsOf(
  lines: readonly Line[],
  isStacked: boolean,
  tick: (value: number) => string,
  width: number,
  pointAt: (place: number | null) => void,
): uPlot.Options {
  const axis = {
    stroke: colorOf('quiet'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colorOf('line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    padding: [8, 30, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(max * 1.12, 1e-9) || 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 80, values: '{HH}:{mm}:{ss}' },
      { ...axis, size: 52, space: 34, values: (_chart, splits) => splits.map(tick) },
    ],
    series: [
      {},
      // Where they are stacked, the areas first: a line may have gaps, and the area below it none.
      ...(isStacked
        ? lines.map(({ color }) => ({
            stroke: 'transparent',
            width: 0,
            points: { show: false },
            fill: `${colorOf(color)}2e`,
          }))
        : []),
      ...lines.map(({ color, dash }, place) => ({
        stroke: colorOf(color),
        width: 1.75,
        spanGaps: !isStacked,
        points: { show: false },
        ...(dash === undefined ? {} : { dash: [...dash] }),
        ...(!isStacked && place === 0 && lines.length === 1 ? { fill: `${colorOf(color)}2e` } : {}),
      })),
    ],
    ...(isStacked
      ? { bands: lines.slice(1).map((_, place) => ({ series: [place + 2, place + 1] as [number, number] })) }
      : {}),
    hooks: { setCursor: [(chart) => pointAt(chart.cursor.idx ?? null)] },
  };
}
