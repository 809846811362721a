import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages, readSummary, temporaryFolder } from '../crawl/support.js';
import { smallestGap } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { crawlAndKill, type KilledCrawl } from './killing.js';
import { openWebProcess } from './web-process.js';

/** Longer than a restart takes, so that keeping it across one is no accident. */
const DELAY_MS = 3_000;
const HOSTS = 4;

describe('a polite crawl killed with -9 and resumed at once', () => {
  const folder = temporaryFolder();
  const directory = `${folder.path}/crawl`;
  let crawl: KilledCrawl;
  let log: LoggedRequest[];

  beforeAll(async () => {
    const options = {
      seed: 3,
      hosts: HOSTS,
      urls: 10,
      domain: 'web.test',
      without: 'transient,failures,redirects,sitemaps',
    };
    const web = await openWebProcess(`${folder.path}/web.log`, options);
    const args = [
      'crawl',
      'http://h0.web.test/',
      '--scope',
      'domain',
      '--seeding-strategy',
      'none',
      '--delay',
      `${DELAY_MS}ms`,
    ];
    // Right after a request has come, so that the next process could ask the same host again at once.
    crawl = await crawlAndKill(web, [...args, '--data-dir', directory, ...web.connectTo], directory, [1, 2, 3, 2]);
    log = web.log();
    await web.close();
  }, 120_000);

  afterAll(() => folder.remove());

  it('was really killed and completes', () => {
    expect(crawl.kills).toHaveLength(4);
    expect(crawl.last.code, crawl.last.stderr).toBe(0);
    expect(readSummary(directory).reason).toBe('complete');
    expect(readPages(directory).length).toBeGreaterThanOrEqual(10);
  });

  it('never asks a host sooner than its delay after the request before, the killed one included', () => {
    const hosts = new Set(log.map(({ host }) => host));
    expect(hosts.size).toBe(HOSTS);
    for (const host of hosts) {
      expect(smallestGap(log, host), host).toBeGreaterThanOrEqual(DELAY_MS);
    }
  });
});

describe('a crawl of several names on one address, killed with -9 and resumed at once', () => {
  const folder = temporaryFolder();
  const directory = `${folder.path}/crawl`;
  afterAll(() => folder.remove());

  it('never asks the address sooner than --delay-per-ip after the request before, the killed one included', async () => {
    const options = {
      seed: 3,
      hosts: 2,
      urls: 3,
      domain: 'web.test',
      without: 'transient,failures,redirects,sitemaps',
    };
    const web = await openWebProcess(`${folder.path}/web.log`, options);
    const pace = ['--delay', '0', '--delay-per-ip', `${DELAY_MS}ms`];
    const args = ['crawl', 'http://h0.web.test/', '--scope', 'domain', '--seeding-strategy', 'none', ...pace];
    const crawl = await crawlAndKill(web, [...args, '--data-dir', directory, ...web.connectTo], directory, [2, 3]);
    const log = web.log();
    await web.close();
    expect(crawl.kills).toHaveLength(2);
    expect(crawl.last.code, crawl.last.stderr).toBe(0);
    expect(readSummary(directory).reason).toBe('complete');
    expect(new Set(log.map(({ host }) => host)).size).toBe(2);
    const address = log.map((request) => ({ ...request, host: '127.0.0.1' }));
    expect(smallestGap(address, '127.0.0.1')).toBeGreaterThanOrEqual(DELAY_MS);
  });
});
