import { formatCount } from '../base/figures.js';
import { INVALID_SCHEME } from '../lane/link-facts.js';
import { isHtmlType, isMarkdownType } from '../parse/media-type.js';
import type { CheckedUrl, CheckReader } from '../store/check-reader.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import { isOutside, MAX_SITEMAP_DEPTH, UrlFlag, UrlState } from '../store/url-state.js';
import { hostnameOf, isLoopbackHost, originOf, pathOf } from '../url/host.js';
import { isRoute } from '../url/routes.js';
import { type FragmentCheck, viewOf } from './anchors.js';
import { Answers } from './answers.js';
import type { Finding } from './finding-table.js';
import type { PageNames } from './local-folder.js';
import type { Evidence, Verdict } from './report/result.js';
import type { ResultCache } from './result-cache.js';
import type { CheckRules } from './rules.js';
import { type LeftBy, type Ruling, seenOnce, verdictOn } from './ruling.js';
import { Soft404s } from './soft-404.js';

interface VerdictParts {
  store: CheckReader;
  chains: RedirectChains;
  rules: CheckRules;
  cache: ResultCache | null;
  names: PageNames;
  /** Why the run ended while URLs were still waiting. */
  leftBy: LeftBy;
  /** A kept crawl has answered. */
  asksNobody: boolean;
  /** Whether a page that was fetched by https loads this URL by http. */
  isMixed(id: number): boolean;
  /** The URL as written in links that --remap led elsewhere, by their target. */
  remapped: ReadonlyMap<number, string>;
  requireHttps: boolean;
}

const LEFT_UNREAD: Readonly<Record<LeftBy, string>> = {
  limit: 'the time for second looks was over',
  stop: 'the run was stopped',
};
const MADE_LATER = {
  drawn: 'but a script draws the page, and may make it',
  nameless: 'but nothing there has a name at all, and a script may give them',
} as const;
const LOST_ROUTE = 'the page draws the same for this route as for one that cannot exist';
const UNTOLD_ROUTE =
  'the page draws this route as it draws one that cannot exist, or draws nothing; that may be all there is';
const UNDRAWN_ROUTE = 'a script draws this route, and no browser has seen it';
const MOST_CHAIN = 1_000;
const REDIRECT_TROUBLE = {
  redirect_loop: 'its redirects lead back to where they have been',
  redirect_limit: 'it redirects more often than --max-redirects allows',
} as const;

/** A link to such a URL may be intended, but every browser refuses a redirect to it. */
const NEVER_BY_REDIRECT = /^(?:javascript|data|file|blob|about|filesystem|view-source):/i;

function refusedRedirect(row: CheckedUrl, end: CheckedUrl): Ruling | null {
  const [scheme] = end.url.split(':', 1);
  return end.id !== row.id && NEVER_BY_REDIRECT.test(end.url)
    ? { verdict: 'invalid_url', why: `it redirects to a URL with ${scheme}:, and browsers do not follow that` }
    : null;
}

/** The verdict on one target of links, with its evidence. */
export class LinkVerdicts {
  readonly #parts: VerdictParts;
  readonly #answers: Answers;
  readonly #soft404s: Soft404s;

  constructor(parts: VerdictParts) {
    this.#parts = parts;
    this.#answers = new Answers(parts.store);
    this.#soft404s = new Soft404s(parts.store, parts.chains);
  }

  /** The rows of all URLs that links can lead to. */
  targets(): IterableIterator<CheckedUrl> {
    return this.#parts.store.targets();
  }

  /** The finding for a URL of which every link is marked to be left out. */
  ofMarked(row: CheckedUrl): Finding {
    return this.#finding(row, row, { verdict: 'skipped', why: 'its links are marked with data-gossamer-ignore' });
  }

  of(row: CheckedUrl): Finding {
    const finding = this.#of(row);
    const written = this.#parts.remapped.get(row.id) ?? row.url;
    return this.#parts.requireHttps && isInsecure(written) ? this.#insecure(finding, written) : finding;
  }

