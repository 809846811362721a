import { RE2JS } from 're2js';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';

/** A text that was looked for and stands on a page. */
export interface FoundText {
  /** As the user wrote it. */
  text: string;
  /** How often it stands there, up to `MOST_COUNTED`. */
  count: number;
  /** The first place, with what stands around it; one line, without control characters. */
  snippet: string;
}

interface Searched {
  /** As a reader sees it, a line for each block. */
  text: string;
  /** On one line. */
  line: string;
  /** The same in lower case; null where its places are not those of `line`. */
  folded: string;
}

type Find = (page: Searched) => { count: number; snippet: string; stopped: boolean } | null;

export const MOST_COUNTED = 1_000;
const AROUND = 60;
const LONGEST_SNIPPET = 200;
/** So long an expression is looked for on one page. */
const SEARCH_MS = 250;
const EXPRESSION = 're:';

/** What `--search` looks for, in the text of one page after the other. */
export class PageSearch {
  readonly #searches: readonly { text: string; find: Find }[];

  /** @throws UsageError where an expression is wrong */
  constructor(searches: readonly string[]) {
    this.#searches = searches.map((text) => ({
      text,
      find: text.startsWith(EXPRESSION) ? byExpression(text.slice(EXPRESSION.length)) : byWords(text),
    }));
  }

  /** Those that are there; `stopped` names those that were not looked for to the end. */
  find(text: string): { found: FoundText[]; stopped: string[] } {
    const line = text.replaceAll('\n', ' ');
    const page: Searched = { text, line, folded: line.toLowerCase() };
    const found: FoundText[] = [];
    const stopped: string[] = [];
    for (const search of this.#searches) {
      const hit = search.find(page);
      if (hit !== null && hit.count > 0) {
        found.push({ text: search.text, count: hit.count, snippet: hit.snippet });
      }
      if (hit?.stopped) {
        stopped.push(search.text);
      }
    }
    return { found, stopped };
  }
}

/** Whatever its case, and however its words are parted. */
function byWords(written: string): Find {
  const wanted = written.trim().replace(/\s+/g, ' ').toLowerCase();
  return ({ line, folded }) => {
    const first = folded.indexOf(wanted);
    if (first < 0) {
      return null;
    }
    let count = 0;
    for (let at = first; at >= 0 && count < MOST_COUNTED; at = folded.indexOf(wanted, at + wanted.length)) {
      count++;
    }
    // A few letters are longer in lower case: then places in one text are not those of the other.
    const source = line.length === folded.length ? line : folded;
    return { count, snippet: around(source, first, wanted.length), stopped: false };
  };
}

function byExpression(source: string): Find {
  const expression = compile(source);
  return ({ text }) => {
    const matcher = expression.matcher(text);
    const until = performance.now() + SEARCH_MS;
    let count = 0;
    let snippet = '';
    let stopped = false;
    while (count < MOST_COUNTED && matcher.find()) {
      snippet = count++ === 0 ? around(text, matcher.start(), matcher.end() - matcher.start()) : snippet;
      if (performance.now() > until) {
        stopped = true;
        break;
      }
    }
    return { count, snippet, stopped };
  };
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const { error: what } = error as { error?: string };
    throw new UsageError(
      `re:${printable(source)} is not a valid expression: ${printable(what ?? (error as Error).message)}`,
    );
  }
}

/** Cut between words where there is a blank near enough. */
function around(text: string, at: number, length: number): string {
  const end = at + Math.min(length, LONGEST_SNIPPET - 2 * AROUND);
  const earliest = Math.max(0, at - AROUND);
  const latest = Math.min(text.length, end + AROUND);
  const from = earliest === 0 ? 0 : earliest + Math.max(0, text.slice(earliest, at).search(/\s/));
  const cutAt = latest === text.length ? -1 : text.slice(end, latest).search(/\s\S*$/);
  const to = cutAt < 0 ? latest : end + cutAt;
  const cut = text.slice(from, to).replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${printable(cut, LONGEST_SNIPPET)}${to < text.length ? ' …' : ''}`;
}
