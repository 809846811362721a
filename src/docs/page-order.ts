import { inflateRawSync } from 'node:zlib';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import { readSitemap } from '../parse/sitemap.js';
import { edgeFollowed, edgeKind, edgesFromBlob } from '../store/packed-edges.js';
import type { Database } from '../store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { normaliseUrl } from '../url/identity.js';

const LIMITS = { maxUrls: 50_000, maxBytes: 50 * 1024 * 1024 };
const { redirect: REDIRECT } = LINK_KIND_NUMBER;

/**
 * The pages of a crawl in the order of the site itself: as its sitemaps name them, then as they are come by from the seeds, link after
 * link and level after level. It depends on what the pages say, not on which came first. What nothing leads to any more is left out.
 */
export function* pagesInOrder(database: Database): IterableIterator<number> {
  const given = new Set<number>();
  for (const id of [...inSitemaps(database), ...byLinks(database)]) {
    if (!given.has(id)) {
      given.add(id);
      yield id;
    }
  }
}

function* inSitemaps(database: Database): IterableIterator<number> {
  const find = urlFinder(database);
  const rows = database
    .prepare(
      `SELECT urls.url AS url, bodies.packed AS packed FROM urls JOIN bodies ON bodies.page = urls.id
       WHERE urls.kind = ${UrlKind.sitemap} AND urls.state = ${UrlState.done} ORDER BY urls.url`,
    )
    .iterate();
  for (const { url, packed } of rows) {
    const { kind, entries } = readSitemap(inflateRawSync(packed), { ...LIMITS, baseUrl: url });
    for (const entry of kind === 'index' ? [] : entries) {
      const id = find(normaliseUrl(entry.url)?.url ?? '');
      if (id !== null) {
        yield id;
      }
    }
  }
}

/** Breadth first from the seeds, in the order of their names; a redirect leads on at once. */
function* byLinks(database: Database): IterableIterator<number> {
  const edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
  const redirect = database.prepare('SELECT redirect_to AS "to" FROM pages WHERE id = ?');
  const seen = new Set<number>();
  let level: number[] = database
    .prepare(
      `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0 AND parent IS NULL ORDER BY seed, url`,
    )
    .all()
    .map(({ id }) => id);
  while (level.length > 0) {
    const next: number[] = [];
    for (let place = 0; place < level.length; place++) {
      const id = level[place]!;
      if (seen.has(id)) {
        continue;
      }
      seen.add(id);
      yield id;
      const to = redirect.get(id)?.to ?? null;
      if (to !== null) {
        level.splice(place + 1, 0, to);
      }
      next.push(...targetsOf(edges.get(id)?.packed));
    }
    level = next;
  }
}

function* targetsOf(packed: Uint8Array | undefined): IterableIterator<number> {
  const words = packed === undefined ? [] : edgesFromBlob(packed);
  for (let i = 0; i < words.length; i += 2) {
    if (edgeFollowed(words[i + 1]!) && edgeKind(words[i + 1]!) !== REDIRECT) {
      yield words[i]!;
    }
  }
}

/** There is no index of URLs in the store: one is made for as long as it is needed. */
function urlFinder(database: Database): (url: string) => number | null {
  database.exec(`DROP TABLE IF EXISTS temp.by_url; CREATE TEMP TABLE by_url (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
    INSERT OR IGNORE INTO temp.by_url SELECT url, id FROM urls WHERE kind = ${UrlKind.page}`);
  const select = database.prepare('SELECT id FROM temp.by_url WHERE url = ?');
  return (url) => select.get(url)?.id ?? null;
}
