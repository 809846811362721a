import type { Extractor } from './extraction.js';

/** The code is loaded only if something is extracted: otherwise the selectors' library would slow down every start. */
let loaded: typeof import('./extraction.js') | null = null;

/**
 * Has to be awaited before a lane is opened with these rules.
 *
 * @throws UsageError if a rule is wrong, with the place
 */
export async function prepareExtraction(rules: readonly string[]): Promise<void> {
  if (rules.length > 0) {
    loaded = await import('./extraction.js');
    new loaded.Extractor(rules);
  }
}

/** Null if nothing is extracted. */
export function extractorOf(rules: readonly string[]): Extractor | null {
  return rules.length === 0 ? null : new loaded!.Extractor(rules);
}
