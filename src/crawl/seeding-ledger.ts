import type { SeedingFacts } from '../report/summary.js';
import type { SeedRow } from '../store/transaction.js';
import { barePathOf, hostnameOf } from '../url/host.js';
import { registrableDomain } from '../url/scope.js';
import { isOfDomain, isPublicName } from './seeding/host-names.js';

/** The result of one question. */
export interface Taken {
  found: number;
  inScope: number;
  withAddress: number;
}

/** What third parties have told, over all runs of a crawl, and which questions need not be asked again. Kept in the store. */
export class SeedingLedger {
  static readonly META_KEY = 'seeding';
  readonly #finished: Set<string>;
  readonly facts: SeedingFacts[];

  constructor(kept: string | undefined) {
    const { finished, facts } = JSON.parse(kept ?? '{"finished":[],"facts":[]}') as {
      finished: string[];
      facts: SeedingFacts[];
    };
    this.#finished = new Set(finished);
    this.facts = facts.map((each) => ({ ...each, problem: null }));
  }

  meta(): Record<string, string> {
    return { [SeedingLedger.META_KEY]: JSON.stringify({ finished: [...this.#finished], facts: this.facts }) };
  }

  isFinished(question: Question): boolean {
    return this.#finished.has(keyOf(question));
  }

  finish(question: Question, host: string, taken: Taken): void {
    const facts = this.of(question.source, host);
    facts.asked++;
    facts.found += taken.found;
    facts.inScope += taken.inScope;
    facts.withAddress = question.source === 'ct' ? (facts.withAddress ?? 0) + taken.withAddress : null;
    this.#finished.add(keyOf(question));
  }

  of(source: ThirdParty, host: string): SeedingFacts {
    let facts = this.facts.find((each) => each.source === source);
    if (facts === undefined) {
      facts = { source, host, asked: 0, found: 0, inScope: 0, withAddress: null, problem: null };
      this.facts.push(facts);
    }
    facts.host = host;
    return facts;
  }
}

export type ThirdParty = 'ct' | 'commoncrawl';

export interface Question {
  source: ThirdParty;
  /** A domain, or where only a part of a host is in scope, host and path. */
  about: string;
  /** What the third party is given to look for. */
  pattern: string;
}

/** What is asked for a seed, and why something is not. */
interface Questions {
  questions: Question[];
  /** Hosts that no third party can know or should learn about. */
  unasked: string[];
  /** Its scope is one host: no other name could be in it. */
  oneHost: boolean;
}

/** A seed's scope as questions: about all names below a domain, or about one host. */
export function questionsFor({ scope, scopeUrls }: SeedRow, sources: ReadonlySet<string>): Questions {
  const open = scopeUrls.filter((url) => isPublicName(hostnameOf(url)));
  const unasked = scopeUrls.map(hostnameOf).filter((hostname) => !isPublicName(hostname));
  const isWide = scope === 'subdomains' || scope === 'domain' || scope === 'any';
  const domains = distinct(
    open.map(hostnameOf).map((name) => (scope === 'domain' ? registrableDomain(name) : name)),
  ).filter((name, _place, all) => !all.some((other) => other !== name && isOfDomain(name, other)));
  const questions: Question[] = [];
  if (sources.has('ct') && isWide) {
    questions.push(...domains.map((about) => ({ source: 'ct' as const, about, pattern: about })));
  }
  if (sources.has('commoncrawl') && scope !== 'page') {
    const places = isWide
      ? domains
      : distinct(open.map((url) => (scope === 'prefix' ? folderOf(url) : hostnameOf(url))));
    questions.push(
      ...places.map((about) => ({ source: 'commoncrawl' as const, about, pattern: patternOf(about, isWide) })),
    );
  }
  return { questions, unasked: distinct(unasked), oneHost: sources.has('ct') && !isWide && open.length > 0 };
}

function patternOf(about: string, isWide: boolean): string {
  if (isWide) {
    return `*.${about}/*`;
  }
  return about.includes('/') ? `${about}*` : `${about}/*`;
}

/** The path where everything that a prefix may admit begins: the folder of a file, otherwise the path itself, a file, a folder or both. */
function folderOf(url: string): string {
  const path = barePathOf(url);
  const last = path.slice(path.lastIndexOf('/') + 1);
  return hostnameOf(url) + (last.includes('.') ? path.slice(0, path.lastIndexOf('/') + 1) : path);
}

const distinct = (texts: string[]): string[] => [...new Set(texts)];

export const keyOf = ({ source, pattern }: Question): string => `${source} ${pattern}`;

/** Whether another question covers this one already: the same one, or one about all names below a parent. */
export function isCovered(question: Question, known: ReadonlySet<string>): boolean {
  if (known.has(keyOf(question))) {
    return true;
  }
  const { source, about } = question;
  const labels = about.replace(/\/.*/, '').split('.');
  return labels.some((_label, place) => {
    const parent = labels.slice(place).join('.');
    return known.has(keyOf({ source, about: parent, pattern: source === 'ct' ? parent : patternOf(parent, true) }));
  });
}
