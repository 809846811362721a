import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STORE_ORDERS } from '../../src/crawl/store-messages.js';
import { Draft } from '../../src/frontier/draft.js';
import type { Outcome } from '../../src/frontier/outcome.js';
import { failure } from '../../src/frontier/outcome.js';
import { LANE_NEWS, LANE_ORDERS } from '../../src/lane/messages.js';
import { emptyPage, openPage, openParts, type PageRow, sealPage } from '../../src/store/page-row.js';
import type { SettledUrl } from '../../src/store/transaction.js';
import { UrlState } from '../../src/store/url-state.js';
import { posted, told } from '../base/crossing.js';

/** What a page can make of a title: lone surrogates, NULs, line separators, quotes. */
const hostile = fc.string({ unit: 'binary', maxLength: 30 });
const text = fc.option(hostile, { nil: null });
const words = fc.array(fc.nat(0xffff_ffff), { maxLength: 40 }).map((all) => Uint32Array.from(all));
const someWords = fc.option(words, { nil: null });
const row: fc.Arbitrary<PageRow> = fc
  .record({
    ...{ title: text, description: text, message: text, lang: text, bytes: fc.nat(), links: fc.nat() },
    facts: fc.option(
      fc.record({
        hrefs: fc.option(fc.array(hostile), { nil: null }),
        places: someWords,
        anchors: someWords,
        headers: fc.constantFrom(null, { server: 'x' }),
        textHash: fc.option(fc.nat(), { nil: null }),
      }),
      { nil: null },
    ),
    body: fc.option(fc.record({ type: text, packed: fc.uint8Array({ maxLength: 50 }) }), { nil: null }),
    edges: fc.option(
      fc.record({ words, rels: fc.array(hostile), texts: fc.option(fc.array(hostile), { nil: null }) }),
      { nil: null },
    ),
  })
  .map((facts) => ({ ...emptyPage(200), ...facts }));

const partsOf = ({ facts, body, edges }: Pick<PageRow, 'facts' | 'body' | 'edges'>) => ({ facts, body, edges });

describe('a page that is sealed', () => {
  it('is opened as it was, whatever its texts hold', () => {
    fc.assert(
      fc.property(row, (page) => {
        const sent = structuredClone(page);
        const sealed = sealPage(page);
        const arrived = { ...sealed, ...posted(sealed) };
        expect({ ...openPage(arrived), ...partsOf(openParts(arrived)) }).toEqual(sent);
      }),
    );
  });

  it('is opened as it was after two threads, the one between having passed it on unopened', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), (pages) => {
        const sent = structuredClone(pages);
        const outcomes = pages.map((page) => ({ ...failure({ id: 7 }, 0, null, null), page: sealPage(page) }));
        const between = told(LANE_NEWS.outcomes, { outcomes, peakWaiting: 1 });
        const { transaction } = new Draft(5);
        transaction.settled.push(...between.outcomes.map(({ page }) => settledWith({ page })));
        const { settled } = told(STORE_ORDERS.commit, transaction);
        expect(settled.map(({ page }) => ({ ...openPage(page!), ...partsOf(openParts(page!)) }))).toEqual(sent);
      }),
    );
  });

  it('keeps a body of megabytes, which is not copied on its way', () => {
    const packed = Uint8Array.from({ length: 3 << 20 }, (_, i) => i);
    const sealed = sealPage({ ...emptyPage(200), body: { type: null, packed: packed.slice() } });
    const given = sealed.parts[0] as Uint8Array;
    const arrived = { ...sealed, ...posted(sealed) };
    expect(given.byteLength, 'the sender no longer has it').toBe(0);
    expect(openPage(sealed).status, 'and can still read the fields').toBe(200);
    expect(Buffer.compare(openParts(arrived).body!.packed, packed)).toBe(0);
  });
});

describe('outcomes on their way from a lane', () => {
  it('arrive as they were sent', () => {
    const outcome: fc.Arbitrary<Outcome> = fc
      .record({ page: fc.option(row.map(sealPage), { nil: null }), message: text, found: fc.array(fc.nat()) })
      .map((parts) => ({ ...failure({ id: 7 }, 1_234.5, null, null), ...parts }));
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 6 }), (outcomes) => {
        const sent = structuredClone(outcomes).map(opened);
        expect(told(LANE_NEWS.outcomes, { outcomes, peakWaiting: 3 }).outcomes.map(opened)).toEqual(sent);
      }),
    );
  });
});

describe('jobs on their way to a lane', () => {
  it('come with the shared memory itself, not with a copy of it', () => {
    const shared = new Uint32Array(new SharedArrayBuffer(8));
    const { updates } = told(LANE_ORDERS.take, { jobs: [], updates: [{ segment: 2, words: shared }] });
    shared[1] = 9;
    expect([updates[0]!.segment, ...updates[0]!.words]).toEqual([2, 0, 9]);
  });
});

describe('a transaction on its way to the store', () => {
  it('arrives as it was composed, and the composer may go on with all but the bytes', () => {
    const settled = fc
      .record({ page: fc.option(row.map(sealPage), { nil: null }), reason: text })
      .map((parts) => settledWith(parts));
    fc.assert(
      fc.property(fc.array(settled, { maxLength: 6 }), fc.array(fc.nat()), (all, leased) => {
        const { transaction } = new Draft(5);
        transaction.settled.push(...all);
        transaction.leased.push(...leased);
        transaction.spilledKeys.push({ segment: 1, packed: Uint32Array.of(1, 2, 3, 4, 5) });
        transaction.hosts.push({ ...HOST, blockedUntil: Number.POSITIVE_INFINITY });
        const composed = structuredClone(transaction);
        const arrived = told(STORE_ORDERS.commit, transaction);
        expect({ ...arrived, settled: arrived.settled.map(opened) }).toEqual({
          ...composed,
          settled: composed.settled.map(opened),
        });
        expect(transaction).toEqual(composed);
      }),
    );
  });

  it('is whole again where it cannot be packed', () => {
    const { transaction } = new Draft(5);
    transaction.settled.push(settledWith({ page: sealPage(emptyPage(200)) }));
    const composed = structuredClone(transaction);
    const endless = { toJSON: () => 'x'.repeat(2 ** 29) };
    transaction.meta.big = endless as unknown as string;
    expect(() => told(STORE_ORDERS.commit, transaction)).toThrow(/string length/);
    delete transaction.meta.big;
    expect(transaction).toEqual(composed);
  });
});

const HOST = {
  ...{ id: 1, nextAllowedAt: 0, blockReason: null, failures: 0, tunedLimit: null, learnedDelayMs: 0, dispatched: 0 },
  ...{ sitemapFiles: 0, deferredReason: null, address: null, parkedUntil: null },
};

const settledWith = (parts: Partial<SettledUrl>): SettledUrl => ({
  ...{ id: 3, state: UrlState.done, reason: null, retry: null, page: null, redirectTo: null, newIds: [1, 2], depth: 4 },
  ...parts,
});

/** With the page as the store sees it: bytes arrive in another kind of array than they were sent in. */
const opened = <T extends Pick<SettledUrl, 'page'>>(each: T) => ({
  ...each,
  page: each.page && { bytes: each.page.bytes, links: each.page.links, ...openParts(each.page) },
});
