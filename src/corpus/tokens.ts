import { notInstalled } from '../base/optional-package.js';
import { estimateTokens } from './token-estimate.js';
import { wordByWord } from './token-words.js';

/** How many tokens a text has. */
export interface TokenCounter {
  count(text: string): number;
  /** The tokenizer is not installed: counts are near, not exact. */
  readonly isEstimate: boolean;
}

export const ESTIMATE: TokenCounter = { count: estimateTokens, isEstimate: true };

/** For people who get estimates. */
export const HOW_TO_COUNT = `tokens are estimated, because ${notInstalled('gpt-tokenizer')}`;

/** What is used of the package; its own types are there only where it is. */
interface Encoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** What looks like a mark of the tokenizer's own is text like any other in a page. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** o200k_base where the optional package gpt-tokenizer is installed; it has 30 MB and is loaded only here. */
export async function loadTokenCounter(load: () => Promise<Encoding> = loadEncoding): Promise<TokenCounter> {
  try {
    const { countTokens } = await load();
    const count = wordByWord((text) => countTokens(text, AS_TEXT));
    return { count: (text) => inPieces(text, count), isEstimate: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return ESTIMATE;
    throw error;
  }
}

const loadEncoding = () => import('gpt-tokenizer/encoding/o200k_base');

/** The tokenizer takes time that grows with the square of a run without a change of kind: 100,000 equal signs took it 8 s. */
const LONGEST_RUN = 256;

/** Counts what stands between long runs as it is, and those in slices. */
function inPieces(text: string, count: (piece: string) => number): number {
  if (!hasLongRun(text)) return count(text);
  let tokens = 0;
  let counted = 0;
  let runStart = 0;
  let isBlankRun = true;
  for (let at = 0; at <= text.length; at++) {
    const isBlank = text.charCodeAt(at) <= 0x20;
    if (at < text.length && isBlank === isBlankRun) continue;
    if (at - runStart > LONGEST_RUN) {
      tokens += count(text.slice(counted, runStart)) + inSlices(text.slice(runStart, at), count);
      counted = at;
    }
    runStart = at;
    isBlankRun = isBlank;
  }
  return tokens + count(counted === 0 ? text : text.slice(counted));
}

/** Looks only at every 256th character and at what is like it on both sides: a long run has one of these. */
function hasLongRun(text: string): boolean {
  for (let at = LONGEST_RUN; at < text.length; at += LONGEST_RUN) {
    const isBlank = text.charCodeAt(at) <= 0x20;
    let start = at;
    while (start > 0 && text.charCodeAt(start - 1) <= 0x20 === isBlank) start--;
    while (at < text.length && text.charCodeAt(at) <= 0x20 === isBlank) at++;
    if (at - start > LONGEST_RUN) return true;
  }
  return false;
}

function inSlices(run: string, count: (piece: string) => number): number {
  let tokens = 0;
  for (let at = 0; at < run.length; at += LONGEST_RUN) tokens += count(run.slice(at, at + LONGEST_RUN));
  return tokens;
}
