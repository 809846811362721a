/** Where URLs come from besides links on pages: the value of --seeding-strategy. */

export const SEEDING_SOURCES = ['sitemap', 'ct', 'commoncrawl'] as const;
export type SeedingSource = (typeof SEEDING_SOURCES)[number];

export const SEEDING_VALUES = 'none, all, or any of sitemap, ct and commoncrawl with commas between them';

export const AUTO_SEEDING = 'auto';
/** Links of pages are never followed. */
export const ONLY_SITEMAPS = 'sitemap-only';

export function checkSeeding(text: string): string | null {
  if (text === 'none' || text === 'all' || wordsOf(text).every(isSource)) {
    return null;
  }
  const ofDocs = wordsOf(text).find((word) => OF_DOCS.has(word));
  return ofDocs === undefined ? SEEDING_VALUES : `${SEEDING_VALUES} (${ofDocs} is for \`gossamer docs\`)`;
}

const OF_DOCS: ReadonlySet<string> = new Set([AUTO_SEEDING, ONLY_SITEMAPS]);

/** For a corpus also `auto`: sitemaps, and links only where these yield nothing or lack much; and `sitemap-only`: never links. */
export const checkDocsSeeding = (text: string): string | null =>
  OF_DOCS.has(text) || checkSeeding(text) === null ? null : `${AUTO_SEEDING}, ${ONLY_SITEMAPS}, ${SEEDING_VALUES}`;

export function seedingSources(text: string): ReadonlySet<SeedingSource> {
  if (OF_DOCS.has(text)) {
    return new Set(['sitemap']);
  }
  return new Set(text === 'all' ? SEEDING_SOURCES : wordsOf(text).filter(isSource));
}

const wordsOf = (text: string): string[] => text.split(',').map((word) => word.trim());
const isSource = (word: string): word is SeedingSource => (SEEDING_SOURCES as readonly string[]).includes(word);
