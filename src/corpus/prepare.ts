import { jsonLine } from '../report/json-line.js';
import { type Chunk, chunkPage, sha256 } from './chunks.js';
import { type CorpusDocument, type LinksOf, type PreparedDocument, writable } from './document.js';
import { textHash, titleKey } from './fingerprint.js';
import type { TokenCounter } from './tokens.js';

/** What a page is measured by. */
export interface Measure {
  chunkTokens: number;
  tokens: TokenCounter;
}

/** Pages that were measured alike need not be measured again. */
export const measureName = (chunkTokens: number, isEstimate: boolean): string =>
  `${chunkTokens}${isEstimate ? ' estimated' : ''}`;

/** Tokens of a page, and its lines of chunks.jsonl. */
export interface Measured {
  tokens: number;
  chunks: string;
}

/**
 * Works out all that follows from a page alone and takes time; it can be done in any thread.
 * @param knownHash of the content that is measured already; null where none is
 */
export function preparePage(
  document: CorpusDocument,
  measure: Measure,
  linksOf: LinksOf | undefined,
  knownHash: string | null = null,
): PreparedDocument {
  const page = writable(document);
  const { title, markdown, text } = page;
  const hash = sha256(markdown);
  return {
    ...page,
    prepared: {
      hash,
      textHash: textHash(text),
      titleKey: titleKey(title, markdown),
      links: JSON.stringify(linksOf?.(markdown) ?? []),
      measured: hash === knownHash ? null : measured(page, measure),
    },
  };
}

export function measured(page: CorpusDocument, { chunkTokens, tokens }: Measure): Measured {
  const chunks = chunkPage(page, chunkTokens, tokens.count);
  return { tokens: tokens.count(page.markdown), chunks: chunks.map(jsonLine).join('') };
}

export const readChunks = (lines: string): Chunk[] => JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`);
