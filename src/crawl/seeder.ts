import type { Clock } from '../base/clock.js';
import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import { seedingSources } from '../config/seeding.js';
import { ApiClient, ApiTrouble } from '../fetch/api-client.js';
import { Fetcher } from '../fetch/fetcher.js';
import { CANDIDATE_DEPTH, candidateOffer, type Offer, QueuePlaces, trappedCandidate } from '../frontier/outcome.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import type { SeedingFacts } from '../report/summary.js';
import type { SeedRow } from '../store/transaction.js';
import { UrlFlag } from '../store/url-state.js';
import { hostKeyOf, hostnameOf } from '../url/host.js';
import { type IdentityOptions, normaliseUrl } from '../url/identity.js';
import { readCertificateNames } from './seeding/certificate-log.js';
import { readCommonCrawl } from './seeding/common-crawl.js';
import type { SourceEnd } from './seeding/source.js';
import {
  isCovered,
  keyOf,
  type Question,
  questionsFor,
  SeedingLedger,
  type Taken,
  type ThirdParty,
} from './seeding-ledger.js';
import type { EngineSettings } from './settings.js';

/** A third party: where it is asked, by whom, and how much is taken from it. */
export interface SeedingParty {
  source: ThirdParty;
  baseUrl: string;
  client: ApiClient;
  max: number;
}

export interface SeederParts {
  parties: SeedingParty[];
  seeds: readonly SeedRow[];
  scope: CrawlScope;
  identity: IdentityOptions;
  /** Where what is named waits at its host. */
  places: QueuePlaces;
  /** What an earlier run of the crawl has kept. */
  kept: string | undefined;
  /** The URLs, and what is to be kept with them, are durable when it resolves. */
  admit(offers: Offer[], meta?: Record<string, string>): Promise<unknown>;
  resolve(host: string): Promise<string>;
  notice(text: string): void;
  /** Called when the seeder is done, or with an unexpected error. */
  ended(error: Error | null): void;
  /** Aborted when the run ends. */
  stop: AbortController;
  fetcher: Pick<Fetcher, 'close'>;
}

const BATCH = 1_000;

const PARALLEL_LOOKUPS = 64;

const FLAG = { ct: UrlFlag.fromCertificates, commoncrawl: UrlFlag.fromCommonCrawl } as const;

/**
 * Asks third parties for names and URLs while the crawl runs. It asks all parties at the same time, each one question at a time. Their
 * answers become candidates; the answered questions are kept with them, so that a run that was cut off asks only the others again.
 */
export class Seeder {
  readonly #parts: SeederParts;
  readonly #waiting: Question[] = [];
  /** Keys of all questions that were asked or wait. */
  readonly #known = new Set<string>();
  readonly #ledger: SeedingLedger;
  readonly #working = new Map<ThirdParty, Question>();
  readonly #givenUp = new Set<ThirdParty>();
  readonly #told = new Set<string>();
  readonly #running: Promise<void>[] = [];
  #hasStarted = false;
  /** Resolves when it is to stop, so that nobody waits for a name server then. */
  readonly #isStopped: Promise<null>;

  constructor(parts: SeederParts) {
    this.#parts = parts;
    this.#isStopped = new Promise((resolve) => {
      parts.stop.signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    this.#ledger = new SeedingLedger(parts.kept);
    for (const seed of parts.seeds) {
      this.#plan(seed);
    }
  }

  /** True while a third party is being asked, or is still to be asked. */
  get isActive(): boolean {
    return !this.#parts.stop.signal.aborted && (this.#waiting.length > 0 || this.#working.size > 0);
  }

