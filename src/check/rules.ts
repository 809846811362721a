import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import { readDuration, writeDuration } from '../config/units.js';
import { compilePattern, type UrlPattern } from '../url/pattern.js';
import { DEFAULT_FAIL_ON, editFailOn, type FailOn, failsOn } from './fail-on.js';
import type { Verdict } from './report/result.js';

export type { CheckRule } from '../config/check-config.js';

interface CompiledRule {
  match: readonly string[];
  matches: UrlPattern;
  ignore: boolean | null;
  accept: StatusSet | null;
  maxAgeMs: number | null;
  failOn: FailOn | null;
}

export interface RuleSettings {
  /** --accept. */
  accept: string | null;
  /** --fail-on. */
  failOn: string | null;
  /** The rules of the config file as they stand there. */
  rules: unknown;
}

/** Throws the error that fits where the value comes from; `name` is that of the option, as `--accept` or `rules[2].delay`. */
type FailRule = (name: string, problem: string) => never;

interface LinkFacts {
  url: string;
  verdict: Verdict;
  status: number | null;
  external: boolean;
}

/** At most one of the three is true; `why` is the rule that decided, in words, or null if none did. */
interface Decision {
  ignored: boolean;
  accepted: boolean;
  fails: boolean;
  why: string | null;
}

/** Verdicts that a status alone led to, and that accepting it takes back. */
const BY_STATUS: ReadonlySet<Verdict> = new Set([
  'dead',
  'server_error',
  'blocked',
  'auth_required',
  'rate_limited',
  'unverifiable',
]);

const KEYS = ['match', 'ignore', 'accept', 'maxAge', 'failOn'];
/** These belong to a host and not to a link, and stand where all of them stand. */
const OF_HOSTS = ['headers', 'delay'];
const MAX_RULES = 1000;
const MAX_AGE_MS = 365 * 86_400_000;

/** The rules and options by which the user changes verdicts on links. */
export class CheckRules {
  readonly failOn: FailOn;
  readonly #accept: StatusSet | null;
  readonly #rules: readonly CompiledRule[];

  constructor(settings: RuleSettings, fail: FailRule) {
    const { accept, failOn, rules } = settings;
    this.#accept = accept === null ? null : parseStatusSet(accept, (problem) => fail('--accept', problem));
    this.failOn =
      failOn === null ? DEFAULT_FAIL_ON : editFailOn(DEFAULT_FAIL_ON, failOn, (problem) => fail('--fail-on', problem));
    this.#rules = compileRules(rules, this.failOn, fail);
  }

  /** Of the rules, as they are handed to whoever fetches. */
  get ignoreRules(): { match: readonly string[]; ignore: boolean }[] {
    return this.#rules.flatMap(({ match, ignore }) => (ignore === null ? [] : [{ match, ignore }]));
  }

