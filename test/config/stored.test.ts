import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { printConfig, printConfigJson } from '../../src/config/print.js';
import { type RawFlags, resolveOptions } from '../../src/config/resolve.js';
import { optionsToStore, type StoredOptions } from '../../src/config/stored.js';

const crawl = (flags: RawFlags, stored?: StoredOptions) =>
  resolveOptions({ command: 'crawl', flags, env: {}, configFile: null, cores: 4, ...(stored && { stored }) });
const keep = (flags: RawFlags): StoredOptions => JSON.parse(JSON.stringify(optionsToStore(crawl(flags))));
const resume = (stored: StoredOptions, flags: RawFlags = {}, env: Record<string, string> = {}) =>
  resolveOptions({ command: 'resume', flags, env, configFile: null, stored, cores: 4 });

test('resume goes on with what the crawl was started with', () => {
  const flags: RawFlags = { scope: 'host', delayMs: '5s', reports: ['csv=/tmp/a.csv'], include: ['/docs/**'] };
  const { options, sources } = resume(keep(flags));
  expect(options).toEqual(crawl(flags).options);
  expect([sources.scope, sources.delayMs, sources.workers]).toEqual(['stored', 'stored', 'default']);
});

test('a flag, a variable and the config file win over what was stored', () => {
  const stored = keep({ delayMs: '5s', workers: '7' });
  const { options, sources } = resume(stored, { delayMs: '3s' }, { GOSSAMER_WORKERS: '9' });
  expect([options.delayMs, options.workers]).toEqual([3000, 9]);
  expect([sources.delayMs, sources.workers]).toEqual(['flag', 'variable GOSSAMER_WORKERS']);
});

test('seeds, scope and identity cannot be changed on resume, whatever they come from', () => {
  const stored = keep({ scope: 'host' });
  expect(() => resume(stored, {}, { GOSSAMER_SCOPE: 'any' })).toThrow(
    new UsageError('GOSSAMER_SCOPE cannot be changed on resume: the crawl was started with host'),
  );
  expect(() => crawl({ scope: 'any', resume: true }, stored)).toThrow('--scope cannot be changed on resume');
  expect(() => crawl({ sortQuery: true, resume: true }, stored)).toThrow('--sort-query cannot be changed on resume');
});

test('the same command line may be repeated with --resume', () => {
  const flags: RawFlags = { scope: 'host', include: ['/a'], startUrls: ['https://a.test/'], resume: true };
  expect(crawl(flags, keep(flags)).options).toEqual(crawl(flags).options);
});

test('what belongs to one start is not stored', () => {
  expect(keep({ quiet: true, fresh: true, json: true, dataDir: '/tmp/x', startUrls: ['https://a.test/'] })).toEqual({
    values: {},
    withheld: [],
  });
});

test('credentials are never stored and must be given again', () => {
  const flags: RawFlags = {
    user: 'me:hunter2',
    headers: ['Cookie: hunter2'],
    proxy: ['http://me:hunter2@proxy.test:3128'],
  };
  const stored = keep(flags);
  expect(JSON.stringify(stored)).not.toContain('hunter2');
  expect(stored.withheld).toEqual(['headers', 'user', 'proxy']);
  expect(() => resume(stored)).toThrow('the crawl was started with --header, which is not kept on disk: give it again');
  expect(resume(stored, flags).options.user).toBe('me:hunter2');
});

test('any header may be a credential, but for a few that are known not to be', () => {
  for (const line of ['X-Sesame: hunter2', '*|X-Sesame: hunter2', 'https://a.test|Accept-Sesame: hunter2']) {
    expect(keep({ headers: [line] })).toEqual({ values: {}, withheld: ['headers'] });
  }
  const harmless = ['https://a.test|Accept-Language: de', '*|Cache-Control: no-cache'];
  expect(keep({ headers: harmless }).values).toEqual({ headers: harmless });
});

test('headers and proxies without credentials are stored', () => {
  const stored = keep({ headers: ['Accept-Language: de'], proxy: ['http://proxy.test:3128'] });
  expect(stored.values).toEqual({ headers: ['Accept-Language: de'], proxy: ['http://proxy.test:3128'] });
});

test('the one proxy of an earlier version is a list of one', () => {
  const stored = { values: { proxy: 'http://proxy.test:3128' as never }, withheld: [] };
  expect(resume(stored).options.proxy).toEqual(['http://proxy.test:3128']);
});

test('a stored value that no longer fits is named', () => {
  expect(() => resume({ values: { workers: 0 }, withheld: [] })).toThrow(
    'the stored value of workers must be from 1 to 4096, got 0',
  );
});

test('--print-config shows value and source, and no credential', () => {
  const resolved = crawl({
    user: 'me:hunter2',
    headers: [
      ...['Authorization: Bearer hunter2', 'https://a.test|X-Sesame: hunter2', '*|A: hunter2'],
      'Accept: text/html',
    ],
    proxy: ['http://me:hunter2@proxy.test:3128'],
    startUrls: ['https://me:hunter2@a.test/x', 'me:hunter2@b.test'],
    delayMs: '90s',
  });
  const text = printConfig('crawl', resolved);
  expect(text).not.toContain('hunter2');
  expect(printConfigJson('crawl', resolved)).not.toContain('hunter2');
  expect(text).toContain('Authorization: ***, https://a.test|X-Sesame: ***, *|A: ***, Accept: text/html');
  expect(text).toContain('https://***@a.test/x, ***@b.test');
  expect(text).toMatch(/^--delay +90 s +flag$/m);
  expect(text).toMatch(/^--workers +512 +default$/m);
  expect(JSON.parse(printConfigJson('crawl', resolved)).delayMs).toEqual({ value: 90_000, source: 'flag' });
});
