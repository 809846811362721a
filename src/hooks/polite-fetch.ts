import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import { baseDelayMs } from '../config/base-delay.js';
import type { FetchRequest, FetchResponse, Header, PendingFetch } from '../fetch/contract.js';
import type { ResponseHeaders } from '../fetch/response-headers.js';
import { RobotsMatcher } from '../robots/match.js';
import { parseRobots, productToken } from '../robots/parse.js';
import { hostKeyOf, hostnameOf, isHttp, originOf, pathOf } from '../url/host.js';
import { HostPolicies } from '../url/host-policies.js';
import type { HookFetchOptions, HookResponse } from './contract.js';
import { type Manners, yourHeaders } from './lane-hooks.js';
import { headersByName, LazyContent, type TreeTools } from './page-content.js';
import type { StartCookies } from './start-cookies.js';

export interface PoliteFetchParts {
  source: { fetch(request: FetchRequest, hooks: object): PendingFetch };
  clock: Clock;
  manners: Manners;
  cookies: StartCookies;
  tools: TreeTools;
  /** While a request is under way, or waits for its time, nothing counts against the hook. */
  waits(isWaiting: boolean): void;
}

const MOST_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const ROBOTS_BYTES = 512 * 1024;
const MOST_BODY_BYTES = 1 << 20;
const METHODS: readonly unknown[] = ['GET', 'HEAD', 'POST'];

/**
 * The `fetch` of `start`: one request after the other, each host at its own pace and by its robots.txt, through the fetcher of the lane and so
 * past its guard. `rest` waits until the crawl may ask the same hosts.
 */
export class PoliteFetch {
  readonly #parts: PoliteFetchParts;
  /** What holds for some hosts only. */
  readonly #policies: HostPolicies;
  readonly #rules = new Map<string, Promise<RobotsMatcher | null>>();
  readonly #crawlDelays = new Map<string, number>();
  /** By host: when it may be asked next. */
  readonly #nextAt = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: PoliteFetchParts) {
    this.#parts = parts;
    this.#policies = new HostPolicies(parts.manners.hosts);
  }

  readonly fetch = (url: string, options: HookFetchOptions = {}): Promise<HookResponse> => {
    const answer = this.#last.then(() => this.#whileWaiting(() => this.#follow(url, options)));
    this.#last = answer.catch(() => {});
    return answer;
  };

  async rest(): Promise<void> {
    await this.#last;
    await this.#sleepUntil(Math.max(0, ...this.#nextAt.values()));
  }

  async #whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    this.#parts.waits(true);
    try {
      return await work();
    } finally {
      this.#parts.waits(false);
    }
  }

  async #follow(given: string, options: HookFetchOptions): Promise<HookResponse> {
    let request = requestOf(given, options);
    for (let hops = 0; ; hops++) {
      await this.#checkRobots(request.url);
      const response = await this.#send(request);
      this.#parts.cookies.take(request.url, response.headers.all('set-cookie'));
      const location = response.headers.url('location');
      if (!REDIRECTS.has(response.status) || location === null || options.redirect === 'manual') {
        return new Answer(request.url, response, this.#parts.tools);
      }
      if (hops === MOST_REDIRECTS) {
        throw new Error(`${given} redirects more than ${MOST_REDIRECTS} times`);
      }
      request = redirected(request, new URL(location, request.url).href, response.status);
    }
  }

  async #checkRobots(url: string): Promise<void> {
    if (!this.#parts.manners.obeyRobots) {
      return;
    }
    const origin = originOf(url);
    let rules = this.#rules.get(origin);
    if (rules === undefined) {
      rules = this.#askRobots(origin);
      this.#rules.set(origin, rules);
    }
    const verdict = (await rules)?.match(pathOf(url));
    if (verdict !== undefined && !verdict.allowed) {
      const line = verdict.rule === null ? '' : ` (line ${verdict.rule.line}: ${verdict.rule.text})`;
      throw new Error(`robots.txt of ${origin} forbids ${url}${line}`);
    }
  }

  async #askRobots(origin: string): Promise<RobotsMatcher | null> {
    const { agent, robotsTimeoutMs, maxCrawlDelayMs } = this.#parts.manners;
    const { userAgent } = this.#policies.ofOrigin(origin);
    let url = `${origin}/robots.txt`;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      const accept = 'text/plain,*/*;q=0.5';
      const { status, headers, body } = await this.#send({
        ...{ url, method: 'GET', accept, timeoutMs: robotsTimeoutMs, leastMaxBodyBytes: ROBOTS_BYTES },
        ...{ singleConnection: true, wantBody: () => true },
      });
      const location = headers.url('location');
      if (REDIRECTS.has(status) && location !== null) {
        url = new URL(location, url).href;
        continue;
      }
      if (status === 429 || status >= 500) {
        throw new Error(
          `robots.txt of ${origin} answers ${status}: until it says what is allowed, nothing there may be requested`,
        );
      }
      if (status >= 300 || body === null) {
        return null;
      }
      const file = parseRobots(body, userAgent === undefined ? agent : productToken(userAgent), url);
      this.#crawlDelays.set(hostnameOf(url), Math.min(file.crawlDelayMs ?? 0, maxCrawlDelayMs));
      return new RobotsMatcher(file);
    }
    return null;
  }

  async #send(request: FetchRequest): Promise<FetchResponse> {
    const { source, clock, cookies } = this.#parts;
    if (!isHttp(request.url)) {
      throw new FetchError('invalid_url', `${request.url} is not a URL of http or https.`);
    }
    const host = hostnameOf(request.url);
    await this.#sleepUntil(this.#nextAt.get(host) ?? 0);
    const cookie = cookies.get(request.url);
    try {
      return await source.fetch({ ...request, ...(cookie === '' ? {} : { cookie }) }, {}).promise;
    } finally {
      this.#nextAt.set(host, clock.now() + this.#delayMs(request.url, host));
    }
  }

  #delayMs(url: string, host: string): number {
    const { delayMs, delayIsDefault } = this.#parts.manners;
    const own = this.#policies.ofHost(hostKeyOf(url)).delayMs ?? baseDelayMs(host, delayMs, delayIsDefault);
    return Math.max(own, this.#crawlDelays.get(host) ?? 0);
  }

  #sleepUntil(at: number): Promise<void> | undefined {
    const { clock } = this.#parts;
    return at <= clock.now()
      ? undefined
      : new Promise((resolve) => {
          clock.at(at, resolve);
        });
  }
}

