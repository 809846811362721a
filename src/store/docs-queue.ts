import type { Breaks } from '../base/breaks.js';
import { dropUnusedContents } from './contents.js';
import { DocsReader } from './docs-reader.js';
import { edgeLeads, edgesFromBlob, FOLLOWED, HELD_BACK } from './page-row.js';
import type { Database } from './sqlite.js';
import { atStore, inTransaction, writeMeta } from './store-file.js';
import { type Move, moveAll } from './url-moves.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from './url-state.js';

const { queued, leased, done, failed, skipped, deferred, unlisted } = UrlState;
const EDGES_A_TURN = 500;

/** Queues what the next round asks for and notes how far the corpus is: all that `change` does is stored, or nothing of it. */
export type ChangeDocs = <T>(change: (queue: DocsQueue) => T | Promise<T>) => Promise<T>;

/** Works on the store of a corpus between two rounds: under its lock, and with the file closed afterwards. */
export function betweenDocsRounds<T>(
  directory: string,
  work: (reader: DocsReader, change: ChangeDocs) => Promise<T>,
): Promise<T> {
  return atStore(directory, (database) =>
    work(new DocsReader(database), (change) => inTransaction(database, () => change(new DocsQueue(database)))),
  );
}

/** URLs that were requested, or would have been, are requested again. */
const RENEWED: Pick<Move, 'from' | 'to'> = { from: [done, failed, deferred, skipped], to: queued };
const WAS_WANTED = `(state <> ${skipped} OR reason IN ('robots', 'limit'))`;
const AGAIN = `reason = NULL, attempts = 0, lost = 0, not_before = 0,
  flags = (flags | ${UrlFlag.renew}) & ~${UrlFlag.rangedGet | UrlFlag.gate}`;

const TO_RENEW = `kind = ${UrlKind.page} AND (flags & ${UrlFlag.renew}) = 0 AND ${WAS_WANTED} AND NOT EXISTS (
  SELECT 1 FROM pages JOIN temp.named ON named.url = urls.url
  WHERE pages.id = urls.id AND urls.state = ${done} AND pages.etag IS NULL AND pages.last_modified IS NULL
    AND named.until < pages.fetched_at)
  AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.id = urls.id AND pages.seq > ?)`;

/**
 * Queues what the next round of `docs` asks for. What is known of a page stands until there is something new. `betweenDocsRounds` gives it
 * a transaction, and nobody else has the store.
 */
