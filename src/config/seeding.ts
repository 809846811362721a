/** Where URLs come from besides links on pages: the value of --seeding-strategy. */

export const SEEDING_SOURCES = ['sitemap', 'ct', 'commoncrawl'] as const;
export type SeedingSource = (typeof SEEDING_SOURCES)[number];

export const SEEDING_VALUES = 'none, all, or any of sitemap, ct and commoncrawl with commas between them';

export function checkSeeding(text: string): string | null {
  if (text === 'none' || text === 'all' || wordsOf(text).every(isSource)) {
    return null;
  }
  return wordsOf(text).includes('auto') ? `${SEEDING_VALUES} (auto is for \`gossamer docs\`)` : SEEDING_VALUES;
}

export function seedingSources(text: string): ReadonlySet<SeedingSource> {
  return new Set(text === 'all' ? SEEDING_SOURCES : wordsOf(text).filter(isSource));
}

const wordsOf = (text: string): string[] => text.split(',').map((word) => word.trim());
const isSource = (word: string): word is SeedingSource => (SEEDING_SOURCES as readonly string[]).includes(word);
