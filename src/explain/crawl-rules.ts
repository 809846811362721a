import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type HostRule, rulesForHost } from '../config/host-entries.js';
import type { CrawlOptions, OptionsOf } from '../config/options.js';
import { completeOptionsOf } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import { expandRobots } from '../robots/compact.js';
import { RobotsMatcher } from '../robots/match.js';
import { robotsTrouble } from '../store/host-reader.js';
import type { SeedRow } from '../store/transaction.js';
import type { StoredPlace } from '../store/url-facts.js';
import { UNANSWERED_ROBOTS } from '../store/url-state.js';
import { isHttp, pathOf } from '../url/host.js';
import { type AppliedPolicy, entryName, HostPolicies } from '../url/host-policies.js';
import type { IdentityOptions } from '../url/identity.js';
import { pageOfRoute } from '../url/routes.js';
import { Scope, type ScopeDecision, type ScopeKind, scopePatterns } from '../url/scope.js';
import { TrapRules } from '../url/traps.js';
import type { DecidingRule, RobotsSays } from './explanation.js';

const SEEDS_NAMED = 3;

/** The rules of a kept crawl, each able to say which option or line it comes from. */
export class CrawlRules {
  /** The options that a crawl and a check share. */
  readonly options: Pick<CrawlOptions, keyof CrawlOptions & keyof OptionsOf<'check'> & keyof OptionsOf<'docs'>> &
    Partial<Pick<CrawlOptions, 'external'>>;
  readonly delayIsDefault: boolean;
  /** The library's user defines identity by keys of their own; every key is in scope. */
  readonly ownKeys: boolean;
  readonly seeds: readonly SeedRow[];
  readonly #scope: Scope;
  readonly #traps: TrapRules;
  readonly #policies: HostPolicies;

  constructor(meta: Readonly<Record<string, string>>, seeds: readonly SeedRow[]) {
    const kept = meta.inForce ?? meta.options;
    if (kept === undefined) {
      throw new StateError('store_damaged', 'the store does not say how it was made');
    }
    const { values } = JSON.parse(kept) as StoredOptions;
    const { options, sources } =
      meta.command === 'check' || meta.command === 'docs'
        ? completeOptionsOf(meta.command, values)
        : completeOptionsOf('crawl', values);
    this.options = options;
    this.delayIsDefault = sources.delayMs === 'default';
    this.ownKeys = meta.ownKeys === 'true';
    this.seeds = seeds;
    const rules = seeds.flatMap(({ scope, scopeUrls }) => scopeUrls.map((url) => ({ kind: scope as ScopeKind, url })));
    this.#scope = new Scope(rules, scopePatterns(options));
    this.#policies = new HostPolicies(options.hosts);
    this.#traps = new TrapRules({ ...options, allow: options.allowTraps });
  }

  get identity(): IdentityOptions {
    const { stripQuery, stripTracking, sortQuery } = this.options;
    return { stripQuery, stripTracking, sortQuery };
  }

  /** What decides whether the URL belongs to the crawl. */
  scope(url: string): { admits: boolean; reason: 'scope' | 'scheme' | null; rule: DecidingRule } {
    if (this.ownKeys) {
      return {
        admits: true,
        reason: null,
        rule: decidingRule('scope', 'a `resolve` of its own: every key is in scope'),
      };
    }
    const decision = this.#scope.decide(url);
    const admits = decision.by === 'rule';
    return {
      admits,
      reason: admits ? null : decision.by === 'scheme' ? 'scheme' : 'scope',
      rule: this.#scopeRule(decision),
    };
  }