export class DocsQueue {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes values of `meta`; null removes a key. */
  note(values: Readonly<Record<string, string | null>>): void {
    writeMeta(this.#database, values);
  }

  /**
   * A finished crawl is to be brought up to date: what it begins with is asked for again. What pages load while they are rendered is asked for
   * when one of them is.
   */
  renewFirst(): void {
    const database = this.#database;
    database.exec(`UPDATE urls SET flags = flags & ~${UrlFlag.renew} WHERE (flags & ${UrlFlag.renew}) <> 0`);
    moveAll(database, {
      ...RENEWED,
      set: `${AGAIN}, class = ${QueueClass.seed}`,
      where: `(kind = ${UrlKind.sitemap} OR (kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0)) AND ${WAS_WANTED}`,
    });
    moveAll(database, {
      ...{ from: [queued, leased, done, failed, skipped, deferred, unlisted], to: unlisted, when: 'betweenRuns' },
      set: "reason = 'asset', attempts = 0, lost = 0, not_before = 0",
      where: `kind = ${UrlKind.asset}`,
    });
    database.exec(`DELETE FROM attempts;
      UPDATE hosts SET dispatched = 0, sitemap_files = 0, failures = 0, blocked_until = 0, block_reason = NULL, deferred_reason = NULL;
      UPDATE origins SET robots_state = 'unknown', robots_expires_at = 0, sitemaps_sought = 0, robots_tries = 0, robots_retry_at = 0;
      DELETE FROM meta WHERE key IN ('dispatched', 'ended', 'traps', 'seeding')`);
  }

  /**
   * These pages are asked for before all others, as seeds are: those that wait, and those of an earlier run that are to be asked again. Returns
   * how many of them had not been brought forward before.
   *
   * @param since see `renewPages`; null if nothing is renewed
   */
  askFirst(urls: readonly string[], since: number | null): number {
    const forward = this.#database.prepare(
      `UPDATE urls SET class = ${QueueClass.seed} WHERE url = ? AND kind = ${UrlKind.page} AND state = ${queued} AND class > ${QueueClass.seed}`,
    );
    return urls.reduce((sum, url) => {
      const renewed = { ...RENEWED, set: `${AGAIN}, class = ${QueueClass.seed}`, where: `url = ? AND ${TO_RENEW}` };
      const again = since === null ? 0 : moveAll(this.#database, renewed, url, since);
      return sum + again + Number(forward.run(url).changes);
    }, 0);
  }

  /**
   * Then all other pages. One that has nothing to be asked with, and that its sitemap says has not changed since it was fetched, is believed to
   * be as it was. Needs the table of NamedUrls, here and below.
   *
   * @param since what `lastSeq` was before the renewal: what has come since then is not asked for again
   */
  renewPages(since: number): void {
    const set = `${AGAIN}, class = max(class, ${QueueClass.seed})`;
    moveAll(this.#database, { ...RENEWED, set, where: TO_RENEW }, since);
  }

  /** The links of these seeds are to be followed from now on: all their pages have to be read again, whether they have changed or not. */
  readAgain(seeds: readonly number[]): void {
    const theirs = `kind = ${UrlKind.page} AND seed IN (${seeds.join()})`;
    this.#database.exec(`UPDATE pages SET etag = NULL, last_modified = NULL WHERE id IN (SELECT id FROM urls WHERE ${theirs});
      UPDATE urls SET flags = flags & ~${UrlFlag.renew} WHERE ${theirs}`);
  }

  /** URLs that only links of these seeds lead to are not requested; the links themselves lead nowhere. */
  async leaveToSitemaps(seeds: readonly number[], breaks: Breaks): Promise<void> {
    if (seeds.length === 0) {
      return;
    }
    const found = `kind = ${UrlKind.page} AND seed IN (${seeds.join()}) AND state IN (${queued}, ${done})
      AND (flags & ${UrlFlag.seed}) = 0 AND url NOT IN (SELECT url FROM temp.named)
      AND id NOT IN (SELECT redirect_to FROM pages WHERE redirect_to IS NOT NULL)`;
    this.#database.exec(`DELETE FROM bodies WHERE page IN (SELECT id FROM urls WHERE ${found})`);
    dropUnusedContents(this.#database);
    moveAll(this.#database, {
      ...{ from: [queued, done], to: unlisted, when: 'betweenRuns' },
      ...{ set: "reason = 'sitemap'", where: found },
    });
    const save = this.#database.prepare('UPDATE edges SET packed = ? WHERE page = ?');
    const some = this.#database.prepare(
      `SELECT edges.page AS page, edges.packed AS packed FROM edges JOIN urls ON urls.id = edges.page
       WHERE edges.page > ? AND urls.seed IN (${seeds.join()}) ORDER BY edges.page LIMIT ${EDGES_A_TURN}`,
    );
    for (let rows = some.all(-1); rows.length > 0; rows = some.all(rows.at(-1)!.page)) {
      for (const { page, packed } of rows) {
        const words = edgesFromBlob(packed);
        if (endLinks(words)) {
          save.run(new Uint8Array(words.buffer), page);
        }
      }
      await breaks.take();
    }
  }
}

/** Makes edges lead nowhere. True where any of them led anywhere. */
function endLinks(words: Uint32Array): boolean {
  let some = false;
  for (let i = 1; i < words.length; i += 2) {
    if (edgeLeads(words[i]!)) {
      words[i] = words[i]! & ~(FOLLOWED | HELD_BACK);
      some = true;
    }
  }
  return some;
}
