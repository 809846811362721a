import { expect, it } from 'vitest';
import type { Lease } from '../../src/frontier/outcome.js';
import { TrapReader } from '../../src/store/traps.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { TrapWatch } from '../../src/url/traps.js';
import { TestScope } from '../store/support.js';
import { FrontierOnStore, offer } from './on-store.js';

const LIMIT = 12;
const page = (n: number) => `http://a.test/product/${n}`;
const PRODUCTS = Array.from({ length: 30 }, (_, n) => page(n + 1));
const PATTERN = 'http://a.test/product/0';
const MARK = UrlFlag.external | UrlFlag.trap;
const watch = () => new TrapWatch({ maxQueryVariants: 0, maxShapeVariants: LIMIT, allow: [] });
const sameText = { textHash: 1 };

/** Numbers of the leases that are only checked. */
const unread = (leases: readonly Lease[]) => leases.flatMap(({ flags, id }) => ((flags & MARK) === MARK ? [id] : []));

async function leaseAll(box: FrontierOnStore): Promise<Lease[]> {
  const leases: Lease[] = [];
  await box.fetchAll((lease) => {
    leases.push(lease);
    // What is asked for with HEAD has no text.
    return (lease.flags & UrlFlag.external) === 0 ? sameText : {};
  }, 1);
  return leases;
}

it('a trap is asked for to its end where its links may not be followed, and stays cut however much of it answers', async () => {
  const box = new FrontierOnStore({ asksTraps: true }, new TestScope(), undefined, undefined, watch());
  await box.frontier.admit(PRODUCTS.map((url) => offer(url)));
  const leases = await leaseAll(box);
  expect(leases.map(({ url }) => url)).toEqual(PRODUCTS);
  const cut = leases.slice(LIMIT - 1).map(({ id }) => id);
  expect(unread(leases)).toEqual(cut);
  expect(leases.filter(({ flags, wantsText }) => flags !== 0 && wantsText)).toEqual([]);
  expect(new TrapReader(box.store.database).named(PATTERN)).toMatchObject({ count: cut.length });
  expect(box.trapsCut).toEqual([PATTERN]);
  expect(box.frontier.counts()).toMatchObject({ done: PRODUCTS.length, skipped: 0 });
});

it('what looks like a trap by itself is counted as one, and asked for', async () => {
  const box = new FrontierOnStore({ asksTraps: true });
  await box.frontier.admit([offer(page(1), { flags: MARK, pattern: 'segments>5' })]);
  expect(await leaseAll(box)).toHaveLength(1);
  expect(box.trapsCut).toEqual(['segments>5']);
});

it('in a crawl it is cut', async () => {
  const box = new FrontierOnStore({}, new TestScope(), undefined, undefined, watch());
  await box.frontier.admit(PRODUCTS.map((url) => offer(url)));
  expect(await leaseAll(box)).toHaveLength(LIMIT - 1);
  expect(box.frontier.counts()).toMatchObject({ skipped: PRODUCTS.length - LIMIT + 1 });
});

it('what is elsewhere is never part of one', async () => {
  const box = new FrontierOnStore({}, new TestScope(), undefined, undefined, watch());
  await box.frontier.admit(PRODUCTS.map((url) => offer(url, { flags: UrlFlag.external })));
  expect(await leaseAll(box)).toHaveLength(PRODUCTS.length);
  expect(box.trapsCut).toEqual([]);
  // Nor where pages of the same look that are in scope have shown that there is one.
  const others = PRODUCTS.map((url) => url.replace('product/', 'product/9'));
  await box.frontier.admit(others.map((url) => offer(url)));
  await leaseAll(box);
  expect(box.trapsCut).toEqual([PATTERN]);
  await box.frontier.admit([offer(page(1_000), { flags: UrlFlag.external })]);
  expect((await leaseAll(box)).map(({ url }) => url)).toEqual([page(1_000)]);
});

it('what is leased as part of one is marked so before it is asked for: a kill does not make it a page like others', async () => {
  const box = new FrontierOnStore({ asksTraps: true }, new TestScope(), undefined, undefined, watch());
  await box.frontier.admit(PRODUCTS.map((url) => offer(url)));
  let lease: Lease | undefined;
  for (let n = 0; n < LIMIT; n++) {
    const outcomes = lease === undefined ? [] : [box.outcome(lease, sameText)];
    [lease] = await box.frontier.settle(outcomes, 1);
  }
  const row = () => box.store.database.prepare('SELECT state, flags FROM urls WHERE id = ?').get(lease!.id);
  expect(row()).toEqual({ state: UrlState.leased, flags: MARK });
  await box.frontier.settle([{ ...box.outcome(lease!), status: null, unsent: 'lost' }], 0);
  expect(row()).toEqual({ state: UrlState.queued, flags: MARK });
});
