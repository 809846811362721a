import { UsageError } from '../base/errors.js';
import { headerProblem, isHarmlessHeader } from '../base/header-line.js';
import { printable } from '../base/text.js';
import { hostKeyOf } from '../url/host.js';
import {
  entryName,
  type HostPolicies,
  type HostPolicy,
  type HostPolicyKey,
  hostPatternProblem,
  namesScheme,
  patternsOf,
} from '../url/host-policies.js';
import { describeValue } from './arguments.js';
import { checkProxy } from './checks.js';
import type { ListSpec, OptionSpec, OptionValue } from './option-spec.js';
import { DOCS_OPTIONS } from './options-commands.js';
import { FETCH_OPTIONS } from './options-fetch.js';
import { INPUT_OPTIONS } from './options-input.js';
import { LAYER_OPTIONS } from './options-layers.js';
import { POLITENESS_OPTIONS } from './options-politeness.js';
import type { Origin } from './origin.js';
import { didYouMean, nearestName } from './suggest.js';
import { writeDuration } from './units.js';

/** The entries of `hosts` and of --host: read, refused, and written as they are typed. */

export const MOST_ENTRIES = 1_000;
export const MOST_PATTERNS = 1_000;

/** Connected to directly, whatever --proxy says. */
export const NO_PROXY = 'none';

interface HostKey {
  /** In a config file. In the library it is the key of the policy itself. */
  readonly written: string;
  /** In --host. */
  readonly flag: string;
  /** The option whose values it takes; null: headers, which have a form of their own. */
  readonly spec: OptionSpec | null;
}

/** What an entry may hold, each with the bounds and checks of the option that it stands for. */
export const HOST_KEYS: Readonly<Record<HostPolicyKey, HostKey>> = {
  delayMs: { written: 'delay', flag: 'delay', spec: POLITENESS_OPTIONS.delayMs },
  maxInflight: { written: 'maxInflight', flag: 'max-inflight', spec: LAYER_OPTIONS.maxInflightPerHost },
  maxUrls: { written: 'maxUrls', flag: 'max-urls', spec: INPUT_OPTIONS.maxUrlsPerHost },
  depth: { written: 'depth', flag: 'depth', spec: INPUT_OPTIONS.depth },
  headers: { written: 'headers', flag: 'header', spec: null },
  userAgent: { written: 'userAgent', flag: 'user-agent', spec: POLITENESS_OPTIONS.userAgent },
  proxy: {
    written: 'proxy',
    flag: 'proxy',
    // One for a host, where the option for all hosts takes several.
    spec: { ...FETCH_OPTIONS.proxy, type: 'text', default: null, check: checkProxyOrNone },
  },
  timeoutMs: { written: 'timeout', flag: 'timeout', spec: FETCH_OPTIONS.timeoutMs },
  render: { written: 'render', flag: 'render', spec: FETCH_OPTIONS.render },
  include: { written: 'include', flag: 'include', spec: INPUT_OPTIONS.include },
  exclude: { written: 'exclude', flag: 'exclude', spec: INPUT_OPTIONS.exclude },
  content: { written: 'content', flag: 'content', spec: DOCS_OPTIONS.content },
  remove: { written: 'remove', flag: 'remove', spec: DOCS_OPTIONS.remove },
};
function checkProxyOrNone(text: string): string | null {
  const problem = text === NO_PROXY ? null : checkProxy(text);
  return problem === null ? null : `${problem}, or ${NO_PROXY}`;
}

const KEYS = Object.keys(HOST_KEYS) as HostPolicyKey[];

/** How single values are read; given by whoever reads options, which this file is a part of. */
export interface ValueReaders {
  text(spec: Exclude<OptionSpec, ListSpec>, text: string, origin: Origin): OptionValue;
  list(spec: ListSpec, texts: readonly string[], origin: Origin): OptionValue;
  config(spec: OptionSpec, value: unknown, origin: Origin): OptionValue;
  normal(spec: OptionSpec, value: unknown, origin: Origin): OptionValue;
}

