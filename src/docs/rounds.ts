import { Breaks } from '../base/breaks.js';
import { betweenDocsRounds } from '../store/docs-queue.js';
import type { DocsReader } from '../store/docs-reader.js';
import type { NamedUrls } from '../store/docs-tables.js';
import type { SeedRow } from '../store/transaction.js';
import type { IdentityOptions } from '../url/identity.js';
import { isFolderOrFile, Scope, type ScopeKind, type ScopePatterns } from '../url/scope.js';
import { gapOf, isIncomplete, type SitemapGap, samplesOf, seedOf } from './incomplete-sitemaps.js';
import { asMeta, type DocsProgress } from './progress.js';
import { lastmodEnd, SitemapPages } from './sitemap-pages.js';

export interface SurveyEnd {
  directory: string;
  progress: DocsProgress;
  patterns: ScopePatterns;
  identity: IdentityOptions;
  /** `auto`: links are followed where sitemaps name nothing, or lack much; `sitemap-only`: never; null: always. */
  way: 'auto' | 'sitemap-only' | null;
  /** Whether links that say so are left alone. */
  obeyNofollow: boolean;
  /** Ends it with `Stopped`: then nothing is decided, and the next run does so. */
  isStopped(): boolean;
}

/** Begins to bring a finished corpus up to date, with a survey of what the site has now. */
export async function beginRenewal(directory: string, progress: DocsProgress): Promise<DocsProgress> {
  return betweenDocsRounds(directory, (store, change) => {
    const since = store.lastSeq() ?? 0;
    const next: DocsProgress = { ...progress, round: 'survey', renews: true, since, isWritten: false };
    return change((queue) => {
      queue.renewFirst();
      queue.note(asMeta(next));
      return next;
    });
  });
}

/**
 * Ends the survey, or the sample that follows it: decides which pages belong to each seed and whether sitemaps or links name them, and queues
 * them. Where that needs to know the links of some pages, those are queued first, as a sample.
 */
export async function endSurvey(end: SurveyEnd): Promise<DocsProgress> {
  const { directory, progress, patterns, identity, way } = end;
  return betweenDocsRounds(directory, async (store, change) => {
    const breaks = new Breaks(end.isStopped);
    const named = await namedBySitemaps(store, identity, breaks);
    const seeds = store.seeds();
    const widened = progress.round === 'sample' ? progress.widened : await foldersToOpen(store, named, seeds, breaks);
    const scope = scopeOf(seeds, new Map(widened), patterns);
    const counts = way === 'auto' ? await namedPagesBySeed(named, seeds, scope, breaks) : NOTHING_NAMED;
    const samples = await samplesOf(named, scope, counts, breaks);
    const asked = await change((queue) => {
      const first = queue.askFirst([...samples.values()].flat(), progress.renews ? (progress.since ?? 0) : null);
      const isNew = progress.round === 'survey' && widened.length > 0 && samples.size > 0;
      const sample: DocsProgress = { ...progress, round: 'sample', widened };
      if (first > 0 || isNew) {
        queue.note({ ...asMeta(sample), ended: null });
        return sample;
      }
      return null;
    });
    if (asked !== null) {
      return asked;
    }
    const incomplete: SitemapGap[] = [];
    for (const [seed, sample] of samples) {
      const pages = new Set([...store.seedPagesOf(seed), ...sample.flatMap((url) => store.pageAt(url) ?? [])]);
      const gap = await gapOf(store, named, seed, [...pages], scope, end.obeyNofollow, breaks);
      if (isIncomplete(gap)) {
        incomplete.push(gap);
      }
    }
    const unfollowed =
      way === 'sitemap-only'
        ? seeds.map(({ seed }) => seed)
        : [...counts.keys()].filter((seed) => !incomplete.some((gap) => gap.seed === seed)).sort((a, b) => a - b);
    const turned = progress.unfollowed.filter((seed) => !unfollowed.includes(seed));
    const next: DocsProgress = { ...progress, round: 'pages', unfollowed, widened, incomplete };
    await change(async (queue) => {
      if (progress.renews) {
        queue.readAgain(turned);
        queue.renewPages(progress.since ?? 0);
      }
      await queue.leaveToSitemaps(unfollowed, breaks);
      queue.note({ ...asMeta(next), ended: null });
    });
    return next;
  });
}

const NOTHING_NAMED: ReadonlyMap<number, number> = new Map();

async function namedBySitemaps(store: DocsReader, identity: IdentityOptions, breaks: Breaks): Promise<NamedUrls> {
  const named = store.newNamedUrls();
  for (const { url, lastmod } of new SitemapPages(store, identity).all()) {
    named.add(url, lastmodEnd(lastmod));
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return named;
}

/**
 * The scope of a seed such as `/docs/intro` is what lies under it, where there is anything; else the folder that it is in. Seeds for
 * which nothing has to be opened are left out.
 */
async function foldersToOpen(
  store: DocsReader,
  named: NamedUrls,
  seeds: readonly SeedRow[],
  breaks: Breaks,
): Promise<[seed: number, urls: string[]][]> {
  const unclear = seeds.filter(({ scope, scopeUrls }) => scope === 'prefix' && !scopeUrls.some(isFolderOrFile));
  if (unclear.length === 0) {
    return [];
  }
  const index = await store.indexUrls('listed', breaks);
  const hasPagesUnder = (url: string): boolean => index.hasUnder(url) || named.hasUnder(url);
  return unclear
    .filter(({ scopeUrls }) => !scopeUrls.map(pathOnly).some(hasPagesUnder))
    .map(({ seed, scopeUrls }) => [seed, [...new Set(scopeUrls.map((url) => new URL('.', url).href))]]);
}

const pathOnly = (url: string): string => url.replace(/[?#].*$/s, '');

function scopeOf(
  seeds: readonly SeedRow[],
  widened: ReadonlyMap<number, readonly string[]>,
  patterns: ScopePatterns,
): Scope {
  const rules = seeds.flatMap(({ seed, scope, scopeUrls }) =>
    [...scopeUrls, ...(widened.get(seed) ?? [])].map((url) => ({ seed, kind: scope as ScopeKind, url })),
  );
  return new Scope(rules, patterns);
}

/** Of each seed of which sitemaps name pages besides the seed itself, how many. */
async function namedPagesBySeed(
  urls: NamedUrls,
  seeds: readonly SeedRow[],
  scope: Scope,
  breaks: Breaks,
): Promise<Map<number, number>> {
  const own = new Set(seeds.flatMap(({ scopeUrls }) => scopeUrls));
  const others = new Set<number>();
  const counts = new Map<number, number>();
  for (const url of urls.all()) {
    const seed = seedOf(scope, url);
    if (seed !== null) {
      counts.set(seed, (counts.get(seed) ?? 0) + 1);
      if (!own.has(url)) {
        others.add(seed);
      }
    }
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return new Map([...counts].filter(([seed]) => others.has(seed)));
}
