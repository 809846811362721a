import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { partsOf } from '../config/host-entries.js';
import { type CrawlOptions, OPTIONS } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import type { StoredOptions } from '../config/stored.js';
import { type CrawlProfile, PLAIN_CRAWL } from '../crawl/profile.js';
import type { SeedRow } from '../store/transaction.js';
import type { Bus, ClusterState, Founding } from './bus.js';
import { ClusterNode } from './cluster-node.js';
import { connectBus } from './connect.js';
import { PROTOCOL } from './redis-bus.js';

/** What all machines of a crawl share, as Redis has it. */
export interface SharedConfig {
  protocol: number;
  options: StoredOptions;
  seeds: SeedRow[];
  leaseMs: number;
  /** Of the module with hooks, by its content: its path may be another on each machine. Null if there is none. */
  hooksHash: string | null;
}

/** What a store keeps of the crawl that it is a part of; in meta `cluster`. */
export interface KeptSeat {
  crawlId: string;
  /** Of the crawl in Redis; '' in a part that was dealt out and has not run yet. */
  id?: string;
  slot: number;
  nodes: number;
  incarnation: string;
  leaseMs?: number;
  /** Of the hooks of the crawl; left out where it was dealt out and nobody has said. */
  hooksHash?: string | null;
  /** Wall time before which nothing is asked for, where the slot's old disk is lost. */
  quietUntil?: number;
}

export const SEAT = 'cluster';
const USUAL_LEASE_MS = 15_000;
const FOUND_TRIES = 5;
const FOUND_PAUSE_MS = 500;

export const seatIn = (meta: Readonly<Record<string, string>>): KeptSeat | null =>
  meta[SEAT] === undefined ? null : (JSON.parse(meta[SEAT]) as KeptSeat);

type PlaceOptions = Pick<CrawlOptions, 'redisUrl' | 'enableRedis' | 'crawlId'>;

/** Where machines meet; null: nowhere, one machine crawls alone. */
export function redisOf({ redisUrl, enableRedis }: Pick<PlaceOptions, 'redisUrl' | 'enableRedis'>): string | null {
  return redisUrl ?? (enableRedis ? 'redis://127.0.0.1:6379' : null);
}

export function crawlIdOf({ crawlId }: Pick<PlaceOptions, 'crawlId'>): string {
  if (crawlId === null) {
    throw new UsageError('--redis-url needs --crawl-id ID: the name that all machines of the crawl give it');
  }
  return crawlId;
}

/** What would mean another thing on several machines than on one is refused by its name. */
export function refuseAlone(options: CrawlOptions, seeds: readonly SeedRow[]): void {
  const refused: [boolean, string, string][] = [
    [options.clusterNodes === null, '--redis-url', 'needs --nodes N: on how many machines the crawl runs'],
    [options.render !== 'never', '--render', 'would load from hosts that other machines ask'],
    [options.cookies || options.cookieJar !== null, '--cookies', 'keeps one jar, and each machine would have another'],
    [
      options.delayPerIpMs > 0,
      '--delay-per-ip',
      'would be kept on each machine separately, and an address has hosts on all',
    ],
    [options.maxInflightPerIp > 0, '--max-inflight-per-ip', 'would be counted on each machine separately'],
    [
      asksOthers(options),
      '--seeding-strategy',
      'cannot be divided among machines: crawl on one machine, or give the URLs with -i',
    ],
    [options.since !== null, '--since', 'reads one directory, and each machine would have another'],
    [seeds.some(({ maxUrls }) => maxUrls !== null), 'max= of a seed', 'is counted on each machine separately'],
  ];
  const first = refused.find(([isSo]) => isSo);
  if (first !== undefined) {
    throw new UsageError(
      `${first[1]} ${first[0] && first[1] === '--redis-url' ? '' : 'is not for a crawl on several machines: it '}${first[2]}`,
    );
  }
}

/** Third parties are asked for URLs. */
function asksOthers({ seedingStrategy }: CrawlOptions): boolean {
  const sources = seedingSources(seedingStrategy);
  return sources.has('ct') || sources.has('commoncrawl');
}