/** Which words an entry has: those of a config file, or those of the library and the store. */
type Form = 'config' | 'normal';

/** The entries of a config file, of a program or of the store. */
export function readEntries(values: unknown, form: Form, origin: Origin, read: ValueReaders): HostPolicy[] {
  if (!Array.isArray(values)) {
    return origin.fail(
      `must be a list of entries such as { match: '*.example.com', ${form === 'config' ? "delay: '5s'" : 'delayMs: 5000'} }`,
    );
  }
  refuseTooMany(values, origin);
  return values.map((value, entry) => {
    const place = origin.within(`[${entry}]`);
    return typeof value === 'string' && form === 'config'
      ? readWords(wordsOf(value, place), place, read, '.')
      : readEntry(value, form, place, read);
  });
}

/** The entries as they stand on the command line and in a variable. */
export function readEntryTexts(texts: readonly string[], origin: Origin, read: ValueReaders): HostPolicy[] {
  refuseTooMany(texts, origin);
  return texts.map((text) => {
    const words = wordsOf(text, origin);
    return readWords(words, origin.within(` ${printable(words[0] ?? '', 100)}`), read, ' ');
  });
}

function refuseTooMany(entries: readonly unknown[], origin: Origin): void {
  if (entries.length > MOST_ENTRIES) {
    origin.fail(`must have at most ${MOST_ENTRIES} entries, got ${entries.length}`);
  }
}

function readEntry(value: unknown, form: Form, place: Origin, read: ValueReaders): HostPolicy {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return place.fail('must be an object with match');
  }
  const given = value as Readonly<Record<string, unknown>>;
  const nameOf = (key: HostPolicyKey): string => (form === 'config' ? HOST_KEYS[key].written : key);
  const names = KEYS.map(nameOf);
  const stranger = Object.keys(given).find((name) => name !== 'match' && !names.includes(name));
  if (stranger !== undefined) {
    return place.fail(`has an unknown key ${printable(stranger, 60)}${didYouMean(nameMeant(stranger, names, nameOf))}`);
  }
  const match = readMatch(given.match, place.within('.match'));
  const policy: Record<string, unknown> = { match };
  for (const key of KEYS.filter((each) => given[nameOf(each)] !== undefined)) {
    const at = place.within(`.${nameOf(key)}`);
    const { spec } = HOST_KEYS[key];
    policy[key] = spec === null ? readHeaders(given[nameOf(key)], at) : read[form](spec, given[nameOf(key)], at);
  }
  return checked(policy as unknown as HostPolicy, place, names, (key) => place.within(`.${nameOf(key)}`));
}

/** `delay` of a program is delayMs, and `delayMs` of a config file is delay. */
function nameMeant(stranger: string, names: readonly string[], nameOf: (key: HostPolicyKey) => string): string | null {
  const wanted = stranger.replaceAll('-', '').toLowerCase();
  const spellings = (key: HostPolicyKey): string[] => [
    key,
    HOST_KEYS[key].written,
    HOST_KEYS[key].flag.replaceAll('-', ''),
  ];
  const same = KEYS.find((key) => spellings(key).some((each) => each.toLowerCase() === wanted));
  return same === undefined ? nearestName(stranger, [...names, 'match']) : nameOf(same);
}

