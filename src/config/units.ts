/** Durations in milliseconds and sizes in bytes: read from text, and written so that they can be read again. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const TIB = 1024 * GIB;
const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KiB: KIB, MiB: MIB, GiB: GIB, TiB: TIB };

const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([a-z]*)$/i;

/** null: not a duration. */
export function readDuration(text: string, bareUnit: 'ms' | 's'): number | null {
  const [, figure, unit] = QUANTITY.exec(text.trim()) ?? [];
  const factor = DURATION_UNITS[unit === '' ? bareUnit : (unit ?? '')];
  return figure === undefined || factor === undefined ? null : Number(figure) * factor;
}

/** All units are powers of 1024: K, KB and KiB are the same, in any case. null: not a size. */
export function readSize(text: string): number | null {
  const [, figure, unit] = QUANTITY.exec(text.trim()) ?? [];
  const letter = /^(?:([kmgt])(?:i?b)?|b?)$/i.exec(unit ?? '?');
  if (figure === undefined || letter === null) {
    return null;
  }
  const factor = { k: KIB, m: MIB, g: GIB, t: TIB }[letter[1]?.toLowerCase() ?? ''] ?? 1;
  return Math.round(Number(figure) * factor);
}

export function readNumber(text: string): number | null {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : null;
}

export function writeDuration(ms: number): string {
  return inLargestUnit(ms, DURATION_UNITS, 'ms');
}

export function writeSize(bytes: number): string {
  return inLargestUnit(bytes, SIZE_UNITS, 'B');
}

/** Digits are grouped only where they are hard to count. */
export function writeNumber(number: number): string {
  return Math.abs(number) < 10_000 ? String(number) : number.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

function inLargestUnit(amount: number, units: Readonly<Record<string, number>>, smallest: string): string {
  const exact = Object.entries(units).filter(([, factor]) => amount !== 0 && amount % factor === 0);
  const [unit, factor] = exact.at(-1) ?? [smallest, 1];
  return `${amount / factor} ${unit}`;
}
