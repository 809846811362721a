import { counted, formatBytes, formatCount, formatDuration, formatRoughly } from '../base/figures.js';
import { printable } from '../base/text.js';
import type { LayerFigures, LiveSnapshot, Problem, SlotSnapshot } from '../watch/live.js';
import type { Color } from './terminal.js';
import { cutToWidth, widthOf } from './text-width.js';

/** What the view of a run is drawn from. */
export interface LivePicture {
  readonly snapshot: LiveSnapshot;
  /** How many URLs it will be; null if nobody can know. */
  readonly total: Total | null;
  /** What a check shows in place of problems; null in all other commands. */
  readonly suspects: Suspects | null;
  /** `tightest` names the layer that held the run back a moment ago: its figures of now would say that it does not. */
  readonly isHeldOver?: boolean;
}

export interface Total {
  readonly urls: number;
  /** Whether links may lead to more. */
  readonly mayGrow: boolean;
}

/** What seems broken in a check. */
export interface Suspects {
  /** The last ones first. */
  readonly links: readonly Suspect[];
  /** How many are asked for once more. */
  readonly again: number;
}

export interface Suspect extends Pick<Problem, 'url' | 'reason' | 'status'> {
  /** Whether it is asked for once more before it counts. */
  readonly isLookedAtAgain: boolean;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export type PaintText = (color: Color, text: string) => string;

const PROBLEMS_SHOWN = 3;
/** A window narrower than this has no room for labels. */
const FEWEST_COLUMNS_WITH_LABELS = 60;
const LABEL_WIDTH = 10;
const SHORTEST_BAR = 10;
const LONGEST_BAR = 40;
const GAP = '  ';

/** A piece of text in one colour. */
type Span = readonly [text: string, color?: Color];
/** A figure in all its words, and in few. */
interface Item {
  readonly long: readonly Span[];
  readonly short: readonly Span[];
}
/** A line of the view. Its items stand in the order of their worth: what has no room is left out from the end. */
interface Row {
  readonly label: string;
  readonly items: readonly Item[];
  /** From 0 to 1, where the line begins with a bar. */
  readonly share?: number;
  /** The smaller, the longer it stays where there are few rows. */
  readonly rank: number;
}

/** The view of a run as lines of a screen: none is wider than its columns less one, and they leave a row free for the cursor. */
export function liveLines(picture: LivePicture, { columns, rows }: ScreenSize, paint: PaintText): string[] {
  const width = Math.max(0, columns - 1);
  const hasLabels = columns >= FEWEST_COLUMNS_WITH_LABELS;
  const shown = mostWorthy(rowsOf(picture, hasLabels), linesFor(rows));
  return shown.map((row, index) => {
    // Lines of one subject have its label once.
    const label = index > 0 && shown[index - 1]!.label === row.label ? '' : row.label;
    const labelled: Span[] = hasLabels ? [[`${label.padStart(LABEL_WIDTH)}${GAP}`, 'dim']] : [];
    return painted([...labelled, ...spansOf(row, width - widthOfSpans(labelled))], width, paint);
  });
}

/** At most half of a screen, unless that would be next to nothing: what was said before stays in sight. */
const linesFor = (rows: number): number => Math.max(0, Math.min(rows - 1, Math.max(4, Math.floor(rows / 2))));

function mostWorthy(rows: readonly Row[], count: number): Row[] {
  const ranks = rows.map(({ rank }) => rank).sort((a, b) => a - b);
  const last = ranks[count - 1] ?? Number.POSITIVE_INFINITY;
  return count === 0 ? [] : rows.filter(({ rank }) => rank <= last).slice(0, count);
}

function rowsOf(picture: LivePicture, hasLabels: boolean): Row[] {
  const { snapshot } = picture;
  const fetching = isFetched(snapshot)
    ? []
    : [speedRow(snapshot), hostsRow(snapshot, hasLabels), limitRow(picture, hasLabels), waitRow(snapshot)];
  return [
    ...[headRow(picture, hasLabels), ...workRow(snapshot), urlsRow(snapshot), ...clusterRows(snapshot, hasLabels)],
    ...[...fetching, ...problemRows(picture)],
  ];
}

/** Nothing more is asked for: the run is over, or what it fetched is worked on. */
export const isFetched = ({ state, work }: Pick<LiveSnapshot, 'state' | 'work'>): boolean =>
  state === 'ended' || (work !== null && work.total !== null);

const VERBS: ReadonlyMap<string, string> = new Map([
  ['crawl', 'crawling'],
  ['check', 'checking'],
  ['docs', 'fetching'],
]);

function headRow({ snapshot, total }: LivePicture, hasLabel: boolean): Row {
  const { urls, state, leftMs, command } = snapshot;
  const settled = urls.done + urls.failed;
  const share = total === null || total.urls <= 0 ? null : Math.min(1, settled / total.urls);
  const isOver = isFetched(snapshot);
  const label = isOver ? 'fetched' : state === 'running' ? (VERBS.get(command) ?? 'running') : state;
  const known = total?.mayGrow === true && !isOver ? ' known' : '';
  const counts = (format: (count: number) => string): Item['long'] => [
    [share === null ? `${format(settled)} fetched` : `${format(settled)} of ${format(total!.urls)}${known}`],
  ];
  const left = isOver ? [] : [timeLeft(leftMs, total !== null && !total.mayGrow)];
  return {
    label,
    rank: 0,
    ...(share === null ? {} : { share }),
    items: [
      // Where there are labels, the line begins with it.
      ...(!hasLabel && (state === 'paused' || state === 'stopping') ? [item([[state, 'yellow']])] : []),
      ...(share === null ? [] : [item([[`${Math.floor(share * 100)} %`, 'bold']]), ...left]),
      item(counts(formatCount), counts(compact)),
      ...(share === null ? left : []),
    ],
  };
}

/** Links that are still to be found are in no estimate: where there may be some, it says what it is for. */
function timeLeft(leftMs: number | null, isTotalKnown: boolean): Item {
  if (leftMs === null) {
    return item([['time left unknown', 'dim']], [['time left?', 'dim']]);
  }
  const time = formatRoughly(leftMs);
  return isTotalKnown
    ? item([[`about ${time} left`]], [[`~${time} left`]])
    : item([[`about ${time} for what is queued`]], [[`~${time} for queued`]]);
}

/** What a command does when all is fetched: pages that become Markdown. */
function workRow({ work }: LiveSnapshot): Row[] {
  if (work === null || work.total === null) {
    return [];
  }
  const { name, done, total } = work;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const items = [
    item([[`${Math.floor(share * 100)} %`, 'bold']]),
    item(
      [[`${formatCount(done)} of ${formatCount(total)} ${safe(name)}`]],
      [[`${compact(done)} of ${compact(total)}`]],
    ),
  ];
  return [{ label: 'making', rank: 0.5, share, items }];
}

function urlsRow({ urls }: LiveSnapshot): Row {
  const { done, failed, queued, skipped, deferred } = urls;
  return {
    label: 'URLs',
    rank: 1,
    items: [
      figure(done, 'done', done > 0 ? 'green' : undefined),
      figure(failed, 'failed', failed > 0 ? 'red' : undefined),
      figure(queued, 'queued'),
      ...(skipped > 0 ? [figure(skipped, 'skipped')] : []),
      ...(deferred > 0 ? [figure(deferred, 'put off', 'yellow')] : []),
    ],
  };
}

/** All machines in one line, one each that is missing, and where there is room one each for the others. */
function clusterRows({ cluster }: LiveSnapshot, hasLabels: boolean): Row[] {
  if (cluster === null) {
    return [];
  }
  const { slots, nodes, phase, own, crawlId } = cluster;
  const isHere = ({ state }: SlotSnapshot): boolean => state !== 'missing' && state !== 'free';
  const here = slots.filter(isHere);
  const sum = (of: (slot: SlotSnapshot) => number): number => slots.reduce((all, slot) => all + of(slot), 0);
  const rate = here.reduce((all, { pagesPerSecond }) => all + pagesPerSecond, 0);
  const label = 'together';
  const all: Row = {
    label,
    rank: 1.5,
    items: [
      item(
        [[`${here.length} of ${nodes} machines`, here.length < nodes ? 'yellow' : 'green']],
        [[`${here.length}/${nodes} machines`, here.length < nodes ? 'yellow' : 'green']],
      ),
      ...(phase === 'running' ? [] : [item([[phase, 'yellow']])]),
      item([[`${rate.toFixed(1)} pages/s`]], [[`${rate.toFixed(1)}/s`]]),
      figure(
        sum(({ done }) => done),
        'done',
      ),
      figure(
        sum(({ outstanding }) => outstanding),
        'waiting',
      ),
      figure(
        sum(({ mailFrom }) => mailFrom),
        'in the mail',
      ),
      item([[safe(crawlId), 'dim']]),
    ],
  };
  const row = (slot: SlotSnapshot): Row => ({
    ...{ label, rank: isHere(slot) ? 20 + slot.slot / 1000 : 1.6 },
    items: slotItems(slot, slot.slot === own, hasLabels),
  });
  return [all, ...slots.filter((slot) => !isHere(slot)).map(row), ...here.map(row)];
}

function slotItems(slot: SlotSnapshot, isOwn: boolean, hasLabels: boolean): Item[] {
  const { state, host, pagesPerSecond, outstanding, mailFrom, mailTo, leaseLeftMs, missingForMs } = slot;
  const name = item(
    [
      [`slot ${slot.slot}`, 'bold'],
      [isOwn ? ' (here)' : host === '' ? '' : ` ${safe(host)}`, 'dim'],
    ],
    [[hasLabels ? `slot ${slot.slot}` : `slot ${slot.slot}${isOwn ? ' (here)' : ''}`, 'bold']],
  );
  if (state === 'missing' || state === 'free') {
    const since = state === 'missing' ? `missing for ${formatRoughly(missingForMs)}` : 'nobody has joined';
    return [
      name,
      item([[since, 'yellow']]),
      ...(state === 'missing' ? [figure(outstanding, 'URLs wait')] : []),
      item([[`${formatCount(mailTo)} pieces of mail for it`]], [[`${compact(mailTo)} for it`]]),
    ];
  }
  return [
    name,
    item([[state, 'dim']]),
    item([[`${pagesPerSecond.toFixed(1)} pages/s`]], [[`${pagesPerSecond.toFixed(1)}/s`]]),
    figure(outstanding, 'waiting'),
    item(
      [[`mail ${formatCount(mailFrom)} out, ${formatCount(mailTo)} in`]],
      [[`mail ${compact(mailFrom)}/${compact(mailTo)}`]],
    ),
    item([[`lease ${Math.round(leaseLeftMs / 1000)} s`, 'dim']]),
  ];
}

function speedRow({ pagesPerSecond, bytesPerSecond, bytes, elapsedMs, inFlight }: LiveSnapshot): Row {
  const isSlow = pagesPerSecond > 0 && pagesPerSecond < 0.1;
  const rate = isSlow ? `${(pagesPerSecond * 60).toFixed(1)} pages/min` : `${pagesPerSecond.toFixed(1)} pages/s`;
  return {
    label: 'speed',
    rank: 4,
    items: [
      item([[rate]], [[rate.replace(' pages', '')]]),
      item([[formatBytes(bytes)]]),
      item([[`${formatBytes(bytesPerSecond)}/s`]]),
      item([[`${formatCount(inFlight)} in flight`]], [[`${compact(inFlight)} in flight`]]),
      item([[`since ${formatDuration(elapsedMs)}`]], [[formatRoughly(elapsedMs)]]),
    ],
  };
}

function hostsRow({ hosts }: LiveSnapshot, hasLabel: boolean): Row {
  const { known, busy, delayed, backingOff, deferred } = hosts;
  return {
    label: 'hosts',
    rank: 5,
    items: [
      hasLabel ? figure(busy, 'busy') : figure(busy, busy === 1 ? 'host busy' : 'hosts busy'),
      figure(delayed, 'delayed'),
      ...(backingOff > 0 ? [figure(backingOff, 'backing off', 'yellow')] : []),
      ...(deferred > 0 ? [figure(deferred, 'put off', 'yellow')] : []),
      item([[`${formatCount(known)} known`, 'dim']], [[`of ${compact(known)}`, 'dim']]),
    ],
  };
}

/** The layer that holds the run back, by its title and its option. The line stays where none does: a view that jumps is hard to read. */
function limitRow({ snapshot: { tightest, layers }, isHeldOver = false }: LivePicture, hasLabel: boolean): Row {
  const layer = layers.find(({ name }) => name === tightest);
  const row = { label: 'held by', rank: 3 };
  if (layer === undefined) {
    return { ...row, items: [item([[hasLabel ? 'no limit' : 'held by no limit', 'dim']])] };
  }
  const name = hasLabel
    ? item([[safe(layer.title)], [` (${safe(layer.option)})`, 'dim']], [[safe(layer.option)]])
    : item([[`held by ${safe(layer.option)}`]]);
  if (isHeldOver) {
    return { ...row, items: [name] };
  }
  const waiting = layer.waiting > 0 ? [figure(layer.waiting, 'waiting')] : [];
  return { ...row, items: [name, ...useOf(layer), ...waiting] };
}

function useOf({ unit, use, limit }: LayerFigures): Item[] {
  if (limit === null) {
    return [];
  }
  return unit === 'bytes'
    ? [item([[`${formatBytes(use)} of ${formatBytes(limit)}`]])]
    : [item([[`${formatCount(use)} of ${formatCount(limit)}`]], [[`${compact(use)} of ${compact(limit)}`]])];
}

function waitRow({ waitingFor, inFlight }: LiveSnapshot): Row {
  const row = { label: 'now', rank: 2 };
  if (waitingFor === null) {
    return { ...row, items: [item([[inFlight > 0 ? 'waits for answers' : 'at work', 'dim']])] };
  }
  const text = safe(waitingFor);
  // How many hosts are delayed or backing off stands in their own line already.
  const short = text.replace(/^[\d,]+ hosts? (?:delayed|backing off)(?: and [\d,]+ backing off)?, (?=next )/, '');
  return { ...row, items: [item([[text]], [[short]])] };
}

function problemRows({ snapshot, suspects }: LivePicture): Row[] {
  if (suspects === null) {
    return snapshot.problems
      .slice(0, PROBLEMS_SHOWN)
      .map((problem, index) => ({ label: 'problems', rank: 6 + index, items: [item(problemSpans(problem))] }));
  }
  const links = suspects.links.slice(0, PROBLEMS_SHOWN).map(
    (link, index): Row => ({
      label: 'seem dead',
      rank: 6 + index,
      items: [item(problemSpans(link, link.isLookedAtAgain ? ' (asked again)' : ''))],
    }),
  );
  const head =
    suspects.again > 0
      ? askedAgain(suspects.again)
      : item([[links.length > 0 ? 'none is asked for again now' : 'none so far', 'dim']]);
  return [{ label: 'seem dead', rank: 3.5, items: [head] }, ...links];
}

const askedAgain = (count: number): Item =>
  item(
    [[`${counted(count, 'link')} asked for again before ${count === 1 ? 'it counts' : 'they count'} as dead`]],
    [[`${compact(count)} dead? asked again`]],
  );

function problemSpans({ url, reason, status }: Pick<Problem, 'url' | 'reason' | 'status'>, mark = ''): Span[] {
  return [[status === null ? safe(reason) : String(status), 'red'], [mark, 'dim'], [` ${safe(url)}`]];
}

function item(long: readonly Span[], short: readonly Span[] = long): Item {
  return { long, short };
}

function figure(count: number, what: string, color?: Color): Item {
  const span = (number: string): Span => (color === undefined ? [`${number} ${what}`] : [`${number} ${what}`, color]);
  return item([span(formatCount(count))], [span(compact(count))]);
}

/** `9,999`, `12k`, `3.4M`. */
function compact(count: number): string {
  if (count < 10_000) {
    return formatCount(count);
  }
  const [amount, unit] =
    count < 999_500 ? [count / 1e3, 'k'] : count < 999_500_000 ? [count / 1e6, 'M'] : [count / 1e9, 'G'];
  return `${amount < 9.95 ? amount.toFixed(1) : formatCount(amount)}${unit}`;
}

/** A text that comes from elsewhere, without what a terminal would obey. No screen is so wide that it shows more of it. */
const safe = (text: string): string => printable(text, 1000);

/** The row in the longest form that fits; its bar, where it has one, takes what the figures leave. */
function spansOf({ items, share }: Row, room: number): Span[] {
  const least = share === undefined ? 0 : SHORTEST_BAR + GAP.length;
  const inFull = joined(items.map(({ long }) => long));
  const inShort = items.map(({ short }) => short);
  const forms = [inFull, ...items.map((_, left) => joined(inShort.slice(0, inShort.length - left)))];
  const fitting = forms.find((form) => widthOfSpans(form) + least <= room);
  const figures = fitting ?? forms.find((form) => widthOfSpans(form) <= room) ?? forms.at(-1)!;
  if (share === undefined || fitting === undefined) {
    return figures;
  }
  const cells = Math.min(LONGEST_BAR, room - widthOfSpans(figures) - GAP.length);
  const full = Math.floor(share * cells);
  return [['█'.repeat(full), 'cyan'], ['░'.repeat(cells - full), 'dim'], [GAP], ...figures];
}

function joined(items: readonly (readonly Span[])[]): Span[] {
  return items.flatMap((spans, index) => (index === 0 ? [...spans] : [[GAP] as const, ...spans]));
}

const widthOfSpans = (spans: readonly Span[]): number => spans.reduce((sum, [text]) => sum + widthOf(text), 0);

/** Cut to the width first: what is painted cannot be cut any more. */
function painted(spans: readonly Span[], width: number, paint: PaintText): string {
  let room = width;
  let line = '';
  for (const [text, color] of spans) {
    const cut = cutToWidth(text, room);
    room -= widthOf(cut);
    line += color === undefined || cut === '' ? cut : paint(color, cut);
    if (cut !== text) {
      break;
    }
  }
  return line.trimEnd();
}
