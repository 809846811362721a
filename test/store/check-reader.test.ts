import { afterEach, beforeEach, expect, it } from 'vitest';
import { CheckReader } from '../../src/store/check-reader.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { SmallStore } from '../check/small-store.js';

let store: SmallStore;
let reader: CheckReader;

beforeEach(() => {
  store = new SmallStore();
  reader = new CheckReader(store.database);
});
afterEach(() => store.close());

it('a URL says why it failed, and one that did not says nothing', () => {
  store.put(1, { state: UrlState.failed, reason: 'http_4xx', status: 404 });
  store.put(2, {});
  expect([reader.failureOf(1), reader.failureOf(2), reader.failureOf(3)]).toEqual(['http_4xx', null, null]);
  expect([reader.isDone(1), reader.isDone(2), reader.isDone(3)]).toEqual([false, true, false]);
});

it('a host forbids everything only where each answer is 403', () => {
  store.put(1, { state: UrlState.failed, status: 403 });
  store.put(2, { state: UrlState.failed, status: 403 });
  expect(reader.forbiddingHosts(3).size).toBe(0);
  expect([...reader.forbiddingHosts(2)]).toEqual([[1, 2]]);
  store.put(3, { status: 200 });
  expect(reader.forbiddingHosts(2).size).toBe(0);
});

it('only pages in scope that answered with HTML of their own are compared with what is not there', () => {
  store.put(1, {});
  store.put(2, { flags: UrlFlag.external });
  store.put(3, { redirectTo: 1, status: 301 });
  store.put(4, { state: UrlState.failed, status: 404 });
  expect([...reader.answeredPages()].map(({ id }) => id)).toEqual([1]);
  expect([...reader.redirects()]).toEqual([{ id: 3, flags: 0 }]);
  expect(reader.countReached()).toBe(2);
});
