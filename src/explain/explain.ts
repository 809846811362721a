import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { readDirectory, readTextArgument } from '../config/arguments.js';
import { LINK_KINDS } from '../parse/links.js';
import type { LinkTo, PassResult } from '../store/link-pass.js';
import { DirectoryLock } from '../store/lock.js';
import type { PageResult } from '../store/page-types.js';
import type { Reader } from '../store/reader.js';
import { readAtOneMoment, type StoredPlace, type StoredUrl, type UrlFacts } from '../store/url-facts.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { hostnameOf, isHttp, isIpHost, originOf, queueOriginOf } from '../url/host.js';
import { normaliseUrl } from '../url/identity.js';
import { routeIn } from '../url/routes.js';
import { parseSeedArgument } from '../url/seeds.js';
import { allowTrapFlag } from '../url/traps.js';
import { CrawlRules } from './crawl-rules.js';
import type { Attempt, Explanation, LinkFrom, PathStep } from './explanation.js';
import { fateOf, judgeUnseen } from './fate.js';
import { waitedOn, waitsInLine, waitsOn } from './waiting.js';

/** The most links, duplicates and the like that are named. */
const MOST_NAMED = 1_000;
const LONGEST_CHAIN = 1_000;

/**
 * Why a URL was or was not fetched, from a crawl that runs or is kept; nothing is fetched. It reads what the last commit left, all of it
 * at one moment, and disturbs nobody. All links of the crawl are looked at once.
 */
export function explain(directory: string, url: string): Explanation {
  const call = "explain('gossamer-data/example.com', 'https://example.com/a')";
  const path = readDirectory(call, directory);
  readTextArgument(call, url, 'url');
  return readAtOneMoment(path, (reader, facts) => new Explainer(path, reader, facts).explain(url));
}

class Explainer {
  readonly #reader: Reader;
  readonly #facts: UrlFacts;
  readonly #rules: CrawlRules;
  readonly #crawl: Explanation['crawl'];

  constructor(directory: string, reader: Reader, facts: UrlFacts) {
    this.#reader = reader;
    this.#facts = facts;
    this.#rules = new CrawlRules(reader.meta(), reader.seeds());
    const ended = reader.ended();
    this.#crawl = {
      directory,
      running: DirectoryLock.isTaken(directory),
      ended: ended?.reason ?? null,
      truncated: ended?.truncated ?? null,
    };
  }

  explain(text: string): Explanation {
    const meant = urlsMeantBy(text, this.#rules).map((url) => this.#rules.keptForm(url));
    const route = routeIn(text);
    const routes = route === null ? [] : meant.map((url) => url + route);
    const near = meant.flatMap(similarUrls);
    const rows = this.#facts.find([...routes, ...meant, ...near]);
    const row = [...routes, ...meant].flatMap((url) => foremost(rows.filter((found) => found.url === url)) ?? [])[0];
    return row === undefined ? this.#unseen(meant[0]!, [...new Set(rows.map((found) => found.url))]) : this.#seen(row);
  }

  #unseen(url: string, near: string[]): Explanation {
    const place = this.#facts.place(queueOriginOf(url));
    const robots = this.#rules.robots(url, place);
    const { trap, ...fate } = judgeUnseen(url, { rules: this.#rules, reader: this.#reader, robots });
    return {
      ...{ url, kind: 'page', ...fate, remedy: null, status: null, note: null, depth: null, path: null, redirects: [] },
      linkedFrom: { total: 0, first: [], pages: 0, nofollow: 0 },
      ...{
        duplicates: NONE,
        canonical: null,
        robotsMeta: null,
        canonicalOf: NONE,
        attempts: [],
        waiting: null,
        robots,
        trap,
        hosts: this.#rules.appliedTo(url),
        near,
      },
      sitemaps: this.#sitemaps(place),
      crawl: this.#crawl,
    };
  }

  #seen(row: StoredUrl): Explanation {
    const page = this.#reader.page(row.id)!;
    const place = row.origin === 0 ? null : this.#facts.place(row.origin);
    const pass = this.#facts.linksTo(row, MOST_NAMED);
    const robots = this.#rules.robots(row.url, place);
    const isTrap = row.reason === 'trap' || (row.flags & UrlFlag.trap) !== 0;
    const trap = isTrap ? this.#reader.traps.ofUrl(row.id) : null;
    const fate = fateOf({
      ...{ rules: this.#rules, row, page, place, trap, robots, crawl: this.#crawl },
      heldBack: pass.heldBack,
      hookWords: [...new Set(pass.links.first.flatMap(({ words }) => words ?? []))],
      onlyForms: pass.links.total > 0 && pass.links.first.every(({ kind }) => LINK_KINDS[kind] === 'form'),
    });
    const waiting = place === null ? null : this.#waiting(row, place);
    return {
      url: row.url,
      kind: row.kind === UrlKind.page ? 'page' : row.kind === UrlKind.robots ? 'robots' : 'sitemap',
      ...fate,
      ...(fate.state === 'leased' && waiting !== null ? { what: 'about to be fetched' } : {}),
      status: page.status,
      note: page.note,
      depth: pass.depth,
      path: this.#path(pass),
      redirects: this.#redirects(row.id),
      linkedFrom: {
        total: pass.links.total,
        first: pass.links.first.map((link) => this.#linkFrom(link)),
        pages: pass.pages,
        nofollow: pass.heldBack,
      },
      duplicates: this.#facts.sameContent(row.id, MOST_NAMED),
      canonical: page.canonical,
      robotsMeta: page.robotsMeta,
      canonicalOf: this.#facts.canonicalOf(row, MOST_NAMED),
      attempts: this.#attempts(row, page),
      waiting,
      robots,
      trap: trap === null ? null : { ...trap, allow: allowTrapFlag(trap.pattern) },
      sitemaps: this.#sitemaps(place),
      hosts: this.#rules.appliedTo(row.url),
      near: [],
      crawl: this.#crawl,
    };
  }

  #sitemaps(place: StoredPlace | null): Explanation['sitemaps'] {
    return place === null ? null : { host: place.host, ...this.#reader.sitemapFiles.count(place.hostId) };
  }

  #path({ path }: PassResult): PathStep[] {
    return path.map(({ id, by, kind }) => ({
      url: this.#facts.byId(id)?.url ?? '',
      by,
      kind: kind === null ? null : LINK_KINDS[kind]!,
    }));
  }

  #linkFrom({ from, kind, rel, text, follow, words }: LinkTo): LinkFrom {
    const isMarked = /(?:^|\s)nofollow(?:\s|$)/.test(rel);
    const marked = follow !== 'nofollow' ? null : isMarked ? 'link' : 'page';
    const nofollow = follow === 'declined' ? 'hook' : marked;
    return { url: this.#facts.byId(from)?.url ?? '', kind: LINK_KINDS[kind]!, rel, text, nofollow, skip: words };
  }

  #redirects(id: number): string[] {
    const chain: string[] = [];
    const passed = new Set([id]);
    for (
      let to = this.#facts.redirectOf(id);
      to !== null && chain.length < LONGEST_CHAIN;
      to = this.#facts.redirectOf(to)
    ) {
      chain.push(this.#facts.byId(to)?.url ?? '');
      if (passed.has(to)) {
        break;
      }
      passed.add(to);
    }
    return chain;
  }

  /** The attempts that led to a retry, and the last one. */
  #attempts(row: StoredUrl, { status, message }: PageResult): Attempt[] {
    const earlier: Attempt[] = this.#facts.failedAttempts(row.id);
    const isSettled = row.state === UrlState.done || row.state === UrlState.failed;
    if (!isSettled || row.attempts === 0) {
      return earlier;
    }
    const at = this.#facts.fetchedAt(row.id);
    return [...earlier, { attempt: row.attempts, at, status, reason: row.reason, message }];
  }

  #waiting(row: StoredUrl, place: StoredPlace): Explanation['waiting'] {
    const parts = { facts: this.#facts, rules: this.#rules, place, running: this.#crawl.running, now: Date.now() };
    if (row.state === UrlState.queued && this.#crawl.truncated === null) {
      return waitsOn(row, parts);
    }
    if (row.state === UrlState.leased) {
      return waitsInLine(row, parts);
    }
    const wasAsked = row.attempts > 0 && (row.state === UrlState.done || row.state === UrlState.failed);
    const fetchedAt = wasAsked ? this.#facts.fetchedAt(row.id) : null;
    return fetchedAt === null ? null : waitedOn(row, fetchedAt, parts);
  }
}

