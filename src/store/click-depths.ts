import { leadsReaders } from './found-table.js';
import { edgeKind, edgesFromBlob } from './page-row.js';
import type { Database, Statement } from './sqlite.js';
import { UrlFlag, UrlKind } from './url-state.js';

/** No click leads there. */
export const UNREACHED = 0x7fff_ffff;

/** Number of LINK_KINDS. */
const REDIRECT_KIND = 18;
const NO_EDGES = new Uint32Array(0);

/**
 * By id, how many clicks part a page from the seeds. Where sitemaps or others named pages, the depth in the store is not that: then it is worked out
 * of all links, level by level, so that each page is read once, in whatever order the crawl came by them. Null if the store says it. Memory:
 * eight bytes for each URL that is known.
 */
export function clickDepths(database: Database): Int32Array | null {
  const isNamed = database
    .prepare(
      `SELECT 1 AS yes FROM urls WHERE kind = ${UrlKind.page} AND depth > 0 AND (parent IS NULL OR id IN (SELECT url FROM sitemap_finds)
         OR EXISTS (SELECT 1 FROM urls AS parents WHERE parents.id = urls.parent AND parents.kind = ${UrlKind.sitemap})) LIMIT 1`,
    )
    .get();
  if (isNamed === undefined) {
    return null;
  }
  const ids = (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
  const depths = new Int32Array(ids).fill(UNREACHED);
  let level: number[] = [];
  for (const { id } of database
    .prepare(
      `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND (depth = 0 OR (flags & ${UrlFlag.seed | UrlFlag.added}) <> 0)`,
    )
    .iterate()) {
    depths[id] = 0;
    level.push(id);
  }
  const select = database.prepare('SELECT packed FROM edges WHERE page = ?');
  for (let clicks = 0; level.length > 0; clicks++) {
    level = nextLevel(select, level, clicks, depths);
  }
  return depths;
}

/** Pages that are one click further than those of `level`, which grows: a redirect is no click. */
function nextLevel(select: Statement, level: number[], clicks: number, depths: Int32Array): number[] {
  const next: number[] = [];
  const come = (to: number, depth: number, pages: number[]): void => {
    if (depth < depths[to]!) {
      depths[to] = depth;
      pages.push(to);
    }
  };
  for (const page of level) {
    // A redirect may have brought it nearer after a link had led there.
    const row = depths[page] === clicks ? select.get(page) : undefined;
    const edges = row === undefined ? NO_EDGES : edgesFromBlob(row.packed);
    for (let i = 0; i < edges.length; i += 2) {
      if (edgeKind(edges[i + 1]!) === REDIRECT_KIND) {
        come(edges[i]!, clicks, level);
      } else if (leadsReaders(edges[i + 1]!)) {
        come(edges[i]!, clicks + 1, next);
      }
    }
  }
  return next;
}
