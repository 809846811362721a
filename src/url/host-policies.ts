import { domainToASCII, domainToUnicode } from 'node:url';
import { originOf } from './host.js';

/** The user's settings for the hosts that match, in normal units. Each key replaces the option it is named after. */
export interface HostPolicy {
  /** Globs on names of hosts, such as `*.example.com`; several are one or the other. */
  readonly match: string | readonly string[];
  /** From an answer of the host to the next request to it. robots.txt and Retry-After can only make it longer. */
  readonly delayMs?: number;
  /** Requests in flight to the host at most. */
  readonly maxInflight?: number;
  /** URLs fetched from the host at most. */
  readonly maxUrls?: number;
  /** Links from a seed at most, for URLs of the host. */
  readonly depth?: number;
  /** Sent to origins that match, and to no other. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent that is sent, and whose first product robots.txt is matched by. */
  readonly userAgent?: string;
  /** The proxy for the host; `none`: it is connected to directly. */
  readonly proxy?: string;
  /** Time for a whole request. */
  readonly timeoutMs?: number;
  /** Which of its pages a browser renders before they are read. */
  readonly render?: 'never' | 'auto' | 'always';
  /** In the place of --include, for URLs of the host. */
  readonly include?: readonly string[];
  /** Besides --exclude, for URLs of the host. */
  readonly exclude?: readonly string[];
  /** In a corpus: what these CSS selectors match is the text of a page of the host, in the place of --content. */
  readonly content?: readonly string[];
  /** In a corpus: what these CSS selectors match is no part of a page of the host, besides --remove. */
  readonly remove?: readonly string[];
}

export type HostPolicyKey = Exclude<keyof HostPolicy, 'match'>;

/** The settings for one host: each key has the value of the first matching entry that sets it. */
export interface AppliedPolicy extends Omit<HostPolicy, 'match'> {
  /** Which entry each value comes from, counted from 0. */
  readonly from: Readonly<Partial<Record<HostPolicyKey, number>>>;
}

/** There are no settings for the host. */
export const NO_POLICY: AppliedPolicy = { from: {} };

/**
 * The entries with these keys alone, for whoever needs no more of them; none where no entry has any. Their numbers stay as they are. So what is
 * secret goes only to those who send it.
 */
export function policiesOf<Key extends HostPolicyKey>(
  policies: readonly HostPolicy[],
  keys: readonly Key[],
): Pick<HostPolicy, 'match' | Key>[] {
  if (!policies.some((policy) => keys.some((key) => policy[key] !== undefined))) {
    return [];
  }
  return policies.map((policy) => {
    const own = keys.flatMap((key) => (policy[key] === undefined ? [] : [[key, policy[key]] as const]));
    return { match: policy.match, ...Object.fromEntries(own) } as Pick<HostPolicy, 'match' | Key>;
  });
}

/** The globs of an entry. */
export const patternsOf = ({ match }: Pick<HostPolicy, 'match'>): readonly string[] =>
  typeof match === 'string' ? [match] : match;

/** `hosts[2] (*.example.com)`: how an entry is named wherever it is spoken of. */
export const entryName = (policies: readonly HostPolicy[], entry: number): string =>
  `hosts[${entry}] (${patternsOf(policies[entry]!).join(',')})`;

/** How many hosts, and sets of entries, are remembered; more would only be looked up again. */
const MOST_REMEMBERED = 10_000;

/** The longest name that DNS has, with room for the stars of a pattern. */
const LONGEST_PATTERN = 300;

/** One glob, read. */
interface HostPattern {
  readonly entry: number;
  /** `http` or `https`; null: either. */
  readonly scheme: string | null;
  /** null: any. */
  readonly port: number | null;
  /** The name as URLs have it, with its stars. */
  readonly name: string;
  /** What stands between its stars; and the same in Unicode, for a star within an international label. */
  readonly pieces: readonly string[];
  readonly unicode: readonly string[];
}

