import { join } from 'node:path';
import { crawl, type LibraryOptions, resumeCrawl } from 'gossamer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { requestsTo, smallestGap } from '../web/judge.js';
import { star } from '../web/plain.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { collect } from './support.js';

const folder = temporaryFolder();
let web: WebInABox;
beforeAll(async () => {
  web = await openWeb();
  for (const name of ['slow.test', 'fast.test', 'few.test']) {
    web.site(name, star(6));
  }
});
afterAll(async () => {
  await web.close();
  folder.remove();
});
beforeEach(() => web.clearLog());

const options = (): LibraryOptions => ({ connectTo: web.connectTo, delayMs: 0, retries: 0, seedingStrategy: 'none' });
const pages = (host: string) => requestsTo(web.log, host).filter(({ path }) => path !== '/robots.txt');

describe('hosts of the library', () => {
  it('hold for the hosts that match, in the units of the library; of each key the first entry counts', async () => {
    const seeds = ['slow.test', 'fast.test', 'few.test'].map((name) => `http://${name}/`);
    await collect(
      crawl({
        ...{ ...options(), seeds },
        hosts: [
          { match: ['slow.test', '*.slow.test'], delayMs: 150, headers: { 'accept-language': 'de' } },
          { match: 'few.test', maxUrls: 2, userAgent: 'few-bot/2.0', exclude: ['/1'] },
          { match: '*', delayMs: 0, maxUrls: 1_000, depth: 1 },
        ],
      }),
    );
    expect(smallestGap(web.log, 'slow.test')).toBeGreaterThanOrEqual(150);
    expect(pages('fast.test')).toHaveLength(6);
    expect(pages('few.test')).toHaveLength(2);
    const seen = (host: string, header: string) => new Set(pages(host).map(({ headers }) => headers[header] ?? null));
    expect([...seen('slow.test', 'accept-language')]).toEqual(['de']);
    expect([...seen('fast.test', 'accept-language')]).toEqual([null]);
    expect([...seen('few.test', 'user-agent')].join()).toMatch(/^few-bot\/2\.0/);
    expect([...seen('slow.test', 'user-agent')].join()).not.toContain('few-bot');
  });

  it.each<[object, string]>([
    [{ match: 'a.test', dealyMs: 1 }, 'dealyMs'],
    [{ match: 'a.test', delay: '5s' }, 'delay'],
    [{ delayMs: 1 }, 'match'],
    [{ match: 'a.test', delayMs: -1 }, 'delayMs'],
    [{ match: '*', headers: { authorization: 'Bearer s3cret' } }, 'authorization'],
    [{ match: 'a.test', headers: { 'user-agent': 'x' } }, 'user-agent'],
  ])('%j is refused before anything is asked for, by entry and key', async (entry, name) => {
    const begin = async () => crawl({ ...options(), seeds: ['http://fast.test/'], hosts: [entry as never] }).finished;
    const error = await begin().then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message).toContain('hosts[0]');
    expect(error?.message).toContain(name);
    expect(error?.message).not.toContain('s3cret');
    expect(web.log).toEqual([]);
  });

  it('are kept with the crawl, and others given to resumeCrawl take their place', async () => {
    const directory = join(folder.path, 'kept');
    const seeds = ['http://few.test/'];
    await crawl({ ...options(), seeds, dataDir: directory, hosts: [{ match: 'few.test', maxUrls: 2 }] }).finished;
    expect(pages('few.test')).toHaveLength(2);
    await resumeCrawl(directory, { connectTo: web.connectTo }).finished;
    expect(pages('few.test')).toHaveLength(2);
    const more = { connectTo: web.connectTo, hosts: [{ match: 'few.test', maxUrls: 5 }] };
    await resumeCrawl(directory, more).finished;
    expect(pages('few.test')).toHaveLength(5);
  });
});
