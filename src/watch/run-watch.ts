import type { Clock } from '../base/clock.js';
import { type EventCode, EventHub } from './events.js';
import { LatencyHistogram } from './latency.js';
import type { LayerFigures, LiveSnapshot, Problem, RunControls, RunState, ShownRun } from './live.js';
import { Pace, type PacePoint } from './pace.js';
import { type Obstacles, waitingWords } from './waiting.js';

/** So many of the last problems, notices and decisions are kept. */
const MOST_REMEMBERED = 50;

/** Error classes are a closed list; whatever else should come is one more. */
const MOST_CLASSES = 100;

const STATUS_CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** A moment of the round under way, as its session knows it. */
export interface RoundMoment
  extends Pick<LiveSnapshot, 'urls' | 'retries' | 'refetched' | 'hosts' | 'layers' | 'memory' | 'commitMs' | 'cluster'>,
    Obstacles {
  readonly dispatched: number;
  /** When a limit ends the run, monotonic; Infinity where none does. */
  readonly endsAt: number;
  /** Something may go out now, and waits for a place alone. */
  readonly isHeldUp: boolean;
}

/** The session of one round. */
export interface WatchedRound {
  moment(): RoundMoment;
  readonly controls: Omit<RunControls, 'stop'>;
  /** How long a page takes by the delay of the only host; null if there are several hosts or none. */
  readonly msAPage: number | null;
  /** It goes on with a run that was there before. */
  readonly isResumed: boolean;
}

export interface RunWatchOptions {
  readonly command: string;
  readonly directory: string | null;
  readonly clock: Clock;
  readonly maxUrls: number | null;
  /** As the first Ctrl+C. */
  stop(): void;
}

/**
 * What is seen of a run, over all of its rounds: it counts as things happen, a few additions each, and works the rest out when somebody asks.
 * What the run is told holds for the rounds that follow, too.
 */
export class RunWatch implements ShownRun {
  readonly controls: RunControls;
  /** What happens, for the log and for programs. */
  readonly events: EventHub;
  readonly #options: RunWatchOptions;
  readonly #startedAt: number;
  readonly #orders = new Orders();
  readonly #latency = new LatencyHistogram();
  /** By the place in `STATUS_CLASSES`. */
  readonly #statuses = new Float64Array(STATUS_CLASSES.length);
  readonly #failures = new Map<string, number>();
  readonly #problems = new Ring<Problem>();
  readonly #notices = new Ring<LiveSnapshot['notices'][number]>();
  readonly #decisions = new Ring<LiveSnapshot['decisions'][number]>();
  #requests = 0;
  #cached = 0;
  #bytes = 0;
  /** Of the rounds before this one. */
  #before = { retries: 0, refetched: 0 };
  #round: WatchedRound | null = null;
  #pace: Pace;
  #work: LiveSnapshot['work'] = null;
  #end: { reason: string; at: number } | null = null;
  #broken: Error | null = null;

  constructor(options: RunWatchOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#pace = new Pace({ maxUrls: options.maxUrls, msAPage: null });
    this.events = new EventHub(() => options.clock.wall());
    this.controls = heard(
      this.#orders.controls(() => options.stop()),
      this.events,
    );
  }

  /** A round begins: what the run was told holds for it. */
  begins(round: WatchedRound): void {
    if (this.#round === null) {
      const { command, directory } = this.#options;
      this.events.tell('run_began', `${command} begins`, { command, directory, isResumed: round.isResumed });
    } else {
      this.events.tell('round_began', 'another round begins');
      const { retries, refetched } = this.#round.moment();
      this.#before = { retries: this.#before.retries + retries, refetched: this.#before.refetched + refetched };
    }
    this.#round = round;
    this.#pace = new Pace({ maxUrls: this.#options.maxUrls, msAPage: round.msAPage });
    this.#pace.note(this.#point(round.moment()));
    this.#orders.give(round.controls);
  }

  /** A request has come to an end. */
  answered(status: number | null, ttfbMs: number | null): void {
    this.#requests++;
    this.#statuses[status === null ? 0 : Math.min(5, Math.floor(status / 100))]!++;
    if (ttfbMs !== null) {
      this.#latency.add(ttfbMs);
    }
  }

  /** The cache has answered; `status` null: it has no answer. No request was made. */
  cached(status: number | null): void {
    if (status !== null) {
      this.#cached++;
      this.#statuses[Math.min(5, Math.floor(status / 100))]!++;
    }
  }

