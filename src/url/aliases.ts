import { RE2JS } from 're2js';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { normaliseUrl } from './identity.js';

/** The names of files that have several. */
export interface FileAliases {
  /** Two names of one file, the second one counts: `a/index.html` and `a/`. Both in normal form. */
  same: Readonly<Record<string, string>>;
  /** URLs below `from` but not below `except` are found below `to` instead. */
  moved: { from: string; except: string; to: string } | null;
}

/** URLs that are requested under another name. */
export interface AliasData extends FileAliases {
  /** FROM=TO of --remap, in their order. */
  remaps: readonly string[];
}

export const NO_FILES: FileAliases = { same: {}, moved: null };

export type Alias = (url: string) => string;

interface Remap {
  /** Null if it does not match. */
  apply(url: string): string | null;
}

const EXPRESSION = 're:';
/** Where TO begins: it is always a whole URL. */
const SPLIT = /=(?=https?:\/\/)/i;

/** Returns a function that gives the URL to request instead; null if every URL is requested as it is. Refuses a remap that cannot be read. */
export function compileAliases({ remaps, same, moved }: AliasData): Alias | null {
  const rules = remaps.map(checkedRemap);
  if (rules.length === 0 && moved === null && Object.keys(same).length === 0) {
    return null;
  }
  const known = new Map(Object.entries(same));
  return (url) => {
    const asked = remapped(rules, url) ?? url;
    const isMoved = moved !== null && asked.startsWith(moved.from) && !asked.startsWith(moved.except);
    const file = isMoved ? moved.to + asked.slice(moved.from.length) : asked;
    return known.get(file) ?? file;
  };
}

/** The first rule that matches counts, once. */
function remapped(rules: readonly Remap[], url: string): string | null {
  for (const rule of rules) {
    const other = rule.apply(url);
    if (other !== null) {
      return normaliseUrl(other)?.url ?? null;
    }
  }
  return null;
}

function checkedRemap(text: string): Remap {
  try {
    return readRemap(text);
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    throw new UsageError(`--remap must be FROM=TO, ${error.message}, got ${printable(text, 100)}`);
  }
}

function readRemap(text: string): Remap {
  const at = text.search(SPLIT);
  const from = text.slice(0, Math.max(0, at));
  const to = text.slice(at + 1);
  if (from === '' || from === EXPRESSION) {
    throw new UsageError(
      'where FROM is the beginning of URLs or re: and an expression, and TO begins with http:// or https://',
    );
  }
  return from.startsWith(EXPRESSION) ? byExpression(from.slice(EXPRESSION.length), to) : byBeginning(from, to);
}

/** Whole segments: `https://a.test/doc` is not the beginning of `https://a.test/docs`. */
function byBeginning(from: string, to: string): Remap {
  const beginning = baseOf(from, 'FROM');
  const other = baseOf(to, 'TO');
  return {
    apply: (url) =>
      url.startsWith(beginning) && /^(?:[/?]|$)/.test(url.slice(beginning.length, beginning.length + 1))
        ? other + url.slice(beginning.length)
        : null,
  };
}

function baseOf(text: string, name: string): string {
  const normal = /^https?:\/\//i.test(text) && !/[?#]/.test(text) ? normaliseUrl(text) : null;
  if (normal === null || normal.credentials !== null) {
    throw new UsageError(`where ${name} is a URL with http:// or https://, without ? # and a password`);
  }
  return normal.url.replace(/\/+$/, '');
}

/** RE2, which runs in linear time whatever the URL; `$1` in TO is what the first parentheses took. */
function byExpression(source: string, to: string): Remap {
  try {
    const expression = RE2JS.compile(source);
    // A group that does not exist is refused now, and not at the first URL that matches.
    const groups = expression.groupCount();
    for (const [, number] of to.matchAll(/\$(\d+)/g)) {
      if (Number(number) > groups) {
        throw new Error(`there is no group $${number}`);
      }
    }
    return { apply: (url) => (expression.test(url) ? expression.matcher(url).replaceFirst(to) : null) };
  } catch (error) {
    throw new UsageError(`with a valid expression (${printable((error as Error).message, 100)})`);
  }
}
