import { describe, expect, test } from 'vitest';
import { PRESETS } from '../../src/config/option-spec.js';
import { acceptsOption, type CrawlOptions, specOf } from '../../src/config/options.js';
import { givenOrigin } from '../../src/config/origin.js';
import { PRESET_VALUES, presetColor } from '../../src/config/presets.js';
import { printConfig, printConfigJson } from '../../src/config/print.js';
import { completeOptions, type RawFlags, resolveOptions } from '../../src/config/resolve.js';
import { optionsToStore, type StoredOptions } from '../../src/config/stored.js';
import { checkValue } from '../../src/config/values.js';

const MIB = 1024 ** 2;
const FILE = '/site/gossamer.config.ts';
interface Given {
  flags?: RawFlags;
  env?: Record<string, string>;
  config?: Record<string, unknown>;
  stored?: StoredOptions;
}
const resolve = ({ flags = {}, env = {}, config, stored }: Given) =>
  resolveOptions({
    command: stored === undefined ? 'crawl' : 'resume',
    flags,
    env,
    configFile: config === undefined ? null : { path: FILE, folder: '/site', values: config },
    cores: 4,
    ...(stored && { stored }),
  });
const keep = (given: Given): StoredOptions =>
  JSON.parse(JSON.stringify(optionsToStore(resolve(given) as ReturnType<typeof completeOptions>)));

describe('what a preset sets', () => {
  test.each<[(typeof PRESETS)[number], Partial<CrawlOptions>]>([
    ['big-site', { workers: 1024, timeoutMs: 10_000, maxInflightPerHost: 150 }],
    [
      'many-hosts',
      { workers: 512, timeoutMs: 20_000, robotsWorkers: 256, readyHeapLimit: 1_000_000, maxInflightPerHost: 2 },
    ],
    [
      'low-memory',
      {
        workers: 256,
        timeoutMs: 15_000,
        fpCheckLimit: 128,
        frontierLimit: 50_000,
        memoryLimitBytes: 512 * MIB,
      },
    ],
    ['ci', { timeoutMs: 10_000, maxWaitMs: 30_000, durationMs: 900_000, color: false }],
  ])('%s: these values and no others', (preset, values) => {
    const { options, sources } = resolve({ flags: { preset } });
    expect(options).toEqual({ ...resolve({}).options, preset, ...values });
    const set = Object.entries(sources).filter(([, source]) => source === `preset ${preset}`);
    expect(set.map(([key]) => key).sort()).toEqual(Object.keys(values).sort());
  });

  test.each(PRESETS)('%s keeps within the bounds, and touches nothing that a host would feel as rudeness', (preset) => {
    for (const [key, value] of Object.entries(PRESET_VALUES[preset])) {
      const spec = specOf(key as keyof CrawlOptions);
      expect(checkValue(spec, value, givenOrigin(key))).toBe(value);
      expect(acceptsOption('resume', spec), `${key} could not be changed on resume`).toBe(true);
    }
    const { ignoreRobots, delayMs, maxCrawlDelayMs, autoTune } = resolve({ flags: { preset } }).options;
    expect([ignoreRobots, delayMs, maxCrawlDelayMs, autoTune]).toEqual([false, 1000, 60_000, true]);
  });
});

