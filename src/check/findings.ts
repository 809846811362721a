import { setImmediate } from 'node:timers/promises';
import { INVALID_SCHEME } from '../lane/link-facts.js';
import { LINK_KINDS } from '../parse/links.js';
import type { CheckReader, PageLinks } from '../store/check-reader.js';
import { IGNORED_LINK } from '../store/page-row.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { compileAliases, NO_FILES } from '../url/aliases.js';
import type { IdentityOptions } from '../url/identity.js';
import { asText, UrlResolver } from '../url/resolver.js';
import { checkFragments, type FragmentCheck, fragmentOf } from './anchors.js';
import { FindingTable, type FoundSource } from './finding-table.js';
import { LinkTable, linksOf, type PageLink } from './link-table.js';
import { LinkVerdicts } from './link-verdicts.js';
import type { PageNames } from './local-folder.js';
import type { Verdict } from './report/result.js';
import { isOnlyCounted } from './report/unchecked.js';
import type { ResultCache } from './result-cache.js';
import type { CheckRules } from './rules.js';
import type { LeftBy } from './ruling.js';

export interface FindingsParts {
  store: CheckReader;
  maxRedirects: number;
  rules: CheckRules;
  cache: ResultCache | null;
  names: PageNames;
  leftBy: LeftBy;
  /** --remap. */
  remaps: readonly string[];
  identity: IdentityOptions;
  requireHttps: boolean;
  /** Routes of pages that draw by them are checked too. */
  hashRoutes: boolean;
  /** A kept crawl has answered. */
  asksNobody: boolean;
}

/** Verdicts for which a report does not list the places of links. */
const UNLISTED_VERDICTS: ReadonlySet<Verdict> = new Set(['ok', 'skipped']);
const NOT_THERE: ReadonlySet<FragmentCheck['standing']> = new Set(['missing', 'drawn', 'nameless', 'lost', 'undrawn']);
const LONGEST_TEXT = 500;
const TARGETS_A_TURN = 1_000;

/** A verdict on each target of a link, with all places where it stands, from the store of a check in a few passes. */
export class Findings {
  readonly #parts: FindingsParts;
  readonly #chains: RedirectChains;
  readonly #links: LinkTable;
  readonly #verdicts: LinkVerdicts;
  readonly table: FindingTable;
  /** Findings whose places are listed: by target, and by target and fragment. */
  readonly #bad = new Map<number, number>();
  readonly #badFragments = new Map<string, number>();
  /** By target, where a redirect names the fragment. */
  readonly #badRedirects = new Map<number, number>();
  /** Targets that rules or marks left out. */
  ignored = 0;

