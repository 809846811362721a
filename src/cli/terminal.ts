import type { Clock } from '../base/clock.js';
import { printable } from '../base/text.js';
import { jsonLine } from '../report/output.js';
import { LiveScreen } from './live-screen.js';
import { cutToWidth, widthOf } from './text-width.js';

export { counted, formatBytes, formatCount, formatDuration } from '../base/figures.js';

const PLAIN_PROGRESS_EVERY_MS = 5000;
/** A terminal may not know its size. */
const USUAL_SCREEN = { columns: 80, rows: 24 };
const COLORS = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;
export type Color = keyof typeof COLORS;

/** The part of a stream that the terminal needs, such as process.stderr. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/** How the progress of a run is shown; `auto` is a view that redraws itself on a terminal, and plain lines elsewhere. */
export type ProgressMode = 'auto' | 'plain' | 'json' | 'none';

export interface TerminalOptions {
  readonly stream: TerminalStream;
  readonly clock: Clock;
  /** --color or --no-color; null decides by NO_COLOR and the stream. */
  readonly color: boolean | null;
  readonly quiet: boolean;
  /** --progress; left out: auto. */
  readonly progress?: ProgressMode;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A moment of a run in every form that it may be shown in; only the one that is shown is made. */
export interface Progress {
  /** As one line, from the longest form to the shortest. */
  readonly forms: readonly [string, ...string[]];
  /** As lines of a screen of this size, none as wide as it; left out: the one line alone. */
  lines?(screen: { columns: number; rows: number }): readonly string[];
  /** As a value for JSON. */
  json?(): unknown;
}

/** Everything that people read while a command works, on stderr. All of it passes through `printable`. */
export class Terminal {
  readonly #stream: TerminalStream;
  readonly #clock: Clock;
  readonly #colored: boolean;
  readonly #quiet: boolean;
  readonly #shows: 'live' | Exclude<ProgressMode, 'auto'>;
  readonly #screen: LiveScreen;
  #nextPlainProgressAt = Number.NEGATIVE_INFINITY;
  /** What the live view shows; null if there is none yet, or none any more. */
  #live: Progress | null = null;
  #isRedrawDue = false;
  #isOver = false;

  constructor({ stream, clock, color, quiet, progress = 'auto', env }: TerminalOptions) {
    this.#stream = stream;
    this.#clock = clock;
    this.#quiet = quiet;
    this.#colored = color ?? (stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb');
    this.#screen = new LiveScreen(stream);
    this.#shows = quiet ? 'none' : progress !== 'auto' ? progress : canRedraw(stream, env) ? 'live' : 'plain';
  }

  /** News that --quiet leaves out. */
  line(text: string): void {
    if (!this.#quiet) {
      this.#write(printable(text, 2000));
    }
  }

  warn(text: string): void {
    this.#write(`${this.paint('yellow', 'warning:')} ${printable(text, 2000)}`);
  }

  error(text: string, ...details: readonly string[]): void {
    this.#write(`${this.paint('red', 'error:')} ${printable(text, 2000)}`);
    for (const detail of details) {
      this.#write(`  ${printable(detail, 2000)}`);
    }
  }

  /** On a terminal the view is drawn anew; elsewhere the longest form is a line, every 5 s at most, or each moment one of JSON. */
  progress(progress: Progress): void {
    if (this.#isOver) {
      return;
    }
    if (this.#shows === 'live') {
      if (this.#live === null) {
        this.#stream.on?.('resize', this.#draw);
      }
      this.#live = progress;
      this.#draw();
    } else if (this.#shows === 'json' && progress.json !== undefined) {
      this.#stream.write(jsonLine(progress.json()));
    } else if (this.#shows === 'plain' && this.#clock.now() >= this.#nextPlainProgressAt) {
      this.#nextPlainProgressAt = this.#clock.now() + PLAIN_PROGRESS_EVERY_MS;
      this.#stream.write(`${printable(progress.forms[0])}\n`);
    }
  }

  /** The run is over: the view disappears and does not come back. Whoever reads JSON gets a last line, so that even the shortest run has one. */
  endProgress(last?: () => Progress): void {
    if (this.#shows === 'json' && !this.#isOver && last !== undefined) {
      this.progress(last());
    }
    this.#isOver = true;
    this.#live = null;
    this.#screen.clear();
    this.#stream.off?.('resize', this.#draw);
  }

  /** Takes the view away until `showProgress`, for others who write to the terminal. */
  pauseProgress(): void {
    this.#screen.clear();
  }

  showProgress(): void {
    this.#draw();
  }

  box(title: string, rows: readonly BoxRow[]): void {
    if (!this.#quiet) {
      this.endProgress();
      this.#stream.write(box(title, rows, this.#stream.columns || 100));
    }
  }

  paint(color: Color, text: string): string {
    return this.#colored ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text;
  }

  readonly #draw = (): void => {
    this.#isRedrawDue = false;
    if (this.#live !== null) {
      const columns = this.#stream.columns || USUAL_SCREEN.columns;
      const rows = this.#stream.rows || USUAL_SCREEN.rows;
      this.#screen.draw(linesOn(this.#live, columns, rows));
    }
  };

  /** The text goes above the view and stays. What one turn of the program says shares one redraw of the view below it. */
  #write(text: string): void {
    this.#screen.write(`${text}\n`);
    if (this.#live !== null && !this.#isRedrawDue) {
      this.#isRedrawDue = true;
      queueMicrotask(this.#draw);
    }
  }
}

/** A terminal that can be drawn on, with a person before it. */
const canRedraw = ({ isTTY }: TerminalStream, { TERM, CI }: TerminalOptions['env']): boolean =>
  isTTY === true && TERM !== 'dumb' && ['', '0', 'false'].includes((CI ?? '').toLowerCase());

/** One line takes its shortest form where nothing longer fits. A screen of one row has none to spare. */
function linesOn({ forms, lines }: Progress, columns: number, rows: number): readonly string[] {
  if (rows < 2) {
    return [];
  }
  if (lines !== undefined && rows > 2) {
    return lines({ columns, rows });
  }
  // One column stays free: a full line would wrap.
  const room = Math.max(0, columns - 1);
  const clean = forms.map((form) => printable(form, 1000));
  return [clean.find((form) => widthOf(form) <= room) ?? cutToWidth(clean.at(-1)!, room)];
}

export type BoxRow = readonly [label: string, value: string];

/** A frame of labels and values; what does not fit into the width is cut. */
export function box(title: string, rows: readonly BoxRow[], width = 100): string {
  const labelWidth = Math.max(0, ...rows.map(([label]) => widthOf(label)));
  const room = Math.max(20, width - 4);
  const fitted = (text: string, cells: number): string => cutToWidth(printable(text, 2000), cells);
  const spaces = (text: string, cells: number): string => ' '.repeat(Math.max(0, cells - widthOf(text)));
  const inner = rows.map(([label, value]) => fitted(`${label}${spaces(label, labelWidth)}  ${value}`, room));
  const heading = fitted(title, room - 2);
  const innerWidth = Math.max(widthOf(heading) + 2, ...inner.map(widthOf));
  const bar = (count: number) => '─'.repeat(Math.max(0, count));
  return [
    `┌─ ${heading} ${bar(innerWidth - widthOf(heading) - 1)}┐`,
    ...inner.map((line) => `│ ${line}${spaces(line, innerWidth)} │`),
    `└${bar(innerWidth + 2)}┘`,
    '',
  ].join('\n');
}
