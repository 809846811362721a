import { isDeepStrictEqual } from 'node:util';
import { nounOf } from '../config/commands.js';
import type { Group } from '../config/option-spec.js';
import { OPTION_KEYS, type OptionKey, specOf } from '../config/options.js';
import type { StoredOptions } from '../config/stored.js';
import type { DiffReader } from '../store/diff-reader.js';
import { stateOf } from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';

/** Options of these groups decide which pages a crawl has. */
const GROUPS: ReadonlySet<Group> = new Set<Group>(['Input and scope', 'Limits', 'URL identity', 'Traps']);
/** These decide what is read of a page, or what a server answers. */
const FURTHER: ReadonlySet<OptionKey> = new Set<OptionKey>([
  ...(['hosts', 'hooks', 'render', 'hashRoutes', 'maxBodyBytes', 'ignoreRobots', 'userAgent'] as const),
  ...(['headers', 'user', 'authFile', 'cookies', 'cookieJar', 'clientCerts', 'seedingStrategy'] as const),
]);
/** Seeds are compared by themselves. */
const SEEDS: ReadonlySet<OptionKey> = new Set<OptionKey>(['startUrls', 'seedsFiles']);
const MOST_SEEDS = 3;

/** Whatever makes two crawls differ though the site may be the same, in sentences. */
export function remarksOn(before: DiffReader, after: DiffReader, directories: readonly [string, string]): string[] {
  const [old, now] = [before.crawl, after.crawl];
  const commands = [old.command(), now.command()];
  const seeds = [old.seeds().map(({ label }) => before.named(label)), now.seeds().map(({ label }) => label)].map(
    (list) => list.sort(),
  );
  return [
    ...[before, after].flatMap((crawl, place) => unfinished(crawl, directories[place]!)),
    ...(commands[0] === commands[1]
      ? []
      : [`One of them is a ${nounOf(commands[0]!)}, the other a ${nounOf(commands[1]!)}.`]),
    ...(isDeepStrictEqual(seeds[0], seeds[1])
      ? []
      : [`They began with other seeds: ${some(seeds[0]!)} before, ${some(seeds[1]!)} now.`]),
    ...otherOptions(optionsOf(before), optionsOf(after)),
  ];
}

function unfinished({ crawl }: DiffReader, directory: string): string[] {
  if (DirectoryLock.isTaken(directory)) {
    return [`The crawl in ${directory} is still running: what it has not asked for yet is missing here.`];
  }
  if (stateOf(directory) === 'unfinished') {
    return [`The crawl in ${directory} is unfinished: what it had not asked for is missing here.`];
  }
  const truncated = crawl.ended()?.truncated ?? null;
  return truncated === null
    ? []
    : [`The crawl in ${directory} was cut by a limit (${truncated}): it has not seen everything.`];
}

function otherOptions(before: StoredOptions, now: StoredOptions): string[] {
  const keys = OPTION_KEYS.filter((key) => (GROUPS.has(specOf(key).group) || FURTHER.has(key)) && !SEEDS.has(key));
  const flags = keys.filter((key) => differs(before, now, key)).map((key) => `--${specOf(key).flag}`);
  return flags.length === 0
    ? []
    : [`They had other options (${flags.join(', ')}): what differs may come from that, not from the site.`];
}

/** Of a secret only whether there was one is known. */
const differs = (before: StoredOptions, now: StoredOptions, key: OptionKey): boolean =>
  !isDeepStrictEqual(valueIn(before, key), valueIn(now, key)) ||
  before.withheld.includes(key) !== now.withheld.includes(key);

const valueIn = ({ values }: StoredOptions, key: OptionKey): unknown =>
  (values as Readonly<Record<string, unknown>>)[key] ?? specOf(key).default;

/** What a crawl had at last. */
export function optionsOf({ crawl }: DiffReader): StoredOptions {
  const meta = crawl.meta();
  return JSON.parse(meta.inForce ?? meta.options!) as StoredOptions;
}

const some = (seeds: readonly string[]): string =>
  `${seeds.slice(0, MOST_SEEDS).join(', ')}${seeds.length > MOST_SEEDS ? ` and ${seeds.length - MOST_SEEDS} more` : ''}`;
