import { createHash } from 'node:crypto';

/** Bytes of UTF-8; file systems allow 255, and a suffix and an extension come behind. */
const LONGEST_NAME = 100;

/**
 * What may stand in a name on every file system and in a shell: letters, their marks, digits and a few signs. Not among them: separators,
 * what Windows forbids, controls, marks that hide or reorder text, and whatever this version of Unicode does not know.
 */
const UNSAFE = /[^\p{L}\p{M}\p{N}\p{Pc}\p{Pd} .,=+@()~]|\p{Default_Ignorable_Code_Point}/gu;

/** Names of devices on Windows, with any extension. `COM¹` is one too. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?=[ .]|$)/i;

/** `PROGRA~1` is another name of another file there. */
const SHORT_NAME = /~(?=\d)/g;

/** Hidden, an option of a command, or stripped by Windows. */
const BAD_START = /^[ .-]|^\p{M}/u;
const BAD_END = /[ .]+$/;

/** A file of ours could stand in the way of a folder of that name, and one of the corpus itself. */
const TAKEN_BY_FILES =
  /\.md$|^(?:llms\.txt|llms-full\.txt|(?:index|package)\.json|(?:corpus|chunks|changes)\.jsonl|search\.db.*|state\.db.*|lock\.sqlite.*)$/i;

/** One folder of a URL's path as the name of a folder. Escapes are read; what cannot stand is replaced, and a hash tells it apart. */
export function folderName(segment: string): string {
  const name = safeName(segment);
  return TAKEN_BY_FILES.test(name) ? `${name}${mark(segment)}` : name;
}

/** Never empty, `.` or `..`; the same for the same text on every machine; where it is not the text itself, it ends in a hash of it. */
export function safeName(segment: string): string {
  const text = decoded(segment).normalize('NFC');
  if (isSafe(text)) return text;
  const clean = text
    .replace(UNSAFE, '_')
    .replace(SHORT_NAME, '_')
    .replace(BAD_START, '_')
    .replace(BAD_END, '_')
    .replace(DEVICE, '_$&');
  return `${cut(clean, LONGEST_NAME - MARK_LENGTH)}${mark(segment)}`;
}

function isSafe(text: string): boolean {
  return (
    text !== '' &&
    Buffer.byteLength(text) <= LONGEST_NAME &&
    text.search(UNSAFE) < 0 &&
    !DEVICE.test(text) &&
    text.search(SHORT_NAME) < 0 &&
    !BAD_START.test(text) &&
    !BAD_END.test(text)
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The beginning of a text, at most so many bytes of UTF-8, in whole characters. */
export function cut(text: string, bytes: number): string {
  let kept = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}

const MARK_LENGTH = 11;

/** `~` and ten hex digits of a text. */
export const mark = (text: string): string =>
  `~${createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, MARK_LENGTH - 1)}`;

/**
 * Two paths with the same key may be one file somewhere: file systems fold case and Unicode forms, each in its own way. This folds more
 * than any of them does.
 */
export function foldedPath(path: string): string {
  const fold = (text: string): string => text.normalize('NFKD').toUpperCase().toLowerCase();
  return fold(fold(path)).normalize('NFKC');
}
