import { type OptionKey, specOf } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { changedOptions, optionsToStore, type StoredOptions } from '../config/stored.js';

/** What is each machine's own: how much of it is used, and by which way it reaches the net. */
const OWN_GROUPS: ReadonlySet<string> = new Set(['Layers of concurrency', 'Network', 'Output', 'Watching', 'General']);

/** The flag of an option that is another than on the other machines of a crawl, and must not be; null if there is none. */
export function differingOption(shared: StoredOptions, resolved: ResolvedOptions<'crawl'>): string | null {
  const changed = [...changedOptions(shared, optionsToStore(resolved))];
  // Hooks are compared by what is in them.
  const differing = changed.find((key: OptionKey) => key !== 'hooks' && !OWN_GROUPS.has(specOf(key).group));
  return differing === undefined ? null : specOf(differing).flag;
}
