import { readFileSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { firstBadLine } from '../base/utf8.js';
import { findJsonFault, lineAt } from '../config/json-fault.js';
import { writeFileAtomically } from '../report/atomic-file.js';
import { jsonLine } from '../report/output.js';
import { withoutCredentials } from './plain-url.js';
import { type CheckedLink, VERDICTS, type Verdict } from './report/result.js';
import { hidesLinks } from './report/unchecked.js';

const VERSION = 1;

/** A link that was broken when the baseline was written. */
export interface KnownLink {
  url: string;
  fragment: string | null;
  verdict: Verdict;
  /** YYYY-MM-DD. */
  firstSeen: string;
}

export type Baseline = ReadonlyMap<string, KnownLink>;

export interface Comparison {
  /** Broken now and not in the baseline. */
  new: CheckedLink[];
  /** Broken now as before, with the date since when. */
  known: CheckedLink[];
  /** In the baseline and no longer broken, sorted. */
  fixed: string[];
}

const keyOf = ({ url, fragment }: Pick<CheckedLink, 'url' | 'fragment'>): string =>
  withoutCredentials(url) + (fragment === null ? '' : `#${fragment}`);

/** Null if there is no such file. */
export function readBaseline(file: string): Baseline | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      return null;
    }
    throw new StateError('baseline', `cannot read the baseline ${printable(file)} (${code})`, { cause });
  }
  const bad = firstBadLine(bytes);
  if (bad !== null) {
    throw new StateError('baseline', `${printable(file)}: line ${bad.line} ${bad.problem}`);
  }
  return parseBaseline(bytes.toString('utf8').replace(/^\ufeff/, ''), file);
}

/** @param file names it in messages */
export function parseBaseline(text: string, file: string): Baseline {
  const fail = (place: string, problem: string): never => {
    throw new StateError('baseline', `${printable(file)}: ${place} ${problem}`);
  };
  const value = parseJson(text, fail);
  if (!isObject(value) || !Array.isArray(value.links)) {
    return fail('it', 'is not a baseline: there is no list of links');
  }
  if (value.version !== VERSION) {
    return fail('its version', `is ${shown(value.version)}; this program reads version ${VERSION}`);
  }
  const links = new Map<string, KnownLink>();
  for (const [index, entry] of value.links.entries()) {
    const link = readLink(entry, (problem) => fail(`link ${index + 1}`, problem));
    links.set(keyOf(link), link);
  }
  return links;
}

function parseJson(text: string, fail: (place: string, problem: string) => never): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = findJsonFault(text) ?? text.length;
    const found = fault >= text.length ? 'it ends too early' : `unexpected ${printable(text.slice(fault, fault + 20))}`;
    return fail(`line ${lineAt(text, fault)}`, `is not JSON: ${found}`);
  }
}

function readLink(entry: unknown, fail: (problem: string) => never): KnownLink {
  if (!isObject(entry)) {
    return fail('is not an object');
  }
  const { url, fragment = null, verdict, firstSeen } = entry;
  if (typeof url !== 'string' || url === '') {
    return fail('has no url');
  }
  if (fragment !== null && typeof fragment !== 'string') {
    return fail(`has a fragment that is no text: ${shown(fragment)}`);
  }
  const known = VERDICTS.find((each) => each === verdict);
  if (known === undefined) {
    return fail(`has an unknown verdict: ${shown(verdict)}`);
  }
  if (typeof firstSeen !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(firstSeen)) {
    return fail(`has a firstSeen that is no date such as 2026-01-31: ${shown(firstSeen)}`);
  }
  return { url, fragment, verdict: known, firstSeen };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => printable(JSON.stringify(value) ?? 'nothing', 100);

/**
 * What is new, known and fixed. A link that is not there any more is fixed too; where a run was cut short, or did not read all
 * pages, only one that was looked at can be, and never one of which nothing can be said today.
 */
export function compareWithBaseline(
  links: Iterable<CheckedLink>,
  baseline: Baseline,
  isTruncated: boolean,
): Comparison {
  const result: Comparison = { new: [], known: [], fixed: [] };
  const broken = new Set<string>();
  const fine = new Set<string>();
  const undecided = new Set<string>();
  let isPartial = isTruncated;
  for (const link of links) {
    isPartial ||= !link.external && (hidesLinks(link.unchecked) || UNREAD.has(link.verdict));
    const key = keyOf(link);
    const known = baseline.get(key);
    if (!link.fails) {
      if (isUndecided(link)) {
        undecided.add(key);
      } else if (known !== undefined) {
        fine.add(key);
      }
      continue;
    }
    broken.add(key);
    if (known === undefined) {
      result.new.push(link);
    } else {
      result.known.push({ ...link, firstSeen: known.firstSeen });
    }
  }
  for (const [key, { url }] of baseline) {
    const isOpen = undecided.has(key) || undecided.has(keyOf({ url, fragment: null }));
    if (!broken.has(key) && !isOpen && (!isPartial || fine.has(key))) {
      result.fixed.push(key);
    }
  }
  result.fixed.sort();
  return result;
}

/** Verdicts on a page in scope after which its present links are unknown. */
const UNREAD: ReadonlySet<Verdict> = new Set([
  'server_error',
  'timeout',
  'connection',
  'tls',
  'dns',
  'malformed_html',
  'blocked',
  'auth_required',
  'rate_limited',
  'unverifiable',
] as const);

/** Whether the run learned nothing about the link, so that it is neither broken nor fixed. A page that a trap cut has answered. */
const isUndecided = ({ verdict, unchecked }: CheckedLink): boolean =>
  verdict === 'unverifiable' || verdict === 'rate_limited' || (verdict === 'unchecked' && unchecked !== 'trap');

/** The baseline after a run: what is broken now with the date since when, and what a run that was cut short did not look at. */
export function updateBaseline(before: Baseline, { new: added, known, fixed }: Comparison, today: string): Baseline {
  const after = new Map(before);
  for (const key of fixed) {
    after.delete(key);
  }
  for (const link of [...added, ...known]) {
    const { fragment, verdict, firstSeen } = link;
    after.set(keyOf(link), { url: withoutCredentials(link.url), fragment, verdict, firstSeen: firstSeen ?? today });
  }
  return after;
}

/** One line a link, sorted, so that a change of one link is a change of one line. */
export function baselineText(baseline: Baseline): string {
  const keys = [...baseline.keys()].sort();
  const lines = keys.map((key) => {
    const { url, fragment, verdict, firstSeen } = baseline.get(key)!;
    return `    ${jsonLine({ url, ...(fragment === null ? {} : { fragment }), verdict, firstSeen }).trimEnd()}`;
  });
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  return `{\n  "version": ${VERSION},\n  "links": ${list}\n}\n`;
}

export function writeBaseline(file: string, baseline: Baseline): void {
  writeFileAtomically(file, baselineText(baseline));
}
