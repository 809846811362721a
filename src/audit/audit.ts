import { counted, formatCount } from '../base/figures.js';
import type { AuditCoverage, LinkTrouble } from '../store/audit-reader.js';
import { AuditReader } from '../store/audit-reader.js';
import type { LaterColumn, PlaceTable } from '../store/audit-tables.js';
import { problemOfCode } from './language-code.js';
import type { AuditFinding, AuditGap, AuditReport, AuditSummary } from './report/result.js';
import { AUDIT_RULES, type AuditRule, type Need, SEVERITIES, type Severity } from './report/rules.js';
import type { AuditSettings } from './settings.js';

/** Goes through all rules. Whoever asks for it closes it. */
export function auditCrawl(directory: string, settings: AuditSettings): AuditReport {
  const reader = AuditReader.open(directory);
  try {
    return new Audit(reader, directory, settings).report();
  } catch (error) {
    reader.close();
    throw error;
  }
}

class Audit {
  readonly #reader: AuditReader;
  readonly #directory: string;
  readonly #settings: AuditSettings;
  readonly #places: PlaceTable;
  readonly #coverage: AuditCoverage;
  readonly #maxRedirects: number;
  readonly #cut: string | null;

  constructor(reader: AuditReader, directory: string, settings: AuditSettings) {
    this.#reader = reader;
    this.#directory = directory;
    this.#settings = settings;
    this.#places = reader.begin();
    this.#coverage = reader.coverage();
    this.#maxRedirects = Number(reader.crawl.meta().maxRedirects ?? 0);
    const ended = reader.crawl.ended();
    this.#cut =
      ended === null ? 'it has not ended' : ended.truncated === null ? null : `${ended.truncated} cut it short`;
  }

  report(): AuditReport {
    const rules: readonly AuditRule[] = AUDIT_RULES;
    const wanted = rules.filter(({ id }) => this.#settings.severities.get(id) !== null);
    const gaps = wanted.flatMap((rule) => this.#gapOf(rule) ?? []);
    const unanswered = new Set(gaps.filter(({ isWhole }) => isWhole).map(({ rule }) => rule));
    const asked = wanted.filter(({ id }) => !unanswered.has(id));
    this.#find(asked);
    this.#places.complete();
    const counts = this.#places.counts();
    const countOf = (rule: AuditRule): number => counts.get(rules.indexOf(rule)) ?? 0;
    const findings = asked.filter((rule) => countOf(rule) > 0).map((rule) => this.#findingOf(rule, countOf(rule)));
    findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
    return {
      summary: this.#summary(findings, asked.length, unanswered.size),
      findings,
      gaps,
      passed: asked.filter((rule) => countOf(rule) === 0),
      places: (rule, from, most) =>
        this.#places.ofRule(
          rules.findIndex(({ id }) => id === rule),
          from,
          most,
        ),
      sorted: (rule, names) =>
        this.#places.sorted(
          rules.findIndex(({ id }) => id === rule),
          rules.find(({ id }) => id === rule)?.isOfSite === true,
          names,
        ),
      close: () => this.#reader.close(),
    };
  }

  #findingOf(rule: AuditRule, count: number): AuditFinding {
    const { id, title, why, advice } = rule;
    const severity = this.#severityOf(rule);
    const fails = this.#settings.failOn.has(severity) || this.#settings.failOn.has(id);
    return { rule: id, title, why, advice, severity, fails, count, counted: counted(count, ...rule.counts) };
  }