  /** Says in words whom the seeder waits for; null if it waits for nobody. */
  get waitsFor(): string | null {
    const names = [...this.#working].map(([source, { about }]) => `${this.#hostOf(source)} about ${about}`);
    return names.length === 0 ? null : names.join(', ');
  }

  /** The seed that lets a URL in, or -1. */
  seedOf(url: string): number {
    return this.#parts.scope.seedOf(url);
  }

  get facts(): SeedingFacts[] {
    return this.#ledger.facts;
  }

  start(): void {
    this.#hasStarted = true;
    this.#announce();
    this.#work();
  }

  /** The scope of a seed has grown: there may be more to ask. */
  widened(seed: SeedRow): void {
    this.#parts.scope.widen(seed.seed, seed.scopeUrls);
    this.#plan(seed);
    if (this.#hasStarted) {
      this.#work();
    }
  }

  /** Asks nothing more, and calls off what is under way. */
  stop(): void {
    this.#parts.stop.abort(new Error('the run ends'));
  }

  /** Resolves when nothing of it is under way any more. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#running);
    await this.#parts.fetcher.close();
  }

  #plan(seed: SeedRow): void {
    const { scope } = this.#parts;
    const parties = this.#parts.parties.filter((party) => !this.#isCrawled(party, seed));
    if (!scope.goesBelow(seed.seed)) {
      return;
    }
    const { questions, unasked, oneHost } = questionsFor(seed, new Set(parties.map(({ source }) => source)));
    for (const host of unasked) {
      this.#tellOnce(`${printable(host)} is no public name: no third party is asked about it`);
    }
    if (oneHost) {
      this.#tellOnce(`${this.#hostOf('ct')} is not asked: in a scope of one host there are no other names`);
    }
    for (const question of questions) {
      const isDone = this.#ledger.isFinished(question) || this.#givenUp.has(question.source);
      if (!isDone && !isCovered(question, this.#known)) {
        this.#known.add(keyOf(question));
        this.#waiting.push(question);
      }
    }
  }

  /** A host that is being crawled has one pace for everything, so the seeder does not ask it as well. */
  #isCrawled({ baseUrl }: SeedingParty, { scope, scopeUrls }: SeedRow): boolean {
    const host = hostnameOf(baseUrl);
    const isCrawled =
      scope !== 'any' ? this.#parts.scope.seedOf(baseUrl) >= 0 : scopeUrls.some((url) => hostnameOf(url) === host);
    if (isCrawled) {
      this.#tellOnce(`${host} is crawled itself: it is not asked for URLs`);
    }
    return isCrawled;
  }

  #announce(): void {
    const about = [...new Set(this.#waiting.map((question) => question.about))];
    if (about.length === 0) {
      return;
    }
    const hosts = [...new Set(this.#waiting.map(({ source }) => this.#hostOf(source)))];
    this.#parts.notice(announcement(hosts, about));
  }

  #work(): void {
    for (const party of this.#parts.parties) {
      if (!this.#working.has(party.source) && this.#waiting.some(({ source }) => source === party.source)) {
        this.#running.push(this.#workOn(party));
      }
    }
  }

  /** Asks one party all its questions. An unexpected error ends the run; other failures are reported, and the crawl goes on. */
  async #workOn(party: SeedingParty): Promise<void> {
    const { signal } = this.#parts.stop;
    let failure: Error | null = null;
    try {
      for (let next = this.#next(party); next !== null && !signal.aborted; next = this.#next(party)) {
        this.#working.set(party.source, next);
        if (this.#roomOf(party) <= 0) {
          this.#giveUp(party, null);
          break;
        }
        await this.#ask(party, next);
      }
    } catch (error) {
      if (error instanceof ApiTrouble) {
        this.#giveUp(party, error.message);
      } else if (!signal.aborted) {
        failure = error as Error;
      }
    }
    this.#working.delete(party.source);
    this.#parts.ended(failure);
  }

  #next({ source }: SeedingParty): Question | null {
    const place = this.#givenUp.has(source) ? -1 : this.#waiting.findIndex((question) => question.source === source);
    const [question = null] = place < 0 ? [] : this.#waiting.splice(place, 1);
    return question;
  }

