import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStoreFile } from '../../src/store/store-file.js';
import type { SettledUrl } from '../../src/store/transaction.js';
import { UrlFlag } from '../../src/store/url-state.js';
import { begin, newUrl, openStore, reopen, settled, temporaryFolder, transaction, urlRow } from './support.js';

const [PAGE, GATE] = ['http://a.test/page', 'http://a.test/gate'];
const COOKIE = { name: 'seen', value: '1', path: '/' };
const TO_GATE = settled(1, { redirectTo: 2 });
const TO_PAGE = settled(2, { redirectTo: 1, cookies: [COOKIE] });
const KNOWN = transaction({ newUrls: [newUrl(1, PAGE), newUrl(2, GATE)] });

function play(commits: SettledUrl[][]) {
  const store = openStore();
  store.writer.commit(KNOWN);
  store.writer.commit(transaction({ leased: [1, 2] }));
  const asked = commits.map((each) => store.writer.commit(transaction({ settled: each })).queued);
  return { store, asked: asked.map((queued) => queued.map(({ id, cookie }) => [id, cookie])) };
}

const BOTH = [
  [2, 'seen=1'],
  [1, 'seen=1'],
];

it('asks each URL of a circle once more, whichever redirect closes it', () => {
  expect(play([[TO_GATE], [TO_PAGE]]).asked).toEqual([[], BOTH]);
  expect(play([[TO_PAGE], [TO_GATE]]).asked).toEqual([[], BOTH]);
  expect(play([[TO_GATE, TO_PAGE]]).asked).toEqual([BOTH]);
});

it('asks nobody again where the circle stays one', () => {
  const { store } = play([[TO_GATE, TO_PAGE]]);
  store.writer.commit(transaction({ leased: [1, 2] }));
  const again = [TO_GATE, TO_PAGE].map((each): SettledUrl => ({ ...each, passesGate: true }));
  expect(again.map((each) => store.writer.commit(transaction({ settled: [each] })).queued)).toEqual([[], []]);
});

it('keeps the cookie over a kill, and not over the end of a run: then the chain starts over', () => {
  const path = join(temporaryFolder(), 'crawl.sqlite');
  openStoreFile(path, { create: true }).close();
  const killed = reopen(path);
  begin(killed);
  killed.writer.commit(KNOWN);
  killed.writer.commit(transaction({ leased: [1, 2] }));
  killed.writer.commit(transaction({ settled: [TO_GATE, TO_PAGE] }));
  killed.writer.commit(transaction({ leased: [1] }));
  killed.close();
  const after = reopen(path);
  begin(after);
  const { origin } = after.database.prepare('SELECT origin FROM urls WHERE id = 1').get()!;
  const load = { origin, class: 0, beyond: 0, newestFirst: false, limit: 9 };
  const waiting = () => after.loadQueue([load])[0]!.map(({ id, cookie }) => [id, cookie]);
  expect(waiting()).toEqual([
    [1, 'seen=1'],
    [2, 'seen=1'],
  ]);
  after.writer.commit(transaction({ leased: [1, 2] }));
  after.writer.commit(transaction({ settled: [{ ...TO_PAGE, passesGate: true }] }));
  after.end('interrupted', 0);
  expect(JSON.stringify(after.database.prepare('SELECT * FROM cookies').all())).not.toContain('seen');
  expect(after.database.prepare('SELECT flags FROM urls WHERE id = 1').get()).toEqual({ flags: 0 });
  const { queued } = after.writer.commit(transaction({ settled: [TO_GATE] }));
  expect(queued).toMatchObject([{ id: 2, cookie: null, flags: 0 }]);
  after.writer.commit(transaction({ leased: [2] }));
  const { queued: opened } = after.writer.commit(transaction({ settled: [TO_PAGE] }));
  expect(opened.map(({ id, flags }) => [id, flags])).toEqual([
    [2, UrlFlag.gate],
    [1, UrlFlag.gate],
  ]);
  expect(urlRow(after.database, 1)).toMatchObject({ state: 'queued', class: 0, attempts: 1 });
  after.close();
});

it('waits for one that is to be asked again before it judges the circle by its old answer', () => {
  const { store } = play([[TO_PAGE]]);
  store.database.exec('UPDATE urls SET state = 0 WHERE id = 2');
  expect(store.writer.commit(transaction({ settled: [TO_GATE] })).queued).toEqual([]);
  store.writer.commit(transaction({ leased: [2] }));
  expect(store.writer.commit(transaction({ settled: [TO_PAGE] })).queued.map(({ id }) => id)).toEqual([2, 1]);
});

it('asks nobody with a part of what the circle sets', () => {
  const { store } = play([[TO_PAGE]]);
  store.end('complete', 0);
  const own = { ...TO_GATE, cookies: [{ name: 'own', value: '2', path: '/' }] };
  const { queued } = store.writer.commit(transaction({ settled: [own] }));
  expect(queued.map(({ id, cookie }) => [id, cookie])).toEqual([[2, null]]);
  store.writer.commit(transaction({ leased: [2] }));
  const { queued: whole } = store.writer.commit(transaction({ settled: [TO_PAGE] }));
  expect(whole.map(({ id, cookie }) => [id, cookie])).toEqual([
    [2, 'seen=1; own=2'],
    [1, 'seen=1; own=2'],
  ]);
});

it('leaves nothing of a cookie in the file once the run has ended', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'crawl.sqlite');
  openStoreFile(path, { create: true }).close();
  const store = reopen(path);
  begin(store);
  const ids = Array.from({ length: 300 }, (_, i) => i + 1);
  const isIn = (found = readdirSync(folder).map((name) => readFileSync(join(folder, name)))) =>
    Buffer.concat(found).includes('CONFIDENTIAL');
  const redirect = (id: number, length: number): SettledUrl => ({
    ...settled(id, { redirectTo: (id % 300) + 1 }),
    cookies: [{ name: `n${id}`, value: `CONFIDENTIAL${'x'.repeat(length)}`, path: '/' }],
  });
  store.writer.commit(transaction({ newUrls: ids.map((id) => newUrl(id, `http://a.test/${id}`)) }));
  store.writer.commit(transaction({ leased: ids }));
  for (const id of ids) {
    store.writer.commit(transaction({ settled: [redirect(id, id % 7 === 0 ? 4_000 : id)] }));
  }
  store.database.exec('UPDATE urls SET state = 1');
  store.writer.commit(transaction({ settled: [1, 2, 3].map((id) => redirect(id, 4_000)) }));
  store.writer.commit(transaction({ settled: ids.slice(10, 200).map((id) => settled(id, { redirectTo: 1 })) }));
  expect(isIn()).toBe(true);
  store.end('complete', 0);
  store.close();
  expect(isIn()).toBe(false);
});