  /** A link that fails anyway or is left out keeps its verdict. */
  #insecure(finding: Finding, written: string): Finding {
    if (finding.fails || finding.verdict === 'skipped') {
      return finding;
    }
    const { external, evidence } = finding;
    const { fails } = this.#parts.rules.decide({ url: written, verdict: 'insecure', status: null, external });
    return {
      ...finding,
      ...{ verdict: 'insecure', unchecked: null, fails },
      suggestion: `https:${written.slice('http:'.length)}`,
      evidence: { ...evidence, why: `it is http, and --require-https is set; ${evidence.why}` },
    };
  }

  #of(row: CheckedUrl): Finding {
    if (row.url.startsWith(INVALID_SCHEME)) {
      return this.#invalid(row);
    }
    const { id, problem } = this.#parts.chains.endOf(row.id);
    if (problem !== null) {
      const end = this.#parts.store.checkedUrl(id);
      // A chain can be too long although none of its hops failed. A second look would then tell nothing new.
      const isSure = wasDoubted(end) || (problem === 'redirect_limit' && end.state === UrlState.done);
      return this.#finding(row, row, sure({ verdict: problem, why: REDIRECT_TROUBLE[problem] }, isSure));
    }
    const cached = row.reason === 'known' ? this.#cached(row) : null;
    if (cached !== null) {
      return cached;
    }
    const end = id === row.id ? row : this.#parts.store.checkedUrl(id);
    const ruling = refusedRedirect(row, end) ?? verdictOn(this.#answers.answerOf(end), this.#parts.leftBy);
    if (ruling.verdict === 'ok' && isRoute(end.url)) {
      return this.#finding(row, end, this.#rulingOnRoute(end) ?? ruling);
    }
    const soft = ruling.verdict === 'ok' ? this.#soft404s.of(row, end) : null;
    return this.#finding(row, end, soft === null ? ruling : { verdict: 'soft_404', why: soft });
  }

  /** Null if the route has a view of its own. */
  #rulingOnRoute(route: CheckedUrl): Ruling | null {
    const view = viewOf(this.#parts.store.anchoredPage(route.id)?.anchors ?? null);
    if (view === 'own') {
      return null;
    }
    return view === 'unknown'
      ? sure({ verdict: 'soft_404', why: LOST_ROUTE }, wasDoubted(route))
      : { verdict: 'unverifiable', why: view === 'untold' ? UNTOLD_ROUTE : UNDRAWN_ROUTE };
  }

  /** The finding for a route that a link of another page names. */
  ofRoute({ target, end: endId, fragment, newRoute }: FragmentCheck): Finding {
    const end = this.#parts.store.checkedUrl(endId);
    const ruling = newRoute ? null : this.#rulingOnRoute(end);
    const undrawn: Ruling = { verdict: 'unverifiable', why: UNDRAWN_ROUTE };
    return { ...this.#finding(this.#parts.store.checkedUrl(target), end, ruling ?? undrawn), fragment };
  }

  ofMissing({ target, end: endId, fragment, byRedirect, standing }: FragmentCheck): Finding {
    const end = this.#parts.store.checkedUrl(endId);
    const why = `nothing on the page has this id or name${byRedirect ? ', which a redirect on the way names' : ''}`;
    if (standing === 'drawn' || standing === 'nameless') {
      const drawn: Ruling = { verdict: 'unverifiable', why: `${why}; ${MADE_LATER[standing]}` };
      return { ...this.#finding(this.#parts.store.checkedUrl(target), end, drawn), fragment };
    }
    const missing: Ruling = { verdict: 'missing_fragment', why };
    return { ...this.#finding(this.#parts.store.checkedUrl(target), end, sure(missing, wasDoubted(end))), fragment };
  }

  /** The finding for a page that answers but was not read for its anchors. */
  ofUnread({ target, end, fragment }: FragmentCheck): Finding {
    const { leftBy, asksNobody } = this.#parts;
    const ruling: Ruling = asksNobody
      ? {
          verdict: 'unchecked',
          unchecked: 'not_kept',
          why: 'the crawl asked whether the page is there, and did not read it for its ids',
        }
      : {
          verdict: 'unchecked',
          unchecked: leftBy,
          why: `${LEFT_UNREAD[leftBy]} before the page was read for its ids`,
        };
    return {
      ...this.#finding(this.#parts.store.checkedUrl(target), this.#parts.store.checkedUrl(end), ruling),
      fragment,
    };
  }

  /** Sitemaps that could not be read completely, so that some of their URLs are unknown. */
  *unreadSitemaps(): IterableIterator<{ row: CheckedUrl; finding: Finding }> {
    for (const row of this.#parts.store.unreadSitemaps()) {
      yield { row, finding: this.#finding(row, row, this.#ofSitemap(row)) };
    }
  }

  #ofSitemap(row: CheckedUrl): Ruling {
    const why =
      row.state === UrlState.skipped && row.reason === 'depth'
        ? `it is not read: sitemap indexes nested deeper than ${MAX_SITEMAP_DEPTH} are not followed`
        : row.state === UrlState.done
          ? `this sitemap is not read, or not all of it: ${row.malformed}`
          : null;
    const ruling: Ruling =
      why === null
        ? verdictOn(this.#answers.answerOf(row), this.#parts.leftBy)
        : { verdict: 'unchecked', unchecked: 'sitemap', why };
    return row.parent === null ? { ...ruling, why: `${ruling.why}; robots.txt names this sitemap` } : ruling;
  }

  /** The finding for a page that was read, but of whose links not all are kept. */
  ofCut(page: number, links: number): Finding {
    const row = this.#parts.store.checkedUrl(page);
    const why = `${formatCount(links)} links of this page are left out: its URLs are more than 64 MiB of text`;
    return this.#finding(row, row, { verdict: 'unchecked', unchecked: 'too_many_links', why });
  }

  #cached(row: CheckedUrl): Finding | null {
    const cached = this.#parts.cache?.get(row.url) ?? null;
    if (cached === null) {
      return null;
    }
    const { verdict, why, status, finalUrl, suggestion, at } = cached;
    const finding = this.#finding(row, row, { verdict, why: `${why} (known since ${at})` });
    return { ...finding, status, finalUrl, suggestion };
  }

  #invalid(row: CheckedUrl): Finding {
    const url = row.url.slice(INVALID_SCHEME.length);
    const why = url.startsWith('[') ? 'nothing defines this label' : whyInvalid(url);
    return { ...this.#finding(row, row, { verdict: 'invalid_url', why }), url };
  }

  /** @param end where the redirects of the link lead */
  #finding(row: CheckedUrl, end: CheckedUrl, ruling: Ruling): Finding {
    const { names, rules } = this.#parts;
    const chain = row.redirectTo === null ? [] : this.#chainOf(row);
    const said = this.#withRemarks(row, end, chain, ruling);
    const { status } = this.#answers.answerOf(end);
    const external = isOutside(end.flags);
    const decision = rules.decide({ url: row.url, verdict: said.verdict, status, external });
    const { verdict, why } = decision.accepted ? { verdict: 'ok' as const, why: decision.why! } : said;
    const remappedFrom = this.#parts.remapped.get(row.id) ?? null;
    const words = remappedFrom === null ? why : `${why}; written as ${remappedFrom} (--remap)`;
    const isAnswered = status !== null && end.state !== UrlState.skipped;
    return {
      url: names.url(row.url),
      fragment: null,
      verdict,
      unchecked: verdict === 'unchecked' ? (said.unchecked ?? null) : null,
      fails: decision.fails,
      external,
      status,
      finalUrl: isAnswered ? names.url(end.url) : null,
      suggestion: said.suggestion === null ? null : names.url(said.suggestion),
      remappedFrom,
      evidence: this.#evidence(end, words, chain),
    };
  }

  /** A link that answers may still deserve a note: it redirects, or a page by https loads it by http. */
  #withRemarks(
    row: CheckedUrl,
    end: CheckedUrl,
    chain: readonly ChainHop[],
    ruling: Ruling,
  ): Ruling & { suggestion: string | null } {
    if (ruling.verdict === 'ok' && this.#parts.isMixed(row.id)) {
      return mixedContent(row.url);
    }
    const said = ruling.verdict === 'ok' && chain.length > 1 ? auditRedirect(chain) : { ...ruling, suggestion: null };
    if (WORKS.has(said.verdict) && end.reason === 'too_large' && !isOutside(end.flags)) {
      return { ...said, verdict: 'unchecked', unchecked: 'limit', why: TOO_LARGE };
    }
    return WORKS.has(said.verdict) && isUnread(end)
      ? { ...said, verdict: 'unchecked', unchecked: 'trap', why: `${said.why}; ${IN_A_TRAP}` }
      : said;
  }

  #evidence(end: CheckedUrl, why: string, chain: readonly ChainHop[]): Evidence {
    return {
      why,
      chain: chain.map(({ url, status }) => ({ url: this.#parts.names.url(url), status })),
      headers: end.headers === null ? {} : JSON.parse(end.headers),
      looks: this.#answers.looksOf(end),
    };
  }

  #chainOf(row: CheckedUrl): ChainHop[] {
    const chain: ChainHop[] = [];
    const passed = new Set<number>();
    for (let at = row; chain.length < MOST_CHAIN; at = this.#parts.store.checkedUrl(at.redirectTo!)) {
      chain.push({ url: at.url, status: at.status });
      if (at.redirectTo === null || passed.has(at.id)) {
        break;
      }
      passed.add(at.id);
    }
    return chain;
  }
}

/** A link to this machine does not cross a network, so http is good enough for it. */
const isInsecure = (url: string): boolean => url.startsWith('http:') && !isLoopbackHost(hostnameOf(url));

/** A link of a page is invalid only where it cannot be parsed. So one that can be parsed stands in a sitemap. */
function whyInvalid(written: string): string {
  if (URL.canParse(written)) {
    return 'a sitemap names pages by http and https alone';
  }
  return written !== '' && URL.canParse(written, 'http://relative.invalid/')
    ? 'a sitemap has to name whole URLs, and this one is relative'
    : 'it cannot be read as a URL';
}

const WORKS: ReadonlySet<Verdict> = new Set(['ok', 'moved', 'redirected']);
const TOO_LARGE = 'it answers, but is larger than --max-body: its links and ids were not read';
const IN_A_TRAP = 'it is part of a trap for crawlers, and its links were not read; --allow-trap has them read';

/** Whether a trap cut the page: it answers, but its links were not read. */
const isUnread = ({ flags, state, contentType }: CheckedUrl): boolean =>
  state === UrlState.done &&
  (flags & (UrlFlag.trap | UrlFlag.asset)) === UrlFlag.trap &&
  (contentType === null || isHtmlType(contentType) || isMarkdownType(contentType));

const wasDoubted = ({ flags }: CheckedUrl): boolean => (flags & UrlFlag.secondLook) !== 0;

/** A failure that was seen only once gives no verdict. */
const sure = ({ verdict, why }: Ruling, isSure: boolean): Ruling =>
  isSure ? { verdict, why: `${why}, on both looks` } : seenOnce(why);

const mixedContent = (url: string) => ({
  verdict: 'mixed_content' as const,
  why: 'a page served by https loads it by http',
  suggestion: `https:${url.slice('http:'.length)}`,
});

interface ChainHop {
  url: string;
  status: number | null;
}

const PERMANENT: ReadonlySet<number | null> = new Set([301, 308]);

/** Chrome, Firefox and Safari follow so many redirects, as the Fetch standard has it. */
const MOST_IN_BROWSERS = 20;

/**
 * What is said of a link that redirects to a page that answers, and what to write instead. Only where every hop is permanent is
 * there anything to write.
 */
export function auditRedirect(chain: readonly ChainHop[]): Ruling & { suggestion: string | null } {
  const from = chain[0]!.url;
  const to = chain.at(-1)!.url;
  const hops = chain.slice(0, -1);
  const isPermanent = hops.every(({ status }) => PERMANENT.has(status));
  const toHome = isHome(to) && !isHome(from);
  const remarks = [
    isPermanent
      ? 'permanent'
      : hops.every(({ status }) => !PERMANENT.has(status))
        ? 'temporary'
        : 'permanent and temporary',
    ...(hops.length > 1 ? [`a chain of ${hops.length} redirects`] : []),
    ...(isUpgrade(from, to) ? ['only from http to https'] : []),
    ...(toHome ? ['to the home page: what was here may be gone'] : []),
  ];
  const suggestion = isPermanent && !toHome ? to : null;
  if (hops.length > MOST_IN_BROWSERS) {
    const why = `it redirects ${hops.length} times before it answers, and browsers give up after ${MOST_IN_BROWSERS}`;
    return { verdict: 'redirect_limit', why, suggestion };
  }
  return { verdict: isPermanent ? 'moved' : 'redirected', why: remarks.join('; '), suggestion };
}

const isHome = (url: string): boolean => pathOf(url) === '/';
const isUpgrade = (from: string, to: string): boolean =>
  from.startsWith('http:') && to === `https:${from.slice('http:'.length)}` && originOf(from) !== originOf(to);
