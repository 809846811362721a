/**
 * Text from the net on its way to a terminal: C0 and C1 controls, ESC among them, and the marks that reorder or hide text
 * (bidirectional controls, zero-width characters, line and paragraph separators) are replaced.
 */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function printable(text: string, maxLength = 500): string {
  const clean = text.replace(UNPRINTABLE, '\ufffd');
  return clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean;
}

/** A piece of a long string keeps the whole string in memory; this copy does not. */
export const ownCopy = (text: string): string => ` ${text}`.slice(1);

/** One argument for a shell, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Quotes the text only where a shell would otherwise read it as something else. Both shells of Windows know double quotes, and `\` as a separator. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') {
    return /^[\w./:@%+=,-]+$/.test(text) ? text : shellQuoted(text);
  }
  // A program reads a backslash before the closing quote as one that escapes it.
  return /^[\w./:\\+-]+$/.test(text) ? text : `"${text.replace(/\\+$/, '$&$&')}"`;
}

/** A moment as people read it: `2026-11-16 23:30 UTC`, never before the moment itself. */
export function formatMoment(wall: number): string {
  const minute = new Date(Math.ceil(wall / 60_000) * 60_000).toISOString();
  return `${minute.slice(0, 10)} ${minute.slice(11, 16)} UTC`;
}