  async #ask(party: SeedingParty, question: Question): Promise<void> {
    const taken: Taken = { found: 0, inScope: 0, withAddress: 0 };
    const room = this.#roomOf(party);
    const end =
      party.source === 'ct'
        ? await this.#askForNames(party, question, room, taken)
        : await this.#askForUrls(party, question, room, taken);
    const host = this.#hostOf(party.source);
    this.#ledger.finish(question, host, taken);
    await this.#parts.admit([], this.#ledger.meta());
    this.#parts.notice(told(host, question, taken, end));
    if (end.cut === 'limit') {
      this.#giveUp(party, null);
    }
  }

  /** How much more may be taken from a party. */
  #roomOf(party: SeedingParty): number {
    const { found, inScope } = this.#ledger.of(party.source, this.#hostOf(party.source));
    return party.max - (party.source === 'ct' ? found : inScope);
  }

  async #askForNames(party: SeedingParty, { pattern }: Question, room: number, taken: Taken): Promise<SourceEnd> {
    const names = new Set<string>();
    const end = await readCertificateNames(party.client, party.baseUrl, pattern, (name) => {
      if (!names.has(name) && names.size >= room) {
        return false;
      }
      names.add(name);
      return true;
    });
    taken.found = names.size;
    const seeds = new Set(this.#parts.seeds.flatMap(({ scopeUrls }) => scopeUrls.map(hostnameOf)));
    // A seed's own host is crawled already, perhaps under another scheme.
    const others = [...names].filter((name) => !seeds.has(name));
    const offers = others.flatMap((name) => this.#offer(`https://${name}/`, FLAG.ct));
    taken.inScope = offers.length;
    for (let from = 0; from < offers.length; from += BATCH) {
      const withAddress = await this.#withAddress(offers.slice(from, from + BATCH));
      taken.withAddress += withAddress.length;
      await this.#parts.admit(withAddress);
    }
    return end;
  }

  async #askForUrls(party: SeedingParty, { pattern }: Question, room: number, taken: Taken): Promise<SourceEnd> {
    const urls = new Set<string>();
    let isFull = false;
    const end = await readCommonCrawl(party.client, party.baseUrl, pattern, async (captured) => {
      taken.found += captured.length;
      const offers: Offer[] = [];
      for (const offer of captured.flatMap((url) => this.#offer(url, FLAG.commoncrawl))) {
        if (urls.has(offer.url)) {
          continue;
        }
        isFull = urls.size >= room;
        if (isFull) {
          break;
        }
        urls.add(offer.url);
        offers.push(offer);
      }
      for (let from = 0; from < offers.length; from += BATCH) {
        await this.#parts.admit(offers.slice(from, from + BATCH));
      }
      return !isFull;
    });
    taken.inScope = urls.size;
    return end;
  }

  /** Judges the URL as a link would be; returns nothing if it is out of scope. */
  #offer(written: string, source: number): Offer[] {
    const { scope, identity, places } = this.#parts;
    const url = normaliseUrl(written, identity)?.url ?? '';
    const seed = url === '' ? -1 : scope.seedOf(url);
    if (seed < 0 || CANDIDATE_DEPTH > scope.depthLimit(url)) {
      return [];
    }
    const trap = scope.trap(url);
    return [
      trap === null ? candidateOffer(url, seed, source, places) : trappedCandidate(scope.keptForm(url), seed, trap),
    ];
  }

  /** Names without an address that may be asked are dropped here: each would cost a host, a robots.txt and its time-outs. */
  async #withAddress(offers: Offer[]): Promise<Offer[]> {
    const { resolve, stop } = this.#parts;
    const found: Offer[] = [];
    const left = [...offers];
    const lookUp = async (): Promise<void> => {
      for (let offer = left.shift(); offer !== undefined && !stop.signal.aborted; offer = left.shift()) {
        const address = await Promise.race([resolve(hostnameOf(offer.url)).catch(() => null), this.#isStopped]);
        if (address !== null) {
          found.push(offer);
        }
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_LOOKUPS }, lookUp));
    stop.signal.throwIfAborted();
    return found;
  }

  #giveUp({ source }: SeedingParty, problem: string | null): void {
    this.#givenUp.add(source);
    const left = this.#waiting.filter((question) => question.source === source).length;
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((question) => question.source !== source));
    const about = this.#working.get(source)?.about ?? '';
    if (problem !== null) {
      this.#ledger.of(source, this.#hostOf(source)).problem = problem;
      this.#parts.notice(
        `${this.#hostOf(source)} gave no answer about ${printable(about)}: ${printable(problem)}; the crawl goes on without it`,
      );
    } else if (left > 0) {
      this.#parts.notice(`${this.#hostOf(source)} is not asked about ${left} more: it has given as much as it may`);
    }
  }

  #hostOf(source: ThirdParty): string {
    const party = this.#parts.parties.find((each) => each.source === source);
    return party === undefined ? source : new URL(party.baseUrl).host;
  }

  #tellOnce(text: string): void {
    if (!this.#told.has(text)) {
      this.#told.add(text);
      this.#parts.notice(text);
    }
  }
}

