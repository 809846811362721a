import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { COMMANDS } from '../../src/config/commands.js';
import { renderLibraryKeys } from '../../src/config/config-types.js';
import type { ConfigSize } from '../../src/config/config-value.js';
import { renderOptionsDoc } from '../../src/config/describe.js';
import type { GossamerConfig } from '../../src/config/gossamer-config.js';
import type { ReportTarget } from '../../src/config/option-spec.js';
import {
  acceptsOption,
  type CrawlOptions,
  configKeyOf,
  OPTION_KEYS,
  OPTIONS,
  type OptionsOf,
  specOf,
} from '../../src/config/options.js';
import { variablesOf } from '../../src/config/origin.js';
import { isQuantity } from '../../src/config/values.js';

const SPECS = OPTION_KEYS.map(specOf);

describe('the table of options', () => {
  test.each(COMMANDS)('gives every flag of %s to one option only', (command) => {
    const specs = SPECS.filter((spec) => acceptsOption(command, spec));
    const switches = specs.filter((spec) => spec.type === 'boolean').map((spec) => `no-${spec.flag}`);
    const flags = [...specs.flatMap((spec) => [spec.flag, spec.alias ?? []].flat()), ...switches, 'help', 'version'];
    expect(flags).toEqual([...new Set(flags)]);
  });

  test('gives every short flag, variable and config key to one option only', () => {
    const shorts = [...SPECS.flatMap((spec) => spec.short ?? []), 'h', 'V'];
    for (const names of [shorts, SPECS.flatMap(variablesOf), SPECS.map(configKeyOf)]) {
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('has defaults within their own bounds', () => {
    for (const spec of SPECS) {
      if (isQuantity(spec) && spec.default !== null) {
        expect(spec.default, spec.flag).toBeGreaterThanOrEqual(spec.min);
        expect(spec.default, spec.flag).toBeLessThanOrEqual(spec.max);
      }
      if (spec.type === 'enum') {
        expect([...spec.values, null], spec.flag).toContain(spec.default);
      }
    }
  });

  test('says what each option does in one line without a full stop', () => {
    for (const spec of SPECS) {
      expect(spec.sentence, spec.flag).toMatch(/^[^\n]+[^.\n]$/);
    }
  });

  test('keeps the defaults and bounds of the layers of concurrency', () => {
    const layers = Object.entries({
      workers: [512, 1, 4096],
      maxInflightPerHost: [20, 1, 1000],
      delayMs: [1000, 0, 3_600_000],
      robotsWorkers: [64, 1, 1024],
      fpCheckLimit: [512, 1, 10_000],
      readyHeapLimit: [100_000, 1000, 10_000_000],
    });
    for (const [key, expected] of layers) {
      const { default: preset, min, max } = OPTIONS[key as 'workers'];
      expect([preset, min, max], key).toEqual(expected);
    }
    expect(OPTIONS.frontierLimit.default).toBe(250_000);
    expect(OPTIONS.maxBackoffMs.default).toBe(3_600_000);
    expect(OPTIONS.quarantineAfter.default).toBe(10);
    expect(OPTIONS.expectedUrls.default).toBe(10_000_000);
    expect(OPTIONS.fpRate.default).toBe(0.01);
    expect(OPTIONS.parseBufferBytes.default).toBe(128 * 1024 * 1024);
    expect(OPTIONS.parseBufferBytes.max).toBe(16 * 1024 ** 3);
  });

  test('reads the variables of the older crawlers', () => {
    expect(SPECS.flatMap((spec) => spec.oldVariable ?? [])).toEqual([
      'MAX_INFLIGHT_PER_HOST',
      'GLOBAL_FRONTIER_SIZE_LIMIT',
      'PARSE_SEMAPHORE_LIMIT',
      'ROBOTS_FETCH_SEMAPHORE_LIMIT',
      'FP_CHECK_SEMAPHORE_LIMIT',
      'READY_HEAP_SIZE_LIMIT',
      'GOVERNOR_ENABLED',
      'METRIC_EXPORT_INTERVAL_SECS',
    ]);
  });

  test('never lets resume change seeds, scope or identity', () => {
    const fixed = [
      'startUrls',
      'seedsFiles',
      'scope',
      'include',
      'exclude',
      'stripQuery',
      'stripTracking',
      'sortQuery',
      'userAgent',
      'contact',
    ] as const;
    for (const key of fixed) {
      expect(acceptsOption('resume', specOf(key)), key).toBe(false);
    }
    for (const key of ['delayMs', 'maxUrls', 'timeoutMs', 'proxy', 'workers'] as const) {
      expect(acceptsOption('resume', specOf(key)), key).toBe(true);
    }
  });

  test('gives each option the type that its declaration says', () => {
    expectTypeOf<CrawlOptions['delayMs']>().toEqualTypeOf<number>();
    expectTypeOf<CrawlOptions['maxUrls']>().toEqualTypeOf<number | null>();
    expectTypeOf<CrawlOptions['color']>().toEqualTypeOf<boolean | null>();
    expectTypeOf<CrawlOptions['order']>().toEqualTypeOf<'bfs' | 'dfs' | 'priority'>();
    expectTypeOf<CrawlOptions['headers']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<CrawlOptions['reports']>().toEqualTypeOf<readonly ReportTarget[]>();
    expectTypeOf<CrawlOptions>().not.toHaveProperty('output');
    expectTypeOf<OptionsOf<'export'>['output']>().toEqualTypeOf<string | null>();
    expectTypeOf<OptionsOf<'resume'>>().toEqualTypeOf<CrawlOptions>();
    expectTypeOf<GossamerConfig['maxBody']>().toEqualTypeOf<ConfigSize | undefined>();
  });
});

test('docs/OPTIONS.md is what the table says', () => {
  const doc = readFileSync(new URL('../../docs/OPTIONS.md', import.meta.url), 'utf8');
  expect(doc, 'run npm run build && node scripts/generate-docs.js').toBe(renderOptionsDoc());
});

test('docs/LIBRARY.md lists the keys of the table', () => {
  const doc = readFileSync(new URL('../../docs/LIBRARY.md', import.meta.url), 'utf8');
  expect(doc, 'run npm run build && node scripts/generate-docs.js').toContain(renderLibraryKeys());
});
