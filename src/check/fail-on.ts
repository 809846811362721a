import { printable } from '../base/text.js';
import { didYouMean, nearest } from '../config/suggest.js';
import { VERDICTS, type Verdict } from './result.js';

/** What makes a run fail. */
export interface FailOn {
  /** Wherever the link leads. */
  readonly everywhere: ReadonlySet<Verdict>;
  /** On pages that were crawled; elsewhere it is another's trouble, and may be over tomorrow. */
  readonly inScope: ReadonlySet<Verdict>;
  /** A run that a limit cut short. */
  readonly truncated: boolean;
}

export const DEFAULT_FAIL_ON: FailOn = {
  everywhere: new Set([
    'dead',
    'dns',
    'malformed_html',
    'redirect_loop',
    'redirect_limit',
    'invalid_url',
    'insecure',
    'missing_fragment',
  ]),
  inScope: new Set(['server_error', 'timeout', 'connection', 'tls']),
  truncated: false,
};

const CANNOT_FAIL: readonly string[] = ['ok'] satisfies Verdict[];
const TRUNCATED = 'truncated';
/** They are as much about the run as about a link, and may be given without a sign. */
const WITHOUT_SIGN: readonly string[] = [TRUNCATED, 'unchecked' satisfies Verdict];
const NAMES: readonly string[] = [...VERDICTS.filter((verdict) => !CANNOT_FAIL.includes(verdict)), TRUNCATED];

/** Edits a set by `+soft_404,-missing_fragment`; of two that speak of one the last counts. */
export function editFailOn(before: FailOn, text: string, fail: (problem: string) => never): FailOn {
  const everywhere = new Set(before.everywhere);
  const inScope = new Set(before.inScope);
  let { truncated } = before;
  for (const part of text.split(',')) {
    const [, sign, name = ''] = /^\s*([+-]?)(.*?)\s*$/.exec(part) ?? [];
    if (sign === '' && !WITHOUT_SIGN.includes(name)) {
      return fail(`must be verdicts with + or - before each, such as +soft_404,-timeout, got ${shown(part)}`);
    }
    if (!NAMES.includes(name)) {
      return fail(`must name one of ${NAMES.join(', ')}, got ${shown(name)}${didYouMean(nearest(name, NAMES))}`);
    }
    const verdict = name as Verdict;
    if (name === TRUNCATED) truncated = sign !== '-';
    else {
      inScope.delete(verdict);
      if (sign !== '-') everywhere.add(verdict);
      else everywhere.delete(verdict);
    }
  }
  return { everywhere, inScope, truncated };
}

export function failsOn({ everywhere, inScope }: FailOn, verdict: Verdict, isExternal: boolean): boolean {
  return everywhere.has(verdict) || (!isExternal && inScope.has(verdict));
}

const shown = (text: string): string => (text.trim() === '' ? 'nothing' : `"${printable(text, 60)}"`);