const MOST_NAMED = 3;

/** The parties that the crawl asks, and what about. */
function announcement(hosts: string[], about: string[]): string {
  const named = about.slice(0, MOST_NAMED).map((name) => printable(name));
  const more = about.length - named.length;
  return `asks ${hosts.join(' and ')} about ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What a third party told about one question. */
function told(host: string, { source, about }: Question, taken: Taken, { cut }: SourceEnd): string {
  const names = source === 'ct';
  const what = counted(taken.found, names ? 'name' : 'capture');
  const addresses = names ? `, ${formatCount(taken.withAddress)} with an address` : '';
  const ends = {
    limit: `; ${names ? '--max-ct-names' : '--max-commoncrawl-urls'} is reached`,
    'too large': '; the answer was too large to be read to its end',
    'broken off': '; the answer broke off',
  };
  const end = cut === null ? '' : ends[cut];
  return `${host} about ${printable(about)}: ${what}, ${formatCount(taken.inScope)} in scope${addresses}${end}`;
}

const counted = (number: number, one: string): string => `${formatCount(number)} ${one}${number === 1 ? '' : 's'}`;

type Given = Omit<SeederParts, 'parties' | 'places' | 'stop' | 'fetcher'> & {
  options: CrawlOptions;
  settings: EngineSettings;
  clock: Clock;
};

/** Third parties search large indexes before they answer, so they get this many times --idle-timeout. */
const PATIENCE = 6;

/** The third parties that the options name; null if they name none. */
export function openSeeder({ options, settings, clock, ...parts }: Given): Seeder | null {
  const sources = seedingSources(options.seedingStrategy);
  if (!sources.has('ct') && !sources.has('commoncrawl')) {
    return null;
  }
  const stop = new AbortController();
  const fetcher = new Fetcher(settings.seedingFetch, clock);
  const clients = new Map<string, ApiClient>();
  /** Two parties on one host share its pace. */
  const clientFor = (host: string): ApiClient => {
    const client =
      clients.get(host) ??
      new ApiClient({
        fetcher,
        clock,
        delayMs: settings.scheduler.delayMsFor(host),
        maxWaitMs: options.maxWaitMs,
        idleTimeoutMs: options.idleTimeoutMs * PATIENCE,
        signal: stop.signal,
      });
    clients.set(host, client);
    return client;
  };
  const party = (source: SeedingParty['source'], url: string, max: number): SeedingParty[] => {
    const baseUrl = new URL(url).href;
    return sources.has(source) ? [{ source, baseUrl, max, client: clientFor(hostKeyOf(baseUrl)) }] : [];
  };
  const parties = [
    ...party('ct', options.ctUrl, options.maxCtNames),
    ...party('commoncrawl', options.commoncrawlUrl, options.maxCommoncrawlUrls),
  ];
  return new Seeder({ ...parts, parties, places: new QueuePlaces(options.order), stop, fetcher });
}
