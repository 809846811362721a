import { describe, expect, it } from 'vitest';
import { type Lease, type Offer, sitemapOffer } from '../../src/frontier/outcome.js';
import { Reader } from '../../src/store/reader.js';
import { openStore, TestScope } from '../store/support.js';
import { FrontierOnStore } from './on-store.js';

const at = (name: string | number, host = 'a.test') => `http://${host}/${name}.xml`;
const many = (count: number, urlOf: (n: number) => string, depth: number): Offer[] =>
  Array.from({ length: count }, (_, n) => sitemapOffer(urlOf(n), depth));
const filesOf = ({ store }: FrontierOnStore) => new Reader(store.database).sitemapFiles.count();

/** A frontier to which robots.txt has named these sitemaps. */
async function naming(...urls: string[]): Promise<FrontierOnStore> {
  // Neither the scope nor --depth is about sitemaps.
  const run = new FrontierOnStore({}, new TestScope([], 0));
  await run.frontier.admit(urls.map((url) => sitemapOffer(url, 0)));
  return run;
}

describe('sitemap files of a host', () => {
  it('are read up to 1,000, and the others are kept as cut, counted and told', async () => {
    const run = await naming(at('index'));
    const asked = await run.fetchAll(({ url }) => (url === at('index') ? { offers: many(3_000, at, 1) } : {}));
    expect(asked).toHaveLength(1_000);
    expect(filesOf(run)).toEqual({ read: 1_000, failed: 0, notRead: { limit: 2_001 } });
    expect(new Reader(run.store.database).sitemapFiles.cutHosts(5)).toEqual([{ host: 'a.test', files: 2_001 }]);
    expect(run.sitemapsCut).toEqual([['a.test', null]]);
    await run.frontier.close();
    expect(run.sitemapsCut.at(-1)).toEqual(['a.test', 2_001]);
  });

  it('count over all levels of indexes, those that redirect too', async () => {
    const run = await naming(at('index'));
    const asked = await run.fetchAll(({ url, depth, hops }: Lease) => {
      const offers = many(12, (n) => at(`${url.slice(14, -4)}-${n}`), depth + 1);
      const moved = hops === 0 && depth === 1 ? [{ ...sitemapOffer(`${url}.xml`, depth), hops: 1 }] : null;
      return { offers: moved ?? offers };
    });
    expect(asked).toHaveLength(1_000);
    expect(asked.filter((url) => url.endsWith('.xml.xml'))).toHaveLength(12);
    const { read, notRead } = filesOf(run);
    expect(read).toBe(1_000);
    expect(notRead.limit).toBeGreaterThan(600);
  });

  it('are 1,000 in all where kills come between them, and what was under way then is counted once', async () => {
    const store = openStore(new TestScope());
    const asked = new Set<string>();
    let isFirst = true;
    for (let kills = 0; kills < 6; kills++) {
      const run = new FrontierOnStore({}, new TestScope(), store);
      if (isFirst) {
        await run.frontier.admit([sitemapOffer(at('index'), 0)]);
      }
      for (let batch = 0; batch < 5; batch++) {
        const leases = await run.frontier.settle([], 60);
        for (const { url } of leases) {
          asked.add(url);
        }
        // The last ones are never heard of again.
        if (batch === 4 && kills < 5) {
          break;
        }
        const offers = isFirst ? many(3_000, at, 1) : [];
        await run.frontier.settle(
          leases.map((lease) => run.outcome(lease, { offers })),
          0,
        );
        isFirst = false;
      }
      if (kills < 5) {
        run.isKilled = true;
      } else {
        for (const url of await run.fetchAll()) {
          asked.add(url);
        }
      }
    }
    expect(asked.size).toBe(1_000);
    expect(filesOf({ store } as FrontierOnStore)).toEqual({ read: 1_000, failed: 0, notRead: { limit: 2_001 } });
  });

  it('that lie elsewhere count for the host that names them as well, on as many hosts as they may lie', async () => {
    const run = await naming(at('index'));
    const elsewhere = many(1_500, (n) => at('map', `h${n}.test`), 1);
    const asked = await run.fetchAll(({ url }) => (url === at('index') ? { offers: elsewhere } : {}));
    expect(asked).toHaveLength(1_000);
    expect(filesOf(run)).toEqual({ read: 1_000, failed: 0, notRead: { limit: 501 } });
    expect(run.sitemapsCut).toEqual([['a.test', null]]);
  });

  it('nested too deep are kept as cut, and read all the same when a shorter way to them is found', async () => {
    const run = await naming(at('level-0'), at('other'));
    const asked = await run.fetchAll(({ url, depth }) => {
      const level = Number(/level-(\d)/.exec(url)?.[1] ?? Number.NaN);
      return { offers: level >= 0 ? [sitemapOffer(at(`level-${level + 1}`), depth + 1)] : [] };
    });
    expect(asked).not.toContain(at('level-4'));
    expect(filesOf(run)).toEqual({ read: 5, failed: 0, notRead: { depth: 1 } });
    await run.frontier.admit([sitemapOffer(at('shortcut'), 0)]);
    const later = await run.fetchAll(({ url }) =>
      url === at('shortcut') ? { offers: [sitemapOffer(at('level-4'), 1)] } : {},
    );
    expect(later).toEqual([at('shortcut'), at('level-4')]);
    expect(filesOf(run)).toEqual({ read: 7, failed: 0, notRead: {} });
  });
});
