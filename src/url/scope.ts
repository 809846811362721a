import { getDomain } from 'tldts';
import {
  barePathOf,
  extensionOf,
  hasBinaryExtension,
  hostKeyOf,
  hostnameOf,
  isHttp,
  isIpHost,
  isLoopbackHost,
} from './host.js';
import { type AppliedPolicy, HostPolicies, type HostPolicy, NO_POLICY, policiesOf } from './host-policies.js';
import { compilePattern, type UrlPattern } from './pattern.js';

export const SCOPE_KINDS = ['page', 'prefix', 'host', 'subdomains', 'domain', 'any'] as const;
/** How far a crawl goes from its seeds. */
export type ScopeKind = (typeof SCOPE_KINDS)[number];

/** What a seed opens: how far, and from where. The URL is in normal form. */
export interface SeedScope {
  kind: ScopeKind;
  url: string;
}

export interface ScopePatterns {
  include: string[];
  exclude: string[];
  /** Settings that apply only to URLs of some hosts. */
  hosts?: readonly HostPolicy[];
}

/** The part of the options that says which URLs are let in. */
export const scopePatterns = (options: {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly hosts: readonly HostPolicy[];
}): ScopePatterns => ({
  include: [...options.include],
  exclude: [...options.exclude],
  hosts: policiesOf(options.hosts, ['depth', 'include', 'exclude']),
});

export interface ScopeData extends ScopePatterns {
  rules: SeedScope[];
}

interface NamedPattern {
  readonly text: string;
  readonly matches: UrlPattern;
}

/** What seeds of the kind `prefix` open on one site. A URL is looked up by its folders, however many seeds there are. */
interface Prefixes {
  /** By folder, which ends in a slash. */
  readonly folders: Map<string, SeedScope>;
  /** Paths such as `/docs`, which lie outside of the folder `/docs/` that they open. */
  readonly paths: Map<string, SeedScope>;
  /** Paths of all seeds. */
  readonly known: Set<string>;
}

/** `entry`: of `hosts`, where it is one of its patterns. */
type Verdict =
  | { readonly by: 'scheme' | 'outside' }
  | { readonly by: 'no include'; readonly entry: number | null }
  | { readonly by: 'exclude'; readonly text: string; readonly entry: number | null };

/** Which rule or pattern decides about a URL. */
export type ScopeDecision = Verdict | { readonly by: 'rule'; readonly rule: SeedScope };

/** Endings of pages: the folder of such a page is meant, not the page. A version such as `/docs/10.x` is no file. */
const PAGE_EXTENSION = /^(?:[xsp]?html?|php\d?|aspx?|jspx?|jsf|cfm|cgi|pl|do|md|markdown|rst|txt|xml|json)$/;

const MOST_REMEMBERED_DOMAINS = 10_000;

/** By the public suffix list, its private part included; a host that has none is its own. */
export const registrableDomain = (hostname: string): string =>
  getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;

/** Whether hosts below it belong to different people, as those below co.uk and github.io do. */
export const isPublicSuffix = (hostname: string): boolean =>
  !isIpHost(hostname) && !isLoopbackHost(hostname) && getDomain(hostname, { allowPrivateDomains: true }) === null;

/** Which URLs belong to the crawl: the union of what the seeds open, cut by the patterns. Exclude wins over include. */
export class Scope {
  readonly #patterns: ScopePatterns;
  readonly #includes: NamedPattern[];
  readonly #excludes: NamedPattern[];
  readonly #rules: SeedScope[] = [];
  #any: SeedScope | null = null;
  readonly #pages = new Map<string, SeedScope>();
  readonly #hosts = new Map<string, SeedScope>();
  readonly #parents = new Map<string, SeedScope>();
  readonly #domains = new Map<string, SeedScope>();
  readonly #prefixes = new Map<string, Prefixes>();
  readonly #domainOfHost = new Map<string, string>();
  readonly #policies: HostPolicies;
  /** Of hosts, by their text. */
  readonly #compiled = new Map<string, NamedPattern>();