/** Two modules with the same text are the same hooks, wherever they are. */
export function hooksHashOf({ hooks }: Pick<CrawlOptions, 'hooks'>): string | null {
  try {
    return hooks === null ? null : createHash('sha256').update(readFileSync(hooks)).digest('hex').slice(0, 32);
  } catch (error) {
    throw new UsageError(`--hooks ${printable(hooks!)}: ${(error as Error).message}`);
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** No host is ever asked at a longer delay than this, by these options: what robots.txt asks for beyond --max-crawl-delay is put off. */
function longestDelayMs({ values }: StoredOptions): number {
  const { delayMs = OPTIONS.delayMs.default, maxCrawlDelayMs = OPTIONS.maxCrawlDelayMs.default, hosts = [] } = values;
  return Math.max(delayMs, maxCrawlDelayMs, ...partsOf(hosts, ['delayMs']).map((part) => part.delayMs ?? 0));
}

/** Limits on the whole crawl, as what carries the calls looks after them. */
const limitsOf = ({ values }: StoredOptions): { durationMs: number; maxBytes: number } => ({
  durationMs: values.durationMs ?? 0,
  maxBytes: values.maxBytes ?? 0,
});

interface Opened {
  profile: CrawlProfile;
  node: ClusterNode;
  slot: number;
}

interface Opening {
  bus: Bus;
  crawlId: string;
  id: string;
  config: string;
  nodes: number;
  leaseMs: number;
  /** Null: any that is free. */
  slot: number | null;
  incarnation: string;
  goesOn: boolean;
  isFounder: boolean;
  options: StoredOptions;
  hooksHash: string | null;
  quietUntil: number;
}

async function open(opening: Opening): Promise<Opened> {
  const { bus, crawlId, id, config, nodes, leaseMs, incarnation, goesOn, isFounder, quietUntil, hooksHash } = opening;
  const node = new ClusterNode({
    ...{ bus, clock: systemClock, incarnation, leaseMs, goesOn, isFounder, quietUntil },
    quietMs: longestDelayMs(opening.options),
    crawlId,
    founding: { id, hash: hashOf(config), nodes, config, ...limitsOf(opening.options) },
    place: { host: hostname(), pid: process.pid },
  });
  try {
    const slot = await node.join(opening.slot);
    const quiet = node.quietUntil === 0 ? {} : { quietUntil: node.quietUntil };
    const seat: KeptSeat = { crawlId, id, slot, nodes, incarnation, leaseMs, hooksHash, ...quiet };
    const meta = { [SEAT]: JSON.stringify(seat) };
    node.keeps(meta);
    // A new store has nothing of it, but for the one that the crawl begins with.
    const { maxUrls = null } = opening.options.values;
    const grant = maxUrls === null || goesOn ? {} : { grant: String(isFounder ? maxUrls : 0) };
    return { node, slot, profile: { ...PLAIN_CRAWL, cluster: node, meta: { ...meta, ...grant } } };
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** Begins a crawl on several machines: this one has slot 0. */
export async function beginCluster(
  url: string,
  {
    crawlId,
    nodes,
    leaseMs,
    options,
    seeds,
    hooksHash,
  }: Omit<SharedConfig, 'protocol'> & { crawlId: string; nodes: number },
): Promise<Opened> {
  const bus = await connectBus(url, crawlId);
  const id = randomUUID();
  const shared: SharedConfig = { protocol: PROTOCOL, options, seeds, leaseMs, hooksHash };
  const config = JSON.stringify(shared);
  const founding = { id, hash: hashOf(config), nodes, generation: 1, config, ranMs: 0, ...limitsOf(options) };
  const state = await found(bus, founding);
  if (state.id !== id) {
    await bus.close();
    throw new StateError(
      'cluster_exists',
      `Redis has a crawl ${crawlId} already: \`gossamer join\` takes part in it, another --crawl-id begins another`,
    );
  }
  return open({
    bus,
    crawlId,
    id,
    config,
    nodes,
    leaseMs,
    slot: 0,
    incarnation: randomUUID(),
    goesOn: false,
    isFounder: true,
    options,
    hooksHash,
    quietUntil: 0,
  });
}

/** Its answer may be lost: then it is asked once more, and may itself have put there what it finds. */
async function found(bus: Bus, founding: Omit<Founding, 'isSure'>): Promise<ClusterState> {
  for (let tries = 1; ; tries++) {
    try {
      return await bus.found({ ...founding, isSure: tries === 1 });
    } catch (error) {
      if (tries === FOUND_TRIES) {
        await bus.close();
        const why = (error as Error).message;
        throw new StateError('redis', `Redis has not answered that the crawl is begun: ${why}`, { cause: error });
      }
      await new Promise<void>((resolve) => systemClock.at(systemClock.now() + FOUND_PAUSE_MS, resolve));
    }
  }
}

/** What the directory of whoever joins has of the crawl. */
export interface KeptPart {
  seat: KeptSeat;
  options: StoredOptions;
  seeds: SeedRow[];
}

/**
 * Takes part in a crawl that has been begun: with a part of it that is kept here, or (null) with one that is free.
 * @param accept throws where this machine must not; a slot is taken afterwards
 */
export async function joinCluster(
  url: string,
  crawlId: string,
  kept: KeptPart | null,
  accept: (shared: SharedConfig) => void,
): Promise<Opened & { shared: SharedConfig }> {
  const bus = await connectBus(url, crawlId);
  try {
    const there = await bus.look();
    if (there === null && kept === null) {
      throw new StateError(
        'cluster_gone',
        `Redis has no crawl ${crawlId}: \`gossamer crawl … --redis-url … --crawl-id ${crawlId}\` begins one`,
      );
    }
    if (there !== null && there.state.protocol !== PROTOCOL) {
      throw new StateError(
        'cluster_version',
        `the crawl ${crawlId} was begun by another version of Gossamer: all machines need the same`,
      );
    }
    if (there?.state.phase === 'stopping') {
      throw new StateError(
        'cluster_stopped',
        `the crawl ${crawlId} was stopped${there.state.reason === '' ? '' : ` (${there.state.reason})`}: \`gossamer cluster go\` lets it go on, then \`gossamer join\` again`,
      );
    }
    const keptId = kept?.seat.id ?? '';
    const shared: SharedConfig =
      there !== null
        ? (JSON.parse(there.config) as SharedConfig)
        : {
            ...{ protocol: PROTOCOL, options: kept!.options, seeds: kept!.seeds },
            leaseMs: kept!.seat.leaseMs ?? USUAL_LEASE_MS,
            hooksHash:
              kept!.seat.hooksHash === undefined
                ? hooksHashOf({ hooks: kept!.options.values.hooks ?? null })
                : kept!.seat.hooksHash,
          };
    if (
      there !== null &&
      kept !== null &&
      (there.state.nodes !== kept.seat.nodes || (keptId !== '' && keptId !== there.state.id))
    ) {
      throw new StateError('cluster_refused', `the directory holds a part of another crawl than ${crawlId} in Redis`);
    }
    accept(shared);
    const config = JSON.stringify(shared);
    const nodes = there?.state.nodes ?? kept!.seat.nodes;
    let id = there?.state.id ?? keptId;
    if (id === '') {
      // Parts that were dealt out: the first of them begins the crawl, and nobody can have had a slot of it.
      const limits = limitsOf(shared.options);
      const mine = { id: randomUUID(), hash: hashOf(config), nodes, generation: 1, config, ranMs: 0, ...limits };
      ({ id } = await found(bus, mine));
    }
    const opened = await open({
      ...{ bus, crawlId, nodes, leaseMs: shared.leaseMs, id, config },
      slot: kept?.seat.slot ?? null,
      incarnation: kept?.seat.incarnation ?? randomUUID(),
      goesOn: kept !== null,
      isFounder: false,
      options: shared.options,
      hooksHash: shared.hooksHash,
      quietUntil: kept?.seat.quietUntil ?? 0,
    });
    return { ...opened, shared };
  } catch (error) {
    await bus.close();
    throw error;
  }
}
