import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { checkKeys, describeValue } from '../config/arguments.js';
import { type CrawlOptions, specOf } from '../config/options.js';
import { givenOrigin } from '../config/origin.js';
import { checkValue } from '../config/values.js';
import type { BadSeed, SeedRow } from '../store/transaction.js';
import { originOf } from '../url/host.js';
import type { Credentials } from '../url/identity.js';
import { parseSeedArgument } from '../url/seeds.js';
import { seedsOfArchives } from './archive-web.js';
import type { LibraryOptions, SeedSpec } from './library-options.js';
import { readSeeds } from './seed-input.js';

export interface LibrarySeeds {
  seeds: SeedRow[];
  credentials: Map<string, Credentials>;
  bad: BadSeed[];
}

/** The seeds of a program: texts and objects, and the start URLs and files that the command line takes too. */
export function librarySeeds(
  given: NonNullable<LibraryOptions['seeds']>,
  options: CrawlOptions,
  ownKeys: boolean,
): LibrarySeeds {
  const specs = readSeedList(given);
  if (specs.length + options.startUrls.length + options.seedsFiles.length === 0 && options.from.length > 0) {
    specs.push(...seedsOfArchives(options.from, options.maxBodyBytes).seeds.map((url) => ({ url })));
  }
  if (ownKeys) {
    if (options.startUrls.length + options.seedsFiles.length > 0) {
      throw new UsageError('startUrls and seedsFiles contain URLs; with fetch and resolve, give the keys as seeds');
    }
    return { seeds: numbered(specs.map(keySeed)), credentials: new Map(), bad: [] };
  }
  const found: LibrarySeeds = { seeds: [], credentials: new Map(), bad: [] };
  for (const spec of specs) {
    found.seeds.push(urlSeed(spec, options, found.credentials));
  }
  if (options.startUrls.length + options.seedsFiles.length > 0) {
    const more = readSeeds([], options);
    found.seeds.push(...more.seeds);
    found.bad = more.bad;
    for (const [origin, credentials] of more.credentials) {
      found.credentials.set(origin, credentials);
    }
  }
  return { ...found, seeds: numbered(found.seeds) };
}

function readSeedList(given: unknown): SeedSpec[] {
  if (!Array.isArray(given)) {
    throw new UsageError(`seeds must be a list: { seeds: ['https://example.com/'] }; got ${describeValue(given)}`);
  }
  return given.map((seed: unknown) => {
    const spec: unknown = typeof seed === 'string' ? { url: seed } : seed;
    if (typeof spec !== 'object' || spec === null || !('url' in spec) || typeof spec.url !== 'string') {
      throw new UsageError(
        `each of seeds must be a text or { url, scope?, depth?, maxUrls? }, got ${describeValue(seed)}`,
      );
    }
    checkKeys('a seed', spec, ['url', 'scope', 'depth', 'maxUrls']);
    return checkedBudget(spec as SeedSpec);
  });
}

/** The same values as those of the options that they stand for. */
function checkedBudget(spec: SeedSpec): SeedSpec {
  for (const key of ['scope', 'depth', 'maxUrls'] as const) {
    if (spec[key] !== undefined) {
      checkValue(specOf(key), spec[key], givenOrigin(`${key} of the seed ${printable(spec.url)}`));
    }
  }
  return spec;
}

function keySeed(spec: SeedSpec): SeedRow {
  if (spec.scope !== undefined || spec.depth !== undefined || spec.maxUrls !== undefined) {
    throw new UsageError(`the seed ${spec.url} cannot have its own scope or budget together with resolve`);
  }
  return {
    seed: 0,
    url: spec.url,
    label: spec.url,
    scope: 'any',
    depth: null,
    maxUrls: null,
    fallbacks: [],
    scopeUrls: [spec.url],
  };
}

function urlSeed(spec: SeedSpec, options: CrawlOptions, credentials: Map<string, Credentials>): SeedRow {
  const { stripQuery, stripTracking, sortQuery } = options;
  // No file is looked for on disk: a program that means a file uses seedsFiles.
  const argument = parseSeedArgument(spec.url, () => null, { stripQuery, stripTracking, sortQuery });
  if (argument.kind !== 'url') {
    throw new UsageError(`the seed ${spec.url} is not a URL`);
  }
  const { url, fallbacks, label } = argument.seed;
  if (argument.seed.credentials !== undefined) {
    credentials.set(originOf(url), argument.seed.credentials);
  }
  return {
    seed: 0,
    url,
    label,
    scope: spec.scope ?? options.scope,
    depth: spec.depth ?? null,
    maxUrls: spec.maxUrls ?? null,
    fallbacks,
    scopeUrls: [url, ...fallbacks],
  };
}

/** The same URL twice is one seed. */
function numbered(seeds: SeedRow[]): SeedRow[] {
  const byUrl = new Map(seeds.toReversed().map((seed) => [seed.url, seed]));
  const unique = seeds.filter((seed) => byUrl.get(seed.url) === seed);
  if (unique.length === 0) {
    throw new UsageError('no seed given: crawl({ seeds: [...] })');
  }
  return unique.map((seed, place) => ({ ...seed, seed: place }));
}