  /** The longest that any rule lets a cached result live. */
  get longestAgeMs(): number {
    return Math.max(0, ...this.#rules.map(({ maxAgeMs }) => maxAgeMs ?? 0));
  }

  ignores(url: string): boolean {
    return this.#first(url, 'ignore') ?? false;
  }

  maxAgeMsOf(url: string): number | null {
    return this.#first(url, 'maxAgeMs');
  }

  decide({ url, verdict, status, external }: LinkFacts): Decision {
    const nothing = { ignored: false, accepted: false, fails: false, why: null };
    if (this.ignores(url)) {
      return { ...nothing, ignored: true, why: 'a rule leaves it out' };
    }
    if (status !== null && BY_STATUS.has(verdict)) {
      if (this.#first(url, 'accept')?.has(status)) {
        return { ...nothing, accepted: true, why: `a rule accepts status ${status}` };
      }
      if (this.#accept?.has(status)) {
        return { ...nothing, accepted: true, why: `--accept takes status ${status}` };
      }
    }
    return { ...nothing, fails: failsOn(this.#first(url, 'failOn') ?? this.failOn, verdict, external) };
  }

  /** Whether the user accepts this status of the URL. */
  accepts(url: string, status: number | null): boolean {
    return status !== null && (this.#first(url, 'accept')?.has(status) || this.#accept?.has(status) || false);
  }

  #first<Kind extends Exclude<keyof CompiledRule, 'matches' | 'match'>>(url: string, kind: Kind): CompiledRule[Kind] {
    for (const rule of this.#rules) {
      if (rule[kind] !== null && rule.matches(url)) {
        return rule[kind];
      }
    }
    return null;
  }
}

function compileRules(rules: unknown, failOn: FailOn, fail: FailRule): CompiledRule[] {
  if (rules === undefined || rules === null) {
    return [];
  }
  if (!Array.isArray(rules)) {
    return fail('rules', 'must be a list of rules');
  }
  if (rules.length > MAX_RULES) {
    return fail('rules', `must be at most ${MAX_RULES}, got ${rules.length}`);
  }
  return rules.map((rule, index) => compileRule(rule, failOn, new Place(`rules[${index}]`, fail)));
}

/** Where a value of a rule stands, for messages. */
class Place {
  readonly name: string;
  readonly #fail: FailRule;

  constructor(name: string, fail: FailRule) {
    this.name = name;
    this.#fail = fail;
  }

  at(key: string): Place {
    return new Place(`${this.name}.${key}`, this.#fail);
  }

  fail(problem: string): never {
    return this.#fail(this.name, problem);
  }

  /** Gives what `read` gives; what it finds wrong is said in the name of this place. */
  try<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof UsageError) {
        return this.fail(`is not usable: ${error.message}`);
      }
      throw error;
    }
  }
}

function compileRule(rule: unknown, failOn: FailOn, place: Place): CompiledRule {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) {
    return place.fail('must be an object');
  }
  const values = rule as Record<string, unknown>;
  const unknownKey = Object.keys(values).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined && OF_HOSTS.includes(unknownKey)) {
    return place.fail(
      `has ${unknownKey}, which is a key of hosts: write hosts: [{ match: 'x.test', ${unknownKey}: … }] beside check`,
    );
  }
  if (unknownKey !== undefined) {
    return place.fail(`has an unknown key ${printable(unknownKey, 60)}${didYouMean(nearestName(unknownKey, KEYS))}`);
  }
  if (KEYS.slice(1).every((key) => values[key] === undefined)) {
    return place.fail(`must have something besides match: ${KEYS.slice(1).join(', ')}`);
  }
  const patterns = readMatch(values.match, place.at('match'));
  const matchers = patterns.map((pattern) => place.at('match').try(() => compilePattern(pattern, 'match')));
  const at = <T>(key: string, read: (value: unknown, where: Place) => T): T | null =>
    values[key] === undefined ? null : read(values[key], place.at(key));
  return {
    match: patterns,
    matches: (url) => matchers.some((matches) => matches(url)),
    ignore: at('ignore', readSwitch),
    accept: at('accept', (value, where) => parseStatusSet(readText(value, where), (problem) => where.fail(problem))),
    maxAgeMs: at('maxAge', (value, where) => readTime(value, MAX_AGE_MS, where)),
    failOn: at('failOn', (value, where) =>
      editFailOn(failOn, readText(value, where), (problem) => where.fail(problem)),
    ),
  };
}

function readMatch(value: unknown, place: Place): string[] {
  const patterns: unknown[] = Array.isArray(value) ? value : [value];
  if (patterns.length === 0) {
    return place.fail('must not be empty');
  }
  return patterns.map((pattern) =>
    typeof pattern === 'string' && pattern !== ''
      ? pattern
      : place.fail(`must be a pattern such as 'https://x.test/**', got ${shown(pattern)}`),
  );
}

function readSwitch(value: unknown, place: Place): boolean {
  return typeof value === 'boolean' ? value : place.fail(`must be true or false, got ${shown(value)}`);
}

function readText(value: unknown, place: Place): string {
  return typeof value === 'string' ? value : place.fail(`must be text, got ${shown(value)}`);
}

function readTime(value: unknown, maxMs: number, place: Place): number {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? readDuration(value, 'ms') : null;
  if (ms === null) {
    return place.fail(`must be a time such as 500ms, 2s or 1d, got ${shown(value)}`);
  }
  // Written so that NaN is refused too.
  if (!(ms >= 0 && ms <= maxMs)) {
    return place.fail(`must be from 0 to ${writeDuration(maxMs)}, got ${shown(value)}`);
  }
  return ms;
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : printable(JSON.stringify(value), 100));

/** Status codes that count as fine, as `200..299,403`. */
interface StatusSet {
  has(status: number): boolean;
}

const PART = /^(\d{3})(?:\.\.(\d{3}))?$/;

/** @param fail takes what is wrong, as the end of a sentence that begins with the name of the option */
function parseStatusSet(text: string, fail: (problem: string) => never): StatusSet {
  const ranges = text.split(',').map((part): readonly [number, number] => {
    const [, first, last = first] = PART.exec(part.trim()) ?? [];
    if (first === undefined || Number(first) < 100) {
      return fail(`must be status codes and ranges of them such as 200..299,403, got ${printable(text, 100)}`);
    }
    if (Number(last) < Number(first)) {
      fail(`must not have a range that ends before it begins, got ${part.trim()}`);
    }
    return [Number(first), Number(last)];
  });
  return { has: (status) => ranges.some(([first, last]) => status >= first && status <= last) };
}
