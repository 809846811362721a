import { resolve as absolute } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StateError, UsageError } from '../../src/base/errors.js';
import type { Command } from '../../src/config/commands.js';
import type { ConfigFile } from '../../src/config/config-file.js';
import { OPTIONS } from '../../src/config/options.js';
import { completeOptions, defaultOf, type RawFlags, resolveOptions } from '../../src/config/resolve.js';

const config = (values: Record<string, unknown>): ConfigFile => ({
  path: '/site/gossamer.config.json',
  folder: '/site',
  values,
});

function resolve<C extends Command = 'crawl'>(
  given: {
    command?: C;
    flags?: RawFlags;
    env?: Record<string, string>;
    config?: Record<string, unknown>;
    cores?: number;
  } = {},
) {
  return resolveOptions({
    command: (given.command ?? 'crawl') as C,
    flags: given.flags ?? {},
    env: given.env ?? {},
    configFile: given.config === undefined ? null : config(given.config),
    cwd: '/here',
    cores: given.cores ?? 4,
  });
}

describe('where a value comes from', () => {
  test('a flag wins over a variable, a variable over the config file, that over the default', () => {
    const flags = { workers: '1' };
    const env = { GOSSAMER_WORKERS: '2' };
    const file = { workers: 3 };
    const outcomes = [
      resolve({ flags, env, config: file }),
      resolve({ env, config: file }),
      resolve({ config: file }),
      resolve(),
    ].map(({ options, sources }) => [options.workers, sources.workers]);
    expect(outcomes).toEqual([
      [1, 'flag'],
      [2, 'variable GOSSAMER_WORKERS'],
      [3, 'config file /site/gossamer.config.json'],
      [512, 'default'],
    ]);
  });

  test('the variable of an older crawler counts, and GOSSAMER_… wins over it', () => {
    const old = resolve({ env: { MAX_INFLIGHT_PER_HOST: '7' } });
    expect(old.options.maxInflightPerHost).toBe(7);
    expect(old.sources.maxInflightPerHost).toBe('variable MAX_INFLIGHT_PER_HOST');
    expect(
      resolve({ env: { MAX_INFLIGHT_PER_HOST: '7', GOSSAMER_MAX_INFLIGHT_PER_HOST: '8' } }).options.maxInflightPerHost,
    ).toBe(8);
    expect(resolve({ env: { GOVERNOR_ENABLED: 'false' } }).options.governor).toBe(false);
  });

  test('an empty variable counts as not set', () => {
    expect(resolve({ env: { GOSSAMER_WORKERS: '' } }).sources.workers).toBe('default');
  });

  test('a command has its own options and not those of others', () => {
    const { options } = resolve({ command: 'export', flags: { format: 'csv' }, env: { GOSSAMER_DELAY: '5' } });
    expect(options.format).toBe('csv');
    expect(options).not.toHaveProperty('delayMs');
  });

  test.each([
    ['delayMs', 1000, 100],
    ['timeoutMs', 20_000, 10_000],
    ['maxWaitMs', 600_000, 30_000],
    ['external', false, true],
    ['nofollow', 'obey', 'ignore'],
  ] as const)('a check has defaults of its own: %s', (key, ofCrawl, ofCheck) => {
    expect([defaultOf('crawl', OPTIONS[key]), defaultOf('check', OPTIONS[key])]).toEqual([ofCrawl, ofCheck]);
    expect([resolve({ command: 'crawl' }).options[key], resolve({ command: 'check' }).options[key]]).toEqual([
      ofCrawl,
      ofCheck,
    ]);
  });
});

