import { printable } from '../base/text.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import { VERDICTS, type Verdict } from './report/result.js';

/** What makes a run fail. */
export interface FailOn {
  /** Wherever the link leads. */
  readonly everywhere: ReadonlySet<Verdict>;
  /** Only where the link leads to a crawled page. A failure of another site may be over tomorrow, and its owner has to mend it. */
  readonly inScope: ReadonlySet<Verdict>;
  /** Whether a run that a limit cut short fails. */
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
/** These two may be given without a sign, because they tell as much about the run as about a link. */
const WITHOUT_SIGN: readonly string[] = [TRUNCATED, 'unchecked' satisfies Verdict];
const NAMES: readonly string[] = [...VERDICTS.filter((verdict) => !CANNOT_FAIL.includes(verdict)), TRUNCATED];

/** Edits a set by `+soft_404,-missing_fragment`. Where a verdict is named twice, the last one counts. */
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
      return fail(`must name one of ${NAMES.join(', ')}, got ${shown(name)}${didYouMean(nearestName(name, NAMES))}`);
    }
    const verdict = name as Verdict;
    if (name === TRUNCATED) {
      truncated = sign !== '-';
    } else {
      inScope.delete(verdict);
      if (sign !== '-') {
        everywhere.add(verdict);
      } else {
        everywhere.delete(verdict);
      }
    }
  }
  return { everywhere, inScope, truncated };
}

export function failsOn({ everywhere, inScope }: FailOn, verdict: Verdict, isExternal: boolean): boolean {
  return everywhere.has(verdict) || (!isExternal && inScope.has(verdict));
}

const shown = (text: string): string => (text.trim() === '' ? 'nothing' : `"${printable(text, 60)}"`);