/**
 * Finds what the entries say of a host. A name is looked up once and remembered; names without a star, and those that begin with `*.`, are found
 * in tables, so that a thousand entries cost a new host a few look-ups. Names of hosts are written by strangers: a glob is matched piece by piece,
 * without backtracking and without regular expressions.
 *
 * What is asked of an origin (headers, proxy and the like) goes by scheme and port too, where a glob names them. Pace and budget belong to a host
 * whatever its schemes and ports, so for these only the name counts, on loopback with its port.
 */
export class HostPolicies {
  readonly #policies: readonly HostPolicy[];
  readonly #whole = new Map<string, HostPattern[]>();
  /** By what stands behind `*.`. */
  readonly #below = new Map<string, HostPattern[]>();
  readonly #others: HostPattern[] = [];
  readonly #remembered = new Map<string, AppliedPolicy>();
  readonly #bySet = new Map<string, AppliedPolicy>();

  constructor(policies: readonly HostPolicy[]) {
    this.#policies = policies;
    for (const [entry, policy] of policies.entries()) {
      for (const text of patternsOf(policy)) {
        this.#add({ entry, ...readPattern(text) });
      }
    }
  }

  get isEmpty(): boolean {
    return this.#policies.length === 0;
  }

  /** Hosts and origins that are remembered. */
  get remembered(): number {
    return this.#remembered.size;
  }

  /** Of an origin in normal form: `https://a.example.com:8443`. */
  ofOrigin(origin: string): AppliedPolicy {
    return this.isEmpty || !origin.startsWith('http') ? NO_POLICY : this.#remember(origin, true);
  }

  /** Of a URL in normal form. */
  ofUrl(url: string): AppliedPolicy {
    return this.isEmpty ? NO_POLICY : this.ofOrigin(originOf(url));
  }

  /** Of a host by the name that pacing goes by, which has a port only on loopback. */
  ofHost(hostKey: string): AppliedPolicy {
    return this.isEmpty ? NO_POLICY : this.#remember(hostKey, false);
  }

