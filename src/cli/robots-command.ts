import { readFileSync } from 'node:fs';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { completeOptions } from '../config/resolve.js';
import { engineSettings } from '../crawl/settings.js';
import { Fetcher } from '../fetch/fetcher.js';
import { parseRobots, productToken, RobotsMatcher } from '../hosts/robots.js';
import { originOf, pathOf } from '../url/host.js';
import { AS_WRITTEN, normaliseUrl, UrlResolver } from '../url/identity.js';
import { parseSeedArgument } from '../url/seeds.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';

const MOST_REDIRECTS = 10;

/** gossamer robots <url>, or --file F --agent A --url U */
export async function runRobots(input: CommandInput): Promise<number> {
  const ready = prepare('robots', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { options } = ready.resolved;
  const given = [...input.positionals, ...(options.url === null ? [] : [options.url])];
  if (given.length !== 1) {
    throw new UsageError('`gossamer robots` takes one URL');
  }
  const url = urlOf(given[0]!);
  const agent = productToken(options.agent ?? 'gossamer');
  const { body, standing } = options.file === null ? await fetchRobots(url, options) : { body: readRobots(options.file), standing: 'file' };
  const verdict = body === null ? { allowed: standing === 'none', rule: null } : new RobotsMatcher(parseRobots(body, agent)).match(pathOf(url));
  const file = body === null ? null : parseRobots(body, agent);
  const answer = {
    url,
    agent,
    allowed: verdict.allowed,
    line: verdict.rule?.line ?? null,
    rule: verdict.rule?.text ?? null,
    why: whyOf(standing, verdict.rule),
    crawlDelayMs: file?.crawlDelayMs ?? null,
    sitemaps: file?.sitemaps ?? [],
  };
  if (options.json) {
    writeJson(answer);
  } else {
    process.stdout.write(`${answer.allowed ? 'allowed' : 'disallowed'}: ${printable(url)} for ${agent} (${printable(answer.why)})\n`);
  }
  return answer.allowed ? EXIT.ok : EXIT.findings;
}

function whyOf(standing: string, rule: { line: number; text: string } | null): string {
  if (rule !== null) {
    return `line ${rule.line}: ${rule.text}`;
  }
  if (standing === 'none') {
    return 'there is no robots.txt';
  }
  return standing === 'unreachable' ? 'robots.txt cannot be read: the server is in trouble' : 'no rule matches';
}

function urlOf(text: string): string {
  const argument = parseSeedArgument(text, () => null, AS_WRITTEN);
  if (argument.kind !== 'url') {
    throw new UsageError(`${printable(text)} is not a URL`);
  }
  return normaliseUrl(argument.seed.url, AS_WRITTEN)?.url ?? argument.seed.url;
}

function readRobots(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StateError('robots_file', `cannot read ${printable(path)}: ${(error as Error).message}`, { cause: error });
  }
}

/** Fetches robots.txt as a crawl would, redirects included. */
async function fetchRobots(url: string, given: object): Promise<{ body: Uint8Array | null; standing: string }> {
  const resolved = completeOptions(given as never);
  const seed = { seed: 0, url, label: url, scope: 'host', depth: null, maxUrls: null, fallbacks: [], scopeUrls: [url] };
  const settings = engineSettings({ options: resolved.options, delayIsDefault: true, seeds: [seed], credentials: new Map(), listensToEdges: false });
  const fetcher = new Fetcher(settings.fetch, systemClock);
  const resolver = new UrlResolver(AS_WRITTEN);
  try {
    let at = `${originOf(url)}/robots.txt`;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const response = await fetcher.fetch({ url: at, method: 'GET', accept: 'text/plain,*/*;q=0.5', singleConnection: true, wantBody: () => true }).promise;
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        at = resolver.resolve(location, at) ?? at;
        continue;
      }
      if (response.status === 429 || response.status >= 500) {
        return { body: null, standing: 'unreachable' };
      }
      return response.status >= 200 && response.status < 300 ? { body: response.body, standing: 'fetched' } : { body: null, standing: 'none' };
    }
    return { body: null, standing: 'none' };
  } finally {
    await fetcher.close();
  }
}
