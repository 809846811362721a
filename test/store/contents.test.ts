import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Contents, dropUnusedContents } from '../../src/store/contents.js';
import { SCHEMA } from '../../src/store/schema.js';
import { type Database, openDatabase } from '../../src/store/sqlite.js';

let database: Database;
let contents: Contents;

beforeEach(() => {
  database = openDatabase('');
  database.exec(SCHEMA);
  contents = new Contents(database);
});
afterEach(() => database.close());

const packed = (text: string): { packed: Uint8Array; hash: string } => ({
  packed: Buffer.from(text),
  hash: createHash('sha256').update(text).digest('hex'),
});
const give = (page: number, content: number | null): void => {
  database.prepare('INSERT OR REPLACE INTO bodies (page, content) VALUES (?, ?)').run(page, content);
};
const count = (): number => database.prepare('SELECT count(*) AS n FROM contents').get()!.n;

it('the same bytes are kept once, others and those without a hash by themselves', () => {
  const first = contents.keep(packed('a'));
  expect(contents.keep(packed('a'))).toBe(first);
  expect(contents.keep(packed('b'))).not.toBe(first);
  const { packed: alone } = packed('a');
  expect(contents.keep({ packed: alone })).not.toBe(contents.keep({ packed: alone }));
  expect(contents.keep({ packed: new Uint8Array() })).toBeNull();
  expect(count()).toBe(4);
});

it('what one page has no longer stays while another has it', () => {
  const shared = contents.keep(packed('a'));
  give(1, shared);
  give(2, shared);
  give(1, null);
  contents.drop(shared);
  expect([contents.of(1), contents.of(2), count()]).toEqual([null, shared, 1]);
  give(2, null);
  contents.drop(shared);
  expect(count()).toBe(0);
});

it('after pages have gone in number, so does what only they had', () => {
  give(1, contents.keep(packed('a')));
  give(2, contents.keep(packed('b')));
  database.exec('DELETE FROM bodies WHERE page = 1');
  dropUnusedContents(database);
  expect([contents.of(2) !== null, count()]).toEqual([true, 1]);
});
