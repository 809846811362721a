import { Agent, type IncomingMessage, request } from 'node:http';
import type { LinkKind } from '../../src/parse/links.js';
import { interner } from './interner.js';
import { decodePage } from './page-charset.js';
import { identityOf, linksOfPage, type PageLink, saysNofollow } from './page-links.js';

export interface WalkedPage {
  url: string;
  status: number;
  /** Clicks from the start page on the shortest way; redirects are free. */
  depth: number;
  contentType: string | null;
  /** Edges that leave this page. */
  links: number;
}

export interface WalkedEdge {
  from: string;
  to: string;
  kind: LinkKind;
  rel: string;
}

/** Pages sorted by URL; edges sorted by `from`, then in document order. */
export interface Walk {
  pages: WalkedPage[];
  edges: WalkedEdge[];
}

interface Answer {
  status: number;
  contentType: string | null;
  links: PageLink[];
}

const AT_A_TIME = 8;
const ANSWER_TIMEOUT_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const BINARY_ENDING = /\.(?:png|gif|jpe?g|webp|avif|ico|bmp|zip|gz|tgz|bz2|xz|7z|tar|pdf|mp[34]|woff2?|ttf|exe|iso)$/i;

/**
 * Visits all that the start page leads to on its host, level by level, with none of the crawler's code: what it finds is what
 * a crawl has to find. Slow and simple on purpose, and only for sites without robots.txt and sitemap. Any failure to get
 * an answer ends it, since a walk with a hole in it proves nothing.
 */
export async function walk(start: string): Promise<Walk> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  try {
    return await new Walker(start, agent).walk();
  } finally {
    agent.destroy();
  }
}

class Walker {
  readonly #agent: Agent;
  readonly #start: string;
  readonly #scopeHost: string;
  readonly #depths = new Map<string, number>();
  readonly #levels: string[][] = [];
  readonly #intern = interner();
  readonly #answers = new Map<string, Answer>();

  constructor(start: string, agent: Agent) {
    const url = identityOf(start, start);
    if (url === null) {
      throw new Error(`not a URL: ${start}`);
    }
    this.#agent = agent;
    this.#start = url;
    this.#scopeHost = new URL(url).hostname;
  }

  async walk(): Promise<Walk> {
    for (const path of ['/robots.txt', '/sitemap.xml', '/sitemap_index.xml']) {
      const response = await this.#request(new URL(path, this.#start).href, 'GET');
      await bodyOf(response);
      const { statusCode } = response;
      if (statusCode !== 404) {
        throw new Error(`the walker knows no robots and no sitemaps, but ${path} is ${statusCode}`);
      }
    }
    this.#admit(this.#start, 0);
    for (let depth = 0; depth < this.#levels.length; depth++) {
      await this.#walkLevel(depth);
    }
    return this.#result();
  }

  /** A redirect adds to the level that is being walked, also a URL that waits in the next one already. */
  async #walkLevel(depth: number): Promise<void> {
    const level = this.#levels[depth] as string[];
    for (let next = 0; next < level.length; ) {
      const waiting = level.slice(next, next + AT_A_TIME);
      next += waiting.length;
      const batch = waiting.filter((url) => this.#depths.get(url) === depth);
      const answers = await Promise.all(batch.map((url) => this.#visit(url)));
      for (const [i, answer] of answers.entries()) {
        this.#answers.set(batch[i] as string, answer);
        for (const link of answer.links) {
          if (link.follow) {
            this.#admit(link.to, link.kind === 'redirect' ? depth : depth + 1);
          }
        }
      }
    }
  }

  #admit(url: string, depth: number): void {
    if (!this.#inScope(url) || (this.#depths.get(url) ?? Number.POSITIVE_INFINITY) <= depth) {
      return;
    }
    this.#depths.set(url, depth);
    this.#levels[depth] ??= [];
    this.#levels[depth].push(url);
  }

  #inScope(url: string): boolean {
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') {
      return false;
    }
    return hostname === this.#scopeHost || hostname.endsWith(`.${this.#scopeHost}`);
  }

  async #visit(url: string): Promise<Answer> {
    const isBinary = BINARY_ENDING.test(new URL(url).pathname);
    const response = await this.#request(url, isBinary ? 'HEAD' : 'GET');
    const status = response.statusCode as number;
    const contentType = response.headers['content-type'] ?? null;
    const body = await bodyOf(response);
    const location = response.headers.location;
    if (REDIRECTS.has(status) && location !== undefined) {
      const to = identityOf(location, url);
      return { status, contentType, links: to === null ? [] : [{ to, kind: 'redirect', rel: '', follow: true }] };
    }
    const isPage =
      status >= 200 && status < 300 && /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType ?? '');
    if (!isPage) {
      return { status, contentType, links: [] };
    }
    const pageAllows = !saysNofollow(String(response.headers['x-robots-tag'] ?? ''));
    const links = linksOfPage(decodePage(body, contentType), url).map((link) => ({
      ...link,
      to: this.#intern(link.to),
      follow: link.follow && pageAllows,
    }));
    return { status, contentType, links };
  }

  #request(url: string, method: 'GET' | 'HEAD'): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, agent: this.#agent, timeout: ANSWER_TIMEOUT_MS }, (response) => {
        resolve(response);
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`)));
      outgoing.on('error', (cause) => reject(new Error(`${method} ${url} failed`, { cause })));
      outgoing.end();
    });
  }

  #result(): Walk {
    const pages: WalkedPage[] = [];
    const edges: WalkedEdge[] = [];
    for (const from of [...this.#answers.keys()].sort()) {
      const { status, contentType, links } = this.#answers.get(from) as Answer;
      pages.push({ url: from, status, depth: this.#depths.get(from) as number, contentType, links: links.length });
      for (const { to, kind, rel } of links) {
        edges.push({ from, to, kind, rel });
      }
    }
    return { pages, edges };
  }
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
