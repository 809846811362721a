import { INVALID_SCHEME } from '../crawl/link-facts.js';
import { LINK_KINDS } from '../parse/links.js';
import { edgesFromBlob } from '../store/packed-edges.js';
import { IGNORED_LINK } from '../store/page-row.js';
import { RedirectChains } from '../store/redirect-chains.js';
import type { Database, Row } from '../store/sqlite.js';
import { isOutside, UrlFlag, UrlState } from '../store/url-state.js';
import { checkFragments } from './anchors.js';
import { cssPath } from './css-path.js';
import { fragmentOf } from './fragment.js';
import { LinkTable, linksOf } from './link-table.js';
import { auditRedirect, type ChainHop } from './redirect-audit.js';
import { type CheckedLink, type Evidence, type LinkSource, VERDICTS, type Verdict } from './result.js';
import type { ResultCache } from './result-cache.js';
import type { CheckRules } from './rules.js';
import { notTwice, type Ruling, ruleOn } from './ruling.js';
import { Soft404s } from './soft-404.js';
import { type UrlRow, UrlRows } from './url-rows.js';

export interface FindingsParts {
  database: Database;
  maxRedirects: number;
  rules: CheckRules;
  cache: ResultCache | null;
  names: PageNames;
}

/** How pages and URLs of this machine's own files are called in reports. */
export interface PageNames {
  url(url: string): string;
  page(url: string): Promise<string>;
}

type Finding = Omit<CheckedLink, 'sources' | 'sourceCount' | 'firstSeen'>;

const UNLISTED_VERDICTS: ReadonlySet<Verdict> = new Set(['ok', 'skipped']);
const MOST_CHAIN = 1_000;
const LONGEST_TEXT = 500;

/**
 * A verdict on each target of a link, with all places where it stands. It is worked out from the store in a few passes, into
 * temporary tables: memory does not grow with what is found.
 */
export class Findings {
  readonly #parts: FindingsParts;
  readonly #database: Database;
  readonly #rows: UrlRows;
  readonly #chains: RedirectChains;
  readonly #soft404s: Soft404s;
  #table!: LinkTable;
  /** Findings whose places are listed: by target, and by target and fragment. */
  readonly #bad = new Map<number, number>();
  readonly #badFragments = new Map<string, number>();
  #count = 0;
  ignored = 0;
  failing = 0;
  readonly verdicts: Partial<Record<Verdict, number>> = {};

  private constructor(parts: FindingsParts) {
    this.#parts = parts;
    this.#database = parts.database;
    this.#rows = new UrlRows(parts.database);
    this.#chains = new RedirectChains(parts.database, parts.maxRedirects);
    this.#soft404s = new Soft404s(parts.database, this.#chains);
  }

  static async gather(parts: FindingsParts): Promise<Findings> {
    const findings = new Findings(parts);
    const { database } = parts;
    findings.#table = await LinkTable.build(database);
    database.exec(`DROP TABLE IF EXISTS temp.findings; DROP TABLE IF EXISTS temp.sources;
      CREATE TEMP TABLE findings (n INTEGER PRIMARY KEY, rank INTEGER, url TEXT, fragment TEXT, fails INTEGER, links INTEGER, first_seen TEXT, body TEXT);
      CREATE TEMP TABLE sources (finding INTEGER, page TEXT, kind TEXT, href TEXT, text TEXT, line INTEGER, col INTEGER);
      BEGIN`);
    findings.#judgeTargets();
    findings.#judgeFragments();
    await findings.#findSources();
    database.exec('COMMIT; CREATE INDEX temp.sources_of ON sources (finding)');
    return findings;
  }

  get size(): number {
    return this.#count;
  }

