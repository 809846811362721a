/** Where URLs come from besides links on pages: the value of --seeding-strategy. */

export const SEEDING_SOURCES = ['sitemap', 'ct', 'commoncrawl'] as const;
export type SeedingSource = (typeof SEEDING_SOURCES)[number];

export const SEEDING_VALUES = 'none, all, or any of sitemap, ct and commoncrawl with commas between them';

export const AUTO_SEEDING = 'auto';

export function checkSeeding(text: string): string | null {
  if (text === 'none' || text === 'all' || wordsOf(text).every(isSource)) {
    return null;
  }
  return wordsOf(text).includes('auto') ? `${SEEDING_VALUES} (auto is for \`gossamer docs\`)` : SEEDING_VALUES;
}

/** For a corpus also `auto`: sitemaps, and links only where these yield nothing. */
export const checkDocsSeeding = (text: string): string | null =>
  text === AUTO_SEEDING || checkSeeding(text) === null ? null : `${AUTO_SEEDING}, ${SEEDING_VALUES}`;

export function seedingSources(text: string): ReadonlySet<SeedingSource> {
  if (text === AUTO_SEEDING) {
    return new Set(['sitemap']);
  }
  return new Set(text === 'all' ? SEEDING_SOURCES : wordsOf(text).filter(isSource));
}

const wordsOf = (text: string): string[] => text.split(',').map((word) => word.trim());
const isSource = (word: string): word is SeedingSource => (SEEDING_SOURCES as readonly string[]).includes(word);
