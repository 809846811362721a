import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nothingReadYet, partsOf, recordsIn } from '../../src/warc/reader.js';
import { gossamer, type PageLine, readLines, readPages, readSummary, temporaryFolder } from '../crawl/support.js';
import { urlOf } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { Random } from '../web/random.js';
import { crawlAndKill, inStore, type KilledCrawl, sitemaps } from './killing.js';
import { openWebProcess } from './web-process.js';

const SEED = 20_260_729;
const WORKERS = 64;
const SCENARIOS = [
  { name: '50 hosts, 2,500 URLs, 25 kills', hosts: 50, urls: 2_500, kills: 25 },
  { name: '10 hosts, 400 URLs, 8 kills, archived', hosts: 10, urls: 400, kills: 8, isArchived: true },
  // Before anything of the run can have been settled, as when a page takes the process down.
  { name: '10 hosts, 200 URLs, 7 kills, each at the first requests', hosts: 10, urls: 200, kills: 7, latest: 2 },
];

describe.each(SCENARIOS)(`a crawl killed with -9 and resumed: $name (moments by seed ${SEED})`, (scenario) => {
  const folder = temporaryFolder();
  const killed = `${folder.path}/killed`;
  const whole = `${folder.path}/whole`;
  let crawl: KilledCrawl;
  let killedLog: LoggedRequest[];
  let wholeLog: LoggedRequest[];

  const crawlArgs = (directory: string, connectTo: string[]) => [
    ...['crawl', 'http://h0.web.test/', '--scope', 'domain', '--data-dir', directory, '--delay', '0'],
    ...['--workers', String(WORKERS), '--retry-delay', '50ms', '--max-backoff', '1s', '--quarantine-after', '1000'],
    ...(scenario.isArchived ? ['--format', 'warc'] : []),
    ...connectTo,
  ];

  /** Each web is new: the first failures of a URL happen once in each. */
  async function withWeb(name: string, use: (web: Awaited<ReturnType<typeof openWebProcess>>) => Promise<void>) {
    const { hosts, urls } = scenario;
    const options = { seed: 5, hosts, urls, domain: 'web.test' };
    const web = await openWebProcess(`${folder.path}/${name}.log`, options);
    try {
      await use(web);
      return web.log();
    } finally {
      await web.close();
    }
  }

  beforeAll(async () => {
    wholeLog = await withWeb('whole', async (web) => {
      const run = await gossamer(crawlArgs(whole, web.connectTo));
      expect(run.code, run.stderr).toBe(0);
    });
    const random = new Random(SEED);
    const mean = wholeLog.length / (scenario.kills + 1);
    const latest = scenario.latest ?? Math.floor(1.8 * mean);
    const moments = Array.from({ length: scenario.kills }, () => random.between(1, latest));
    killedLog = await withWeb('killed', async (web) => {
      crawl = await crawlAndKill(web, crawlArgs(killed, web.connectTo), killed, moments);
    });
  }, 600_000);

  afterAll(() => folder.remove());

  it('was really killed, and ends with exit code 0 after the last resume', () => {
    expect(crawl.last.code, crawl.last.stderr).toBe(0);
    expect(crawl.kills.length, crawl.last.stderr).toBeGreaterThanOrEqual(scenario.kills - 2);
    expect(readSummary(killed).reason).toBe('complete');
  });

  it('knows the same URLs with the same states and contents as a crawl that nobody killed', () => {
    expect(differences(byUrl(readPages(killed)), byUrl(readPages(whole)))).toEqual([]);
  });

  it('has the same edges, page by page in document order', async () => {
    expect(differences(await edges(killed), await edges(whole))).toEqual([]);
  });

  it.runIf(scenario.isArchived)(
    'has an archive with all that the store says is in it, each once, and nothing else',
    () => {
      inStore(killed, (all) => {
        const kept = all('SELECT url, at, offset FROM archived ORDER BY segment, offset').map(
          ({ url, at, offset }) => `${offset} ${at} ${url}`,
        );
        const notes = nothingReadYet();
        const records = partsOf([`${killed}/archive/gossamer-00001.warc.gz`])
          .flatMap((part) => [...recordsIn(part, 1 << 26, notes)])
          .filter(({ fields }) => /^(?:response|revisit)$/.test(fields.get('warc-type')!));
        expect(notes).toMatchObject({ damaged: 0, tooLarge: 0 });
        expect(
          records.map(
            ({ fields, offset }) =>
              `${offset} ${Date.parse(fields.get('warc-date')!)} ${fields.get('warc-target-uri')}`,
          ),
        ).toEqual(kept);
        const answered = all(
          'SELECT urls.url FROM pages JOIN urls ON urls.id = pages.id WHERE pages.status IS NOT NULL',
        );
        const archived = new Set(records.map(({ fields }) => fields.get('warc-target-uri')));
        expect(answered.filter(({ url }) => !archived.has(String(url)))).toEqual([]);
      });
    },
  );

  it('writes the same sitemaps', () => {
    expect(differences(sitemaps(killed), sitemaps(whole))).toEqual([]);
  });

  it('commits each URL once', () => {
    inStore(killed, (all) => {
      expect(all('SELECT url, kind FROM urls WHERE kind <> 1 GROUP BY url, kind HAVING count(*) > 1')).toEqual([]);
      // A page that is committed again gets a new number and leaves a gap.
      expect(
        all('SELECT count(*) AS pages, max(seq) AS last FROM pages').map(({ pages, last }) => [pages === last]),
      ).toEqual([[true]]);
    });
  });

  it('asks again only for what was leased and not settled at a kill, and counts it', () => {
    const expected = hits(wholeLog);
    const lost = new Map<string, number>();
    for (const url of crawl.kills.flatMap(({ leased }) => leased)) {
      lost.set(url, (lost.get(url) ?? 0) + 1);
    }
    let again = 0;
    for (const [url, count] of hits(killedLog)) {
      const extra = count - (expected.get(url) ?? 0);
      expect(extra, `${url} beyond what it takes, retries included`).toBeLessThanOrEqual(lost.get(url) ?? 0);
      again += Math.max(0, extra);
    }
    expect(again).toBeLessThanOrEqual(readSummary(killed).refetched);
    expect(again, 'kills in the middle of requests').toBeGreaterThan(0);
  });

  it('counts all that was under way at each kill, never more than its workers and one batch of leases', () => {
    const counts = [...crawl.kills.map(({ refetched }) => refetched), readSummary(killed).refetched];
    const taken = counts.slice(1).map((count, kill) => count - counts[kill]!);
    expect(taken).toEqual(crawl.kills.map(({ leased }) => leased.length));
    expect(Math.max(...taken)).toBeLessThanOrEqual(2 * WORKERS);
  });

  it('finds its store sound after each kill', () => {
    expect(new Set(crawl.kills.map(({ integrity }) => integrity))).toEqual(new Set(['ok']));
  });
});