  /** In the order of VERDICTS, then of URLs. */
  *links(withSources = true): IterableIterator<CheckedLink> {
    const sources = this.#database.prepare(
      'SELECT page, kind, href, text, line, col FROM temp.sources WHERE finding = ? ORDER BY rowid',
    );
    for (const { n, links, fails, first_seen, body } of this.#database
      .prepare('SELECT n, links, fails, first_seen, body FROM temp.findings ORDER BY rank, url, fragment')
      .iterate()) {
      yield {
        ...(JSON.parse(body) as Finding),
        fails: fails === 1,
        firstSeen: first_seen,
        sourceCount: links,
        sources: withSources ? sources.all(n).map(sourceOf) : [],
      };
    }
  }

  /** A baseline knows these: they fail nobody any more. */
  acquit(known: readonly CheckedLink[]): void {
    const update = this.#database.prepare(
      'UPDATE temp.findings SET fails = 0, first_seen = ? WHERE url = ? AND fragment IS ?',
    );
    for (const { url, fragment, firstSeen } of known) {
      this.failing -= Number(update.run(firstSeen, url, fragment).changes);
    }
  }

  #judgeTargets(): void {
    for (const row of this.#rows.all()) {
      const links = this.#table.links[row.id]!;
      const ignored = this.#table.ignored[row.id]!;
      const isSeed = (row.flags & UrlFlag.seed) !== 0 && row.redirectTo === null;
      if (links + ignored === 0 && row.sitemap === null && !isSeed) {
        continue;
      }
      const isMarked = links === 0 && ignored > 0;
      const isIgnored = isMarked || row.reason === 'ignored';
      const finding = isMarked ? this.#leftOut(row) : this.#judge(row);
      const n = this.#add(finding, links + ignored, isIgnored);
      if (!UNLISTED_VERDICTS.has(finding.verdict)) {
        this.#bad.set(row.id, n);
        if (row.sitemap !== null && links === 0) {
          this.#database
            .prepare('INSERT INTO temp.sources (finding, page, kind, href, text) VALUES (?, ?, ?, ?, ?)')
            .run(n, row.sitemap, 'sitemap', row.url, '');
        }
      }
    }
  }

  #leftOut(row: UrlRow): Finding {
    return this.#finding(row, row, { verdict: 'skipped', why: 'its links are marked with data-gossamer-ignore' });
  }

  #judge(row: UrlRow): Finding {
    if (row.url.startsWith(INVALID_SCHEME)) {
      return this.#invalid(row);
    }
    const cached = row.reason === 'known' ? (this.#parts.cache?.get(row.url) ?? null) : null;
    if (cached !== null) {
      const { verdict, why, status, finalUrl, suggestion, at } = cached;
      return {
        ...this.#finding(row, row, { verdict, why: `${why} (known since ${at})` }),
        status,
        finalUrl,
        suggestion,
      };
    }
    const { id, problem } = this.#chains.endOf(row.id);
    if (problem !== null) {
      const why = REDIRECT_TROUBLE[problem];
      const { state, flags } = this.#rows.get(id);
      const isSure = (flags & UrlFlag.secondLook) !== 0 || (problem === 'redirect_limit' && state === UrlState.done);
      return this.#finding(row, row, isSure ? { verdict: problem, why } : notTwice(why));
    }
    const end = id === row.id ? row : this.#rows.get(id);
    const ruling = ruleOn(this.#rows.answerOf(end));
    const soft = ruling.verdict === 'ok' ? this.#soft404s.of(row, end) : null;
    return this.#finding(row, end, soft === null ? ruling : { verdict: 'soft_404', why: soft });
  }

  #invalid(row: UrlRow): Finding {
    const url = row.url.slice(INVALID_SCHEME.length);
    const isLabel = url.startsWith('[');
    const why = isLabel ? 'nothing defines this label' : 'it cannot be read as a URL';
    return { ...this.#finding(row, row, { verdict: 'invalid_url', why }), url };
  }

  /** @param end where the redirects of the link lead */
  #finding(row: UrlRow, end: UrlRow, ruling: Ruling): Finding {
    const chain = row.redirectTo === null ? [] : this.#chainOf(row);
    const isFine = ruling.verdict === 'ok';
    const audit = isFine && chain.length > 1 ? { ...auditRedirect(chain) } : null;
    const mixed = isFine && this.#table.mixed[row.id] === 1 ? mixedContent(row.url) : null;
    const said = mixed ?? audit ?? { ...ruling, suggestion: null };
    const status = this.#rows.answerOf(end).status;
    const external = isOutside(end.flags);
    const decision = this.#parts.rules.decide({ url: row.url, verdict: said.verdict, status, external });
    const { verdict, why } = decision.accepted ? { verdict: 'ok' as const, why: decision.why! } : said;
    const isAnswered = status !== null && end.state !== UrlState.skipped;
    return {
      url: this.#parts.names.url(row.url),
      fragment: null,
      verdict,
      fails: decision.fails,
      external,
      status,
      finalUrl: isAnswered ? this.#parts.names.url(end.url) : null,
      suggestion: said.suggestion === null ? null : this.#parts.names.url(said.suggestion),
      evidence: this.#evidence(end, why, chain),
    };
  }

  #evidence(end: UrlRow, why: string, chain: ChainHop[]): Evidence {
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
    for (let at: UrlRow | undefined = row; at !== undefined && chain.length < MOST_CHAIN; ) {
      chain.push({ url: at.url, status: at.status });
      if (at.redirectTo === null || passed.has(at.id)) {
        break;
      }
      passed.add(at.id);
      at = this.#rows.get(at.redirectTo);
    }
    return chain;
  }

  #judgeFragments(): void {
    for (const { target, end: endId, fragment, standing } of checkFragments(this.#database, this.#chains)) {
      if (standing !== 'missing') {
        continue;
      }
      const row = this.#rows.get(target);
      const end = this.#rows.get(endId);
      const isSure = (end.flags & UrlFlag.secondLook) !== 0;
      const ruling: Ruling = isSure
        ? { verdict: 'missing_fragment', why: 'nothing on the page has this id or name, on both looks' }
        : {
            verdict: 'unverifiable',
            why: 'nothing on the page has this id or name; there was no time for a second look',
          };
      const finding = { ...this.#finding(row, end, ruling), fragment };
      const n = this.#add(finding, 0, false);
      this.#badFragments.set(`${target}#${fragment}`, n);
    }
  }

  #add(finding: Finding, links: number, isIgnored: boolean): number {
    const { verdict, fails, url, fragment } = finding;
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + 1;
    this.failing += fails ? 1 : 0;
    this.ignored += isIgnored ? 1 : 0;
    const n = ++this.#count;
    this.#database
      .prepare('INSERT INTO temp.findings (n, rank, url, fragment, fails, links, body) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(n, VERDICTS.indexOf(verdict), url, fragment, fails ? 1 : 0, links, JSON.stringify(finding));
    return n;
  }

  async #findSources(): Promise<void> {
    if (this.#bad.size + this.#badFragments.size === 0) {
      return;
    }
    const insert = this.#database.prepare(
      'INSERT INTO temp.sources (finding, page, kind, href, text, line, col) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    const count = this.#database.prepare('UPDATE temp.findings SET links = links + 1 WHERE n = ?');
    const urlOf = this.#database.prepare('SELECT url FROM urls WHERE id = ?');
    for await (const row of this.#table.pages()) {
      const places = this.#placesOn(row);
      if (places.length === 0) {
        continue;
      }
      const page = await this.#parts.names.page(urlOf.get(row.page)!.url);
      for (const { finding, isFragment, kind, href, text, line, column } of places) {
        insert.run(finding, page, kind, href, text, line, column);
        if (isFragment) {
          count.run(finding);
        }
      }
    }
  }

  #placesOn(row: Row) {
    const found = [];
    let facts: { hrefs: string[]; texts: string[]; places: Uint32Array } | null = null;
    for (const { target, kind, place, ignored } of linksOf(row)) {
      const finding = this.#bad.get(target);
      if (ignored || (finding === undefined && this.#badFragments.size === 0)) {
        continue;
      }
      facts ??= {
        hrefs: row.hrefs === null ? [] : JSON.parse(row.hrefs),
        texts: row.texts === null ? [] : JSON.parse(row.texts),
        places: row.places === null ? new Uint32Array() : edgesFromBlob(row.places),
      };
      const href = facts.hrefs[place] ?? '';
      const fragment = fragmentOf(href);
      const inner = fragment === null ? undefined : this.#badFragments.get(`${target}#${fragment}`);
      const line = facts.places[place * 2] || null;
      const column = line === null ? null : (facts.places[place * 2 + 1]! & ~IGNORED_LINK) >>> 0;
      const where = {
        kind: LINK_KINDS[kind]!,
        href,
        text: (facts.texts[place] ?? '').slice(0, LONGEST_TEXT),
        line,
        column,
      };
      if (finding !== undefined) {
        found.push({ finding, isFragment: false, ...where });
      }
      if (inner !== undefined) {
        found.push({ finding: inner, isFragment: true, ...where });
      }
    }
    return found;
  }
}

const REDIRECT_TROUBLE = {
  redirect_loop: 'its redirects lead back to where they have been',
  redirect_limit: 'it redirects more often than --max-redirects allows',
} as const;

function mixedContent(url: string): Ruling & { suggestion: string } {
  return {
    verdict: 'mixed_content',
    why: 'a page served by https loads it by http',
    suggestion: `https:${url.slice('http:'.length)}`,
  };
}

const sourceOf = ({ page, kind, href, text, line, col }: Row): LinkSource => ({
  page,
  kind,
  href,
  text,
  line,
  column: col,
  selector: line === null || /\.(?:md|markdown)$/i.test(page) ? null : cssPath(kind, href),
});
