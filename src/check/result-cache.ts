import { createReadStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { AtomicFiles } from '../report/atomic-file.js';
import { jsonLine, TextWriter } from '../report/output.js';
import { isHttp } from '../url/host.js';
import { withoutCredentials } from './plain-url.js';
import type { CheckedLink } from './report/result.js';

/** Verdicts that will most likely be the same tomorrow. A time-out or a rate limit is not among them. */
const KEPT = ['ok', 'redirected', 'moved', 'dead'] as const;
type KeptVerdict = (typeof KEPT)[number];

/** The kept result for an external URL, without its fragment. */
export interface CachedResult {
  url: string;
  /** When it was looked at, ISO 8601. */
  at: string;
  verdict: KeptVerdict;
  status: number | null;
  finalUrl: string | null;
  suggestion: string | null;
  why: string;
}

export interface CacheOptions {
  maxAgeMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
  mostEntries?: number;
}

const MOST_ENTRIES = 1_000_000;
const LONGEST_LINE = 64 * 1024;
const LINES_A_TURN = 5000;
/** Clocks of two machines that share a cache may differ by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** A single look may have failed by accident, so a link is kept as dead only after two looks. */
const LOOKS_OF_DEAD = 2;

/** Results of external links between runs, the oldest first. */
export class ResultCache {
  /** Lines of the file that could not be read. */
  damaged = 0;
  readonly #entries = new Map<string, { result: CachedResult; atMs: number }>();
  readonly #options: CacheOptions;
  readonly #mostEntries: number;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#mostEntries = options.mostEntries ?? MOST_ENTRIES;
  }

  /** Reads the file; a file that does not exist gives an empty cache. */
  static async load(file: string, options: CacheOptions): Promise<ResultCache> {
    const cache = new ResultCache(options);
    try {
      for await (const line of linesOf(file)) {
        cache.#addLine(line);
      }
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== 'ENOENT') {
        throw new StateError('cache', `cannot read the cache ${printable(file)} (${code})`, { cause });
      }
    }
    return cache;
  }

  urls(): IterableIterator<string> {
    return this.#entries.keys();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param maxAgeMs where a rule allows another age for this URL */
  get(url: string, maxAgeMs = this.#options.maxAgeMs): CachedResult | null {
    const entry = this.#entries.get(keyOf(url));
    return entry === undefined || !this.#isFresh(entry.atMs, maxAgeMs) ? null : entry.result;
  }

  /** Keeps the result of a link, or forgets the URL where its result is not worth keeping. */
  put(link: Pick<CheckedLink, 'url' | 'verdict' | 'status' | 'finalUrl' | 'suggestion' | 'evidence'>): void {
    const url = keyOf(link.url);
    const verdict = KEPT.find((kept) => kept === link.verdict);
    this.#entries.delete(url);
    if (verdict === undefined || !isHttp(url)) {
      return;
    }
    if (verdict === 'dead' && link.evidence.looks.length < LOOKS_OF_DEAD) {
      return;
    }
    const { status, finalUrl, suggestion, evidence } = link;
    const atMs = this.#options.now();
    const at = new Date(atMs).toISOString();
    this.#add({
      atMs,
      result: {
        url,
        at,
        verdict,
        status,
        finalUrl: finalUrl === null ? null : withoutCredentials(finalUrl),
        suggestion: suggestion === null ? null : withoutCredentials(suggestion),
        why: evidence.why,
      },
    });
  }

  /** Writes the entries that are still fresh, line by line and with pauses, so that a million of them do not hold up other work. */
  async save(file: string): Promise<void> {
    const files = new AtomicFiles(file);
    try {
      const output = new TextWriter(files.create());
      const entries = [...this.#entries.values()].sort((a, b) => a.atMs - b.atMs);
      for (const [index, { result, atMs }] of entries.entries()) {
        if (this.#isFresh(atMs, this.#options.maxAgeMs)) {
          output.write(jsonLine(result));
        }
        if (index % LINES_A_TURN === LINES_A_TURN - 1) {
          await setImmediate();
        }
      }
      output.flush();
      files.commit();
    } catch (error) {
      files.discard();
      throw error;
    }
  }

  #add(entry: { result: CachedResult; atMs: number }): void {
    this.#entries.delete(entry.result.url);
    this.#entries.set(entry.result.url, entry);
    if (this.#entries.size <= this.#mostEntries) {
      return;
    }
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }

  #addLine(line: string | null): void {
    const entry = line === null ? null : readLine(line);
    if (entry === null) {
      this.damaged++;
    } else if (this.#isFresh(entry.atMs, this.#options.maxAgeMs)) {
      this.#add(entry);
    }
  }

  #isFresh(atMs: number, maxAgeMs: number): boolean {
    const age = this.#options.now() - atMs;
    return age <= maxAgeMs && age >= -CLOCK_SKEW_MS;
  }
}

function keyOf(url: string): string {
  const plain = withoutCredentials(url);
  const hash = plain.indexOf('#');
  return hash < 0 ? plain : plain.slice(0, hash);
}

function readLine(line: string): { result: CachedResult; atMs: number } | null {
  let value: Partial<Record<keyof CachedResult, unknown>> | null;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { url, at, status = null, finalUrl = null, suggestion = null, why } = value ?? {};
  const verdict = KEPT.find((kept) => kept === value?.verdict);
  const atMs = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (typeof url !== 'string' || !isHttp(url) || url !== keyOf(url) || verdict === undefined) {
    return null;
  }
  if (typeof at !== 'string' || Number.isNaN(atMs) || typeof why !== 'string') {
    return null;
  }
  if (!isStatus(status) || !isText(finalUrl) || !isText(suggestion)) {
    return null;
  }
  return { result: { url, at, verdict, status, finalUrl, suggestion, why }, atMs };
}

const isStatus = (value: unknown): value is number | null => value === null || Number.isInteger(value);
const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

/** The lines of a file; null stands for one that is too long to be held. */
async function* linesOf(file: string): AsyncGenerator<string | null> {
  let begun = '';
  let isTooLong = false;
  for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = (begun + piece).split('\n');
    begun = lines.pop()!;
    for (const line of lines) {
      if (isTooLong || line.length > LONGEST_LINE) {
        yield null;
      } else if (line !== '') {
        yield line;
      }
      isTooLong = false;
    }
    if (begun.length > LONGEST_LINE) {
      begun = '';
      isTooLong = true;
    }
  }
  if (isTooLong) {
    yield null;
  } else if (begun !== '') {
    yield begun;
  }
}