function hits(log: readonly LoggedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const request of log) {
    counts.set(urlOf(request), (counts.get(urlOf(request)) ?? 0) + 1);
  }
  return counts;
}

/** What differs, in words: two lists of thousands cannot be read. */
function differences(killed: Record<string, unknown>, whole: Record<string, unknown>): string[] {
  const keys = new Set([...Object.keys(killed), ...Object.keys(whole)]);
  return [...keys].flatMap((key) => {
    const [a, b] = [JSON.stringify(killed[key]), JSON.stringify(whole[key])];
    return a === b ? [] : [`${key}: ${a} and not ${b}`.slice(0, 1000)];
  });
}

function byUrl(pages: PageLine[]): Record<string, unknown> {
  return Object.fromEntries(
    pages.map(({ url, state, reason, status, finalUrl, depth, title, contentType, bytes, links, hash }) => [
      url,
      { state, reason, status, finalUrl, depth, title, contentType, bytes, links, hash },
    ]),
  );
}

/** Lines by the page they start from; within a page in the order in which they stand there. */
async function edges(directory: string): Promise<Record<string, string[]>> {
  const run = await gossamer(['export', directory, '--format', 'edges']);
  const byPage = new Map<string, string[]>();
  for (const edge of readLines<{ from: string }>(run.stdout)) {
    byPage.set(edge.from, [...(byPage.get(edge.from) ?? []), JSON.stringify(edge)]);
  }
  return Object.fromEntries(byPage);
}
