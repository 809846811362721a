import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../base/errors.js';
import { readExtractRule } from '../base/extract-rule.js';
import { type HostPolicy, patternsOf } from '../url/host-policies.js';
import { type Command, nounOf } from './commands.js';
import type { ConfigFile } from './config-file.js';
import { FIXED_KEYS, partsOf, refuseForeignKeys, writeKey } from './host-entries.js';
import { checkConfigKeys, checkOptionKeys, checkVariables } from './names.js';
import type { OptionSpec, OptionValue, Preset } from './option-spec.js';
import {
  acceptsOption,
  type CrawlOptions,
  configKeyOf,
  OPTION_KEYS,
  type OptionKey,
  type OptionsOf,
  specFor,
  specOf,
  usesOption,
} from './options.js';
import {
  configOrigin,
  flagOrigin,
  givenOrigin,
  type Origin,
  type Source,
  storedOrigin,
  variableOrigin,
  variablesOf,
} from './origin.js';
import { isPreset, PRESET_VALUES } from './presets.js';
import { seedingSources } from './seeding.js';
import type { StoredOptions } from './stored.js';
import { writeSize } from './units.js';
import { checkValue, readConfigValue, readList, readText, splitVariable, writeValue } from './values.js';

/** Options as they stood on the command line: text, lists of text, or true and false for switches. */
export type RawFlags = Partial<Record<OptionKey, string | boolean | readonly string[]>>;
export type Environment = Readonly<Record<string, string | undefined>>;

interface ResolveInput<C extends Command> {
  readonly command: C;
  readonly flags: RawFlags;
  readonly env: Environment;
  readonly configFile: ConfigFile | null;
  /** What the crawl was started with; given on `resume` and `crawl --resume` of an existing crawl. */
  readonly stored?: StoredOptions;
  /** What a kept crawl was told, where the command works on that: it holds unless something else is said. */
  readonly inherited?: Partial<CrawlOptions> | undefined;
  /** Relative paths of flags and variables start here. */
  readonly cwd?: string;
  readonly cores?: number;
}

export interface ResolvedOptions<C extends Command> {
  readonly options: OptionsOf<C>;
  readonly sources: Readonly<Record<keyof OptionsOf<C>, Source>>;
  /** Sentences that the user should see once. */
  readonly notices: readonly string[];
}

interface Found {
  readonly value: OptionValue;
  readonly source: Source;
  readonly name: string;
}

/** Flag over variable over config file over preset over what the crawl was started with over default. */
export function resolveOptions<C extends Command>(input: ResolveInput<C>): ResolvedOptions<C> {
  checkVariables(input.env);
  if (input.configFile !== null) {
    checkConfigKeys(input.configFile);
  }
  const found = new Map<OptionKey, Found>();
  const preset = usesOption(input.command, specOf('preset')) ? presetOf(find('preset', input, null).value) : null;
  for (const key of OPTION_KEYS) {
    if (usesOption(input.command, specOf(key))) {
      found.set(key, find(key, input, preset));
    }
  }
  for (const key of input.stored?.withheld ?? []) {
    if (found.get(key)?.source === 'default') {
      throw new UsageError(
        `the crawl was started with --${specOf(key).flag}, which is not kept on disk: give it again`,
      );
    }
  }
  return settle(found, input.cores);
}

const LIBRARY_NAMES = { crawl: 'crawl', check: 'checkLinks', docs: 'makeDocs' } as const;

/** The options of a crawl for a program that gives some of them, in their normal units: given over preset over stored over default. */
export function completeOptions(
  given: Partial<CrawlOptions>,
  cores?: number,
  stored?: StoredOptions,
): ResolvedOptions<'crawl'> {
  return completeOptionsOf('crawl', given, cores, stored);
}

