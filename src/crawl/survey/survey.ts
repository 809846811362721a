import { formatCount } from '../../base/figures.js';
import { printable } from '../../base/text.js';
import { baseDelayMs } from '../../config/base-delay.js';
import type { AnswerTimes, SurveyedOrigin, SurveyedSitemap, SurveyReader } from '../../store/survey-reader.js';
import { MAX_SITEMAP_FILES, UrlFlag, UrlState } from '../../store/url-state.js';
import { hostKeyOf } from '../../url/host.js';
import { type AppliedPolicy, HostPolicies, type HostPolicy } from '../../url/host-policies.js';
import { type CrawlLimits, type Forecast, forecast, type HostLoad } from './duration.js';
import { namedSize, sampledSize } from './link-sample.js';
import { type ForbiddingRule, RobotsJudge } from './robots-judge.js';
import type { SizeEstimate } from './site-size.js';

/** The question to the store when a survey or a sample is over. All of it can travel between threads. */
export interface SurveyQuestion {
  delayMs: number;
  delayIsDefault: boolean;
  /** Delays and limits of some hosts. */
  hosts: readonly Pick<HostPolicy, 'match' | 'delayMs' | 'maxInflight' | 'maxUrls'>[];
  maxCrawlDelayMs: number;
  limits: CrawlLimits;
  /** How many pages were to be sampled; null if none were. */
  sample: number | null;
  /** Whether links are followed only if sitemaps name no page, as for a corpus. */
  goesByName: boolean;
}

/** How long a crawl would take. */
export interface Duration extends Omit<Forecast, 'durationMs'> {
  /** How long it would take; null if no host has a delay: nobody knows how fast a server answers when it is busy. */
  durationMs: number | null;
  /** The time at the smallest size that a sample admits; without a sample the same as `durationMs`. */
  lowMs: number | null;
  /** The time at the largest size; also null if the sample sees no end. */
  highMs: number | null;
}

/** What the store knows. Counts cover everything; lists hold only the largest. */
export interface Survey {
  /** Known, in scope and not forbidden: seeds and what sitemaps (or a sample) name. */
  pages: number;
  /** Sitemaps say which pages there are, and no link leads to another. */
  isNamed: boolean;
  /** How many pages the site has, estimated from a sample; null without one. */
  size: SizeEstimate | null;
  /** What the sampled URLs were. */
  sampled: { html: number; other: number; redirects: number; failed: number } | null;
  /** How many hosts there are. */
  hosts: number;
  /** The 20 hosts with the most pages. */
  hostList: PreviewHost[];
  /** Hosts of seeds that no sitemap says anything about. */
  hostsUnknown: number;
  /** `read`: sitemaps that name URLs, indexes not counted; `problems`: those that could not be read, or only in part. */
  sitemaps: { read: number; urls: number; problems: number; problemList: { url: string; problem: string }[] };
  /** URLs that robots.txt forbids, and the rules that do. */
  forbidden: { pages: number; rules: ForbiddingRule[] };
  /** URLs in sitemaps that are out of scope. */
  outside: { urls: number; hosts: { host: string; urls: number }[] };
  /** Known pages that are not requested, by cause; robots.txt aside. */
  skipped: Record<string, number>;
  /** Pages of hosts that cannot be reached now. */
  deferred: number;
  duration: Duration;
  /** Options that would save a tenth or more, and how long it takes with them. */
  faster: { option: string; durationMs: number }[];
  /** All seeds; `forbiddenBy` quotes the line of robots.txt, or is null if none forbids it. */
  seeds: { seed: number; forbiddenBy: string | null; robots: string }[];
}

const MOST_LISTED = 20;

const OWN_SITE_DELAY_MS = 100;

const MOST_WORKERS = 4096;

/** A change that saves less is not worth a line. */
const WORTH_SAYING = 0.9;