  #add(pattern: HostPattern): void {
    const { name } = pattern;
    const parent = name.startsWith('*.') ? name.slice(2) : null;
    if (!name.includes('*')) {
      enter(this.#whole, name, pattern);
    } else if (parent !== null && !parent.includes('*')) {
      enter(this.#below, parent, pattern);
    } else {
      this.#others.push(pattern);
    }
  }

  #remember(key: string, isOrigin: boolean): AppliedPolicy {
    let policy = this.#remembered.get(key);
    if (policy === undefined) {
      policy = this.#joined(this.#entriesFor(isOrigin ? placeOfOrigin(key) : placeOfHost(key)));
      setBounded(this.#remembered, key, policy);
    }
    return policy;
  }

  /** The entries that match, in their order. */
  #entriesFor({ scheme, name, port }: HostPlace): number[] {
    const patterns = [...(this.#whole.get(name) ?? [])];
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      patterns.push(...(this.#below.get(name.slice(dot + 1)) ?? []));
    }
    const unicode = name.includes('xn--') ? domainToUnicode(name) : '';
    for (const pattern of this.#others) {
      if (matchesGlob(pattern.pieces, name) || (unicode !== '' && matchesGlob(pattern.unicode, unicode))) {
        patterns.push(pattern);
      }
    }
    const entries = patterns
      .filter((pattern) => scheme === null || pattern.scheme === null || pattern.scheme === scheme)
      .filter((pattern) => port === null || pattern.port === null || pattern.port === port)
      .map(({ entry }) => entry);
    return [...new Set(entries)].sort((a, b) => a - b);
  }

  #joined(entries: readonly number[]): AppliedPolicy {
    if (entries.length === 0) {
      return NO_POLICY;
    }
    const set = entries.join();
    let policy = this.#bySet.get(set);
    if (policy === undefined) {
      policy = join(this.#policies, entries);
      setBounded(this.#bySet, set, policy);
    }
    return policy;
  }
}

function join(policies: readonly HostPolicy[], entries: readonly number[]): AppliedPolicy {
  const values: Record<string, unknown> = {};
  const from: Partial<Record<HostPolicyKey, number>> = {};
  for (const entry of entries) {
    const { match: _, ...own } = policies[entry]!;
    for (const [key, value] of Object.entries(own) as [HostPolicyKey, unknown][]) {
      if (from[key] === undefined && value !== undefined) {
        values[key] = value;
        from[key] = entry;
      }
    }
  }
  return { ...values, from };
}

interface HostPlace {
  /** null: it does not count. */
  readonly scheme: string | null;
  readonly name: string;
  readonly port: number | null;
}

function placeOfOrigin(origin: string): HostPlace {
  const [, scheme = '', name = '', port] = /^(https?):\/\/(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(origin) ?? [];
  return {
    scheme,
    name: name.replace(/\.$/, ''),
    port: port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port),
  };
}

function placeOfHost(hostKey: string): HostPlace {
  const [, name = hostKey, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(hostKey) ?? [];
  return { scheme: null, name, port: port === undefined ? null : Number(port) };
}

const PATTERN = /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^[\]:/?#@\\\s]+)(?::(\d{1,5}))?\/?$/i;

/** What is wrong with a glob on hosts, as the end of a sentence that begins "must be"; null if nothing is. */
export function hostPatternProblem(text: string): string | null {
  const form =
    "a name of a host such as example.com or *.example.com, 'https://' before it or a port behind it if need be";
  if (text.length > LONGEST_PATTERN) {
    return `${form}, and of at most ${LONGEST_PATTERN} characters`;
  }
  const [, , host, port] = PATTERN.exec(text) ?? [];
  if (host === undefined || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))) {
    return form;
  }
  return normalName(host) === null ? form : null;
}

/** Whether the glob says by which scheme its hosts are asked. */
export const namesScheme = (text: string): boolean => /^https?:\/\//i.test(text);

function readPattern(text: string): Omit<HostPattern, 'entry'> {
  const [, scheme, host = '', port] = PATTERN.exec(text) ?? [];
  const name = normalName(host) ?? host;
  return {
    scheme: scheme?.toLowerCase() ?? null,
    port: port === undefined ? null : Number(port),
    name,
    pieces: name.split('*'),
    unicode: name
      .split('.')
      .map((label) => (label.startsWith('xn--') ? domainToUnicode(label) || label : label))
      .join('.')
      .split('*'),
  };
}

/** The name as URLs have it; a label that has a star in it stays as it is written, in lower case. Null if no host is called so. */
function normalName(host: string): string | null {
  const name = host.replace(/\.$/, '');
  if (!name.includes('*')) {
    return URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : null;
  }
  const labels = name.split('.');
  return labels.every((label) => /^[\p{L}\p{M}\p{N}_*-]+$/u.test(label)) ? labels.map(normalLabel).join('.') : null;
}

/** By itself a label of digits would be read as an address. */
function normalLabel(label: string): string {
  const lower = label.normalize('NFC').toLowerCase();
  return label.includes('*') || /^[\0-\x7f]*$/.test(label) ? lower : domainToASCII(label) || lower;
}

/** A star, which stands between two pieces, is any run of characters, dots among them, or none. */
function matchesGlob(pieces: readonly string[], name: string): boolean {
  const first = pieces[0]!;
  const last = pieces[pieces.length - 1]!;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) {
    return false;
  }
  let at = first.length;
  for (let i = 1; i < pieces.length - 1; i++) {
    const piece = pieces[i]!;
    const found = name.indexOf(piece, at);
    if (found < 0 || found + piece.length > name.length - last.length) {
      return false;
    }
    at = found + piece.length;
  }
  return true;
}

function enter<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) {
    map.set(key, [value]);
  } else {
    values.push(value);
  }
}

/** The oldest entry leaves if there is no room. */
function setBounded<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_REMEMBERED) {
    map.delete(map.keys().next().value!);
  }
  map.set(key, value);
}