export function completeOptionsOf<C extends 'crawl' | 'check' | 'docs'>(
  command: C,
  given: Partial<OptionsOf<C>>,
  cores?: number,
  stored?: StoredOptions,
): ResolvedOptions<C> {
  const keys = OPTION_KEYS.filter((key) => usesOption(command, specOf(key)));
  checkOptionKeys(given, keys, LIBRARY_NAMES[command]);
  const give = (key: OptionKey): Found | null => {
    const value = (given as Readonly<Record<string, unknown>>)[key];
    return value === undefined ? null : take(givenOrigin(key), (at) => checkValue(specFor(command, key), value, at));
  };
  for (const key of stored?.withheld ?? []) {
    if ((given as Readonly<Record<string, unknown>>)[key] === undefined) {
      throw new UsageError(`the ${nounOf(command)} was started with ${key}, which is not kept on disk: give it again`);
    }
  }
  const preset = presetOf(give('preset')?.value ?? null);
  const found = new Map<OptionKey, Found>();
  for (const key of keys) {
    found.set(key, give(key) ?? fromPreset(key, preset) ?? fromStored(key, stored) ?? byDefault(command, key));
  }
  return settle(found, cores);
}

export function defaultOf(command: Command, spec: OptionSpec): OptionValue {
  return spec.type === 'list' ? spec.default : (spec.defaultFor?.[command] ?? spec.default);
}

function find(key: OptionKey, input: ResolveInput<Command>, preset: Preset | null): Found {
  const spec = specFor(input.command, key);
  const kept =
    fromPreset(key, preset) ??
    fromStored(key, input.stored) ??
    fromInherited(key, input.inherited) ??
    byDefault(input.command, key);
  // Options of one start of `crawl`, such as its seeds, mean nothing to `resume`; the others are compared below.
  const readable = acceptsOption(input.command, spec) || !spec.perRun;
  const given = readable ? (fromFlag(key, spec, input) ?? fromVariable(spec, input) ?? fromConfig(spec, input)) : null;
  if (given === null) {
    return kept;
  }
  // A config file serves all commands: there a key that another command has is no mistake.
  if (key === 'hosts' && !given.source.startsWith('config file')) {
    refuseHostKeys(input.command, given.value as readonly HostPolicy[], given.name);
  }
  if (input.stored !== undefined && key === 'hosts') {
    refuseOtherIdentity(given.name, given.value as readonly HostPolicy[], input.stored);
  }
  if (input.stored === undefined || spec.resumable || spec.perRun) {
    return given;
  }
  if (!isDeepStrictEqual(given.value, kept.value)) {
    throw new UsageError(
      `${given.name} cannot be changed on resume: the crawl was started with ${writeValue(spec, kept.value)}`,
    );
  }
  return kept;
}

/** Refuses what an entry of `hosts` says and the command has no use for. */
export const refuseHostKeys = (command: Command, hosts: readonly HostPolicy[], name = 'hosts'): void =>
  refuseForeignKeys(hosts, name, command, (spec) => usesOption(command, spec));

/** Refuses entries of `hosts` by which other URLs would be let in, or another agent be sent, than in the runs before. */
export function refuseOtherIdentity(name: string, hosts: readonly HostPolicy[], stored: StoredOptions): void {
  const before = partsOf(stored.values.hosts ?? [], FIXED_KEYS);
  if (!isDeepStrictEqual(partsOf(hosts, FIXED_KEYS), before)) {
    const kept = before.map((policy) => [
      patternsOf(policy).join(','),
      ...FIXED_KEYS.flatMap((key) => writeKey(policy, key)),
    ]);
    throw new UsageError(
      `${name} cannot change the agent, include or exclude of a host on resume: the crawl was started with ${kept.map((words) => words.join(' ')).join(', ') || 'none'}`,
    );
  }
}

function fromFlag(key: OptionKey, spec: OptionSpec, input: ResolveInput<Command>): Found | null {
  const raw = input.flags[key];
  if (raw === undefined) {
    return null;
  }
  return take(flagOrigin(spec, input.cwd ?? process.cwd()), (origin) => {
    if (spec.type === 'list') {
      return readList(spec, typeof raw === 'object' ? raw : [String(raw)], origin);
    }
    return readText(spec, String(raw), origin);
  });
}

