import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Bar, barChart } from './chart.js';
import { markdownTable, median, type Spread, spreadOf, table, whole } from './figures.js';
import { RESULTS_FOLDER } from './folders.js';
import type { Absent } from './line-up.js';
import type { Lap, Standing } from './race.js';
import { threadCells, threadHeadings } from './thread-cells.js';

/** What is compared: pages a second, where more is better, or the time until everything is done. */
export type Measure = 'pages/s' | 'ms';

export interface Results {
  /** Names the files. */
  readonly word: string;
  readonly title: string;
  readonly about: string;
  readonly measure: Measure;
  readonly standings: readonly Standing[];
  readonly absent: readonly Absent[];
}

/** Above this share of missing pages the figures say so. */
const TOLERATED_MISSING = 0.01;

/** Prints the table, and writes it with a chart to bench/results/. */
export function publish(results: Results): void {
  const { word, title, about, measure } = results;
  const ran = results.standings.filter(({ laps }) => laps.length > 0);
  const better = measure === 'ms' ? 1 : -1;
  const rows = [...ran].sort((a, b) => better * (figure(a, measure).median - figure(b, measure).median));
  const floor = ran.find(({ contestant }) => contestant.kind === 'floor');
  const cells = rows.map((standing) => rowOf(standing, measure, floor));
  const absent = [...results.absent, ...failures(results.standings)];
  const absentLines = absent.map(({ name, reason }) => `${name}: not measured (${reason})`);
  const subtitle = `${about} ${machine()}`;
  const watched = rows.filter(({ laps }) => laps.some(({ threads }) => threads !== null));
  const threads = watched.map(({ contestant, laps }) => [
    contestant.name,
    ...threadCells(laps.map((lap) => ({ threads: lap.threads, count: lap.pages }))),
  ]);

  process.stdout.write(`\n${title}\n${subtitle}\n${table(headings(measure), cells)}`);
  process.stdout.write(absentLines.map((line) => `${line}\n`).join(''));
  if (threads.length > 0) {
    process.stdout.write(`\n${table(threadHeadings('page'), threads)}`);
  }
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  writeFileSync(
    join(RESULTS_FOLDER, `${word}.md`),
    `## ${title}\n\n${subtitle}\n\n${markdownTable(headings(measure), cells)}\n${absentLines.map((line) => `- ${line}\n`).join('')}${threads.length === 0 ? '' : `\n${markdownTable(threadHeadings('page'), threads)}`}`,
  );
  const bars = rows.map((standing) => barOf(standing, measure));
  const footnotes = [
    about,
    ...(absent.length === 0 ? [] : [`Not measured: ${absent.map(({ name }) => name).join(', ')}.`]),
  ];
  const unit = measure === 'ms' ? 'Time to done in ms, shorter is better.' : 'Pages a second, longer is better.';
  writeFileSync(join(RESULTS_FOLDER, `${word}.svg`), barChart({ title, subtitle: unit, bars, footnotes }));
}

const headings = (measure: Measure): string[] => [
  'contestant',
  'version',
  'rounds',
  'pages',
  'missing',
  'extra',
  'requests',
  measure,
  'spread',
  'CPU µs/page',
  'peak MiB',
  ...(measure === 'ms' ? [] : ['of floor']),
  'note',
];

function rowOf(standing: Standing, measure: Measure, floor: Standing | undefined): string[] {
  const { contestant, laps } = standing;
  const { low, median: middle, high } = figure(standing, measure);
  return [
    contestant.name,
    `${contestant.language} ${contestant.version}`,
    String(laps.length),
    whole(median(laps.map(({ pages }) => pages))),
    whole(Math.max(...laps.map(({ missing }) => missing))),
    whole(Math.max(...laps.map(({ extra }) => extra))),
    whole(median(laps.map(({ requests }) => requests))),
    whole(middle),
    `${whole(low)}–${whole(high)}`,
    known(laps, ({ cpuMs, pages }) => (cpuMs === null ? null : (cpuMs * 1000) / pages), median),
    known(
      laps,
      ({ peakBytes }) => (peakBytes === null ? null : peakBytes / 2 ** 20),
      (values) => Math.max(...values),
    ),
    ...(measure === 'ms' ? [] : [floor === undefined ? '–' : (middle / figure(floor, measure).median).toFixed(2)]),
    notesOf(standing).join('; '),
  ];
}

function barOf(standing: Standing, measure: Measure): Bar {
  const { contestant } = standing;
  const spread = figure(standing, measure);
  const notes = notesOf(standing);
  return {
    ...spread,
    label: contestant.name,
    kind: contestant.kind,
    text: `${whole(spread.median)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`,
  };
}

function figure({ laps }: Standing, measure: Measure): Spread {
  return spreadOf(laps.map(({ pages, wallMs }) => (measure === 'ms' ? wallMs : (pages / wallMs) * 1000)));
}

/** What a reader has to know before comparing the figure with others. */
export function notesOf({ contestant, laps, failure }: Standing): string[] {
  const worst = Math.max(...laps.map(({ missing, pages, extra }) => missing / (missing + pages - extra)));
  return [
    ...(contestant.note === undefined ? [] : [contestant.note]),
    ...(worst > TOLERATED_MISSING ? [`fetched ${Math.floor((1 - worst) * 100)} %`] : []),
    ...new Set(laps.flatMap(({ stopped }) => stopped ?? [])),
    ...(failure === null ? [] : ['failed in a later round']),
  ];
}

function known(laps: readonly Lap[], pick: (lap: Lap) => number | null, fold: (values: number[]) => number): string {
  const values = laps.map(pick).filter((value) => value !== null);
  return values.length === 0 ? '–' : whole(fold(values));
}

const failures = (standings: readonly Standing[]): Absent[] =>
  standings.flatMap(({ contestant, laps, failure }) =>
    laps.length > 0 || failure === null ? [] : [{ name: contestant.name, reason: failure }],
  );

function machine(): string {
  const processors = cpus();
  return `${processors.length} × ${processors[0]!.model.trim()}, Node ${process.version.slice(1)}.`;
}