describe('units and forms', () => {
  test('a bare number is ms for --delay and seconds elsewhere', () => {
    const { options } = resolve({ flags: { delayMs: '250', timeoutMs: '30', maxWaitMs: '2m' } });
    expect([options.delayMs, options.timeoutMs, options.maxWaitMs]).toEqual([250, 30_000, 120_000]);
    expect(resolve({ config: { delay: 250, timeout: 30, maxBody: '1MiB' } }).options).toMatchObject({
      delayMs: 250,
      timeoutMs: 30_000,
      maxBodyBytes: 1024 ** 2,
    });
  });

  test('a speed may say that it is per second', () => {
    expect(resolve({ flags: { minSpeedBytesPerSecond: '2KiB/s' } }).options.minSpeedBytesPerSecond).toBe(2048);
  });

  test('lists in variables are split at newlines, and at commas only where no entry can hold one', () => {
    const { options } = resolve({
      env: {
        GOSSAMER_HEADER: 'Accept: text/html, */*\nX-A: 1\n',
        GOSSAMER_ALLOW_NETWORK: '10.0.0.0/8,192.168.0.0/16',
      },
    });
    expect(options.headers).toEqual(['Accept: text/html, */*', 'X-A: 1']);
    expect(options.allowNetworks).toEqual(['10.0.0.0/8', '192.168.0.0/16']);
  });

  test('relative paths start where the value was written', () => {
    expect(resolve({ flags: { cacert: 'ca.pem' } }).options.cacert).toBe(absolute('/here/ca.pem'));
    expect(resolve({ config: { cacert: 'ca.pem' } }).options.cacert).toBe(absolute('/site/ca.pem'));
    expect(resolve({ flags: { seedsFiles: ['-'] } }).options.seedsFiles).toEqual(['-']);
    expect(resolve({ flags: { reports: ['csv=a=b.csv'] } }).options.reports).toEqual([
      { format: 'csv', path: absolute('/here/a=b.csv') },
    ]);
  });
});