/** `PATTERN[,PATTERN…] key=value …`. */
function readWords(
  [first = '', ...words]: readonly string[],
  place: Origin,
  read: ValueReaders,
  dot: string,
): HostPolicy {
  const match = readMatch(first.split(','), place);
  const given = new Map<HostPolicyKey, string[]>();
  const flags = KEYS.map((key) => HOST_KEYS[key].flag);
  for (const word of words) {
    const split = word.indexOf('=');
    const flag = split < 0 ? word : word.slice(0, split);
    const key = KEYS.find((each) => HOST_KEYS[each].flag === flag);
    if (key === undefined || split < 0) {
      return place.fail(
        key === undefined
          ? `has an unknown key ${printable(flag, 60)}${didYouMean(nameMeant(flag, flags, (each) => HOST_KEYS[each].flag))}`
          : `must have a value for ${flag}, as in ${flag}=…`,
      );
    }
    const texts = given.get(key) ?? [];
    if (texts.length > 0 && !takesSeveral(key)) {
      return place.fail(`has ${flag} twice`);
    }
    given.set(key, [...texts, word.slice(split + 1)]);
  }
  const at = (key: HostPolicyKey): Origin => place.within(dot + HOST_KEYS[key].flag);
  const policy: Record<string, unknown> = { match };
  for (const [key, texts] of given) {
    const { spec } = HOST_KEYS[key];
    policy[key] =
      spec === null
        ? readHeaders(headersOfLines(texts, at(key)), at(key))
        : spec.type === 'list'
          ? read.list(spec, texts, at(key))
          : read.text(spec, texts[0]!, at(key));
  }
  return checked(policy as unknown as HostPolicy, place, flags, at);
}

const takesSeveral = (key: HostPolicyKey): boolean =>
  HOST_KEYS[key].spec === null || HOST_KEYS[key].spec?.type === 'list';

/** Split at blanks; quotes hold together what belongs together, as in header="Authorization: Bearer x". */
function wordsOf(text: string, origin: Origin): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (const character of text) {
    if (quote !== '') {
      word += character === quote ? '' : character;
      quote = character === quote ? '' : quote;
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (/\s/.test(character)) {
      words.push(word);
      word = '';
    } else {
      word += character;
    }
  }
  if (quote !== '') {
    // The text may hold a secret.
    return origin.fail(`has an entry with a ${quote} that is not closed`);
  }
  return [...words, word].filter((each) => each !== '');
}

function readMatch(value: unknown, place: Origin): string[] {
  const patterns: unknown[] = Array.isArray(value) ? value : [value];
  if (patterns.length === 0 || patterns.length > MOST_PATTERNS) {
    return place.fail(`must have from 1 to ${MOST_PATTERNS} names of hosts, got ${patterns.length}`);
  }
  return patterns.map((pattern) => {
    const problem =
      typeof pattern === 'string' ? hostPatternProblem(pattern) : 'a name of a host such as *.example.com';
    return problem === null ? (pattern as string) : place.fail(`must be ${problem}, got ${describeValue(pattern)}`);
  });
}

function headersOfLines(lines: readonly string[], place: Origin): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([^:]+):(.*)$/s.exec(line) ?? [];
    if (name === undefined) {
      return place.fail("must be of the form 'Name: value'");
    }
    headers[name.trim()] = value!;
  }
  return headers;
}

/** No message shows a value, which may be a secret. */
function readHeaders(value: unknown, place: Origin): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return place.fail("must be an object such as { 'accept-language': 'en' }");
  }
  const headers = Object.entries(value).map(([name, text]): [string, string] => {
    if (typeof text !== 'string') {
      return place.fail(`must have text for ${printable(name, 60)}`);
    }
    const problem = headerProblem(name, text.trim());
    if (problem !== null) {
      return place.fail(`is not usable: ${problem}`);
    }
    return name.toLowerCase() === 'user-agent'
      ? place.fail('must not name user-agent: the key for it is the one of the agent, which robots.txt is matched by')
      : [name, text.trim()];
  });
  return Object.fromEntries(headers);
}

function checked(
  policy: HostPolicy,
  place: Origin,
  names: readonly string[],
  at: (key: HostPolicyKey) => Origin,
): HostPolicy {
  if (Object.keys(policy).length === 1) {
    return place.fail(`must have something besides match: ${names.join(', ')}`);
  }
  const problem = policy.userAgent === undefined ? null : headerProblem('user-agent', policy.userAgent);
  if (problem !== null) {
    at('userAgent').fail(`is not usable: ${problem}`);
  }
  const secret = Object.keys(policy.headers ?? {}).find((name) => !isHarmlessHeader(name));
  const open = patternsOf(policy).find((pattern) => !namesScheme(pattern));
  if (secret !== undefined && open !== undefined) {
    at('headers').fail(
      `may hold a secret in ${printable(secret, 60)}: say with the pattern where it may go, as in https://${printable(open, 100)}`,
    );
  }
  return policy;
}