/** Runs where the store is: it goes through every URL, and only sums leave. */
export function survey(reader: SurveyReader, question: SurveyQuestion): Survey {
  const judge = new RobotsJudge();
  const seeds = reader.seeds(UrlFlag.seed);
  const seedHosts = new Map<string, number>();
  for (const { url } of seeds) {
    seedHosts.set(hostKeyOf(url), (seedHosts.get(hostKeyOf(url)) ?? 0) + 1);
  }
  const hosts = surveyHosts(reader, question, judge);
  const rules = judge.counted();
  const known = hosts.reduce((sum, host) => sum + host.pages, 0);
  const named = question.goesByName ? namedSize(reader, judge) : null;
  const size = question.sample === null ? null : (named ?? sampledSize(reader, question.sample, judge));
  return {
    pages: named?.low ?? known,
    isNamed: named !== null,
    size,
    sampled: question.sample === null ? null : sampledKinds(reader),
    hosts: hosts.length,
    hostList: largest(hosts),
    hostsUnknown: hosts.filter(({ host, pages, forbidden }) => pages + forbidden <= (seedHosts.get(host) ?? -1)).length,
    sitemaps: sitemapsOf(reader.sitemaps()),
    forbidden: { pages: rules.reduce((sum, rule) => sum + rule.pages, 0), rules: rules.slice(0, MOST_LISTED) },
    outside: reader.outside(MOST_LISTED),
    skipped: reader.skipped(),
    deferred: hosts.reduce((sum, { deferred }) => sum + deferred, 0),
    ...times(
      hosts.map(({ load }) => load),
      known,
      size,
      question,
    ),
    seeds: seeds.map(({ seed, url, rules, robots }) => {
      const rule = judge.ruleAgainst(rules, url);
      return { seed, robots, forbiddenBy: rule === null ? null : `robots.txt line ${rule.line}: ${rule.text}` };
    }),
  };
}

function largest(hosts: readonly SurveyedHost[]): PreviewHost[] {
  const sorted = [...hosts].sort((a, b) => b.pages - a.pages).slice(0, MOST_LISTED);
  return sorted.map(({ load: _load, deferred: _deferred, ...host }) => host);
}

function times(
  loads: HostLoad[],
  known: number,
  size: SizeEstimate | null,
  question: SurveyQuestion,
): Pick<Survey, 'duration' | 'faster'> {
  const at = (pages: number | null, changed: { delayMs?: number; workers?: number } = {}): Forecast => {
    const factor = known === 0 || pages === null ? 1 : pages / known;
    const scaled = loads.map((load) => ({
      ...load,
      pages: load.pages * factor,
      delayMs:
        load.asksForDelay || load.own?.delayMs !== undefined
          ? load.delayMs
          : Math.min(load.delayMs, changed.delayMs ?? load.delayMs),
    }));
    return forecast(scaled, {
      ...question.limits,
      ...(changed.workers === undefined ? {} : { workers: changed.workers }),
    });
  };
  const middle = size?.estimate ?? known;
  const now = at(middle);
  const lowMs = size === null ? now.durationMs : at(size.low).durationMs;
  const highMs = size === null ? now.durationMs : size.high === null ? null : at(size.high).durationMs;
  if (loads.every(({ delayMs }) => delayMs === 0)) {
    return { duration: { ...now, durationMs: null, lowMs: null, highMs: null }, faster: [] };
  }
  const ways = [
    {
      option: `--delay ${OWN_SITE_DELAY_MS}ms`,
      changed: { delayMs: OWN_SITE_DELAY_MS },
      helps: now.decidedBy === 'delay',
    },
    {
      option: `--workers ${Math.min(MOST_WORKERS, question.limits.workers * 2)}`,
      changed: { workers: Math.min(MOST_WORKERS, question.limits.workers * 2) },
      helps: now.decidedBy === 'workers',
    },
  ];
  const faster = ways
    .filter(({ helps }) => helps)
    .map(({ option, changed }) => ({ option, durationMs: at(middle, changed).durationMs }))
    .filter(({ durationMs }) => durationMs < now.durationMs * WORTH_SAYING);
  return { duration: { ...now, lowMs, highMs }, faster };
}

function sampledKinds(reader: SurveyReader): NonNullable<Survey['sampled']> {
  const kinds = { html: 0, other: 0, redirects: 0, failed: 0 };
  for (const { status, isHtml, pages } of reader.statuses()) {
    if (status === null || status >= 400) {
      kinds.failed += pages;
    } else if (status >= 300) {
      kinds.redirects += pages;
    } else {
      kinds[isHtml ? 'html' : 'other'] += pages;
    }
  }
  return kinds;
}

function sitemapsOf(sitemaps: Iterable<SurveyedSitemap>): Survey['sitemaps'] {
  const found: Survey['sitemaps'] = { read: 0, urls: 0, problems: 0, problemList: [] };
  for (const sitemap of sitemaps) {
    if (sitemap.state === UrlState.done && sitemap.urls > 0 && !sitemap.isIndex) {
      found.read++;
      found.urls += sitemap.urls;
    }
    const problem = problemOf(sitemap);
    if (problem !== null) {
      found.problems++;
      if (found.problemList.length < MOST_LISTED) {
        found.problemList.push({ url: sitemap.url, problem });
      }
    }
  }
  return found;
}

