/** What whoever watches a run sees of it, and what they may tell it: terminal, dashboard, metrics and log all go by these two. */

/** What a run is at. */
export type RunState = 'running' | 'paused' | 'stopping' | 'ended';

/** A moment of a run. Plain values only: it is sent as JSON as it is. */
export interface LiveSnapshot {
  /** Wall time, in milliseconds. */
  readonly at: number;
  /** `crawl`, `check` or `docs`. */
  readonly command: string;
  /** Where the run is kept; null if it is not. */
  readonly directory: string | null;
  /** Whether it runs. */
  readonly state: RunState;
  /** Why it ended; null while it runs. */
  readonly endReason: string | null;
  /** Since the run began, over all of its rounds. */
  readonly elapsedMs: number;
  /** Of all runs on the same store. */
  readonly urls: {
    readonly done: number;
    readonly failed: number;
    readonly skipped: number;
    readonly deferred: number;
    readonly queued: number;
    /** Queued URLs that are on disk alone. */
    readonly queuedOnDisk: number;
  };
  /** Of this run. */
  readonly requests: number;
  /** Answers of this run that the cache gave (`--http-cache`), without a request. */
  readonly cached: number;
  /** Of them, those for pages that had failed before. */
  readonly retries: number;
  /** Of them, those for what an earlier run had under way when it was cut off. */
  readonly refetched: number;
  /** Of the bodies of pages, of this run: without robots.txt and sitemaps, as in the summary. */
  readonly bytes: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** Answers of this run by the first digit of their status; `none` where no answer came. */
  readonly statusClasses: Readonly<Record<'1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none', number>>;
  /** Failures of this run by error class. */
  readonly failures: Readonly<Record<string, number>>;
  /** Time to the first byte of an answer, of this run. */
  readonly latency: LatencyFigures;
  /** Over the last half minute, or a few pages at least. */
  readonly pagesPerSecond: number;
  /** The same, of bodies. */
  readonly bytesPerSecond: number;
  /** For what is queued now; null if nobody can know. */
  readonly leftMs: number | null;
  /** How many hosts there are, and what they are at. */
  readonly hosts: {
    readonly known: number;
    /** With a request under way. */
    readonly busy: number;
    /** Waiting for their next allowed time. */
    readonly delayed: number;
    /** Left alone after trouble. */
    readonly backingOff: number;
    readonly deferred: number;
  };
  /** The twelve layers, in their order. */
  readonly layers: readonly LayerFigures[];
  /** The layer that holds the run back most, by its name; null if none does. */
  readonly tightest: string | null;
  /** What the run waits for, as one phrase; null if it does not wait. */
  readonly waitingFor: string | null;
  /** Of the process, as it was at the last second. */
  readonly memory: { readonly bytes: number; readonly peakBytes: number; readonly limitBytes: number };
  /** Mean time of the last commits; null if there was none. */
  readonly commitMs: number | null;
  /** What the governor decided: the last fifty, the latest first. */
  readonly decisions: readonly { readonly at: number; readonly limit: number; readonly cause: string }[];
  /** Pages that failed: the last fifty, the latest first. */
  readonly problems: readonly Problem[];
  /** What a user should see: the last fifty, the latest first. */
  readonly notices: readonly {
    readonly at: number;
    /** A sentence. Parts of it may come from a page. */
    readonly text: string;
    /** The pattern of a trap that the sentence is about and that `allowTrap` lets in; null otherwise. */
    readonly trap: string | null;
  }[];
  /** What only one command has: pages that became Markdown, dead links. */
  readonly work: { readonly name: string; readonly done: number; readonly total: number | null } | null;
  /** All machines of a crawl on several, as this one last heard of them; null if it crawls alone. */
  readonly cluster: ClusterSnapshot | null;
}

/** A crawl on several machines. */
export interface ClusterSnapshot {
  /** Its name in Redis. */
  readonly crawlId: string;
  /** The slot of the machine that says this; null if it has none. */
  readonly own: number | null;
  /** How many slots there are. */
  readonly nodes: number;
  /** What the whole of it is at. */
  readonly phase: 'running' | 'paused' | 'stopping' | 'ending' | 'ended';
  /** The limit that has ended it, or is about to; null if none has. */
  readonly reason: string | null;
  /** Of `--duration`; null if there is none. */
  readonly leftMs: number | null;
  /** Memory that Redis needs for the crawl; null if nobody has looked. */
  readonly redisBytes: number | null;
  /** Every slot, in their order. */
  readonly slots: readonly SlotSnapshot[];
}

