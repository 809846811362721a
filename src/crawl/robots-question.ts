import { types } from 'node:util';
import { systemClock } from '../base/clock.js';
import { FetchError, SeedError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { checkSignal, stoppedBy, throwIfStopped } from '../config/abort.js';
import { describeValue, readOptions, readTextArgument } from '../config/arguments.js';
import type { CrawlOptions } from '../config/options.js';
import { completeOptions } from '../config/resolve.js';
import { Fetcher } from '../fetch/fetcher.js';
import { RobotsMatcher } from '../robots/match.js';
import { parseRobots, productToken } from '../robots/parse.js';
import { RobotsWalk } from '../robots/walk.js';
import { readSetCookies } from '../url/cookies.js';
import { originOf, pathOf } from '../url/host.js';
import { AS_WRITTEN } from '../url/identity.js';
import { asText, UrlResolver } from '../url/resolver.js';
import { parseSeedArgument } from '../url/seeds.js';
import { engineSettings } from './settings.js';

/** What robots.txt says for a URL, and which line decides. */
export interface RobotsAnswer {
  /** The URL in question. */
  url: string;
  /** The agent that rules were matched by. */
  agent: string;
  /** Whether the URL may be asked for. */
  allowed: boolean;
  /** Null if no line decides. */
  line: number | null;
  /** The line that decides; null if none does. */
  rule: string | null;
  /** The same in words. */
  why: string;
  /** The Crawl-delay for this agent; null if there is none. */
  crawlDelayMs: number | null;
  /** URLs of its Sitemap lines. */
  sitemaps: string[];
}

/** Who asks, and the way to the server. */
export interface RobotsQuestion extends Partial<Omit<CrawlOptions, 'seedsFiles' | 'startUrls'>> {
  /** The agent that rules are matched by; by default the first product of `userAgent`, or gossamer. */
  agent?: string;
  /** Aborts the question: the promise is rejected with a `StateError` of the code `stopped`. */
  signal?: AbortSignal;
}

/** What this robots.txt says, without fetching anything. */
export function matchRobots(robots: string | Uint8Array, url: string, agent = 'gossamer'): RobotsAnswer {
  const call = "matchRobots('User-agent: *', 'https://example.com/', 'gossamer')";
  if (typeof robots !== 'string' && !types.isUint8Array(robots)) {
    throw new UsageError(`the robots of matchRobots must be a text or bytes: ${call}; got ${describeValue(robots)}`);
  }
  const address = urlOf(readTextArgument(call, url, 'url'));
  const product = productToken(readTextArgument(call, agent, 'agent'));
  const file = parseRobots(
    typeof robots === 'string' ? Buffer.from(robots) : robots,
    product,
    `${originOf(address)}/robots.txt`,
  );
  const { allowed, rule } = new RobotsMatcher(file).match(pathOf(address));
  return {
    url: address,
    agent: product,
    allowed,
    line: rule?.line ?? null,
    rule: rule?.text ?? null,
    why: rule === null ? 'no rule matches' : `line ${rule.line}: ${rule.text}`,
    crawlDelayMs: file.crawlDelayMs,
    sitemaps: file.sitemaps,
  };
}

/** What the robots.txt of the URL's own host says; it is fetched as in a crawl. */
export async function robotsVerdict(url: string, question: RobotsQuestion = {}): Promise<RobotsAnswer> {
  const call = "robotsVerdict('https://example.com/a', { agent: 'examplebot' })";
  const address = urlOf(readTextArgument(call, url, 'url'));
  const { agent: asked, signal, ...options } = readOptions(call, question);
  checkSignal(signal);
  const agent = asked === undefined ? (options.userAgent ?? 'gossamer') : readTextArgument(call, asked, 'agent');
  const found = await fetchRobots(address, options, signal).catch((error) => {
    if (!(error instanceof FetchError)) {
      throw error;
    }
    throw new SeedError(`robots.txt of ${printable(originOf(address))} cannot be fetched: ${printable(error.message)}`);
  });
  if (typeof found !== 'string') {
    return matchRobots(found, address, agent);
  }
  const allowed = found === 'none';
  const why = allowed ? 'there is no robots.txt' : 'robots.txt cannot be read: the server is in trouble';
  return {
    url: address,
    agent: productToken(agent),
    allowed,
    line: null,
    rule: null,
    why,
    crawlDelayMs: null,
    sitemaps: [],
  };
}

function urlOf(text: string): string {
  const argument = parseSeedArgument(text, () => null, AS_WRITTEN);
  if (argument.kind !== 'url') {
    throw new UsageError(`${printable(text)} is not a URL`);
  }
  return argument.seed.url;
}

/** Fetches the file and follows redirects; says if there is none, or if the server is in trouble. */
async function fetchRobots(
  url: string,
  given: Partial<CrawlOptions>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | 'none' | 'unreachable'> {
  const { options } = completeOptions(given);
  const seed = { seed: 0, url, label: url, scope: 'host', depth: null, maxUrls: null, fallbacks: [], scopeUrls: [url] };
  const settings = engineSettings({
    options,
    delayIsDefault: true,
    seeds: [seed],
    credentials: new Map(),
    listensToEdges: false,
  });
  const fetcher = new Fetcher(settings.fetch, systemClock);
  const resolver = new UrlResolver(AS_WRITTEN, asText);
  const request = {
    method: 'GET',
    accept: 'text/plain,*/*;q=0.5',
    singleConnection: true,
    wantBody: () => true,
  } as const;
  try {
    let at = `${originOf(url)}/robots.txt`;
    const walk = new RobotsWalk();
    for (;;) {
      throwIfStopped('robotsVerdict', signal);
      const cookie = walk.cookieFor(at);
      const asked = fetcher.fetch({
        ...request,
        url: at,
        timeoutMs: options.robotsTimeoutMs,
        ...(cookie === null ? {} : { cookie }),
      });
      const { status, headers, body, truncated } = await stoppedBy(
        signal,
        () => asked.abort(new FetchError('internal', 'stopped')),
        () => asked.promise,
      ).catch((error) => {
        throwIfStopped('robotsVerdict', signal);
        throw error;
      });
      const location = headers.url('location');
      if (status >= 300 && status < 400 && location !== null) {
        const to = resolver.resolve(location, at) ?? at;
        const cookies = readSetCookies(headers.all('set-cookie'), at, systemClock.wall());
        const meaning = walk.redirected(at, to, cookies);
        if (meaning !== 'ask') {
          return meaning;
        }
        at = to;
        continue;
      }
      if (status === 429 || status >= 500 || truncated) {
        return 'unreachable';
      }
      return status >= 200 && status < 300 && body !== null ? body : 'none';
    }
  } finally {
    await fetcher.close();
  }
}
