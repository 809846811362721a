/**
 * Mail of a crawl on several machines. `outbox`: what other slots are to be told of and have not acknowledged; a URL stands there by its id, and
 * what is said of it is read from its row when it is sent; a grant stands there by its number of URLs. `peers`: for which store of each slot the numbers count, and how far they are.
 */
export const OUTBOX_TABLES = `
CREATE TABLE outbox (slot INTEGER NOT NULL, seq INTEGER NOT NULL, what INTEGER NOT NULL, ref INTEGER NOT NULL, PRIMARY KEY (slot, seq)) WITHOUT ROWID;
CREATE TABLE peers (slot INTEGER PRIMARY KEY, incarnation TEXT, next_seq INTEGER NOT NULL DEFAULT 1, acked INTEGER NOT NULL DEFAULT 0);`;

/** Numbers are stored: only append. */
export const MailKind = { offer: 0, widened: 1, grant: 2 } as const;