  constructor(rules: SeedScope[], patterns: ScopePatterns) {
    this.#patterns = { ...patterns, include: [...patterns.include], exclude: [...patterns.exclude] };
    this.#policies = new HostPolicies(patterns.hosts ?? []);
    this.#includes = patterns.include.map((text) => ({ text, matches: compilePattern(text, 'include') }));
    this.#excludes = patterns.exclude.map((text) => ({ text, matches: compilePattern(text, 'exclude') }));
    for (const rule of rules) {
      this.grow(rule);
    }
  }

  static fromJSON(data: ScopeData): Scope {
    return new Scope(data.rules, data);
  }

  toJSON(): ScopeData {
    return { rules: this.#rules.map((rule) => ({ ...rule })), ...structuredClone(this.#patterns) };
  }

  /**
   * Adds what one more seed, or the URL that a seed redirects to, opens. False where another rule has opened all of it already, and stays
   * responsible for it.
   */
  grow(rule: SeedScope): boolean {
    const opens = this.#open(rule);
    if (opens) {
      this.#rules.push(rule);
    }
    return opens;
  }

  #open(rule: SeedScope): boolean {
    const hostname = hostnameOf(rule.url);
    if (rule.kind === 'any') {
      return this.#openAny(rule);
    }
    if (rule.kind === 'page') {
      return addNew(this.#pages, rule.url, rule);
    }
    if (rule.kind === 'prefix') {
      return this.#addPrefix(rule);
    }
    if (rule.kind === 'host' || isLoopbackHost(hostname)) {
      return addNew(this.#hosts, siteOf(rule.url), rule);
    }
    if (rule.kind === 'subdomains') {
      return addNew(this.#parents, hostname, rule);
    }
    return addNew(this.#domains, this.#domainOf(hostname), rule);
  }

  #openAny(rule: SeedScope): boolean {
    const opens = this.#any === null;
    this.#any ??= rule;
    return opens;
  }

  admits(url: string): boolean {
    return 'kind' in this.#judge(url);
  }

  /** The rule that lets the URL in, or null. */
  ruleFor(url: string): SeedScope | null {
    const verdict = this.#judge(url);
    return 'kind' in verdict ? verdict : null;
  }

  decide(url: string): ScopeDecision {
    const verdict = this.#judge(url);
    return 'kind' in verdict ? { by: 'rule', rule: verdict } : verdict;
  }

  #judge(url: string): SeedScope | Verdict {
    if (!isHttp(url)) {
      return { by: 'scheme' };
    }
    const rule = this.#ruleFor(url);
    if (rule === null) {
      return { by: 'outside' };
    }
    const policy = this.policyOf(url);
    const excluded = this.#exclusion(url, policy);
    if (excluded !== null) {
      return excluded;
    }
    const includes = policy.include?.map((text) => this.#compile(text)) ?? this.#includes;
    const included = includes.length === 0 || includes.some((pattern) => pattern.matches(url));
    return included ? rule : { by: 'no include', entry: policy.from.include ?? null };
  }

  /** The settings for the URL's host. */
  policyOf(url: string): AppliedPolicy {
    return this.#policies.isEmpty ? NO_POLICY : this.#policies.ofUrl(url);
  }

  /** Whether a pattern excludes the URL, wherever it is. */
  excludes(url: string): boolean {
    return this.#exclusion(url, this.policyOf(url)) !== null;
  }

  #exclusion(url: string, policy: AppliedPolicy): Verdict | null {
    for (const pattern of this.#excludes) {
      if (pattern.matches(url)) {
        return { by: 'exclude', text: pattern.text, entry: null };
      }
    }
    for (const text of policy.exclude ?? []) {
      if (this.#compile(text).matches(url)) {
        return { by: 'exclude', text, entry: policy.from.exclude ?? null };
      }
    }
    return null;
  }

  #compile(text: string): NamedPattern {
    let pattern = this.#compiled.get(text);
    if (pattern === undefined) {
      pattern = { text, matches: compilePattern(text, 'hosts') };
      this.#compiled.set(text, pattern);
    }
    return pattern;
  }

  #ruleFor(url: string): SeedScope | null {
    if (this.#any !== null) {
      return this.#any;
    }
    const site = siteOf(url);
    return (
      this.#hosts.get(site) ??
      (this.#parents.size > 0 ? this.#parentRule(hostnameOf(url)) : undefined) ??
      this.#prefixRule(site, url) ??
      this.#pages.get(url) ??
      (this.#domains.size > 0 ? this.#domains.get(this.#domainOf(hostnameOf(url))) : undefined) ??
      null
    );
  }

  /** The rule of the host itself, or of a domain that it is below. */
  #parentRule(hostname: string): SeedScope | undefined {
    for (let name = hostname; ; ) {
      const rule = this.#parents.get(name);
      const dot = name.indexOf('.');
      if (rule !== undefined || dot < 0) {
        return rule;
      }
      name = name.slice(dot + 1);
    }
  }

  /** If the folders of several seeds contain the URL, the nearest seed counts, whichever was named first. */
  #prefixRule(site: string, url: string): SeedScope | undefined {
    const prefixes = this.#prefixes.get(site);
    if (prefixes === undefined) {
      return undefined;
    }
    const path = barePathOf(url);
    let rule = prefixes.paths.get(path);
    for (
      let slash = path.lastIndexOf('/');
      rule === undefined && slash >= 0;
      slash = path.lastIndexOf('/', slash - 1)
    ) {
      rule = prefixes.folders.get(path.slice(0, slash + 1));
      if (slash === 0) {
        break;
      }
    }
    return rule;
  }