/** As an entry is typed, with its number. */
export const writeEntry = (policies: readonly HostPolicy[], entry: number): string =>
  [entryName(policies, entry), ...KEYS.flatMap((key) => writeKey(policies[entry]!, key))].join(' ');

/** `delay=5s`, as it is typed; nothing where the entry does not have it. */
export function writeKey(policy: Omit<HostPolicy, 'match'>, key: HostPolicyKey): string[] {
  const value = policy[key];
  const { flag } = HOST_KEYS[key];
  if (value === undefined) {
    return [];
  }
  const values =
    typeof value !== 'object'
      ? [isTime(key) ? writeDuration(Number(value)).replaceAll(/[ ,]/g, '') : String(value)]
      : Array.isArray(value)
        ? (value as readonly string[])
        : Object.entries(value).map(([name, text]) => `${name}: ${text}`);
  return values.map((text) => `${flag}=${/\s/.test(text) ? JSON.stringify(text) : text}`);
}

/** One key that an entry sets for a host. */
export interface HostRule {
  /** As in a config file. */
  readonly key: string;
  /** As in --host: `delay=5000ms`, without what may be secret. */
  readonly value: string;
  /** The number of the entry, from 0. */
  readonly entry: number;
  /** `hosts[2] (*.example.com)`. */
  readonly name: string;
}

/** Pace and budget are those of a host, whatever the scheme and the port of a URL. */
const OF_WHOLE_HOSTS: ReadonlySet<HostPolicyKey> = new Set(['delayMs', 'maxInflight', 'maxUrls']);

/** What holds for the host of a URL, key by key, with the entry that says so. The entries come without their secrets. */
export function rulesForHost(hosts: readonly HostPolicy[], policies: HostPolicies, url: string): HostRule[] {
  const ofHost = policies.ofHost(hostKeyOf(url));
  const ofOrigin = policies.ofUrl(url);
  return KEYS.flatMap((key) => {
    const policy = OF_WHOLE_HOSTS.has(key) ? ofHost : ofOrigin;
    const entry = policy.from[key];
    return entry === undefined
      ? []
      : [
          {
            key: HOST_KEYS[key].written,
            value: writeKey(policy, key).join(' '),
            entry,
            name: entryName(hosts, entry),
          },
        ];
  });
}

/** Refuses a key that means nothing to a command; `takes` says which options it has. */
export function refuseForeignKeys(
  hosts: readonly HostPolicy[],
  name: string,
  command: string,
  takes: (spec: OptionSpec) => boolean,
): void {
  for (const [entry, policy] of hosts.entries()) {
    const foreign = KEYS.find((key) => {
      const { spec } = HOST_KEYS[key];
      return policy[key] !== undefined && spec !== null && !takes(spec);
    });
    if (foreign !== undefined) {
      throw new UsageError(
        `${name}: ${HOST_KEYS[foreign].written} of ${entryName(hosts, entry)} means nothing to \`gossamer ${command}\``,
      );
    }
  }
}

const isTime = (key: HostPolicyKey): boolean => HOST_KEYS[key].spec?.type === 'duration';

/** Of each entry that has any of these keys, its patterns and these keys. */
export const partsOf = (policies: readonly HostPolicy[], keys: readonly HostPolicyKey[]): HostPolicy[] =>
  policies
    .filter((policy) => keys.some((key) => policy[key] !== undefined))
    .map((policy) => ({
      match: policy.match,
      ...Object.fromEntries(keys.flatMap((key) => (policy[key] === undefined ? [] : [[key, policy[key]]]))),
    }));

/** URLs were let in, and robots.txt was read, by these: a crawl that goes on cannot have others. */
export const FIXED_KEYS = ['userAgent', 'include', 'exclude'] as const satisfies HostPolicyKey[];