function fromVariable(spec: OptionSpec, input: ResolveInput<Command>): Found | null {
  // An empty variable counts as not set: that is what `NAME=` in a script or a CI file means.
  const variable = variablesOf(spec).find((name) => (input.env[name] ?? '') !== '');
  if (variable === undefined) {
    return null;
  }
  const text = input.env[variable]!;
  return take(variableOrigin(variable, input.cwd ?? process.cwd()), (origin) =>
    spec.type === 'list' ? readList(spec, splitVariable(spec, text), origin) : readText(spec, text, origin),
  );
}

function fromConfig(spec: OptionSpec, input: ResolveInput<Command>): Found | null {
  const file = input.configFile;
  if (file === null || !Object.hasOwn(file.values, configKeyOf(spec))) {
    return null;
  }
  const value = file.values[configKeyOf(spec)];
  if (value === undefined) {
    return null;
  }
  return take(configOrigin(spec, file.path, file.folder), (origin) => readConfigValue(spec, value, origin));
}

function fromPreset(key: OptionKey, preset: Preset | null): Found | null {
  const value = preset === null ? undefined : PRESET_VALUES[preset][key as keyof CrawlOptions];
  return value === undefined
    ? null
    : { value, source: `preset ${preset!}`, name: `--${specOf(key).flag} (preset ${preset})` };
}

function presetOf(value: OptionValue): Preset | null {
  return isPreset(value) ? value : null;
}

function fromStored(key: OptionKey, stored: StoredOptions | undefined): Found | null {
  const value = (stored?.values as Readonly<Record<string, unknown>> | undefined)?.[key];
  const spec = specOf(key);
  // An earlier version had one value where there is a list now.
  const kept = spec.type === 'list' && typeof value === 'string' ? [value] : value;
  return kept === undefined || stored!.withheld.includes(key)
    ? null
    : take(storedOrigin(spec), (at) => checkValue(spec, kept, at));
}

const fromInherited = (key: OptionKey, values: Partial<CrawlOptions> | undefined): Found | null =>
  values === undefined ? null : fromStored(key, { values, withheld: [] });

function byDefault(command: Command, key: OptionKey): Found {
  return { value: defaultOf(command, specOf(key)), source: 'default', name: `--${specOf(key).flag}` };
}

function take(origin: Origin, read: (origin: Origin) => OptionValue): Found {
  return { value: read(origin), source: origin.source, name: origin.name };
}

function settle<C extends Command>(found: ReadonlyMap<OptionKey, Found>, cores?: number): ResolvedOptions<C> {
  const values: Record<string, OptionValue> = {};
  const sources: Record<string, Source> = {};
  for (const [key, { value, source }] of found) {
    values[key] = value;
    sources[key] = source;
  }
  const name = (key: OptionKey) => found.get(key)?.name ?? key;
  const notices = adjustOptions(values, sources, name, cores ?? availableParallelism());
  // Every key of the command was filled in from the table that the type is derived from.
  return { options: values, sources, notices } as unknown as ResolvedOptions<C>;
}

/**
 * Applies the rules between options, and between options and the machine. It lowers or raises values in place, and returns the sentences that
 * say so and the warnings that some options need; it refuses options that contradict each other.
 * @param name how the user gave an option: `--workers`, `GOSSAMER_WORKERS`, …
 */
