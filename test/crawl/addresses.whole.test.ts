import { describe, expect, it, onTestFinished } from 'vitest';
import { dnsServer } from '../fetch/support.js';
import { peakConcurrency, smallestGap } from '../web/judge.js';
import { star } from '../web/plain.js';
import type { Site } from '../web/site.js';
import { openWeb } from '../web/web.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';
import { readLines } from './support.js';

const SHARED = Array.from({ length: 5 }, (_, n) => `shared${n}.test`);
const slowed = (site: Site, afterMs: number): Site => ({
  handle: async (request) => ({ ...(await site.handle(request)), afterMs }),
});

/** Five names on one machine, one on another, and one that does not exist. */
describe('several names on one address', () => {
  const own = box();

  async function crawl(args: string[], pages: number, afterMs = 0) {
    own.web.clearLog();
    const other = await openWeb({ address: '127.0.0.2' });
    onTestFinished(() => other.close());
    for (const name of SHARED) {
      own.web.site(name, slowed(star(pages), afterMs));
    }
    other.site('free.test', star(12));
    const names = await dnsServer((name) =>
      name === 'nowhere.test' ? { rcode: 3 } : { addresses: [name === 'free.test' ? '127.0.0.2' : '127.0.0.1'] },
    );
    const crawled = await own.crawl(
      [...SHARED, 'free.test', 'nowhere.test'].map((name) => `http://${name}/`),
      [
        ...['--seeding-strategy', 'none', '--resolver', names.servers[0]!, '--allow-network', '127.0.0.0/8'],
        ...['--connect-to', `free.test:::${other.port}`, '--connect-to', `:::${own.web.port}`],
        ...args,
      ],
    );
    return { ...crawled, shared: own.web.log, free: other.log };
  }

  it('keep --delay-per-ip together, and neither another address nor a name without one feels it', async () => {
    const { pages, shared, free, directory } = await crawl(['--delay-per-ip', '150ms'], 3);
    const address = shared.map((request) => ({ ...request, host: 'all' }));
    expect(shared).toHaveLength(5 * 4);
    expect(smallestGap(address, 'all')).toBeGreaterThanOrEqual(150);
    expect([...new Set(shared.map(({ host }) => host))].sort()).toEqual(SHARED);
    // In turns: nobody has two pages before everybody has robots.txt.
    const first = shared.slice(0, 5).map(({ host }) => host);
    expect(new Set(first).size).toBe(5);
    expect(pages.get('http://nowhere.test/')).toMatchObject({ state: 'failed', reason: 'dns' });
    expect(pages.get('http://free.test/')).toMatchObject({ state: 'done' });
    expect(free).toHaveLength(1 + 12);

    const { stdout } = await inProcess(['export', directory, '--format', 'hosts']);
    const addresses = readLines<{ name: string; address: string | null }>(stdout).map(({ name, address: at }) => [
      name,
      at,
    ]);
    expect(Object.fromEntries(addresses)).toMatchObject({
      'shared0.test': '127.0.0.1',
      'free.test': '127.0.0.2',
      'nowhere.test': null,
    });
  });

  it('keep --max-inflight-per-ip together', async () => {
    const { shared, summary } = await crawl(['--max-inflight-per-ip', '2', '--no-auto-tune'], 6, 30);
    expect(shared).toHaveLength(5 * 7);
    expect(peakConcurrency(shared)).toBe(2);
    expect(summary.reason).toBe('complete');
  });

  it('are asked all at once without either', async () => {
    const { shared } = await crawl(['--no-auto-tune'], 6, 60);
    expect(peakConcurrency(shared)).toBeGreaterThan(2);
  });
});