describe('refusals', () => {
  test.each<[RawFlags, string]>([
    [{ workers: '0' }, '--workers must be from 1 to 4096, got 0'],
    [{ workers: '4097' }, '--workers must be from 1 to 4096, got 4097'],
    [{ workers: 'many' }, '--workers must be a whole number, got many'],
    [{ workers: '1.5' }, '--workers must be a whole number, got 1.5'],
    [{ delayMs: '2h' }, '--delay must be from 0 ms to 1 h, got 2h'],
    [{ delayMs: '-5' }, '--delay must be from 0 ms to 1 h, got -5'],
    [{ timeoutMs: 'soon' }, '--timeout must be a time such as 500ms, 10s, 5m, 2h or 1d, got soon'],
    [{ maxBodyBytes: '2GiB' }, '--max-body must be from 1 KiB to 1 GiB, got 2GiB'],
    [{ parseWorkers: '0' }, '--parse-workers must be at least 1, got 0'],
    [{ scope: 'site' }, '--scope must be one of page, prefix, host, subdomains, domain, any, got site'],
    [{ order: 'random' }, '--order must be one of bfs, dfs, priority, got random'],
    [
      { seedingStrategy: 'sitemap,none' },
      '--seeding-strategy must be none, all, or any of sitemap, ct and commoncrawl with commas between them, got sitemap,none',
    ],
    [
      { seedingStrategy: 'auto' },
      '--seeding-strategy must be none, all, or any of sitemap, ct and commoncrawl with commas between them (auto is for `gossamer docs`), got auto',
    ],
    [
      { ctUrl: 'https://me:secret@crt.sh' },
      '--ct-url must be a URL with http:// or https://, without credentials or query, got https://crt.sh',
    ],
    [
      { commoncrawlUrl: 'index.commoncrawl.org' },
      '--commoncrawl-url must be a URL with http:// or https://, without credentials or query, got index.commoncrawl.org',
    ],
    [{ maxCtNames: '0' }, '--max-ct-names must be from 1 to 1,000,000, got 0'],
    [
      { proxy: ['socks4://h:1'] },
      '--proxy must be a socks5:// or socks5h:// proxy (SOCKS 4 knows neither passwords nor IPv6)',
    ],
    [
      { proxy: ['a.test=http://h:1'] },
      "--proxy must be one proxy for all hosts (for one host write --host 'HOST proxy=URL')",
    ],
    [
      { reports: ['csv'] },
      '--report must be FORMAT=FILE with one of jsonl, sitemap, csv, parquet, edges, hosts, seeds, warc, wacz, cdxj, got csv',
    ],
    [{ headers: ['X: a\r\nY: b'] }, '--header must not contain line breaks or NUL'],
    [{ userAgent: 'a\nb' }, '--user-agent must not contain line breaks or NUL'],
    [{ userAgent: '' }, '--user-agent must not be empty'],
    [{ allowNetworks: ['0x7f.1'] }, '--allow-network must be an address or a network such as 10.0.0.0/8, got 0x7f.1'],
    [
      { maxSockets: '1', seedingStrategy: 'ct' },
      '--max-sockets must be 2 or more where third parties are asked (--seeding-strategy), got 1',
    ],
    [{ quiet: true, verbose: true }, '--quiet and --verbose contradict each other'],
    [{ fresh: true, resume: true }, '--fresh and --resume contradict each other'],
    [{ extract: ['price=.a', 'Price=.b'] }, '--extract has the name "Price" twice'],
    [
      { extract: ['a.b=.c'] },
      '--extract must be NAME=SELECTOR, NAME=jsonld:PATH, NAME=meta:NAME or NAME=re:PATTERN (a NAME is up to 64 letters, digits, "_" and "-", begins with a letter, and may end with "[]"), got a.b=.c',
    ],
    [
      { memoryLimitBytes: '1GiB', seenMemoryBytes: '1GiB' },
      '--seen-memory must be less than --memory-limit, 1 GiB, got 1 GiB',
    ],
  ])('%j: %s', (flags, message) => {
    expect(() => resolve({ flags })).toThrow(new UsageError(message));
  });

  test('a wrong credential is not repeated on the screen', () => {
    for (const flags of [{ user: 'hunter2' }, { headers: ['hunter2'] }, { proxy: ['ftp://u:hunter2@h'] }]) {
      expect(() => resolve({ flags })).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
      );
    }
  });

  test('a wrong variable is named as a variable', () => {
    expect(() => resolve({ env: { GOSSAMER_WORKERS: '0' } })).toThrow(
      new UsageError('GOSSAMER_WORKERS must be from 1 to 4096, got 0'),
    );
    expect(() => resolve({ env: { METRIC_EXPORT_INTERVAL_SECS: 'abc' } })).toThrow(
      new UsageError('METRIC_EXPORT_INTERVAL_SECS must be a number of seconds such as 60, got abc'),
    );
    expect(() => resolve({ env: { GOSSAMER_ASSETS: 'maybe' } })).toThrow(
      'GOSSAMER_ASSETS must be true or false, got maybe',
    );
  });

  test('a wrong config value is named with its file and ends with exit code 3', () => {
    expect(() => resolve({ config: { workers: 0 } })).toThrow(
      new StateError('config', '/site/gossamer.config.json: workers must be from 1 to 4096, got 0'),
    );
    expect(() => resolve({ config: { workers: '5' } })).toThrow('workers must be a number, got "5"');
    expect(() => resolve({ config: { include: '/docs/**' } })).toThrow(
      'include must be an array of text, got "/docs/**"',
    );
    expect(() => resolve({ config: { assets: 1 } })).toThrow('assets must be true or false, got 1');
    expect(() => resolve({ config: { userAgent: null } })).toThrow('userAgent must be text, got null');
  });

  test.each([
    [{ max_urls: 1 }, 'unknown key max_urls; did you mean maxUrls?'],
    [{ 'max-urls': 1 }, 'unknown key max-urls; did you mean maxUrls?'],
    [{ dealy: 1 }, 'unknown key dealy; did you mean delay?'],
    [{ concurrency: 1 }, 'unknown key concurrency; did you mean workers?'],
    [{ config: 'x' }, 'unknown key config'],
    [{ dnsServer: ['::1'] }, 'unknown key dnsServer; did you mean resolver?'],
    [{ redis: 'x' }, 'redis is not part of this version: a crawl on several machines has --redis-url'],
    [{ rateLimit: 4 }, 'rateLimit does not exist: use --delay, 4 a second = 1000/4 ms: --delay 250'],
  ])('the config file %j is refused by name', (values, message) => {
    expect(() => resolve({ config: values })).toThrow(
      new StateError('config', `/site/gossamer.config.json: ${message}`),
    );
  });

  test.each([
    ['GOSSAMER_DEALY', 'unknown variable GOSSAMER_DEALY; did you mean GOSSAMER_DELAY?'],
    ['GOSSAMER_CONCURRENCY', 'unknown variable GOSSAMER_CONCURRENCY; did you mean GOSSAMER_WORKERS?'],
    ['GOSSAMER_REDIS', 'GOSSAMER_REDIS is not part of this version: a crawl on several machines has --redis-url'],
    ['GOSSAMER_XYZZY_PLUGH', 'unknown variable GOSSAMER_XYZZY_PLUGH'],
  ])('the variable %s is refused by name', (name, message) => {
    expect(() => resolve({ env: { [name]: '1' } })).toThrow(new UsageError(message));
  });
});