  private constructor(parts: FindingsParts, links: LinkTable, remapped: ReadonlyMap<number, string>) {
    const { store, maxRedirects, rules, cache, names, leftBy, requireHttps, asksNobody } = parts;
    this.#parts = parts;
    this.#links = links;
    this.#chains = store.redirectChains(maxRedirects);
    const isMixed = (id: number) => links.mixed[id] === 1;
    this.#verdicts = new LinkVerdicts({
      ...{ store, chains: this.#chains, rules, cache, names, leftBy, isMixed, remapped, requireHttps, asksNobody },
    });
    this.table = new FindingTable(store.newFindings());
  }

  static async gather(parts: FindingsParts): Promise<Findings> {
    const { store, remaps, identity } = parts;
    const links = await LinkTable.build(store, parts.hashRoutes);
    const findings = new Findings(parts, links, await remappedTargets(store, links, remaps, identity));
    await findings.#judgeTargets();
    await findings.#judgeFragments();
    findings.#judgeCut();
    findings.#judgeSitemaps();
    await findings.#findSources();
    findings.table.complete();
    return findings;
  }

  async #judgeTargets(): Promise<void> {
    const { store } = this.#parts;
    const isSeedToo = (id: number): boolean => (store.flagsOf(id) & UrlFlag.seed) !== 0;
    for await (const row of inTurns(this.#verdicts.targets())) {
      const links = this.#links.links[row.id]!;
      const ignored = this.#links.ignored[row.id]!;
      // Of a seed that redirects its target counts; where that cannot be asked for, the seed itself.
      const isSeed = (row.flags & UrlFlag.seed) !== 0 && !(row.redirectTo !== null && isSeedToo(row.redirectTo));
      if (links + ignored === 0 && row.sitemap === null && !isSeed) {
        continue;
      }
      const isMarked = links === 0 && ignored > 0;
      this.ignored += isMarked || row.reason === 'ignored' ? 1 : 0;
      const finding = isMarked ? this.#verdicts.ofMarked(row) : this.#verdicts.of(row);
      const n = this.table.add(finding, links + ignored);
      if (UNLISTED_VERDICTS.has(finding.verdict) || (isOnlyCounted(finding.unchecked) && !finding.fails)) {
        continue;
      }
      this.#bad.set(row.id, n);
      if (row.sitemap !== null && links === 0) {
        const { sitemap, url } = row;
        const href = url.startsWith(INVALID_SCHEME) ? url.slice(INVALID_SCHEME.length) : url;
        this.table.addSource(n, {
          page: this.#parts.names.url(sitemap),
          kind: 'sitemap',
          href,
          text: '',
          line: null,
          column: null,
        });
        this.table.countUp(n);
      }
    }
  }

  async #judgeFragments(): Promise<void> {
    for await (const check of inTurns(
      checkFragments(this.#parts.store, this.#links.fragments, this.#chains, this.#parts.asksNobody),
    )) {
      if (check.byRedirect && this.#links.links[check.target] === 0) {
        continue;
      }
      if (NOT_THERE.has(check.standing)) {
        const isOfRoute = check.standing === 'lost' || check.standing === 'undrawn';
        const finding = isOfRoute ? this.#verdicts.ofRoute(check) : this.#verdicts.ofMissing(check);
        const n = this.table.add(finding, 0);
        if (check.byRedirect) {
          this.#badRedirects.set(check.target, n);
        } else {
          this.#badFragments.set(fragmentKey(check.target, check.fragment), n);
        }
      } else if (check.standing === 'unread') {
        this.table.add(this.#verdicts.ofUnread(check), 0);
      }
    }
  }

  /** Pages of which links were left out: no URL is kept of those, so the page stands for them. */
  #judgeCut(): void {
    for (const { id, links } of this.#parts.store.cutPages()) {
      this.table.add(this.#verdicts.ofCut(id, links), 0);
    }
  }

  /** Adds sitemaps that could not be read. A sitemap that was read is not a link and gets no finding. */
  #judgeSitemaps(): void {
    for (const { row, finding } of this.#verdicts.unreadSitemaps()) {
      if (UNLISTED_VERDICTS.has(finding.verdict)) {
        continue;
      }
      const n = this.table.add(finding, 0);
      if (row.parent !== null && !isOnlyCounted(finding.unchecked)) {
        const kind = row.parentKind === UrlKind.sitemap ? 'sitemap' : 'link';
        this.table.addSource(n, {
          page: this.#parts.names.url(row.parent),
          kind,
          href: row.url,
          text: '',
          line: null,
          column: null,
        });
        this.table.countUp(n);
      }
    }
  }

  async #findSources(): Promise<void> {
    if (this.#bad.size + this.#badFragments.size + this.#badRedirects.size === 0) {
      return;
    }
    for await (const row of this.#links.pages()) {
      const places = [...this.#placesOn(row)];
      if (places.length === 0) {
        continue;
      }
      const page = await this.#parts.names.page(this.#parts.store.urlOf(row.page));
      for (const { finding, where } of places) {
        this.table.addSource(finding, { ...where, page });
      }
    }
  }

  /** The links of a page that lead to findings; those of a fragment are counted here. */
  *#placesOn(row: PageLinks): IterableIterator<{ finding: number; where: Omit<FoundSource, 'page'> }> {
    let facts: PageFacts | null = null;
    for (const link of linksOf(row)) {
      const finding = this.#bad.get(link.target);
      const renamed = this.#badRedirects.get(link.target);
      if (link.ignored || (finding === undefined && renamed === undefined && this.#badFragments.size === 0)) {
        continue;
      }
      facts ??= factsOf(row);
      const where = placeOf(link, facts);
      const fragment = fragmentOf(where.href, this.#parts.hashRoutes);
      const inner = fragment === null ? undefined : this.#badFragments.get(fragmentKey(link.target, fragment));
      if (finding !== undefined) {
        yield { finding, where };
      }
      for (const each of [inner, renamed]) {
        if (each !== undefined) {
          this.table.countUp(each);
          yield { finding: each, where };
        }
      }
    }
  }
}

/** Lets other work run from time to time. */
async function* inTurns<T>(items: Iterable<T>): AsyncIterableIterator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    if (++count % TARGETS_A_TURN === 0) {
      await setImmediate();
    }
  }
}

const fragmentKey = (target: number, fragment: string): string => `${target}#${fragment}`;

export interface PageFacts {
  hrefs: string[];
  texts: string[];
  places: Uint32Array;
}

export const factsOf = ({ hrefs, texts, places }: PageLinks): PageFacts => ({
  hrefs: hrefs === null ? [] : JSON.parse(hrefs),
  texts: texts === null ? [] : JSON.parse(texts),
  places: places ?? new Uint32Array(),
});

export function placeOf({ kind, place }: PageLink, { hrefs, texts, places }: PageFacts): Omit<FoundSource, 'page'> {
  const line = places[place * 2] || null;
  return {
    kind: LINK_KINDS[kind]!,
    href: hrefs[place] ?? '',
    text: (texts[place] ?? '').slice(0, LONGEST_TEXT),
    line,
    column: line === null ? null : (places[place * 2 + 1]! & ~IGNORED_LINK) >>> 0,
  };
}

/** Targets that --remap led to, and the URL that the first link to each has written; found out again from what is written on the pages. */
async function remappedTargets(
  store: CheckReader,
  links: LinkTable,
  remaps: readonly string[],
  identity: IdentityOptions,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const remap = compileAliases({ remaps, ...NO_FILES });
  if (remap === null) {
    return found;
  }
  const resolver = new UrlResolver(identity, asText);
  for await (const row of links.pages()) {
    const hrefs: string[] = row.hrefs === null ? [] : JSON.parse(row.hrefs);
    const page = store.urlOf(row.page);
    for (const { target, place } of linksOf(row)) {
      const written = found.has(target) ? null : resolver.resolve(hrefs[place] ?? '', page);
      if (written !== null && remap(written) !== written) {
        found.set(target, written);
      }
    }
  }
  return found;
}