/** A feed or a sitemap may have a second row as the end of a link, which is never asked for. The row that was asked for says more. */
const foremost = (rows: readonly StoredUrl[]): StoredUrl | undefined =>
  rows.find(({ state }) => state !== UrlState.unlisted) ?? rows[0];

const NONE = { total: 0, first: [] as string[] };

/** A number behind the colon is the port of a bare domain, not the rest of a URL with another scheme. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]+:(?!\d+(?:[/?#]|$))/i;
const MOST_ORIGINS = 50;

/**
 * The URLs that a text may mean, in normal form, the likeliest first. Without a scheme both are tried, with and without `www.`; a path is
 * looked for on the seeds' hosts.
 */
function urlsMeantBy(text: string, rules: CrawlRules): string[] {
  if (rules.ownKeys) {
    return [text];
  }
  if (text.startsWith('/') && !text.startsWith('//')) {
    const origins = new Set(rules.seeds.flatMap(({ scopeUrls }) => scopeUrls.map(originOf)));
    return normal(
      [...origins].slice(0, MOST_ORIGINS).map((origin) => origin + text),
      text,
      rules,
    );
  }
  if (OTHER_SCHEME.test(text)) {
    return normal([text], text, rules);
  }
  const argument = parseSeedArgument(text, () => null, rules.identity);
  if (argument.kind !== 'url') {
    throw new UsageError(`${printable(text)} is not a URL`);
  }
  const { url, fallbacks } = argument.seed;
  const seeds = new Set(rules.seeds.flatMap(({ scopeUrls }) => scopeUrls.map(originOf)));
  const spellings = [url, ...fallbacks];
  return spellings.sort((a, b) => Number(seeds.has(originOf(b))) - Number(seeds.has(originOf(a))));
}

function normal(urls: string[], text: string, rules: CrawlRules): string[] {
  const found = urls.flatMap((url) => normaliseUrl(url, rules.identity)?.url ?? []);
  if (found.length === 0) {
    throw new UsageError(`${printable(text)} is not a URL`);
  }
  return found;
}

/** Other URLs that are easily taken for this one. */
function similarUrls(url: string): string[] {
  if (!isHttp(url)) {
    return [];
  }
  const query = url.indexOf('?');
  const page = query < 0 ? url : url.slice(0, query);
  const rest = query < 0 ? '' : url.slice(query);
  const slash = (page.endsWith('/') ? page.slice(0, -1) : `${page}/`) + rest;
  const scheme = url.startsWith('https:') ? `http:${url.slice(6)}` : `https:${url.slice(5)}`;
  const hostname = hostnameOf(url);
  const www = hostname.startsWith('www.') ? hostname.slice(4) : `www.${hostname}`;
  const others = [slash, page, scheme, ...(isIpHost(hostname) ? [] : [url.replace(hostname, www)])];
  return [...new Set(others)].filter((other) => other !== url && originOf(other).length < other.length);
}
