import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packOutcomes, unpackOutcomes } from '../../src/crawl/threads/outcome-mail.js';
import { packTransaction, unpackTransaction } from '../../src/crawl/threads/transaction-mail.js';
import { Composition } from '../../src/frontier/embedded/composition.js';
import type { Outcome } from '../../src/frontier/frontier.js';
import { failure } from '../../src/frontier/outcome.js';
import { emptyPage, openPage, type PageRow, type SealedPage, sealPage } from '../../src/store/page-row.js';
import type { SettledUrl } from '../../src/store/transaction.js';
import { UrlState } from '../../src/store/url-state.js';

/** What a page can make of a title: lone surrogates, NULs, line separators, quotes. */
const hostile = fc.string({ unit: 'binary', maxLength: 30 });
const text = fc.option(hostile, { nil: null });
const edges = fc.option(
  fc.array(fc.nat(0xffff_ffff), { maxLength: 40 }).map((words) => Uint32Array.from(words)),
  { nil: null },
);
const row: fc.Arbitrary<PageRow> = fc
  .record({ title: text, description: text, message: text, lang: text, bytes: fc.nat(), links: fc.nat() })
  .map((facts) => ({ ...emptyPage(200), ...facts }));
const sealed: fc.Arbitrary<SealedPage | null> = fc.option(row.map(sealPage), { nil: null });

/** As it arrives: through the clone that a message is. */
const posted = <T>(mail: T): T => structuredClone(mail);

describe('a page that is sealed', () => {
  it('is opened as it was, whatever its texts hold', () => {
    fc.assert(
      fc.property(row, (page) => {
        expect(openPage(posted(sealPage(page)))).toEqual(page);
      }),
    );
  });
});

describe('outcomes on their way from a lane', () => {
  it('arrive as they were sent', () => {
    const outcome: fc.Arbitrary<Outcome> = fc
      .record({ page: sealed, edges, message: text, rels: fc.array(hostile), found: fc.array(fc.nat()) })
      .map((parts) => ({ ...failure({ id: 7 }, 1_234.5, null, null), ...parts }));
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 6 }), (outcomes) => {
        const sent = structuredClone(outcomes);
        expect(unpackOutcomes(posted(packOutcomes(outcomes)))).toEqual(sent);
      }),
    );
  });
});

describe('a transaction on its way to the store', () => {
  it('arrives as it was composed, and the composer may go on with it', () => {
    const settled: fc.Arbitrary<SettledUrl> = fc
      .record({ page: sealed, edges, reason: text, rels: fc.array(hostile) })
      .map((parts) => ({
        ...{ id: 3, state: UrlState.done, retry: null, redirectTo: null, texts: null, newIds: [1, 2], depth: 4 },
        ...parts,
      }));
    fc.assert(
      fc.property(fc.array(settled, { maxLength: 6 }), fc.array(fc.nat()), (all, leased) => {
        const { transaction } = new Composition(5);
        transaction.settled.push(...all);
        transaction.leased.push(...leased);
        transaction.spilledKeys.push({ segment: 1, packed: Uint32Array.of(1, 2, 3, 4, 5) });
        const composed = structuredClone(transaction);
        expect(unpackTransaction(posted(packTransaction(transaction)))).toEqual(composed);
        expect(transaction).toEqual(composed);
      }),
    );
  });
});
