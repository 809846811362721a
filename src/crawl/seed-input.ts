import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import { badLines } from '../base/utf8.js';
import type { Command } from '../config/commands.js';
import type { CrawlOptions } from '../config/options.js';
import { readSitemap } from '../parse/sitemap.js';
import type { BadSeed, SeedRow } from '../store/transaction.js';
import { originOf } from '../url/host.js';
import type { Credentials, IdentityOptions } from '../url/identity.js';
import { parseSeedArgument, parseSeedLines, type Seed } from '../url/seeds.js';

export interface SeedInput {
  seeds: SeedRow[];
  /** Credentials by origin; they never reach the store. */
  credentials: Map<string, Credentials>;
  /** Lines that are no seeds, for the user to mend. */
  bad: BadSeed[];
}

type SeedOptions = Pick<
  CrawlOptions,
  'stripQuery' | 'stripTracking' | 'sortQuery' | 'startUrls' | 'seedsFiles' | 'scope'
>;

/** The same ones in the same order: seeds are known by their place too. */
export const sameSeeds = (given: readonly SeedRow[], stored: readonly SeedRow[]): boolean =>
  given.length === stored.length && given.every(({ url }, place) => url === stored[place]!.url);

/** A host that cannot exist (RFC 2606). */
const NOWHERE = 'http://sitemap-file.invalid/';
const MOST_TOLD = 10;
const SITEMAP_SEEDS = { maxUrls: 1_000_000, maxBytes: 512 * 1024 * 1024 };

/** Everything the command line names as a seed: arguments, --start-url, --seeds-file, stdin. */
export function readSeeds(positionals: readonly string[], options: SeedOptions, command: Command = 'crawl'): SeedInput {
  const identity: IdentityOptions = {
    stripQuery: options.stripQuery,
    stripTracking: options.stripTracking,
    sortQuery: options.sortQuery,
  };
  const bad: BadSeed[] = [];
  const seeds: Seed[] = [];
  for (const text of [...positionals, ...options.startUrls]) {
    const argument = parseSeedArgument(text, probe, identity);
    if (argument.kind === 'url') {
      seeds.push(argument.seed);
    } else if (argument.kind === 'folder') {
      throw new UsageError(
        `${printable(text)} is a folder; \`gossamer ${command}\` takes URLs, domains and files of them`,
      );
    } else {
      for (const seed of seedsOfFile(argument.kind === 'stdin' ? '-' : argument.path, identity, bad)) {
        seeds.push(seed);
      }
    }
  }
  for (const path of options.seedsFiles) {
    for (const seed of seedsOfFile(path, identity, bad)) {
      seeds.push(seed);
    }
  }
  if (seeds.length === 0) {
    throw new UsageError(
      bad.length > 0
        ? `no usable seed: ${badSeedLines(bad).join('; ')}`
        : `no URL given: \`gossamer ${command} <url>\`, or --seeds-file FILE`,
    );
  }
  return {
    seeds: unique(seeds).map((seed, place) => seedRow(seed, place, options)),
    credentials: credentialsOf(seeds),
    bad,
  };
}

function probe(path: string): 'file' | 'folder' | null {
  const stats = statSync(resolve(path), { throwIfNoEntry: false });
  return stats === undefined ? null : stats.isDirectory() ? 'folder' : 'file';
}

/** The seeds of a list or a sitemap; - is stdin. Lines that are not seeds go into `bad`. */
export function seedsOfFile(path: string, identity: IdentityOptions, bad: BadSeed[]): Seed[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : resolve(path));
  } catch (error) {
    throw new StateError('seeds_file', `cannot read the seeds file ${printable(path)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const name = path === '-' ? 'stdin' : path;
  const isSitemap =
    bytes.subarray(0, 200).toString('latin1').trimStart().startsWith('<') || (bytes[0] === 0x1f && bytes[1] === 0x8b);
  const text = isSitemap ? urlsOfSitemap(bytes, name, bad).join('\n') : textOfList(bytes, name, bad);
  const read = parseSeedLines(text, name, identity);
  for (const { line, text: content, problem } of read.bad) {
    bad.push({ place: `${printable(name)}:${line}`, text: printable(content, 100), problem });
  }
  return read.seeds;
}

/** Lines that are not text are reported, and the others count. */
function textOfList(bytes: Uint8Array, name: string, bad: BadSeed[]): string {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  for (const { line, problem } of badLines(bytes)) {
    const isWhole = problem.startsWith('is UTF-16');
    bad.push({
      place: `${printable(name)}:${line}`,
      text: printable(lines[line - 1] ?? '', 100),
      problem: `this line ${problem}`,
    });
    if (isWhole) {
      return '';
    }
    lines[line - 1] = '';
  }
  return lines.join('\n');
}

/** URLs in a file must be complete: a file has no address that a relative one could be resolved against. */
function urlsOfSitemap(bytes: Uint8Array, name: string, bad: BadSeed[]): string[] {
  const urls = readSitemap(bytes, { ...SITEMAP_SEEDS, baseUrl: NOWHERE }).entries.map(({ url }) => url);
  const isPart = (url: string): boolean => url.startsWith(NOWHERE);
  for (const url of urls.filter(isPart)) {
    const text = printable(url.slice(NOWHERE.length - 1), 100);
    bad.push({ place: printable(name), text, problem: 'a sitemap that is a file must name whole URLs' });
  }
  return urls.filter((url) => !isPart(url));
}

/** In words, and no more of them than a person reads. */
export function badSeedLines(bad: readonly BadSeed[]): string[] {
  const lines = bad.slice(0, MOST_TOLD).map(({ place, text, problem }) => `${place}: ${problem} (${text})`);
  const others = bad.length - lines.length;
  return others === 0
    ? lines
    : [
        ...lines,
        `${formatCount(others)} more lines are no seeds; \`gossamer export <dir> --format seeds\` names them all`,
      ];
}

/** The same URL twice is one seed. */
function unique(seeds: Seed[]): Seed[] {
  const seen = new Set<string>();
  return seeds.filter(({ url }) => !seen.has(url) && seen.add(url));
}

function seedRow(seed: Seed, place: number, options: SeedOptions): SeedRow {
  return {
    seed: place,
    url: seed.url,
    label: seed.label,
    scope: seed.scope ?? options.scope,
    depth: seed.depth ?? null,
    maxUrls: seed.maxUrls ?? null,
    fallbacks: seed.fallbacks,
    scopeUrls: [seed.url, ...seed.fallbacks],
  };
}

function credentialsOf(seeds: Seed[]): Map<string, Credentials> {
  const credentials = new Map<string, Credentials>();
  for (const seed of seeds) {
    if (seed.credentials !== undefined) {
      credentials.set(originOf(seed.url), seed.credentials);
    }
  }
  return credentials;
}
