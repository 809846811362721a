import type { ErrorClass } from '../../src/base/errors.js';
import type { Lease, RobotsAnswer } from '../../src/frontier/outcome.js';
import { UrlKind } from '../../src/store/url-state.js';
import { pathOf } from '../../src/url/host.js';

export interface VirtualRequest {
  readonly url: string;
  readonly path: string;
  readonly kind: UrlKind;
  /** Monotonic. */
  readonly at: number;
  readonly attempt: number;
  /** How many requests this host had before. */
  readonly nth: number;
  /** A number that depends on the seed of the web, the URL and the attempt alone, not on what else is asked: 0 ≤ x < 1. */
  readonly chance: number;
}

/** What a request meets. Times count from the request. */
export interface Reply {
  /** Null: it fails without headers. */
  headersMs: number | null;
  endMs: number;
  status?: number;
  errorClass?: ErrorClass;
  retryAfterMs?: number;
  /** Asked when it has come. */
  links?(): readonly string[];
  /** Of robots.txt. */
  robots?: RobotsAnswer;
  /** robots.txt forbids it: the lane sends nothing. */
  forbidden?: boolean;
  redirect?: string;
}

export type VirtualHost = (request: VirtualRequest) => Reply;

export const ALLOWED: RobotsAnswer = {
  standing: 'rules',
  rules: null,
  crawlDelayMs: null,
  sitemaps: [],
  maxAgeMs: null,
};
export const crawlDelay = (ms: number): RobotsAnswer => ({ ...ALLOWED, crawlDelayMs: ms });

/** Hosts by name; a name without one is not found. */
export class VirtualWeb {
  readonly #hosts = new Map<string, { answers: VirtualHost; requests: number; address: string | null }>();
  readonly #seed: number;
  /** Look-ups of addresses, now and at most. */
  readonly lookUps = { now: 0, peak: 0 };

  constructor(seed = 1) {
    this.#seed = seed;
  }

  /** @param address null: it cannot be looked up, though it answers */
  add(name: string, host: VirtualHost, address: string | null = `address of ${name}`): this {
    this.#hosts.set(name, { answers: host, requests: 0, address });
    return this;
  }

  addressOf(name: string): string | null {
    return this.#hosts.get(name)?.address ?? null;
  }

  answer({ url, host: name, kind, attempt }: Pick<Lease, 'url' | 'host' | 'kind' | 'attempt'>, at: number): Reply {
    const host = this.#hosts.get(name);
    if (host === undefined) {
      return { headersMs: null, endMs: 5, errorClass: 'dns', robots: { standing: 'failed', errorClass: 'dns' } };
    }
    const chance = hashOf(url, this.#seed * 31 + attempt) / 0x1_0000_0000;
    return host.answers({ url, path: pathOf(url), kind, at, attempt, nth: host.requests++, chance });
  }
}

export interface PlainHost {
  /** Between these, by chance. */
  headersMs?: readonly [low: number, high: number];
  bodyMs?: number;
  robots?: RobotsAnswer;
  links?(path: string): readonly string[];
}

/** A host that answers everything with 200. */
export function plainHost(host: PlainHost = {}): VirtualHost {
  const [low, high] = host.headersMs ?? [50, 50];
  return ({ kind, chance, path }) => {
    const headersMs = low + chance * (high - low);
    const reply: Reply = { headersMs, endMs: headersMs + (host.bodyMs ?? 0), status: 200 };
    if (kind === UrlKind.robots) {
      return { ...reply, robots: host.robots ?? ALLOWED };
    }
    if (host.links !== undefined) {
      reply.links = () => host.links!(path);
    }
    return reply;
  };
}

/** A host whose pages are all troubled in the same way, robots.txt apart. */
export function troubledHost(trouble: (request: VirtualRequest) => Partial<Reply>): VirtualHost {
  return (request) => {
    const fine = { headersMs: 50, endMs: 50, status: 200 };
    return request.kind === UrlKind.robots ? { ...fine, robots: ALLOWED } : { ...fine, ...trouble(request) };
  };
}

/** A host that works on `slots` requests at once and lets the rest wait in line. */
export class SlotHost {
  readonly #serviceMs: number;
  #freeAt: number[];

  constructor(slots: number, serviceMs: number) {
    this.#serviceMs = serviceMs;
    this.#freeAt = new Array(slots).fill(0);
  }

  /** Takes those that are busy along, the ones that are free soonest first. */
  set slots(slots: number) {
    const busy = this.#freeAt.sort((a, b) => a - b).slice(0, slots);
    this.#freeAt = [...busy, ...new Array(slots - busy.length).fill(0)];
  }

  readonly answer: VirtualHost = ({ kind, at }) => {
    if (kind === UrlKind.robots) {
      return { headersMs: this.#serviceMs, endMs: this.#serviceMs, status: 404, robots: ALLOWED };
    }
    const slot = this.#freeAt.indexOf(Math.min(...this.#freeAt));
    const doneAt = Math.max(at, this.#freeAt[slot]!) + this.#serviceMs;
    this.#freeAt[slot] = doneAt;
    return { headersMs: doneAt - at, endMs: doneAt - at, status: 200 };
  };
}

/** FNV-1a with a last mix, so that URLs that differ in one digit are far apart. */
export function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return (hash ^ (hash >>> 16)) >>> 0;
}
