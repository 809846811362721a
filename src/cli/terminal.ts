import type { Clock } from '../base/clock.js';
import { printable } from '../base/text.js';

const PLAIN_PROGRESS_EVERY_MS = 5000;
const CLEAR_LINE = '\r\u001b[2K';
const COLORS = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;
export type Color = keyof typeof COLORS;

/** What of a stream the terminal needs; process.stderr is one. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface TerminalOptions {
  readonly stream: TerminalStream;
  readonly clock: Clock;
  /** --color or --no-color; null decides by NO_COLOR and the stream. */
  readonly color: boolean | null;
  readonly quiet: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Everything that people read while a command works, on stderr. All of it passes through `printable`. */
export class Terminal {
  readonly #stream: TerminalStream;
  readonly #clock: Clock;
  readonly #colored: boolean;
  readonly #quiet: boolean;
  #nextPlainProgressAt = Number.NEGATIVE_INFINITY;
  #progressShown = false;

  constructor({ stream, clock, color, quiet, env }: TerminalOptions) {
    this.#stream = stream;
    this.#clock = clock;
    this.#quiet = quiet;
    this.#colored = color ?? (stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb');
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

  /** On a terminal a line that rewrites itself, in the longest form that fits; elsewhere the longest as a plain line, every 5 s at most. */
  progress(longest: string, ...shorter: readonly string[]): void {
    if (this.#quiet) {
      return;
    }
    if (this.#stream.isTTY) {
      // One column is left free: a full line would wrap, and then only half of it could be cleared. A terminal may not know its width.
      const room = Math.max(20, (this.#stream.columns || 80) - 1);
      const forms = [longest, ...shorter];
      const text = forms.find((form) => form.length <= room) ?? forms.at(-1)!;
      this.#stream.write(`${CLEAR_LINE}${printable(text, room)}`);
      this.#progressShown = true;
    } else if (this.#clock.now() >= this.#nextPlainProgressAt) {
      this.#nextPlainProgressAt = this.#clock.now() + PLAIN_PROGRESS_EVERY_MS;
      this.#stream.write(`${printable(longest)}\n`);
    }
  }

  /** Takes the progress line away, so that the next output starts on an empty line. */
  endProgress(): void {
    if (this.#progressShown) {
      this.#stream.write(CLEAR_LINE);
      this.#progressShown = false;
    }
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

  #write(text: string): void {
    this.endProgress();
    this.#stream.write(`${text}\n`);
  }
}

export type BoxRow = readonly [label: string, value: string];

/** A frame of labels and values; what does not fit into the width is cut. */
export function box(title: string, rows: readonly BoxRow[], width = 100): string {
  const labelWidth = Math.max(0, ...rows.map(([label]) => [...label].length));
  const room = Math.max(20, width - 4);
  const inner = rows.map(([label, value]) => printable(`${label.padEnd(labelWidth)}  ${value}`, room));
  const heading = printable(title, room - 2);
  const innerWidth = Math.max([...heading].length + 2, ...inner.map((line) => [...line].length));
  const bar = (count: number) => '─'.repeat(Math.max(0, count));
  return [
    `┌─ ${heading} ${bar(innerWidth - [...heading].length - 1)}┐`,
    ...inner.map((line) => `│ ${line}${' '.repeat(innerWidth - [...line].length)} │`),
    `└${bar(innerWidth + 2)}┘`,
    '',
  ].join('\n');
}

/** `4.2 s`, `3 min 05 s`, `2 h 07 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  if (ms < 59_950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) {
    return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
  }
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `512 B`, `1.5 KiB`, `20 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let amount = bytes;
  let unit = 0;
  // 1023.95 and more would be shown as 1024.
  while (amount >= 1023.95 && unit < units.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  const text = unit === 0 ? String(Math.round(amount)) : amount.toFixed(1).replace(/\.0$/, '');
  return `${text} ${units[unit]}`;
}

/** `1,234,567`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `1 host`, `1,234 hosts`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${Math.round(count) === 1 ? one : many}`;
}

function pad(figure: number): string {
  return String(figure).padStart(2, '0');
}
