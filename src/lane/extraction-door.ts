import type { Extractor } from './extraction.js';

/** Loaded only where something is extracted: the selectors' library would be a part of every start. */
let loaded: typeof import('./extraction.js') | null = null;

/**
 * To be awaited before a lane is opened with these rules.
 *
 * @throws UsageError where a rule is wrong, with the place
 */
export async function prepareExtraction(rules: readonly string[]): Promise<void> {
  if (rules.length > 0) {
    loaded = await import('./extraction.js');
    new loaded.Extractor(rules);
  }
}

/** Null where nothing is extracted. */
export function extractorOf(rules: readonly string[]): Extractor | null {
  return rules.length === 0 ? null : new loaded!.Extractor(rules);
}
