import { isDeepStrictEqual } from 'node:util';
import { isCommand } from './commands.js';
import { partsOf } from './host-entries.js';
import type { OptionValue } from './option-spec.js';
import { type CrawlOptions, OPTION_KEYS, type OptionKey, specOf, usesOption } from './options.js';
import { redact } from './print.js';

/** The options that a crawl keeps for `resume`, as plain JSON. */
export interface StoredOptions {
  /** Only options that were given; the others have their default. */
  readonly values: Partial<CrawlOptions>;
  /** Options that hold credentials. The store is a file that people pass on, so these must be given again. */
  readonly withheld: readonly OptionKey[];
}

export function optionsToStore(
  resolved: { readonly options: object; readonly sources: object },
  command = 'crawl',
): StoredOptions {
  const values: Record<string, unknown> = {};
  const withheld: OptionKey[] = [];
  const { options, sources } = resolved as Record<'options' | 'sources', Partial<Record<OptionKey, OptionValue>>>;
  for (const key of OPTION_KEYS) {
    const spec = specOf(key);
    // A command that has no options of its own has those of a crawl.
    if (!usesOption(isCommand(command) ? command : 'crawl', spec) || spec.perRun || sources[key] === 'default') {
      continue;
    }
    const value = options[key] ?? null;
    if (isDeepStrictEqual(redact(spec, value), value)) {
      values[key] = value;
    } else {
      withheld.push(key);
      // What is no secret of it is kept, for `explain`; a run needs it whole.
      if (key === 'hosts') {
        values[key] = redact(spec, value);
      }
    }
  }
  return { values: values as Partial<CrawlOptions>, withheld };
}

/** The keys of all options whose values differ. Where another limit holds for hosts, the option that it stands for differs. */
export function changedOptions(before: StoredOptions, now: StoredOptions): ReadonlySet<OptionKey> {
  const values = [before.values, now.values] as Readonly<Record<string, unknown>>[];
  const changed = new Set(OPTION_KEYS.filter((key) => !isDeepStrictEqual(values[0]![key], values[1]![key])));
  for (const [key, option] of [
    ['depth', 'depth'],
    ['maxUrls', 'maxUrlsPerHost'],
  ] as const) {
    const [old, own] = [before, now].map((stored) => partsOf(stored.values.hosts ?? [], [key]));
    if (!isDeepStrictEqual(old, own)) {
      changed.add(option);
    }
  }
  return changed;
}
