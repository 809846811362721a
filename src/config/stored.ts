import { isDeepStrictEqual } from 'node:util';
import type { OptionValue } from './option-spec.js';
import { type CrawlOptions, OPTION_KEYS, type OptionKey, specOf, works } from './options.js';
import { redact } from './print.js';
import type { ResolvedOptions } from './resolve.js';

/** What a crawl keeps of its options for `resume`. It is plain JSON. */
export interface StoredOptions {
  /** Only what was given: what is not here is the default. */
  readonly values: Partial<CrawlOptions>;
  /** Options that hold credentials. The store is a file that people pass on, so these must be given again. */
  readonly withheld: readonly OptionKey[];
}

export function optionsToStore(
  resolved: ResolvedOptions<'crawl'> | ResolvedOptions<'docs'>,
  command: 'crawl' | 'check' | 'docs' = 'crawl',
): StoredOptions {
  const values: Record<string, unknown> = {};
  const withheld: OptionKey[] = [];
  const { options, sources } = resolved as unknown as Record<
    'options' | 'sources',
    Partial<Record<OptionKey, OptionValue>>
  >;
  for (const key of OPTION_KEYS) {
    const spec = specOf(key);
    if (!works(command, spec) || spec.perRun || sources[key] === 'default') {
      continue;
    }
    const value = options[key] ?? null;
    if (isDeepStrictEqual(redact(spec, value), value)) {
      values[key] = value;
    } else {
      withheld.push(key);
    }
  }
  return { values: values as Partial<CrawlOptions>, withheld };
}

/** The keys of all options whose values differ. */
export function changedOptions(before: StoredOptions, now: StoredOptions): ReadonlySet<OptionKey> {
  const values = [before.values, now.values] as Readonly<Record<string, unknown>>[];
  return new Set(OPTION_KEYS.filter((key) => !isDeepStrictEqual(values[0]![key], values[1]![key])));
}