  /** The body of a page is durable: robots.txt, sitemaps and tries that failed are in no sum of bytes, here as in the summary. */
  kept(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Nothing good has become of a URL, and that is durable. */
  failed(url: string, reason: string, status: number | null, message: string | null): void {
    const name = this.#failures.has(reason) || this.#failures.size < MOST_CLASSES ? reason : 'other';
    this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    this.#problems.push({ at: this.#wall, url, reason, status, message });
    if (this.events.wants('page_failed')) {
      this.events.tell('page_failed', `${url} failed: ${message ?? reason}`, { url, reason, status, cause: message });
    }
  }

  /** @param trap the pattern that the notice is about, where URLs are cut as a trap */
  notice(text: string, code: EventCode = 'notice', trap: string | null = null): void {
    this.#notices.push({ at: this.#wall, text, trap });
    this.events.tell(code, text);
  }

  /** The dashboard could not answer a question, and nobody but a log would know. */
  dashboardFailed(error: Error): void {
    this.events.tell('dashboard_failed', `the dashboard failed: ${error.message}`, { error: error.name });
  }

  latencies(): Float64Array {
    return this.#latency.counts();
  }

  delays(): ReadonlyMap<string | null, number> {
    return this.#orders.delays;
  }

  governed(limit: number, cause: string): void {
    this.#decisions.push({ at: this.#wall, limit, cause });
    this.events.tell('governed', `${limit} in flight at most (${cause})`, { limit, cause });
  }

  /** How far the command's own work is, such as pages that become Markdown. */
  works(name: string, done: number, total: number | null): void {
    this.#work = { name, done, total };
  }

  /** Once a second. */
  tick(): void {
    if (this.#round !== null) {
      this.#pace.note(this.#point(this.#round.moment()));
    }
  }

  /** The whole run is over. */
  ended(reason: string): void {
    if (this.#end !== null) {
      return;
    }
    this.#end = { reason, at: this.#options.clock.now() };
    const { urls, requests, retries, bytes, elapsedMs, statusClasses, failures } = this.live();
    const figures = { urls, requests, retries, bytes, elapsedMs, statusClasses, failures };
    this.events.tell('run_ended', `the run is over: ${reason}`, { reason, ...figures });
  }

  /** It broke off. */
  broke(error: Error): void {
    if (this.#broken === error) {
      return;
    }
    this.#broken = error;
    const { code: errorCode = null } = error as { code?: unknown };
    this.events.tell('run_failed', error.message, { error: error.name, errorCode });
    this.ended('error');
  }

  live(): LiveSnapshot {
    const { clock, command, directory } = this.#options;
    const moment = this.#round?.moment() ?? NOTHING_YET;
    const now = this.#end?.at ?? clock.now();
    const point = { ...this.#point(moment), at: now };
    const { urls, inFlight, hosts, layers, memory, commitMs, cluster } = moment;
    const state = this.#stateOf(moment);
    const rates = this.#pace.rates(point);
    const left = { ...moment, waiting: urls.queued + inFlight };
    const isOver = state === 'ended';
    return {
      at: clock.wall(),
      command,
      directory,
      state,
      endReason: this.#end?.reason ?? null,
      elapsedMs: Math.round(now - this.#startedAt),
      urls,
      requests: this.#requests,
      cached: this.#cached,
      retries: this.#before.retries + moment.retries,
      refetched: this.#before.refetched + moment.refetched,
      bytes: this.#bytes,
      inFlight,
      statusClasses: Object.fromEntries(
        STATUS_CLASSES.map((name, i) => [name, this.#statuses[i]!]),
      ) as LiveSnapshot['statusClasses'],
      failures: Object.fromEntries(this.#failures),
      latency: this.#latency.figures(),
      pagesPerSecond: rates.pagesPerMs * 1000,
      bytesPerSecond: rates.bytesPerMs * 1000,
      leftMs: isOver || state === 'paused' ? null : this.#pace.leftMs(point, left),
      hosts,
      layers,
      tightest: isOver ? null : tightestOf(moment),
      waitingFor: isOver ? null : waitingWords({ ...moment, hostsBackingOff: hosts.backingOff })[0],
      memory,
      commitMs,
      cluster,
      decisions: this.#decisions.lastFirst(),
      problems: this.#problems.lastFirst(),
      notices: this.#notices.lastFirst(),
      work: this.#work,
    };
  }

  get #wall(): number {
    return this.#options.clock.wall();
  }

  #stateOf({ isStopping, isPaused }: RoundMoment): RunState {
    return this.#end !== null ? 'ended' : isStopping ? 'stopping' : isPaused === true ? 'paused' : 'running';
  }

  #point({ now, urls }: RoundMoment): PacePoint {
    return { at: now, settled: urls.done + urls.failed + urls.skipped, bytes: this.#bytes };
  }
}

/** A layer that is full while something waits for it; else the delays of hosts, where they are all that is waited for. */
function tightestOf({ layers, hosts, isHeldUp }: RoundMoment): string | null {
  const isFull = ({ use, limit, waiting }: LayerFigures): boolean => limit !== null && use >= limit && waiting > 0;
  const full = layers.filter(isFull);
  // What is allowed at all comes before what waits on disk for a place in memory: that waits for nothing but its turn.
  const first = full.find(({ name }) => name !== 'frontier' && name !== 'hosts');
  if (first !== undefined) {
    return first.name;
  }
  if (!isHeldUp && hosts.delayed + hosts.backingOff > 0) {
    return hosts.delayed > 0 ? 'delay' : 'backoff';
  }
  return full[0]?.name ?? null;
}

/** What these answer says whether they were obeyed. A quarantine is always: of a host that is not in memory it holds later. */
const REFUSABLE: ReadonlySet<string> = new Set(['release', 'allowTrap']);

/** The same controls; whoever listens hears what they are told, and whether it was refused. */
function heard(controls: RunControls, events: EventHub): RunControls {
  const pairs = Object.entries(controls).map(([what, obey]: [string, (...values: never[]) => unknown]) => {
    const tell = (values: readonly unknown[], isDone: boolean): void => {
      const words = [what, ...values.map((value) => value ?? 'all hosts')].join(' ');
      events.tell('told', `${isDone ? 'told' : 'refused'}: ${words}`, { what, values, isDone });
    };
    const hearing = (...values: never[]) => {
      let answer: unknown;
      try {
        answer = obey(...values);
      } catch (error) {
        tell(values, false);
        throw error;
      }
      if (answer instanceof Promise) {
        return answer.then(
          (isDone) => {
            tell(values, isDone !== false);
            return isDone;
          },
          (error) => {
            tell(values, false);
            throw error;
          },
        );
      }
      tell(values, !REFUSABLE.has(what) || answer !== false);
      return answer;
    };
    return [what, hearing];
  });
  return Object.fromEntries(pairs) as unknown as RunControls;
}

/** The last few of something. */
class Ring<T> {
  readonly #items: T[] = [];
  #next = 0;

  push(item: T): void {
    this.#items[this.#next] = item;
    this.#next = (this.#next + 1) % MOST_REMEMBERED;
  }

  lastFirst(): T[] {
    return [...this.#items.slice(this.#next), ...this.#items.slice(0, this.#next)].reverse();
  }
}

/** What a run was told, so that the rounds that follow are told, too. */
class Orders {
  #round: WatchedRound['controls'] | null = null;
  #isPaused = false;
  #workers: number | null = null;
  /** By host; null is for all that have none of their own. */
  readonly delays = new Map<string | null, number>();
  readonly #quarantined = new Set<string>();
  readonly #traps = new Set<string>();

  /** All of it to a round that begins. */
  give(round: WatchedRound['controls']): void {
    this.#round = round;
    if (this.#workers !== null) {
      round.setWorkers(this.#workers);
    }
    for (const [host, delayMs] of this.delays) {
      round.setDelay(host, delayMs);
    }
    for (const host of this.#quarantined) {
      round.quarantine(host);
    }
    for (const pattern of this.#traps) {
      // A round that is over before it is done says so in its own way.
      round.allowTrap(pattern).catch(() => {});
    }
    if (this.#isPaused) {
      round.pause();
    }
  }

  controls(stop: () => void): RunControls {
    return {
      pause: () => {
        this.#isPaused = true;
        this.#round?.pause();
      },
      goOn: () => {
        this.#isPaused = false;
        this.#round?.goOn();
      },
      stop,
      setWorkers: (count) => {
        this.#round?.setWorkers(count);
        this.#workers = count;
      },
      setDelay: (host, delayMs) => {
        this.#round?.setDelay(host, delayMs);
        this.delays.set(host, delayMs);
      },
      quarantine: (host) => {
        this.#quarantined.add(host);
        return this.#round?.quarantine(host) ?? false;
      },
      release: (host) => {
        this.#quarantined.delete(host);
        return this.#round?.release(host) ?? false;
      },
      allowTrap: async (pattern) => {
        const isLetIn = (await this.#round?.allowTrap(pattern)) ?? false;
        if (isLetIn) {
          this.#traps.add(pattern);
        }
        return isLetIn;
      },
    };
  }
}

const NOTHING_YET: RoundMoment = {
  now: 0,
  urls: { done: 0, failed: 0, skipped: 0, deferred: 0, queued: 0, queuedOnDisk: 0 },
  retries: 0,
  refetched: 0,
  inFlight: 0,
  dispatched: 0,
  endsAt: Number.POSITIVE_INFINITY,
  isStopping: false,
  isDiskLow: false,
  isHeldUp: false,
  hostsDelayed: 0,
  waitingFor: null,
  seeding: null,
  rendering: 0,
  hosts: { known: 0, busy: 0, delayed: 0, backingOff: 0, deferred: 0 },
  layers: [],
  memory: { bytes: 0, peakBytes: 0, limitBytes: 0 },
  commitMs: null,
  cluster: null,
};