  #scopeRule(decision: ScopeDecision): DecidingRule {
    switch (decision.by) {
      case 'rule':
        return decidingRule('scope', `--scope ${decision.rule.kind} of ${printable(decision.rule.url)}`);
      case 'exclude':
        return decidingRule('exclude', `${this.#optionOr(decision.entry, 'exclude')} "${printable(decision.text)}"`);
      case 'no include': {
        const { entry } = decision;
        const patterns = (entry === null ? null : this.options.hosts[entry]?.include) ?? this.options.include;
        return decidingRule(
          'include',
          `no ${this.#optionOr(entry, 'include')} matches: ${patterns.map((text) => `"${printable(text)}"`).join(', ')}`,
        );
      }
      case 'scheme':
        return decidingRule('scheme', 'neither http nor https');
      case 'outside':
        return decidingRule('scope', `outside of ${this.#allScopes()}`);
    }
  }

  #optionOr(entry: number | null, name: string): string {
    return entry === null ? `--${name}` : `${this.entry(entry)} ${name}`;
  }

  /** An entry of `hosts`, in words. */
  entry(entry: number): string {
    return printable(entryName(this.options.hosts, entry));
  }

  /** What pace and budget of a host go by. */
  policyOfHost(host: string): AppliedPolicy {
    return this.#policies.ofHost(host);
  }

  /** Each key that an entry of `hosts` has set for the URL's host, as it is typed, and the entry. */
  appliedTo(url: string): HostRule[] {
    return isHttp(url) ? rulesForHost(this.options.hosts, this.#policies, url) : [];
  }

  #allScopes(): string {
    const scopes = this.seeds.flatMap(({ scope, scopeUrls }) =>
      scopeUrls.map((url) => `--scope ${scope} of ${printable(url)}`),
    );
    const more = scopes.length - SEEDS_NAMED;
    return scopes.slice(0, SEEDS_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  }

  /** How deep a URL of the seed may be, and by which option. */
  depthLimit(seed: number, url: string): { limit: number | null; text: string; isOfSeed: boolean } {
    const { depth, from } = this.#policies.ofUrl(url);
    if (depth !== undefined) {
      return { limit: depth, text: `${this.entry(from.depth!)} depth=${depth}`, isOfSeed: true };
    }
    const own = this.seeds[seed]?.depth ?? null;
    const limit = own ?? this.options.depth;
    const text = own === null ? `--depth ${limit}` : `depth=${own} of the seed ${printable(this.seeds[seed]!.label)}`;
    return { limit, text, isOfSeed: own !== null };
  }

  /** The URL as the store keeps it: only a part of one that is too long. */
  keptForm(url: string): string {
    return this.#traps.keptForm(url);
  }

  /** The pattern by which the URL alone would be cut as a trap, or null. */
  trap(url: string): string | null {
    return isHttp(url) ? this.#traps.check(url) : null;
  }

  /** What the kept robots.txt says now; null if it does not apply. */
  robots(url: string, place: StoredPlace | null): RobotsSays | null {
    if (this.ownKeys || !isHttp(url)) {
      return null;
    }
    const says = (allowed: boolean, why: string): RobotsSays => ({ allowed, line: null, rule: null, why });
    if (this.options.ignoreRobots) {
      return says(true, '--ignore-robots');
    }
    if (place === null || place.robotsState === 'unknown' || place.robotsState === 'fetching') {
      return null;
    }
    if (place.robotsState === UNANSWERED_ROBOTS) {
      return says(true, `robots.txt of ${printable(place.origin)} cannot be reached; --robots-unreachable allow`);
    }
    if (place.robotsState !== 'ready') {
      return says(false, `${robotsTroubleAt(place)}, so nothing of ${printable(place.origin)} may be requested`);
    }
    if (place.robotsRules === null) {
      return says(true, `${printable(place.origin)} has no robots.txt`);
    }
    const verdict = new RobotsMatcher(expandRobots(place.robotsRules)).match(pathOf(pageOfRoute(url)));
    return verdict.rule === null
      ? says(verdict.allowed, 'no line of robots.txt matches')
      : { allowed: verdict.allowed, ...robotsLine(verdict.rule.line, verdict.rule.text) };
  }
}

export const decidingRule = (by: DecidingRule['by'], text: string, line: number | null = null): DecidingRule => ({
  by,
  text,
  line,
});

const robotsLine = (line: number, text: string): Pick<RobotsSays, 'line' | 'rule' | 'why'> => ({
  line,
  rule: text,
  why: `robots.txt line ${line}: ${printable(text)}`,
});

/** Why the robots.txt of this place could not be fetched. */
export const robotsTroubleAt = ({ robotsStatus, robotsMessage }: StoredPlace): string =>
  printable(robotsTrouble(robotsStatus, robotsMessage));

/** The line that forbade a URL, as it was kept with it: robots.txt may say something else by now. */
export function keptRobotsLine(message: string | null): RobotsSays | null {
  const found = /^robots\.txt line (\d+): (.*)$/s.exec(message ?? '');
  return found === null ? null : { allowed: false, ...robotsLine(Number(found[1]), found[2]!) };
}
