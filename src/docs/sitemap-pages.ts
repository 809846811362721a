import { inflateRawSync } from 'node:zlib';
import { readSitemap } from '../parse/sitemap.js';
import type { DocsReader, KeptSitemap } from '../store/docs-reader.js';
import { type IdentityOptions, normaliseUrl } from '../url/identity.js';

export interface NamedPage {
  url: string;
  lastmod: string | null;
}

const LIMITS = { maxUrls: 50_000, maxBytes: 50 * 1024 * 1024 };

/**
 * The URLs that the kept sitemaps name, in their order; those of an index in the order in which it names its sitemaps. A sitemap that its
 * index no longer names counts no more.
 */
export class SitemapPages {
  readonly #store: DocsReader;
  readonly #identity: IdentityOptions;

  constructor(store: DocsReader, identity: IdentityOptions) {
    this.#store = store;
    this.#identity = identity;
  }

  *all(): IterableIterator<NamedPage> {
    const sitemaps = this.#store.keptSitemaps();
    const isIndexed = new Set(sitemaps.map(({ id }) => id));
    const byUrl = new Map(sitemaps.map((sitemap) => [sitemap.url, sitemap]));
    const read = new Set<number>();
    for (const root of sitemaps.filter(({ parent }) => parent === null || !isIndexed.has(parent))) {
      yield* this.#pagesOf(root, byUrl, read);
    }
  }

  *#pagesOf(sitemap: KeptSitemap, byUrl: Map<string, KeptSitemap>, read: Set<number>): IterableIterator<NamedPage> {
    const waiting = [sitemap];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (read.has(next.id)) {
        continue;
      }
      read.add(next.id);
      const { kind, entries } = this.#contents(next);
      const named = entries.flatMap(({ url, lastmod }) => {
        const normal = normaliseUrl(url, this.#identity)?.url;
        return normal === undefined ? [] : [{ url: normal, lastmod }];
      });
      if (kind === 'index') {
        waiting.push(...named.flatMap(({ url }) => byUrl.get(url) ?? []).reverse());
      } else {
        yield* named;
      }
    }
  }

  #contents({ id, url }: KeptSitemap): ReturnType<typeof readSitemap> {
    return readSitemap(inflateRawSync(this.#store.bodyOf(id)), { ...LIMITS, baseUrl: url });
  }
}

/**
 * When what a `<lastmod>` tells of was over at the latest, or null if it tells nothing. A date without a time may be of any time zone.
 */
export function lastmodEnd(lastmod: string | null): number | null {
  const [, year, month, day, time] = /^\s*(\d{4})(?:-(\d\d)(?:-(\d\d)(T\S+)?)?)?\s*$/.exec(lastmod ?? '') ?? [];
  if (year === undefined) {
    return null;
  }
  if (time !== undefined) {
    const at = Date.parse(lastmod!.trim());
    return Number.isNaN(at) ? null : at;
  }
  const from = [
    Number(year),
    month === undefined ? 0 : Number(month) - 1,
    day === undefined ? 1 : Number(day),
  ] as const;
  const end =
    month === undefined
      ? Date.UTC(from[0] + 1, 0, 1)
      : day === undefined
        ? Date.UTC(from[0], from[1] + 1, 1)
        : Date.UTC(from[0], from[1], from[2] + 1);
  return end + FARTHEST_ZONE_MS;
}

const FARTHEST_ZONE_MS = 12 * 3_600_000;
