import { PRESETS, type Preset } from './option-spec.js';
import type { CrawlOptions } from './options.js';
import { MIB } from './units.js';

/** Settings that belong together. None of them touches robots.txt, delays or anything else that a host would feel as rudeness. */
export const PRESET_VALUES: Readonly<Record<Preset, Partial<CrawlOptions>>> = {
  'big-site': { workers: 1024, timeoutMs: 10_000, maxInflightPerHost: 150 },
  'many-hosts': {
    workers: 512,
    timeoutMs: 20_000,
    robotsWorkers: 256,
    readyHeapLimit: 1_000_000,
    maxInflightPerHost: 2,
  },
  'low-memory': {
    workers: 256,
    timeoutMs: 15_000,
    fpCheckLimit: 128,
    frontierLimit: 50_000,
    memoryLimitBytes: 512 * MIB,
  },
  ci: { timeoutMs: 10_000, maxWaitMs: 30_000, durationMs: 900_000, color: false },
};

export function isPreset(name: unknown): name is Preset {
  return (PRESETS as readonly unknown[]).includes(name);
}

/** The colour that a preset sets, for a message that is written before the options are resolved, or because they cannot be. */
export function presetColor(...names: readonly unknown[]): boolean | null {
  const name = names.find((each) => each !== undefined && each !== '');
  return isPreset(name) ? (PRESET_VALUES[name].color ?? null) : null;
}