describe('who wins', () => {
  test('flag over variable over config file over preset over stored over default, for one option', () => {
    const all: Given = {
      flags: { preset: 'big-site', workers: '1' },
      env: { GOSSAMER_WORKERS: '2' },
      config: { workers: 3 },
      stored: { values: { workers: 4 }, withheld: [] },
    };
    const { flags, env, config, stored } = all as Required<Given>;
    const preset = { preset: 'big-site' };
    const outcomes = [
      { flags, env, config, stored },
      { flags: preset, env, config, stored },
      { flags: preset, config, stored },
      { flags: preset, stored },
      { stored },
      {},
    ].map((given) => {
      const { options, sources } = resolve(given);
      return [options.workers, sources.workers];
    });
    expect(outcomes).toEqual([
      [1, 'flag'],
      [2, 'variable GOSSAMER_WORKERS'],
      [3, `config file ${FILE}`],
      [1024, 'preset big-site'],
      [4, 'stored'],
      [512, 'default'],
    ]);
  });

  test('the preset itself comes from a flag, a variable or the config file, and the strongest is the only one', () => {
    const flags = { preset: 'ci' };
    const env = { GOSSAMER_PRESET: 'low-memory' };
    const config = { preset: 'big-site' };
    const found = [{ flags, env, config }, { env, config }, { config }].map((given) => {
      const { options, sources } = resolve(given);
      return [options.preset, sources.preset, options.timeoutMs, sources.timeoutMs, options.workers];
    });
    expect(found).toEqual([
      ['ci', 'flag', 10_000, 'preset ci', 512],
      ['low-memory', 'variable GOSSAMER_PRESET', 15_000, 'preset low-memory', 256],
      ['big-site', `config file ${FILE}`, 10_000, 'preset big-site', 1024],
    ]);
  });

  test('an unknown preset is refused by name, wherever it stands', () => {
    const choice = 'must be one of big-site, many-hosts, low-memory, ci, got huge';
    expect(() => resolve({ flags: { preset: 'huge' } })).toThrow(`--preset ${choice}`);
    expect(() => resolve({ env: { GOSSAMER_PRESET: 'huge' } })).toThrow(`GOSSAMER_PRESET ${choice}`);
    expect(() => resolve({ config: { preset: 'huge' } })).toThrow(`${FILE}: preset ${choice}`);
    expect(() => completeOptions({ preset: 'huge' } as object)).toThrow(`preset ${choice}`);
  });

  test('where a preset is part of a contradiction, the message names it', () => {
    expect(() => resolve({ flags: { preset: 'low-memory', seenMemoryBytes: '1GiB' } })).toThrow(
      '--seen-memory must be less than --memory-limit (preset low-memory), 512 MiB, got 1 GiB',
    );
  });

  test('a program: given over preset over default', () => {
    const { options, sources } = completeOptions({ preset: 'big-site', workers: 7 });
    expect([options.workers, options.timeoutMs, options.robotsWorkers]).toEqual([7, 10_000, 64]);
    expect([sources.workers, sources.timeoutMs, sources.robotsWorkers]).toEqual([
      'given',
      'preset big-site',
      'default',
    ]);
  });
});

describe('on resume', () => {
  test('what a preset had set is kept; the preset itself is not, so it cannot undo what was given beside it', () => {
    const stored = keep({ flags: { preset: 'big-site', workers: '5' } });
    expect(stored.values).toEqual({ workers: 5, timeoutMs: 10_000, maxInflightPerHost: 150 });
    const { options, sources } = resolve({ stored });
    expect([options.workers, options.maxInflightPerHost, options.preset]).toEqual([5, 150, null]);
    expect(sources.maxInflightPerHost).toBe('stored');
  });

  test('another preset may be given', () => {
    const stored = keep({ flags: { preset: 'big-site' } });
    const { options, sources } = resolve({ stored, flags: { preset: 'low-memory' } });
    expect([options.workers, sources.workers]).toEqual([256, 'preset low-memory']);
    expect([options.maxInflightPerHost, sources.maxInflightPerHost]).toEqual([150, 'stored']);
  });
});

test('--print-config names the preset, as text and as JSON', () => {
  const resolved = resolve({ flags: { preset: 'ci', timeoutMs: '5' } });
  const text = printConfig('crawl', resolved);
  expect(text).toMatch(/^--max-wait +30 s +preset ci$/m);
  expect(text).toMatch(/^--color +false +preset ci$/m);
  expect(text).toMatch(/^--timeout +5 s +flag$/m);
  expect(text).toMatch(/^--preset +ci +flag$/m);
  expect(JSON.parse(printConfigJson('crawl', resolved))).toMatchObject({
    durationMs: { value: 900_000, source: 'preset ci' },
    timeoutMs: { value: 5000, source: 'flag' },
  });
});

test('the last line of a run that fails follows the preset too', () => {
  expect(presetColor('ci', 'big-site', undefined)).toBe(false);
  expect(presetColor(undefined, '', 'ci')).toBe(false);
  expect(presetColor('big-site', 'ci')).toBeNull();
  expect(presetColor('nonsense')).toBeNull();
  expect(presetColor()).toBeNull();
});