const OPTIONS: readonly string[] = ['method', 'headers', 'body', 'redirect'];

/** Throws for what cannot be asked for; no message has what may be a secret. */
function urlOf(given: unknown): string {
  const isText = typeof given === 'string' || given instanceof URL;
  const url = isText && URL.canParse(String(given)) ? new URL(given) : null;
  if (url === null || !isHttp(url.href)) {
    const what = url === null ? 'what it was given' : `${url.protocol}…`;
    throw new Error(`fetch asks for URLs of http and https, and ${what} is none`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('fetch takes no user and password in a URL: send the header Authorization');
  }
  url.hash = '';
  return url.href;
}

function requestOf(given: string, options: HookFetchOptions): FetchRequest {
  const { method, headers = {}, body, redirect } = options;
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new Error(`fetch knows no option ${unknown}; it has ${OPTIONS.join(', ')}`);
  }
  if (redirect !== undefined && redirect !== 'follow' && redirect !== 'manual') {
    throw new Error(`redirect is follow or manual, got ${String(redirect)}`);
  }
  const url = urlOf(given);
  if (method !== undefined && !METHODS.includes(method)) {
    throw new Error(`fetch asks with GET, HEAD or POST, got ${String(method)}`);
  }
  if (body !== undefined && method !== 'POST') {
    throw new Error('fetch sends a body only with method: POST');
  }
  const own = yourHeaders(headers);
  const isForm = body !== undefined && typeof body !== 'string';
  const text = isForm ? new URLSearchParams(body as Record<string, string>).toString() : (body ?? '');
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BODY_BYTES) {
    throw new Error('fetch sends a body of 1 MiB at most');
  }
  const isTyped = own.some(([name]) => name === 'content-type');
  const type: Header[] = isForm && !isTyped ? [['content-type', 'application/x-www-form-urlencoded']] : [];
  return {
    url,
    method: method ?? 'GET',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    headers: [...own, ...type],
    ...(method === 'POST' ? { body: bytes } : {}),
    singleConnection: true,
    wantBody: () => true,
  };
}

/** As browsers do: only 307 and 308 repeat a POST. What was meant for one origin goes to no other. */
function redirected(request: FetchRequest, target: string, status: number): FetchRequest {
  const { body, headers = [], ...rest } = request;
  const url = target.replace(/#.*$/s, '');
  const isSameOrigin = originOf(url) === originOf(request.url);
  const repeats = status === 307 || status === 308;
  if (request.method === 'POST' && repeats) {
    if (!isSameOrigin) {
      throw new Error(`${request.url} redirects the POST to another origin, which fetch does not follow`);
    }
    return { ...request, url };
  }
  const kept = isSameOrigin ? headers.filter(([name]) => name !== 'content-type') : [];
  return { ...rest, url, method: request.method === 'HEAD' ? 'HEAD' : 'GET', headers: kept };
}

class Answer extends LazyContent implements HookResponse {
  readonly url: string;
  readonly status: number;
  readonly #headers: ResponseHeaders;

  constructor(url: string, { status, headers, body }: FetchResponse, tools: TreeTools) {
    super(body, headers.get('content-type'), tools);
    this.url = url;
    this.status = status;
    this.#headers = headers;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Readonly<Record<string, string>> {
    return headersByName(this.#headers);
  }
}
