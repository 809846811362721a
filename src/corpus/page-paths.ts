import { createHash } from 'node:crypto';
import { fileNamePart } from '../report/output.js';

/** Tells which URL has a name; a Map will do. */
export interface ClaimedPaths {
  get(key: string): string | undefined;
  set(key: string, url: string): unknown;
}

/**
 * Gives each page of a corpus a path that no other page has, on any file system. Two that want the same one differ in case, in a form of
 * Unicode, in `.html`, or between `/a/` and `/a/index.html`: whoever asks first gets it, the others have a hash of their URL behind the name.
 * So the pages that had a path before ask first, and the rest in the order of `byClaim`: the same URLs then have the same paths, in
 * whatever order they were found, and a new one takes no other's name.
 */
export class PagePaths {
  readonly #origin: string;
  readonly #claims: ClaimedPaths;

  constructor(origin: string, claims: ClaimedPaths = new Map()) {
    this.#origin = origin;
    this.#claims = claims;
  }

  /** @param before its path in an earlier corpus, which is taken from a file and only believed where it could be this page's */
  assign(url: string, before: string | null = null): string {
    const wanted = pagePath(url, this.#origin);
    const choices = [wanted, markedPath(wanted, url)];
    if (before === choices[1]) {
      choices.reverse();
    }
    while (!this.#claim(choices[0]!, url)) {
      choices.shift();
      // Two URLs share ten hex digits once in a trillion pairs, or if somebody has searched for such a pair.
      if (choices.length === 1) {
        choices.push(markedPath(choices[0]!, `${url}#${choices[0]}`));
      }
    }
    return choices[0]!;
  }

  #claim(path: string, url: string): boolean {
    const key = foldedPath(path);
    const holder = this.#claims.get(key);
    if (holder === undefined) {
      this.#claims.set(key, url);
    }
    return holder === undefined || holder === url;
  }
}

/** The order in which pages that are new ask for their paths. */
function byClaim(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Paths of URLs, `before` those of an earlier corpus. */
export function assignPaths(
  urls: Iterable<string>,
  origin: string,
  before: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const paths = new PagePaths(origin);
  const all = [...new Set(urls)].sort(byClaim);
  const known = all.filter((url) => before.has(url));
  const fresh = all.filter((url) => !before.has(url));
  return new Map([...known, ...fresh].map((url) => [url, paths.assign(url, before.get(url) ?? null)]));
}

/** Characters of a whole path in UTF-8; Windows allows 260 for all of it, the folder of the corpus included. */
const LONGEST_PATH = 180;
const DEEPEST = 16;

const HTML_EXTENSION = /\.(?:html?|xhtml|md|markdown)$/i;
const INDEX = 'index';

/**
 * Where a page would stand in the tree if it were alone: `/a/b.html` at `a/b.md`, `/a/` at `a/index.md`, `/a/b?x=1` at `a/b@x=1.md`. Pages
 * of another origin than the corpus's own stand in a folder of that name. Only the URL decides; `PagePaths` settles what two pages want.
 *
 * Files end in `.md` and folders never do, so that a page and a folder do not meet.
 */
export function pagePath(url: string, origin: string): string {
  const { folders, name } = placeOf(new URL(url), origin);
  const path = [...folders, name].join('/');
  if (folders.length <= DEEPEST && Buffer.byteLength(path) <= LONGEST_PATH) {
    return `${path}.md`;
  }
  return `${shortened(folders, name, hashSuffix(url))}.md`;
}

function placeOf(url: URL, origin: string): { folders: string[]; name: string } {
  const segments = url.pathname.replace(/^\//, '').split('/');
  const last = segments.pop() ?? '';
  const folders = segments.map(folderName);
  if (url.origin !== origin) {
    folders.unshift(folderName(`@${fileNamePart(url.origin, 'https')}`));
  }
  const stem = last === '' ? INDEX : safeName(last.replace(HTML_EXTENSION, '') || last);
  return {
    folders,
    name: url.search.length > 1 ? `${stem}@${safeName(url.search.slice(1).replaceAll('&', ','))}` : stem,
  };
}

/** As many folders as there is room for, then the beginning of the name; the hash stands for the rest. */
function shortened(folders: readonly string[], name: string, hash: string): string {
  const kept: string[] = [];
  let room = LONGEST_PATH / 2;
  for (const folder of folders.slice(0, DEEPEST)) {
    room -= Buffer.byteLength(folder) + 1;
    if (room < 0) {
      break;
    }
    kept.push(folder);
  }
  // A name that is cut may end in what no name may end in; the hash behind it mends that.
  return [...kept, `${cutToBytes(name, LONGEST_PATH / 2 - hash.length - 1)}${hash}`].join('/');
}

/** The path with a hash of its URL behind the name. */
const markedPath = (path: string, url: string): string => path.replace(/\.md$/, `${hashSuffix(url)}.md`);

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

/** A folder of such a name could collide with the file of a page or with a file of the corpus. */
const TAKEN_BY_FILES =
  /\.md$|^(?:llms\.txt|llms-full\.txt|(?:index|package)\.json|(?:corpus|chunks|changes)\.jsonl|search\.db.*|state\.db.*|lock\.sqlite.*)$/i;

/** One folder of a URL's path as the name of a folder. Escapes are read; what cannot stand is replaced, and a hash tells it apart. */
function folderName(segment: string): string {
  const name = safeName(segment);
  return TAKEN_BY_FILES.test(name) ? `${name}${hashSuffix(segment)}` : name;
}

/** Never empty, `.` or `..`; the same for the same text on every machine; where it is not the text itself, it ends in a hash of it. */
function safeName(segment: string): string {
  const text = decoded(segment).normalize('NFC');
  if (isSafe(text)) {
    return text;
  }
  const clean = text
    .replace(UNSAFE, '_')
    .replace(SHORT_NAME, '_')
    .replace(BAD_START, '_')
    .replace(BAD_END, '_')
    .replace(DEVICE, '_$&');
  return `${cutToBytes(clean, LONGEST_NAME - MARK_LENGTH)}${hashSuffix(segment)}`;
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
function cutToBytes(text: string, bytes: number): string {
  let kept = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) {
      break;
    }
    kept += character;
  }
  return kept;
}

const MARK_LENGTH = 11;

/** `~` and ten hex digits of a text. */
const hashSuffix = (text: string): string =>
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

/** How a file of the tree refers to another, as the target of a link: relative, escaped. */
export function relativeLink(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const target = to.split('/');
  let shared = 0;
  while (shared < folders.length && shared < target.length - 1 && folders[shared] === target[shared]) {
    shared++;
  }
  return [...folders.slice(shared).map(() => '..'), ...target.slice(shared).map(escaped)].join('/');
}

/** Brackets would end a link in Markdown. */
const escaped = (name: string): string =>
  encodeURIComponent(name).replace(/[()'!*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