  #severityOf({ id, severity }: AuditRule): Severity {
    return this.#settings.severities.get(id) ?? severity;
  }

  /** Why a rule cannot be answered, or not for all pages; null if it can. */
  #gapOf({ id, title, needs = [] }: AuditRule): AuditGap | null {
    for (const need of needs) {
      const reason = this.#lackOf(need);
      if (reason !== null) {
        return { rule: id, title, ...reason };
      }
    }
    return null;
  }

  #lackOf(need: Need): { isWhole: boolean; reason: string } | null {
    const { pages, noted, sitemaps, https } = this.#coverage;
    const whole = (reason: string) => ({ isWhole: true, reason });
    switch (need) {
      case 'sitemap':
        return sitemaps > 0 ? null : whole('no sitemap was read');
      case 'https':
        return https > 0 ? null : whole('no page was fetched over https');
      case 'whole':
        return this.#cut === null ? null : whole(`the crawl does not know all links: ${this.#cut}`);
      default:
        return lackOfNotes(need, noted[need], pages);
    }
  }

  #find(rules: readonly AuditRule[]): void {
    const all: readonly AuditRule[] = AUDIT_RULES;
    const numberOf = (rule: AuditRule): number => all.indexOf(rule);
    for (const rule of rules) {
      if ('query' in rule.by) {
        this.#places.addAll(numberOf(rule), this.#reader.selectFor(rule.by.query, this.#settings.thresholds));
      }
    }
    const byTrouble = new Map<LinkTrouble, number>();
    const own = new Map<string, number>();
    for (const rule of rules) {
      if ('links' in rule.by) {
        byTrouble.set(rule.by.links, numberOf(rule));
      } else if ('own' in rule.by) {
        own.set(rule.by.own, numberOf(rule));
      }
    }
    if (byTrouble.size > 0 || own.has('orphan')) {
      this.#findLinks(byTrouble);
    }
    this.#findOwn(own);
  }

  #findLinks(rules: ReadonlyMap<LinkTrouble, number>): void {
    for (const { trouble, page, target, text, times } of this.#reader.links(this.#maxRedirects)) {
      const rule = rules.get(trouble);
      if (rule !== undefined) {
        const hasFate = trouble === 'broken' || trouble === 'unreachable' || trouble === 'redirected';
        const detail = hasFate ? this.#reader.fateOf(target, this.#maxRedirects) : null;
        this.#places.add(rule, { page, target, detail, text: text === '' ? null : text, times });
      }
    }
  }

  #findOwn(rules: ReadonlyMap<string, number>): void {
    const { thresholds } = this.#settings;
    const when = (name: string, find: (rule: number) => void): void => {
      const rule = rules.get(name);
      if (rule !== undefined) {
        find(rule);
      }
    };
    when('orphan', (rule) => {
      for (const page of this.#reader.orphans()) {
        this.#places.add(rule, { page });
      }
    });
    when('deep', (rule) => {
      for (const { page, depth } of this.#reader.deepPages(thresholds.depth)) {
        this.#places.add(rule, { page, detail: counted(depth, 'click') });
      }
    });
    when('nearDuplicate', (rule) => {
      for (const { page, group } of this.#reader.nearDuplicates(thresholds.nearDuplicate)) {
        this.#places.add(rule, { page, detail: `group ${formatCount(group)}` });
      }
    });
    when('hreflangCode', (rule) => {
      for (const code of this.#reader.languageCodes()) {
        const problem = problemOfCode(code);
        for (const { page, target } of problem === null ? [] : this.#reader.pagesWithCode(code)) {
          this.#places.add(rule, { page, target, detail: `${code}: ${problem}` });
        }
      }
    });
    this.#findRedirects(rules.get('redirectChain'), rules.get('redirectLoop'));
  }

  #findRedirects(chains: number | undefined, loops: number | undefined): void {
    if (chains === undefined && loops === undefined) {
      return;
    }
    for (const { first, hops, end, shown } of this.#reader.redirects()) {
      const rule = end === null ? loops : chains;
      if (rule !== undefined && (end === null || hops > this.#settings.thresholds.redirectHops)) {
        const urls = shown.map((id) => this.#reader.urlOf(id));
        const more = hops - urls.length;
        const path = `to ${urls.join(', then ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`;
        this.#places.add(rule, { page: first, target: end, detail: path, times: 1 });
      }
    }
  }

  #summary(findings: readonly AuditFinding[], checked: number, unanswered: number): AuditSummary {
    const sum = (severity: Severity): number =>
      findings.filter((finding) => finding.severity === severity).reduce((all, { count }) => all + count, 0);
    return {
      directory: this.#directory,
      seeds: this.#reader.crawl.seeds().map(({ url }) => url),
      pages: this.#coverage.pages,
      indexable: this.#coverage.indexable,
      rules: { checked, found: findings.length, unanswered },
      places: { error: sum('error'), warning: sum('warning'), notice: sum('notice') },
      failing: findings.filter(({ fails }) => fails).length,
      remarks: this.#remarks(),
    };
  }

  #remarks(): string[] {
    const { pages, externalAsked, assetsAsked, hasLinkTexts } = this.#coverage;
    return [
      ...(this.#cut === null ? [] : [`The crawl does not know the whole site: ${this.#cut}.`]),
      ...(pages === 0 ? ['No HTML page answered: there is nothing that most rules could look at.'] : []),
      ...(externalAsked ? [] : ['Links to other sites were not asked for; a crawl with --external asks.']),
      ...(assetsAsked
        ? []
        : ['Images, style sheets and scripts were not asked for; a crawl with --assets asks whether they are there.']),
      ...(hasLinkTexts ? [] : ['The text of links was not kept; a crawl with --anchor-text keeps it.']),
      ...this.#reader.crawl.remarks().filter((remark) => !remark.startsWith('truncated')),
    ];
  }
}

const NOTES: Readonly<Record<LaterColumn, string>> = {
  h1_count: 'the number of headings',
  word_count: 'the number of words',
  text_hash: 'the hash of the text',
  images_without_alt: 'the number of images without a text',
  hreflang: 'hreflang',
  headers: 'headers',
};

/** A crawl of an earlier version has not noted everything. A page of more than 8 MiB has no words that are counted: one in a hundred is no gap. */
function lackOfNotes(need: LaterColumn, known: number, pages: number): { isWhole: boolean; reason: string } | null {
  if (pages === 0 || known >= pages * 0.99 || (known > 0 && need === 'text_hash' && known >= pages * 0.5)) {
    return null;
  }
  return known === 0
    ? { isWhole: true, reason: `this crawl has not noted ${NOTES[need]}: crawl again with this version` }
    : {
        isWhole: false,
        reason: `${NOTES[need]} is known of ${formatCount(known)} of ${counted(pages, 'page')}: the others were fetched by an earlier version`,
      };
}