/** The usual places are only tried: a missing sitemap there is no problem. */
function problemOf({ url, state, reason, message, named, urls }: SurveyedSitemap): string | null {
  const isGuess = !named && /\/sitemap(?:_index)?\.xml$/.test(url);
  if (state === UrlState.done) {
    const isNone = message === null || (isGuess && urls === 0);
    return isNone ? null : `${urls === 0 ? 'cannot be read' : 'is read in part'} (${printable(message, 200)})`;
  }
  if (state === UrlState.skipped && (reason === 'limit' || reason === 'depth')) {
    const most = formatCount(MAX_SITEMAP_FILES);
    return reason === 'limit' ? `is not read: ${most} files of a host are` : 'is not read: it is nested too deep';
  }
  return state === UrlState.unlisted || (isGuess && reason === 'http_4xx') ? null : (reason ?? 'is not read');
}

/** One host of a preview. */
export interface PreviewHost {
  /** Its name. */
  host: string;
  /** Known, and allowed by robots.txt. */
  pages: number;
  /** URLs that robots.txt forbids. */
  forbidden: number;
  /** What robots.txt asks for, or null. */
  crawlDelayMs: number | null;
  /** The longer of that and --delay. */
  delayMs: number;
  /** From a request to the headers: the mean of sampled pages, or without a sample the fastest of robots.txt and sitemaps; null without answers. */
  headersMs: number | null;
  /** `crawl_delay` if that is too long; for a host without a page to request, what stands in the way; otherwise null. */
  trouble: string | null;
}

interface SurveyedHost extends PreviewHost {
  deferred: number;
  load: HostLoad;
}

/** If nothing was answered, there is no better estimate. */
const USUAL_ANSWER: AnswerTimes = { others: 0, headersMs: 100, answerMs: 150 };

function surveyHosts(reader: SurveyReader, question: SurveyQuestion, judge: RobotsJudge): SurveyedHost[] {
  const answers = reader.answers();
  const hosts = new Map<string, SurveyedOrigin[]>();
  for (const origin of reader.origins()) {
    hosts.set(origin.host, [...(hosts.get(origin.host) ?? []), origin]);
  }
  const policies = new HostPolicies(question.hosts);
  return [...hosts].map(([host, origins]) => {
    let forbidden = 0;
    for (const { origin, rules } of origins) {
      forbidden += rules === null ? 0 : countForbidden(reader, origin, host, rules, judge);
    }
    return surveyHost(host, origins, forbidden, answers.get(host), question, policies.ofHost(host));
  });
}

function countForbidden(reader: SurveyReader, origin: number, host: string, rules: string, judge: RobotsJudge): number {
  let forbidden = 0;
  for (const { url } of reader.waiting(origin)) {
    const rule = judge.ruleAgainst(rules, url);
    if (rule !== null) {
      forbidden++;
      judge.count(host, rule);
    }
  }
  return forbidden;
}

function surveyHost(
  host: string,
  origins: SurveyedOrigin[],
  forbidden: number,
  answered: AnswerTimes | undefined,
  question: SurveyQuestion,
  own: AppliedPolicy,
): SurveyedHost {
  const sum = (of: (origin: SurveyedOrigin) => number) => origins.reduce((total, origin) => total + of(origin), 0);
  const pages = sum(({ asked, queued, refused }) => asked + queued + refused) - forbidden;
  const ownDelayMs = own.delayMs ?? baseDelayMs(host, question.delayMs, question.delayIsDefault);
  const asksFor = origins.reduce((most, { crawlDelayMs }) => Math.max(most, crawlDelayMs ?? -1), -1);
  const delayMs = Math.max(ownDelayMs, asksFor);
  const putOff = asksFor > question.maxCrawlDelayMs;
  const { others, headersMs, answerMs } = answered ?? USUAL_ANSWER;
  const found = origins.find(({ trouble }) => trouble !== null)?.trouble ?? null;
  return {
    host,
    pages,
    forbidden,
    crawlDelayMs: asksFor < 0 ? null : asksFor,
    delayMs,
    headersMs: answered?.headersMs ?? null,
    trouble: putOff ? 'crawl_delay' : pages > 0 ? null : found,
    deferred: sum(({ deferred }) => deferred),
    load: { pages, others, delayMs, headersMs, answerMs, putOff, asksForDelay: asksFor > ownDelayMs, own },
  };
}