describe('what is adjusted and said', () => {
  test('more parse workers than twice the cores are lowered, and it is said once', () => {
    const { options, notices } = resolve({ env: { PARSE_SEMAPHORE_LIMIT: '128' }, cores: 4 });
    expect(options.parseWorkers).toBe(8);
    expect(notices).toEqual(['PARSE_SEMAPHORE_LIMIT 128 is more than twice the cores of this machine: lowered to 8']);
    expect(resolve({ flags: { parseWorkers: '8' }, cores: 4 }).notices).toEqual([]);
  });

  test('the parse buffer holds at least one body', () => {
    expect(() => resolve({ flags: { maxBodyBytes: '20MiB', parseBufferBytes: '10MiB' } })).toThrow(
      '--parse-buffer must be from 20 MiB (--max-body) to 16 GiB, got 10 MiB',
    );
    const raised = resolve({ flags: { maxBodyBytes: '200MiB' } });
    expect(raised.options.parseBufferBytes).toBe(200 * 1024 ** 2);
    expect(raised.notices).toEqual(['--parse-buffer is raised to --max-body, 200 MiB']);
  });

  test('--insecure and --ignore-robots warn', () => {
    expect(resolve({ flags: { insecure: true, ignoreRobots: true } }).notices).toEqual([
      'TLS certificates are not verified (--insecure)',
      'robots.txt is not obeyed (--ignore-robots); summary, hosts, seeds, sitemap and reports say so',
    ]);
  });
});

describe('options from a program', () => {
  test('are completed with defaults and held to the same bounds', () => {
    const { options, sources } = completeOptions({ delayMs: 0, reports: [{ format: 'csv', path: '/tmp/x.csv' }] }, 4);
    expect(options).toMatchObject({ delayMs: 0, workers: 512, reports: [{ format: 'csv', path: '/tmp/x.csv' }] });
    expect([sources.delayMs, sources.workers]).toEqual(['given', 'default']);
    expect(() => completeOptions({ workers: 0 })).toThrow('workers must be from 1 to 4096, got 0');
    expect(() => completeOptions({ workers: Number.NaN })).toThrow('workers must be a whole number, got NaN');
  });

  test('are refused by name when unknown', () => {
    expect(() => completeOptions({ delay: 5 } as object)).toThrow('unknown option delay');
    expect(() => completeOptions({ delayMS: 5 } as object)).toThrow('unknown option delayMS; did you mean delayMs?');
  });
});