  #addPrefix(rule: SeedScope): boolean {
    const path = barePathOf(rule.url);
    const site = siteOf(rule.url);
    const prefixes = this.#prefixes.get(site) ?? { folders: new Map(), paths: new Map(), known: new Set() };
    if (!addNewTo(prefixes.known, path)) {
      return false;
    }
    this.#prefixes.set(site, prefixes);
    if (isFolderOrFile(rule.url)) {
      addNew(prefixes.folders, path.slice(0, path.lastIndexOf('/') + 1), rule);
    } else {
      addNew(prefixes.paths, path, rule);
      addNew(prefixes.folders, `${path}/`, rule);
    }
    return true;
  }

  #domainOf(hostname: string): string {
    let domain = this.#domainOfHost.get(hostname);
    if (domain === undefined) {
      domain = registrableDomain(hostname);
      if (this.#domainOfHost.size >= MOST_REMEMBERED_DOMAINS) {
        this.#domainOfHost.clear();
      }
      this.#domainOfHost.set(hostname, domain);
    }
    return domain;
  }
}

/** How far a seed's scope goes where only whole hosts are told apart. */
export const wholeHost = (kind: ScopeKind): ScopeKind => (kind === 'page' || kind === 'prefix' ? 'host' : kind);

/** False for a path such as `/docs`: its spelling does not tell whether there are pages below it. */
export const isFolderOrFile = (url: string): boolean =>
  barePathOf(url).endsWith('/') || PAGE_EXTENSION.test(extensionOf(url)) || hasBinaryExtension(url);

function addNewTo<Value>(set: Set<Value>, value: Value): boolean {
  const isNew = !set.has(value);
  set.add(value);
  return isNew;
}

function addNew<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): boolean {
  if (map.has(key)) {
    return false;
  }
  map.set(key, value);
  return true;
}

/**
 * The host whatever its scheme and port; on loopback, where every port is a site of its own, with the port. `example.com.` is
 * not `example.com` here: to follow a link to it would be to crawl the site twice.
 */
export function siteOf(url: string): string {
  const hostname = hostnameOf(url);
  return isLoopbackHost(hostname) ? hostKeyOf(url) : hostname;
}
