import { type Clock, systemClock } from '../base/clock.js';

const TIMEOUT_MS = 10_000;
const TRIES = 2;
/** A server that restarts, or refuses for a moment, gets a while to come back. */
const PAUSE_MS = 1_500;

/** A URL without the credentials and the query that may be in it: one that may be shown. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * Tells a URL that a run is over: a POST of JSON, once more after a pause where that fails. Never throws; gives what went wrong, in words that may be shown,
 * or null.
 */
export async function notify(
  target: string,
  body: unknown,
  { timeoutMs = TIMEOUT_MS, clock = systemClock }: { timeoutMs?: number; clock?: Clock } = {},
): Promise<string | null> {
  const url = new URL(target);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  const text = JSON.stringify(body);
  let problem: string | null = null;
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) {
      await new Promise<void>((resolve) => clock.at(clock.now() + PAUSE_MS, resolve));
    }
    problem = await post(url, headers, text, timeoutMs);
    if (problem === null) {
      return null;
    }
  }
  return `--notify: ${shown(url)} was not told: ${problem}`;
}

async function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // Where it redirects nobody has asked for.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.ok ? null : `it answered ${response.status}`;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : (cause?.code ?? 'it could not be reached');
  }
}
