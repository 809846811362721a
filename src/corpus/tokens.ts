import { estimateTokens } from './token-estimate.js';

/** How many tokens a text has. */
export interface TokenCounter {
  count(text: string): number;
  /** The tokenizer is not installed: counts are near, not exact. */
  readonly isEstimate: boolean;
}

export const ESTIMATE: TokenCounter = { count: estimateTokens, isEstimate: true };

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
    return { count: (text) => inPieces(text, (piece) => countTokens(piece, AS_TEXT)), isEstimate: false };
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

function inSlices(run: string, count: (piece: string) => number): number {
  let tokens = 0;
  for (let at = 0; at < run.length; at += LONGEST_RUN) tokens += count(run.slice(at, at + LONGEST_RUN));
  return tokens;
}
