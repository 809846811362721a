import type { Clock } from '../base/clock.js';
import { ApiClient, ApiTrouble } from '../fetch/api-client.js';
import type { FetchOptions } from '../fetch/contract.js';
import { Fetcher } from '../fetch/fetcher.js';
import { hostnameOf, isHttp, isIpHost, isLoopbackHost } from '../url/host.js';
import { normaliseUrl } from '../url/identity.js';
import type { FindingTable } from './finding-table.js';
import type { Verdict } from './report/result.js';

export interface ArchiveOptions {
  /** As the availability API of the Wayback Machine: `?url=…` is appended. */
  url: string;
  fetch: FetchOptions;
  clock: Clock;
  delayMs: number;
  maxWaitMs: number;
  idleTimeoutMs: number;
  /** Aborted where the run is stopped. */
  signal: AbortSignal;
  notice(text: string): void;
}

/** Only links that two looks found dead are asked for; others may work again tomorrow. */
const GONE: ReadonlySet<Verdict> = new Set(['dead', 'dns']);
const MOST_QUESTIONS = 500;
const MOST_MS = 120_000;
const MOST_BYTES = 64 * 1024;
class OutOfTime extends Error {}

/** Asks an archive for a copy of each dead link, one after the other; what it has becomes the link's suggestion. */
export async function suggestCopies(table: FindingTable, options: ArchiveOptions): Promise<void> {
  const wanted = [...wantedUrls(table)];
  if (wanted.length === 0) {
    return;
  }
  const { clock, signal, url, notice } = options;
  const stop = new AbortController();
  const cancel = clock.at(clock.now() + MOST_MS, () => stop.abort(new OutOfTime()));
  const fetcher = new Fetcher(options.fetch, clock);
  const client = new ApiClient({ ...options, fetcher, signal: AbortSignal.any([signal, stop.signal]) });
  let asked = 0;
  try {
    for (const link of wanted.slice(0, MOST_QUESTIONS)) {
      const copy = await copyOf(client, `${url}?url=${encodeURIComponent(link)}`);
      asked++;
      if (copy !== null) {
        table.suggest(link, copy);
      }
    }
  } catch (error) {
    if (!(error instanceof ApiTrouble || error instanceof OutOfTime || signal.aborted)) {
      throw error;
    }
    if (error instanceof ApiTrouble) {
      notice(`the archive could not be asked: ${error.message}`);
    }
  } finally {
    cancel();
    await fetcher.close();
  }
  if (asked < wanted.length) {
    notice(`${wanted.length - asked} of ${wanted.length} dead links were not looked for in the archive`);
  }
}

/** URLs of hosts that only this machine or its network knows are not sent to the archive. */
function* wantedUrls(table: FindingTable): Iterable<string> {
  const seen = new Set<string>();
  for (const { url, verdict, fragment } of table.links(false)) {
    if (GONE.has(verdict) && fragment === null && isHttp(url) && isPublic(hostnameOf(url)) && !seen.has(url)) {
      seen.add(url);
      yield url;
    }
  }
}

const isPublic = (host: string): boolean => !isLoopbackHost(host) && !isIpHost(host) && host.includes('.');

async function copyOf(client: ApiClient, question: string): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const end = await client.ask(question, (piece) => {
    pieces.push(piece);
    bytes += piece.length;
    return bytes <= MOST_BYTES;
  });
  if (end !== 'complete') {
    throw new ApiTrouble('its answer is larger than any answer of an archive');
  }
  return readAnswer(Buffer.concat(pieces).toString('utf8'));
}

/** The answer is a stranger's: only a URL of the web counts. */
function readAnswer(text: string): string | null {
  let answer: { archived_snapshots?: { closest?: { available?: unknown; url?: unknown } } } | null = null;
  try {
    answer = JSON.parse(text);
  } catch {
    // An answer that is no JSON is treated below like one without a copy.
  }
  const snapshots = answer?.archived_snapshots;
  if (typeof snapshots !== 'object' || snapshots === null) {
    throw new ApiTrouble(
      'what it answers is not what the availability API of the Wayback Machine answers (--suggest-url)',
    );
  }
  const { available, url } = snapshots.closest ?? {};
  const normal = available === true && typeof url === 'string' && isHttp(url) ? normaliseUrl(url) : null;
  return normal?.url ?? null;
}
