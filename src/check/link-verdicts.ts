import { INVALID_SCHEME } from '../crawl/link-facts.js';
import { isHtmlType, isMarkdownType } from '../parse/media-type.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import type { Database } from '../store/sqlite.js';
import { isOutside, MAX_SITEMAP_DEPTH, UrlFlag, UrlState } from '../store/url-state.js';
import { hostnameOf, isLoopbackHost } from '../url/host.js';
import type { FragmentCheck } from './anchors.js';
import type { Finding } from './finding-table.js';
import type { PageNames } from './findings.js';
import { auditRedirect, type ChainHop } from './redirect-audit.js';
import type { Evidence, Verdict } from './result.js';
import type { ResultCache } from './result-cache.js';
import type { CheckRules } from './rules.js';
import { type LeftBy, notTwice, type Ruling, ruleOn } from './ruling.js';
import { Soft404s } from './soft-404.js';
import { type UrlRow, UrlRows } from './url-rows.js';

export interface VerdictParts {
  database: Database;
  chains: RedirectChains;
  rules: CheckRules;
  cache: ResultCache | null;
  names: PageNames;
  /** What ended the run before the turn of all that waited, where anything waits. */
  leftBy: LeftBy;
  /** A page that came by https loads this URL by http. */
  isMixed(id: number): boolean;
  /** What is written in links that --remap led elsewhere, by their target. */
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
const MOST_CHAIN = 1_000;
const REDIRECT_TROUBLE = {
  redirect_loop: 'its redirects lead back to where they have been',
  redirect_limit: 'it redirects more often than --max-redirects allows',
} as const;

/** A link to such a URL may be meant so; a redirect to it is refused by every browser. */
const NEVER_BY_REDIRECT = /^(?:javascript|data|file|blob|about|filesystem|view-source):/i;

function refusedRedirect(row: UrlRow, end: UrlRow): Ruling | null {
  const [scheme] = end.url.split(':', 1);
  return end.id !== row.id && NEVER_BY_REDIRECT.test(end.url)
    ? { verdict: 'invalid_url', why: `it redirects to a URL with ${scheme}:, and browsers do not follow that` }
    : null;
}

/** The verdict on one target of links, with its evidence. */
export class LinkVerdicts {
  readonly #parts: VerdictParts;
  readonly #rows: UrlRows;
  readonly #soft404s: Soft404s;

  constructor(parts: VerdictParts) {
    this.#parts = parts;
    this.#rows = new UrlRows(parts.database);
    this.#soft404s = new Soft404s(parts.database, parts.chains);
  }

  /** All that links can lead to. */
  targets(): IterableIterator<UrlRow> {
    return this.#rows.all();
  }

  /** Every link to it is marked to be left out. */
  ofMarked(row: UrlRow): Finding {
    return this.#finding(row, row, { verdict: 'skipped', why: 'its links are marked with data-gossamer-ignore' });
  }

  of(row: UrlRow): Finding {
    const finding = this.#of(row);
    const written = this.#parts.remapped.get(row.id) ?? row.url;
    return this.#parts.requireHttps && isInsecure(written) ? this.#insecure(finding, written) : finding;
  }

  /** What fails anyway, and what is left out, stays what it is. */
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

  #of(row: UrlRow): Finding {
    if (row.url.startsWith(INVALID_SCHEME)) {
      return this.#invalid(row);
    }
    const { id, problem } = this.#parts.chains.endOf(row.id);
    if (problem !== null) {
      const end = this.#rows.get(id);
      // A chain can be too long without a hop that failed: then there is nothing to ask again.
      const isSure = wasDoubted(end) || (problem === 'redirect_limit' && end.state === UrlState.done);
      return this.#finding(row, row, sure({ verdict: problem, why: REDIRECT_TROUBLE[problem] }, isSure));
    }
    const cached = row.reason === 'known' ? this.#cached(row) : null;
    if (cached !== null) {
      return cached;
    }
    const end = id === row.id ? row : this.#rows.get(id);
    const ruling = refusedRedirect(row, end) ?? ruleOn(this.#rows.answerOf(end), this.#parts.leftBy);
    const soft = ruling.verdict === 'ok' ? this.#soft404s.of(row, end) : null;
    return this.#finding(row, end, soft === null ? ruling : { verdict: 'soft_404', why: soft });
  }