function adjustOptions(
  values: Record<string, OptionValue>,
  sources: Readonly<Record<string, Source>>,
  name: (key: OptionKey) => string,
  cores: number,
): string[] {
  const options = values as { -readonly [K in keyof CrawlOptions]?: CrawlOptions[K] };
  const notices: string[] = [];
  refuseBoth('quiet', 'verbose');
  refuseBoth('fresh', 'resume');

  const twice = twiceExtracted(options.extract ?? []);
  if (twice !== null) {
    throw new UsageError(`${name('extract')} has the name "${twice}" twice`);
  }

  const mostLanes = 2 * cores;
  if ((options.parseWorkers ?? 0) > mostLanes) {
    notices.push(
      `${name('parseWorkers')} ${options.parseWorkers} is more than twice the cores of this machine: lowered to ${mostLanes}`,
    );
    options.parseWorkers = mostLanes;
  }

  const { maxBodyBytes = 0, parseBufferBytes = maxBodyBytes } = options;
  if (parseBufferBytes < maxBodyBytes) {
    if (sources.parseBufferBytes !== 'default') {
      throw new UsageError(
        `${name('parseBufferBytes')} must be from ${writeSize(maxBodyBytes)} (${name('maxBodyBytes')}) to 16 GiB, got ${writeSize(parseBufferBytes)}`,
      );
    }
    options.parseBufferBytes = maxBodyBytes;
    notices.push(`--parse-buffer is raised to ${name('maxBodyBytes')}, ${writeSize(maxBodyBytes)}`);
  }

  const { seenMemoryBytes, memoryLimitBytes } = options;
  if (seenMemoryBytes && memoryLimitBytes && seenMemoryBytes >= memoryLimitBytes) {
    throw new UsageError(
      `${name('seenMemoryBytes')} must be less than ${name('memoryLimitBytes')}, ${writeSize(memoryLimitBytes)}, got ${writeSize(seenMemoryBytes)}`,
    );
  }

  if (options.hashRoutes && options.render === 'never') {
    throw new UsageError(`${name('hashRoutes')} needs ${name('render')} auto or always: only a browser draws a route`);
  }

  const asked = seedingSources(options.seedingStrategy ?? 'none');
  if (options.maxSockets === 1 && (asked.has('ct') || asked.has('commoncrawl'))) {
    throw new UsageError(
      `${name('maxSockets')} must be 2 or more where third parties are asked (${name('seedingStrategy')}), got 1`,
    );
  }

  if (options.httpCacheOnly) {
    const asksOthers = asked.has('ct') || asked.has('commoncrawl') ? name('seedingStrategy') : null;
    const suggests = values.suggest === true ? name('suggest') : null;
    if (!options.httpCache) {
      throw new UsageError(`${name('httpCacheOnly')} needs a cache to answer from: --http-cache DIR`);
    }
    if ((asksOthers ?? suggests) !== null) {
      throw new UsageError(`${name('httpCacheOnly')} asks nobody, and ${asksOthers ?? suggests} asks others`);
    }
  }

  if ((options.maxAgeMs ?? null) !== null && !options.since) {
    throw new UsageError(`${name('maxAgeMs')} needs a crawl to carry pages over from: --since DIR`);
  }

  if (options.insecure) {
    notices.push(`TLS certificates are not verified (${name('insecure')})`);
  }
  if (options.ignoreRobots) {
    notices.push(
      `robots.txt is not obeyed (${name('ignoreRobots')}); summary, hosts, seeds, sitemap and reports say so`,
    );
  }
  if (options.robotsUnreachable === 'allow' && !options.ignoreRobots) {
    notices.push(
      `hosts whose robots.txt cannot be reached are crawled as if it forbade nothing (${name('robotsUnreachable')}); the summary says so`,
    );
  }
  return notices;

  function refuseBoth(one: OptionKey, other: OptionKey): void {
    if (values[one] && values[other]) {
      throw new UsageError(`${name(one)} and ${name(other)} contradict each other`);
    }
  }
}

/** A name that two rules give to what they take; case counts for nothing, as in most tables. */
function twiceExtracted(texts: readonly string[]): string | null {
  const names = texts.flatMap((text) => {
    const rule = readExtractRule(text);
    return typeof rule === 'string' ? [] : [rule.name];
  });
  return names.find((each, i) => names.findIndex((other) => other.toLowerCase() === each.toLowerCase()) < i) ?? null;
}
