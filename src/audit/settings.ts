import { printable } from '../base/text.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import { readDuration, readSize } from '../config/units.js';
import type { AuditThresholds } from '../store/audit-queries.js';
import { DEFAULT_THRESHOLDS, RULE_IDS, SEVERITIES, type Severity } from './report/rules.js';

/** By what an audit goes, and what it fails for. */
export interface AuditSettings {
  readonly thresholds: AuditThresholds;
  /** By rule: null leaves it out. Rules that are not here have their own. */
  readonly severities: ReadonlyMap<string, Severity | null>;
  /** Severities and rules that make the run fail. */
  readonly failOn: ReadonlySet<string>;
}

/** Nothing is set, and nothing fails. */
export const DEFAULT_SETTINGS: AuditSettings = {
  thresholds: DEFAULT_THRESHOLDS,
  severities: new Map(),
  failOn: new Set(),
};

/** Throws the error that fits where the value comes from; `name` says which value it is. */
type Fail = (name: string, problem: string) => never;

interface Bounds {
  readonly key: keyof AuditThresholds;
  readonly min: number;
  readonly max: number;
  readonly read?: (text: string) => number | null;
  /** What may stand there. */
  readonly noun: string;
}

const MOST_MS = 3_600_000;
const MOST_BYTES = 2 ** 40;
/** By the name in a config file. */
const THRESHOLDS: Readonly<Record<string, Bounds>> = {
  titleLength: { key: 'titleLength', min: 1, max: 4_096, noun: 'a whole number' },
  descriptionLength: { key: 'descriptionLength', min: 1, max: 4_096, noun: 'a whole number' },
  depth: { key: 'depth', min: 0, max: 1_000_000, noun: 'a whole number' },
  slow: {
    key: 'slowMs',
    min: 0,
    max: MOST_MS,
    read: (text) => readDuration(text, 's'),
    noun: 'a duration such as 2s, or a number of seconds',
  },
  heavy: { key: 'heavyBytes', min: 0, max: MOST_BYTES, read: readSize, noun: 'a size such as 500 KiB' },
  thinWords: { key: 'thinWords', min: 0, max: 1_000_000, noun: 'a whole number' },
  nearDuplicate: { key: 'nearDuplicate', min: 0.8, max: 1, noun: 'a number' },
  redirectHops: { key: 'redirectHops', min: 0, max: 100, noun: 'a whole number' },
};
const NAMES = Object.keys(THRESHOLDS);

/** @param config the `audit` of a config file or of a program as it stands there */
export function readAuditSettings(config: unknown, failOn: string | null, fail: Fail): AuditSettings {
  const { rules, thresholds, failOn: keptFailOn, ...others } = recordOf(config, 'audit', fail);
  for (const key of Object.keys(others)) {
    fail(
      'audit',
      `unknown key ${printable(key, 60)}${didYouMean(nearestName(key, ['rules', 'thresholds', 'failOn']))}`,
    );
  }
  return {
    thresholds: readThresholds(thresholds, fail),
    severities: readRules(rules, fail),
    failOn: new Set(
      failOn !== null
        ? readFailOn(failOn, (problem) => fail('--fail-on', problem))
        : readKeptFailOn(keptFailOn, (problem) => fail('audit.failOn', problem)),
    ),
  };
}

function readKeptFailOn(value: unknown, fail: (problem: string) => never): string[] {
  if (value === undefined) {
    return [];
  }
  return typeof value === 'string' ? readFailOn(value, fail) : fail(`must be text, got ${shown(value)}`);
}

function recordOf(value: unknown, name: string, fail: Fail): Record<string, unknown> {
  if (value === undefined || value === null) {
    return {};
  }
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : fail(name, `must be an object, got ${shown(value)}`);
}

function readThresholds(value: unknown, fail: Fail): AuditThresholds {
  const read: AuditThresholds = { ...DEFAULT_THRESHOLDS };
  for (const [name, given] of Object.entries(recordOf(value, 'audit.thresholds', fail))) {
    const bounds = THRESHOLDS[name];
    if (bounds === undefined || !Object.hasOwn(THRESHOLDS, name)) {
      return fail('audit.thresholds', `unknown key ${printable(name, 60)}${didYouMean(nearestName(name, NAMES))}`);
    }
    if (given !== undefined) {
      read[bounds.key] = readThreshold(`audit.thresholds.${name}`, given, bounds, fail);
    }
  }
  return read;
}

function readThreshold(name: string, given: unknown, { min, max, read, noun, key }: Bounds, fail: Fail): number {
  const isText = typeof given === 'string' || typeof given === 'number';
  const number = read === undefined ? given : isText ? read(String(given)) : null;
  const isWhole = key === 'nearDuplicate' || Number.isInteger(number) || read !== undefined;
  if (typeof number !== 'number' || !Number.isFinite(number) || !isWhole) {
    return fail(name, `must be ${noun}, got ${shown(given)}`);
  }
  return number < min || number > max ? fail(name, `must be from ${min} to ${max}, got ${shown(given)}`) : number;
}

function readRules(value: unknown, fail: Fail): Map<string, Severity | null> {
  const severities = new Map<string, Severity | null>();
  for (const [id, given] of Object.entries(recordOf(value, 'audit.rules', fail))) {
    if (!RULE_IDS.includes(id)) {
      return fail('audit.rules', `there is no rule ${printable(id, 60)}${didYouMean(nearestName(id, RULE_IDS))}`);
    }
    if (given !== false && !(SEVERITIES as readonly unknown[]).includes(given)) {
      return fail(`audit.rules.${id}`, `must be false, ${SEVERITIES.join(', ')}, got ${shown(given)}`);
    }
    severities.set(id, given === false ? null : (given as Severity));
  }
  return severities;
}

/** `warning` means warnings and what is worse; a rule means itself. */
function readFailOn(text: string, fail: (problem: string) => never): string[] {
  const known = [...SEVERITIES, ...RULE_IDS];
  return text.split(',').flatMap((part) => {
    const name = part.trim();
    if (!known.includes(name)) {
      return fail(
        `must name a severity (${SEVERITIES.join(', ')}) or a rule of the audit, got ${shown(name)}${didYouMean(nearestName(name, known))}`,
      );
    }
    const place = (SEVERITIES as readonly string[]).indexOf(name);
    return place === -1 ? [name] : SEVERITIES.slice(0, place + 1);
  });
}

const shown = (value: unknown): string =>
  typeof value === 'string'
    ? value.trim() === ''
      ? 'nothing'
      : `"${printable(value, 60)}"`
    : printable(JSON.stringify(value) ?? 'nothing', 60);
