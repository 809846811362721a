import { jsonLine } from '../report/output.js';
import { type Chunk, chunkPage, sha256 } from './chunks.js';
import {
  type CorpusDocument,
  type LinksOf,
  type Measurement,
  type PreparedDocument,
  withoutUnwritable,
} from './document.js';
import { textHash, titleKey } from './fingerprint.js';
import type { TokenCounter } from './tokens.js';

/** What a page is measured by. */
export interface MeasureOptions {
  chunkTokens: number;
  tokens: TokenCounter;
}

/** Pages that were measured alike need not be measured again. */
export const measureKey = (chunkTokens: number, isEstimate: boolean): string =>
  `${chunkTokens}${isEstimate ? ' estimated' : ''}`;

/**
 * Works out all that follows from a page alone and takes time; it can be done in any thread.
 * @param knownHash of the content that is measured already; null if none is
 */
export function preparePage(
  document: CorpusDocument,
  measure: MeasureOptions,
  linksOf: LinksOf | undefined,
  knownHash: string | null = null,
): PreparedDocument {
  const page = withoutUnwritable(document);
  const { title, markdown, text } = page;
  const hash = sha256(markdown);
  return {
    ...page,
    prepared: {
      hash,
      textHash: textHash(text),
      titleKey: titleKey(title, markdown),
      links: JSON.stringify(linksOf?.(markdown) ?? []),
      measured: hash === knownHash ? null : measurePage(page, measure),
    },
  };
}

export function measurePage(page: CorpusDocument, { chunkTokens, tokens }: MeasureOptions): Measurement {
  const chunks = chunkPage(page, chunkTokens, tokens.count);
  return { tokens: tokens.count(page.markdown), chunks: chunks.map(jsonLine).join('') };
}

export const readChunks = (lines: string): Chunk[] => JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`);
