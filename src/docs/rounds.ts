import { Breaks } from '../base/breaks.js';
import { betweenDocsRounds } from '../store/docs-queue.js';
import type { DocsReader } from '../store/docs-reader.js';
import type { NamedUrls } from '../store/docs-tables.js';
import type { SeedRow } from '../store/transaction.js';
import type { IdentityOptions } from '../url/identity.js';
import { isFolderOrFile, Scope, type ScopeKind, type ScopePatterns, type SeedScope } from '../url/scope.js';
import { asMeta, type DocsProgress } from './progress.js';
import { lastmodEnd, SitemapPages } from './sitemap-pages.js';

export interface SurveyEnd {
  directory: string;
  progress: DocsProgress;
  patterns: ScopePatterns;
  identity: IdentityOptions;
  /** --seeding-strategy auto: links are followed only where sitemaps yield nothing. */
  isAuto: boolean;
  /** Ends it with `Stopped`: then nothing is decided, and the next run does so. */
  isStopped(): boolean;
}

/** Begins to bring a finished corpus up to date, with a survey of what the site has now. */
export async function beginRenewal(directory: string, progress: DocsProgress): Promise<DocsProgress> {
  const next: DocsProgress = { ...progress, round: 'survey', renews: true, isWritten: false };
  await betweenDocsRounds(directory, (_store, change) =>
    change((queue) => {
      queue.renewFirst();
      queue.note(asMeta(next));
    }),
  );
  return next;
}

/** Ends the survey: decides which pages belong to each seed and whether sitemaps or links name them, and queues them. */
export async function endSurvey(end: SurveyEnd): Promise<DocsProgress> {
  const { directory, progress, patterns, identity, isAuto } = end;
  return betweenDocsRounds(directory, async (store, change) => {
    const breaks = new Breaks(end.isStopped);
    const named = await namedBySitemaps(store, identity, breaks);
    const seeds = store.seeds();
    const widened = await foldersToOpen(store, named, seeds, breaks);
    const unfollowed = isAuto ? await namedSeeds(named, seeds, new Map(widened), patterns, breaks) : [];
    const turned = progress.unfollowed.filter((seed) => !unfollowed.includes(seed));
    const next: DocsProgress = { ...progress, round: 'pages', unfollowed, widened };
    await change(async (queue) => {
      if (progress.renews) {
        queue.readAgain(turned);
        queue.renewPages();
      }
      await queue.leaveToSitemaps(unfollowed, breaks);
      queue.note({ ...asMeta(next), ended: null });
    });
    return next;
  });
}

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

/** Seeds of which sitemaps name other pages than the seed itself. */
async function namedSeeds(
  urls: NamedUrls,
  seeds: readonly SeedRow[],
  widened: ReadonlyMap<number, readonly string[]>,
  patterns: ScopePatterns,
  breaks: Breaks,
): Promise<number[]> {
  const rules = seeds.flatMap(({ seed, scope, scopeUrls }) =>
    [...scopeUrls, ...(widened.get(seed) ?? [])].map((url) => ({ seed, kind: scope as ScopeKind, url })),
  );
  const scope = new Scope(rules, patterns);
  const own = new Set(seeds.flatMap(({ scopeUrls }) => scopeUrls));
  const named = new Set<number>();
  for (const url of urls.all()) {
    const rule = own.has(url) ? null : (scope.ruleFor(url) as (SeedScope & { seed: number }) | null);
    if (rule !== null) {
      named.add(rule.seed);
    }
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return [...named].sort((a, b) => a - b);
}
