/** Figures and texts for people. */

/** What cannot be seen, or turns the direction of what can. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text of the crawl, which may be anybody's: it becomes a text node, and hides nothing. */
export const shown = (text: string): string => text.replace(UNSEEN, '\ufffd');

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const count = (value: number): string => WHOLE.format(value);

export const rate = (value: number): string =>
  value >= 100 ? WHOLE.format(value) : value.toFixed(value === 0 ? 0 : 1);

/** Short: 1.2M, 34k. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 1_000) {
    return size >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
  }
  const [unit, name] = size < 1e6 ? [1e3, 'k'] : size < 1e9 ? [1e6, 'M'] : [1e9, 'G'];
  const scaled = value / unit;
  return `${Math.abs(scaled) < 10 ? scaled.toFixed(1) : scaled.toFixed(0)}${name}`;
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let scaled = value;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return `${unit === 0 || scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${units[unit]}`;
}

export function milliseconds(value: number): string {
  return value < 1_000 ? `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`;
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) {
    return `${days} d ${hours} h`;
  }
  if (hours > 0) {
    return `${hours} h ${minutes} min`;
  }
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

export const timeOfDay = (at: number): string => new Date(at).toLocaleTimeString('en-GB', { hour12: false });

export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const words = (name: string): string => name.replaceAll('_', ' ');

/** Only what a browser may follow without harm. */
export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url);

/** What failed, said once: a status says as much as the class that is named after it. */
export const failureName = (reason: string, status: number | null): string =>
  status === null ? words(reason) : /^http_[45]xx$/.test(reason) ? String(status) : `${status} ${words(reason)}`;

/** A piece of Markdown as one line of plain text, without its marks. */
export const withoutMarks = (markdown: string): string =>
  markdown
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/`{1,3}|\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
