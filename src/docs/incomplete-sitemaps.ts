import type { Breaks } from '../base/breaks.js';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import type { DocsReader } from '../store/docs-reader.js';
import type { NamedUrls } from '../store/docs-tables.js';
import { barePathOf, hasBinaryExtension } from '../url/host.js';
import type { Scope, SeedScope } from '../url/scope.js';

/** What a sample of the pages that sitemaps name leads to. */
export interface SitemapGap {
  seed: number;
  /** Pages that were looked at. */
  pages: number;
  /** Of the pages in scope that they lead to: how many sitemaps name, and how many they do not. */
  named: number;
  unnamed: number;
}

/** So many pages of a seed are asked for before it is decided whether its links are followed. */
const SAMPLE = 20;
/** A sitemap lacks many pages where it lacks so many, and so large a share, of those that the sample leads to. A login and a list of tags are not many. */
const FEWEST_UNNAMED = 10;
const SMALLEST_SHARE = 0.2;
const LINKS: ReadonlySet<number> = new Set([LINK_KIND_NUMBER.a, LINK_KIND_NUMBER.area]);
/** A hostile page may lead to any number. */
const MOST_COUNTED = 50_000;

export const isIncomplete = ({ named, unnamed }: SitemapGap): boolean =>
  unnamed >= FEWEST_UNNAMED && unnamed >= SMALLEST_SHARE * (named + unnamed);

/** A scope whose rules know their seeds. */
export type SeedsScope = Pick<Scope, 'ruleFor'>;
export const seedOf = (scope: SeedsScope, url: string): number | null =>
  (scope.ruleFor(url) as (SeedScope & { seed: number }) | null)?.seed ?? null;

/**
 * Of what sitemaps name for each of these seeds, some pages that are spread evenly over it by their URLs: the same, whatever was answered
 * first.
 */
export async function samplesOf(
  urls: NamedUrls,
  scope: SeedsScope,
  counts: ReadonlyMap<number, number>,
  breaks: Breaks,
): Promise<Map<number, string[]>> {
  const samples = new Map([...counts.keys()].map((seed) => [seed, [] as string[]]));
  const passed = new Map<number, number>();
  for (const url of urls.all()) {
    const seed = seedOf(scope, url);
    const sample = seed === null ? undefined : samples.get(seed);
    if (sample !== undefined) {
      const place = passed.get(seed!) ?? 0;
      passed.set(seed!, place + 1);
      if (place >= Math.floor((sample.length * counts.get(seed!)!) / SAMPLE)) {
        sample.push(url);
      }
    }
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return samples;
}

/** What these pages of a seed lead to, by their links as they stand in the store. */
export async function gapOf(
  store: DocsReader,
  named: NamedUrls,
  seed: number,
  pages: readonly number[],
  scope: SeedsScope,
  obeyNofollow: boolean,
  breaks: Breaks,
): Promise<SitemapGap> {
  const seen = new Set<number>();
  const unnamed = new Set<string>();
  const gap: SitemapGap = { seed, pages: 0, named: 0, unnamed: 0 };
  for (const page of pages) {
    const links = store.linksOf(page, LINKS, obeyNofollow);
    gap.pages += links === null ? 0 : 1;
    for (const id of links ?? []) {
      if (seen.size < MOST_COUNTED && !seen.has(id)) {
        seen.add(id);
        const url = store.urlOf(id);
        if (isPlainPage(url) && seedOf(scope, url) === seed) {
          if (spellingsOf(url).some((each) => named.has(each))) {
            gap.named++;
          } else {
            unnamed.add(plainForm(url));
          }
        }
      }
      if (breaks.isDue()) {
        await breaks.take();
      }
    }
  }
  return { ...gap, unnamed: unnamed.size };
}

/** Downloads, and pages under parameters (a login, an editor, another order), are in no sitemap. */
const isPlainPage = (url: string): boolean => !/[?#]/.test(url) && !hasBinaryExtension(url);

const plainForm = (url: string): string => url.replace(/\/index\.html?$/, '/').replace(/(?:\.html?|(?<=[^/])\/)$/, '');

/** A sitemap may name a page by another of its usual URLs. */
function spellingsOf(url: string): string[] {
  const plain = plainForm(url);
  const isRoot = barePathOf(plain) === '/' || plain.endsWith('/');
  return isRoot
    ? [url, plain, `${plain}index.html`]
    : [url, plain, `${plain}/`, `${plain}.html`, `${plain}/index.html`];
}
