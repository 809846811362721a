import { UsageError } from '../base/errors.js';
import { compilePattern, type UrlPattern } from './pattern.js';

/** What --allow-trap names: a pattern just as the summary shows it, or a glob of such patterns or of URLs. */
export class AllowedTraps {
  readonly #names: Set<string>;
  readonly #patterns: UrlPattern[];

  constructor(allow: readonly string[]) {
    this.#names = new Set(allow);
    this.#patterns = allow.flatMap((text) => compileUnlessName(text));
  }

  has(name: string, url: string): boolean {
    if (this.#names.size === 0) return false;
    return this.#names.has(name) || this.#patterns.some((matches) => matches(name) || matches(url));
  }
}

/** A name from the summary may hold a `[` or `{` of its URLs, which makes no glob, and must be taken all the same. */
function compileUnlessName(text: string): UrlPattern[] {
  try {
    return [compilePattern(text, 'allow-trap')];
  } catch (error) {
    if (!(error instanceof UsageError) || text === '' || text.startsWith('re:')) throw error;
    return [];
  }
}
