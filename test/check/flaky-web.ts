import type { Verdict } from '../../src/check/report/result.js';
import { Random } from '../web/random.js';
import { html, linkPage, notFound, reset, type Site, type SiteAnswer, type SiteRequest, text } from '../web/site.js';
import type { WebInABox } from '../web/web.js';

/** What became of one request, as the server knows it. */
type Fate = 'fine' | 'dead' | 'server_error' | 'connection';

interface Asked {
  fate: Fate;
  method: string;
  range: string | undefined;
}

export interface FlakyOptions {
  seed: number;
  /** Half of them below the seed's host, half elsewhere. */
  hosts: number;
  linksPerHost: number;
  /** Share of requests, those for robots.txt too, that fail for no reason. */
  flaky: number;
  /** Share of links that lead nowhere. */
  dead: number;
  retries: number;
}

export const HOME = 'http://site.test/';
const FAULTS: readonly Fate[] = ['server_error', 'server_error', 'connection'];

/**
 * Hosts whose servers fail at random, never with 404, and links some of which are truly dead. It notes what it answered to each request, and
 * says from that alone what a check has to say.
 */
export class FlakyWeb {
  readonly #options: FlakyOptions;
  readonly #asked = new Map<string, Asked[]>();
  readonly urls: string[] = [];

  constructor(options: FlakyOptions) {
    this.#options = options;
    for (let host = 0; host < options.hosts; host++) {
      const name = host % 2 === 0 ? `h${host}.site.test` : `h${host}.test`;
      for (let n = 0; n < options.linksPerHost; n++) {
        this.urls.push(`http://${name}/page-${n}`);
      }
    }
  }

  install(web: WebInABox): void {
    const home = html(linkPage('Home', this.urls));
    web.site('site.test', { handle: ({ path }) => (path === '/' ? home : notFound) });
    const site: Site = { handle: (request) => this.#answer(request) };
    for (const host of new Set(this.urls.map((url) => new URL(url).hostname))) {
      web.site(host, site);
    }
  }

  isDead(url: string): boolean {
    return this.#random(url, 'dead').chance(this.#options.dead);
  }

  get requests(): number {
    return [...this.#asked.values()].reduce((sum, asked) => sum + asked.length, 0);
  }

  failures(fate: Fate): number {
    return [...this.#asked.values()].flat().filter((asked) => asked.fate === fate).length;
  }

  /** The rule, read from what was answered: two failures of one class are the verdict, two classes are none, and what is fine is fine. */
  verdictOn(url: string): Verdict {
    const asked = this.#asked.get(url) ?? [];
    const [first, second] = new URL(url).hostname.endsWith('.site.test')
      ? this.#looksInside(asked)
      : looksElsewhere(asked);
    if (first === undefined) {
      return 'unchecked';
    }
    if (first === 'fine') {
      return 'ok';
    }
    if (second === 'fine') {
      return 'ok';
    }
    return second === first ? second : 'unverifiable';
  }

  /** Behind a robots.txt that could not be had. */
  wasKeptOff(url: string): boolean {
    const robots = this.#asked.get(new URL('/robots.txt', url).href) ?? [];
    return robots.length > 0 && robots.every(({ fate }) => fate !== 'fine');
  }

  wasAsked(url: string): boolean {
    return this.#asked.has(url);
  }

  /** The first look is one request. The second ends with an answer, or with the last of its tries. */
  #looksInside([first, ...others]: readonly Asked[]): (Fate | undefined)[] {
    const looks = first === undefined ? [] : [first.fate];
    let tries = 0;
    for (const { fate } of others) {
      if (++tries > this.#options.retries || fate === 'fine' || fate === 'dead') {
        looks.push(fate);
        tries = 0;
      }
    }
    return looks;
  }

  #answer({ host, path, method, headers }: SiteRequest): SiteAnswer {
    const url = `http://${host}${path}`;
    const asked = this.#asked.get(url) ?? [];
    this.#asked.set(url, asked);
    const random = this.#random(url, String(asked.length));
    const isThere = path === '/robots.txt' || (this.urls.includes(url) && !this.isDead(url));
    const fate = random.chance(this.#options.flaky) ? random.pick(FAULTS) : isThere ? 'fine' : 'dead';
    asked.push({ fate, method, range: headers.range });
    if (fate === 'connection') {
      return reset;
    }
    if (fate === 'server_error') {
      return text('Not now.', random.pick([500, 503]));
    }
    if (path === '/robots.txt') {
      return text('User-agent: *\nDisallow: /private\n');
    }
    return fate === 'dead' ? notFound : html(linkPage(url, ['/page-0']));
  }

  /** The same for the n-th request of a URL in every run of a seed, whatever the order of requests. */
  #random(url: string, what: string): Random {
    let state = this.#options.seed * 7919;
    for (const letter of `${url} ${what}`) {
      state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    }
    const random = new Random(state);
    random.fraction();
    return random;
  }
}

/** HEAD and the first byte are the first look, the first 64 KiB the second. */
function looksElsewhere(asked: readonly Asked[]): (Fate | undefined)[] {
  const isSecond = ({ range }: Asked): boolean => range === 'bytes=0-65535';
  return [asked.filter((each) => !isSecond(each)).at(-1)?.fate, asked.filter(isSecond).at(-1)?.fate];
}
