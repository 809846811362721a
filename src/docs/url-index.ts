import type { Breaks } from '../base/breaks.js';
import type { Database } from '../store/sqlite.js';

const IDS_A_TURN = 20_000;

/** There is no index of URLs in the store: puts those that are wanted into `temp.by_url`, which lasts as long as the connection. */
export async function indexUrls(database: Database, wanted: string, breaks: Breaks): Promise<void> {
  database.exec('CREATE TEMP TABLE by_url (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID');
  const insert = database.prepare(
    `INSERT OR IGNORE INTO temp.by_url SELECT url, id FROM urls WHERE id >= ? AND id < ? AND ${wanted}`,
  );
  const { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM urls').get()!;
  for (let from = 0; from <= last; from += IDS_A_TURN) {
    if (from > 0) await breaks.take();
    insert.run(from, from + IDS_A_TURN);
  }
}
