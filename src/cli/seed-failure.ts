import { SeedError } from '../base/errors.js';
import type { SeedFate } from '../frontier/seed-book.js';

/** No seed was reached: the one that robots.txt forbids says more than the others. */
export function seedFailure(seeds: readonly SeedFate[], otherwise: string): SeedError {
  const forbidden = seeds.find(({ fate }) => fate === 'forbidden');
  const { label, detail } = forbidden ?? seeds[0]!;
  const what = forbidden === undefined ? 'could not be reached' : 'is forbidden by robots.txt';
  const others = seeds.length > 1 ? ` (and ${seeds.length - 1} more seeds failed)` : '';
  return new SeedError(`${label} ${what}: ${detail ?? otherwise}${others}`);
}
