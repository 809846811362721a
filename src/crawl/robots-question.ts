import { systemClock } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import { completeOptions } from '../config/resolve.js';
import { Fetcher } from '../fetch/fetcher.js';
import { parseRobots, productToken, RobotsMatcher } from '../hosts/robots.js';
import { originOf, pathOf } from '../url/host.js';
import { AS_WRITTEN, asText, UrlResolver } from '../url/identity.js';
import { parseSeedArgument } from '../url/seeds.js';
import { engineSettings } from './settings.js';

/** What robots.txt says for a URL, and which line decides. */
export interface RobotsAnswer {
  url: string;
  agent: string;
  allowed: boolean;
  /** Null where no line decides. */
  line: number | null;
  rule: string | null;
  why: string;
  crawlDelayMs: number | null;
  sitemaps: string[];
}

/** Who asks, and the way to the server. */
export interface RobotsQuestion extends Partial<Omit<CrawlOptions, 'seedsFiles' | 'startUrls'>> {
  /** What rules are matched by; else the first product of `userAgent`, else gossamer. */
  agent?: string;
}

const MOST_REDIRECTS = 10;

/** What this robots.txt says, without fetching anything. */
export function matchRobots(robots: string | Uint8Array, url: string, agent = 'gossamer'): RobotsAnswer {
  const address = urlOf(url);
  const product = productToken(agent);
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

/** What the robots.txt of the URL's own host says; it is fetched as a crawl would. */
export async function robotsVerdict(url: string, question: RobotsQuestion = {}): Promise<RobotsAnswer> {
  const { agent = question.userAgent ?? 'gossamer', ...options } = question;
  const address = urlOf(url);
  const found = await fetchRobots(address, options);
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

/** The file, redirects followed; or that there is none, or that the server is in trouble. */
async function fetchRobots(url: string, given: Partial<CrawlOptions>): Promise<Uint8Array | 'none' | 'unreachable'> {
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
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const { status, headers, body } = await fetcher.fetch({ ...request, url: at, timeoutMs: options.robotsTimeoutMs })
        .promise;
      const location = headers.get('location');
      if (status >= 300 && status < 400 && location !== null) {
        at = resolver.resolve(location, at) ?? at;
        continue;
      }
      if (status === 429 || status >= 500) {
        return 'unreachable';
      }
      return status >= 200 && status < 300 && body !== null ? body : 'none';
    }
    return 'none';
  } finally {
    await fetcher.close();
  }
}