  ofMissing({ target, end: endId, fragment, byRedirect, standing }: FragmentCheck): Finding {
    const end = this.#rows.get(endId);
    const why = `nothing on the page has this id or name${byRedirect ? ', which a redirect on the way names' : ''}`;
    if (standing === 'drawn' || standing === 'nameless') {
      const drawn: Ruling = { verdict: 'unverifiable', why: `${why}; ${MADE_LATER[standing]}` };
      return { ...this.#finding(this.#rows.get(target), end, drawn), fragment };
    }
    const missing: Ruling = { verdict: 'missing_fragment', why };
    return { ...this.#finding(this.#rows.get(target), end, sure(missing, wasDoubted(end))), fragment };
  }

  /** The page answers, but was not read for what fragments can point at. */
  ofUnread({ target, end, fragment }: FragmentCheck): Finding {
    const { leftBy } = this.#parts;
    const ruling: Ruling = {
      verdict: 'unchecked',
      unchecked: leftBy,
      why: `${LEFT_UNREAD[leftBy]} before the page was read for its ids`,
    };
    return { ...this.#finding(this.#rows.get(target), this.#rows.get(end), ruling), fragment };
  }

  /** Sitemaps of which it is not known all that they name. */
  *unreadSitemaps(): IterableIterator<{ row: UrlRow; finding: Finding }> {
    for (const row of this.#rows.unreadSitemaps()) {
      yield { row, finding: this.#finding(row, row, this.#ofSitemap(row)) };
    }
  }

  #ofSitemap(row: UrlRow): Ruling {
    const why =
      row.state === UrlState.skipped && row.reason === 'depth'
        ? `it is not read: sitemap indexes nested deeper than ${MAX_SITEMAP_DEPTH} are not followed`
        : row.state === UrlState.done
          ? `this sitemap is not read, or not all of it: ${row.malformed}`
          : null;
    const ruling: Ruling =
      why === null
        ? ruleOn(this.#rows.answerOf(row), this.#parts.leftBy)
        : { verdict: 'unchecked', unchecked: 'sitemap', why };
    return row.parent === null ? { ...ruling, why: `${ruling.why}; robots.txt names this sitemap` } : ruling;
  }

  /** The page is read, but not all of its links are kept. */
  ofCut(page: number, links: number): Finding {
    const row = this.#rows.get(page);
    const why = `${links.toLocaleString('en-US')} links of this page are left out: its URLs are more than 64 MiB of text`;
    return this.#finding(row, row, { verdict: 'unchecked', unchecked: 'too_many_links', why });
  }

  #cached(row: UrlRow): Finding | null {
    const cached = this.#parts.cache?.get(row.url) ?? null;
    if (cached === null) {
      return null;
    }
    const { verdict, why, status, finalUrl, suggestion, at } = cached;
    const finding = this.#finding(row, row, { verdict, why: `${why} (known since ${at})` });
    return { ...finding, status, finalUrl, suggestion };
  }

  #invalid(row: UrlRow): Finding {
    const url = row.url.slice(INVALID_SCHEME.length);
    const why = url.startsWith('[') ? 'nothing defines this label' : whyInvalid(url);
    return { ...this.#finding(row, row, { verdict: 'invalid_url', why }), url };
  }

  /** @param end where the redirects of the link lead */
  #finding(row: UrlRow, end: UrlRow, ruling: Ruling): Finding {
    const { names, rules } = this.#parts;
    const chain = row.redirectTo === null ? [] : this.#chainOf(row);
    const said = this.#withRemarks(row, end, chain, ruling);
    const { status } = this.#rows.answerOf(end);
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

  /** Of what answers there may still be something to say. */
  #withRemarks(
    row: UrlRow,
    end: UrlRow,
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

  #evidence(end: UrlRow, why: string, chain: readonly ChainHop[]): Evidence {
    return {
      why,
      chain: chain.map(({ url, status }) => ({ url: this.#parts.names.url(url), status })),
      headers: end.headers === null ? {} : JSON.parse(end.headers),
      looks: this.#rows.looksOf(end),
    };
  }

  #chainOf(row: UrlRow): ChainHop[] {
    const chain: ChainHop[] = [];
    const passed = new Set<number>();
    for (let at = row; chain.length < MOST_CHAIN; at = this.#rows.get(at.redirectTo!)) {
      chain.push({ url: at.url, status: at.status });
      if (at.redirectTo === null || passed.has(at.id)) {
        break;
      }
      passed.add(at.id);
    }
    return chain;
  }
}

/** What leads to this machine goes over no net. */
const isInsecure = (url: string): boolean => url.startsWith('http:') && !isLoopbackHost(hostnameOf(url));

/** On a page whatever can be read as a URL is one: then a sitemap names it. */
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

/** A page of a trap: it answers, and nobody knows what stands on it. */
const isUnread = ({ flags, state, contentType }: UrlRow): boolean =>
  state === UrlState.done &&
  (flags & (UrlFlag.trap | UrlFlag.asset)) === UrlFlag.trap &&
  (contentType === null || isHtmlType(contentType) || isMarkdownType(contentType));

const wasDoubted = ({ flags }: UrlRow): boolean => (flags & UrlFlag.secondLook) !== 0;

/** What was seen only once is no verdict. */
const sure = ({ verdict, why }: Ruling, isSure: boolean): Ruling =>
  isSure ? { verdict, why: `${why}, on both looks` } : notTwice(why);

const mixedContent = (url: string) => ({
  verdict: 'mixed_content' as const,
  why: 'a page served by https loads it by http',
  suggestion: `https:${url.slice('http:'.length)}`,
});