/** One machine's part of a crawl on several. Its figures are those that it has told last. */
export interface SlotSnapshot {
  /** Its number, from 0. */
  readonly slot: number;
  /** `free`: nobody has had it. `missing`: its lease is over, and what waits for it waits. */
  readonly state: 'free' | 'active' | 'idle' | 'ended' | 'missing';
  /** The machine that it runs on, by its own word. */
  readonly host: string;
  /** The number of its process there. */
  readonly pid: number;
  /** How long it may still send. */
  readonly leaseLeftMs: number;
  /** Since when its lease is over. */
  readonly missingForMs: number;
  /** Pages that are done. */
  readonly done: number;
  /** Pages that failed. */
  readonly failed: number;
  /** URLs that wait or are under way. */
  readonly outstanding: number;
  /** Requests that are under way. */
  readonly inFlight: number;
  /** Over the last seconds. */
  readonly pagesPerSecond: number;
  /** Of `--max-urls`, what it may still ask for; 0 where there is no such limit. */
  readonly unusedGrant: number;
  /** Pieces of mail, mostly URLs, that it has written and that have not arrived. */
  readonly mailFrom: number;
  /** Pieces that the others have written to it and that have not arrived. */
  readonly mailTo: number;
  /** Pieces that its process has taken. */
  readonly mailIn: number;
  /** Pieces that its process has sent. */
  readonly mailOut: number;
  /** Length of what it has sent. */
  readonly mailBytes: number;
  /** Entries of mail that wait for it in Redis; null if nobody has looked. */
  readonly entriesInRedis: number | null;
}

/** How long answers took. */
export interface LatencyFigures {
  /** How many there were. */
  readonly count: number;
  /** All of them together. */
  readonly sumMs: number;
  /** Half of them took no longer, about; null if nothing was answered. */
  readonly p50Ms: number | null;
  /** Nine of ten took no longer. */
  readonly p90Ms: number | null;
  /** 99 of 100 took no longer. */
  readonly p99Ms: number | null;
  /** How many took at most so long; the counts add up, as Prometheus has them. */
  readonly buckets: readonly { readonly atMostMs: number; readonly count: number }[];
}

/** One of the twelve layers of concurrency. */
export interface LayerFigures {
  /** As in summary.json. */
  readonly name: string;
  /** For people, such as "requests per host". */
  readonly title: string;
  /** The option that sets it, such as "--workers". */
  readonly option: string;
  /** What is counted, such as "requests" or "bytes". */
  readonly unit: string;
  /** How much of it is used now. */
  readonly use: number;
  /** Null if there is no end. */
  readonly limit: number | null;
  /** How many wait for it. */
  readonly waiting: number;
}

/** A URL of which nothing good has become. Its texts are the page's: whoever shows them makes them safe. */
export interface Problem {
  /** Wall time, in milliseconds. */
  readonly at: number;
  /** The URL. */
  readonly url: string;
  /** Its error class. */
  readonly reason: string;
  /** What the server answered; null if nothing came. */
  readonly status: number | null;
  /** More in words, where there is more to say. */
  readonly message: string | null;
}

/** What a run may be told while it runs. Each call holds from the next lease on; what is on the wire ends as it would have. */
export interface RunControls {
  /** Nothing new goes out until `goOn`. Third parties that are asked for URLs go on. */
  pause(): void;
  /** Ends a pause. */
  goOn(): void;
  /** As the first Ctrl+C. */
  stop(): void;
  /** Requests at once, over all hosts: from 1 to 4,096, and never more than the run was started with sockets for (`--max-sockets`). A resumed run has its own. */
  setWorkers(count: number): void;
  /**
   * The delay of a host, or of all that were given none of their own (null). Never shorter than robots.txt asks, nor than what a host's
   * refusals (429) have taught. It holds for this run: a resumed one goes by `--delay`.
   */
  setDelay(host: string | null, delayMs: number): void;
  /**
   * A host is asked for nothing more until it is released: what waits for it is put off, under the reason `held`. False if it is not in
   * memory: then it is put off as soon as it comes in. Where nothing else is left, the run ends; a resumed one asks the host again.
   */
  quarantine(host: string): boolean;
  /** False if it was not in quarantine. */
  release(host: string): boolean;
  /**
   * Lets URLs of a pattern in that were cut as a trap: those found from now on, and those cut before, which are queued again. False where
   * there is no such trap, and for traps that a single URL shows (too long, too deep, repeating itself): those `resume --allow-trap` lets in.
   * It holds for this run.
   */
  allowTrap(pattern: string): Promise<boolean>;
}

/** A run that can be watched. */
export interface WatchedRun {
  live(): LiveSnapshot;
  readonly controls: RunControls;
}

/** A run as a dashboard shows it: what travels with no snapshot, because only the dashboard needs it. */
export interface ShownRun extends WatchedRun {
  /** How many answers took how long, in the buckets of `LatencyHistogram`. */
  latencies(): Float64Array;
  /** The delays that somebody set while it ran: by host, and under null for all others. */
  delays(): ReadonlyMap<string | null, number>;
  /** A question could not be answered: it belongs in the log. */
  dashboardFailed(error: Error): void;
}
