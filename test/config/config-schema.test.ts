import { expect, test } from 'vitest';
import { CheckRules } from '../../src/check/rules.js';
import { configSchema } from '../../src/config/config-schema.js';
import type { OptionSpec } from '../../src/config/option-spec.js';
import { CONFIG_FILE_KEYS, configKeyOf, specOf } from '../../src/config/options.js';
import type { Origin } from '../../src/config/origin.js';
import { readConfigValue } from '../../src/config/values.js';
import { errorsOf, type Schema } from '../check/json-schema.js';

interface Rule {
  description: string;
  type?: string | string[];
  enum?: unknown[];
  items?: Rule;
  pattern?: string;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}
const schema = JSON.parse(JSON.stringify(configSchema())) as {
  additionalProperties: boolean;
  properties: Record<string, Rule>;
};
const SPECS = CONFIG_FILE_KEYS.map(specOf);

const typesOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? ['array']
    : value === null
      ? ['null']
      : Number.isInteger(value)
        ? ['integer', 'number']
        : [typeof value];

/** As much of JSON Schema as ours is made of. */
function accepts(rule: Rule, value: unknown): boolean {
  if (rule.enum !== undefined) {
    return rule.enum.includes(value);
  }
  if (!typesOf(value).some((type) => [rule.type].flat().includes(type))) {
    return false;
  }
  if (typeof value === 'number') {
    return value >= (rule.minimum ?? value) && value <= (rule.maximum ?? value);
  }
  if (typeof value === 'string') {
    return value.length >= (rule.minLength ?? 0) && new RegExp(rule.pattern ?? '', 'u').test(value);
  }
  return !Array.isArray(value) || value.every((entry) => accepts(rule.items!, entry));
}

/** Whether the program takes it. Bounds of texts such as "5 d" are its business alone. */
function isRead(spec: OptionSpec, value: unknown): boolean {
  try {
    const origin: Origin = {
      source: 'default',
      name: spec.flag,
      folder: '/',
      fail: (problem) => {
        throw new Error(problem);
      },
      within: () => origin,
    };
    readConfigValue(spec, value, origin);
    return true;
  } catch (error) {
    return typeof value === 'string' && /^must be (?:from|at least) /.test((error as Error).message);
  }
}

test('has every key of a config file and no other', () => {
  expect(Object.keys(schema.properties)).toEqual(['$schema', 'check', 'audit', ...SPECS.map(configKeyOf)]);
  expect(schema.additionalProperties).toBe(false);
});

const VALUES: unknown[] = [
  ...[true, false, null, {}, [], '', ['text'], [''], [1]],
  ...[0, 1, 2, -1, 0.5, 0.01, 1.5, 3600, 3601, 600_000, 3_600_001, 1e11, 1e20],
  ...['10', '10s', '10 s', ' 2m ', '500ms', '1d', '1.5h', '.5s', '5.', 'soon', '5 apples', '10S', '1e3'],
  ...['10B', '5KiB', '5 mb', '2g', '1TiB', '3kib', '2KiB/s', '10bytes', '10MiBs'],
  ...['bfs', 'obey', 'host', 'sitemap', 'csv', 'ci', 'huge'],
];

test.each(SPECS)('agrees with the table about values of $flag', (spec) => {
  const rule = schema.properties[configKeyOf(spec)]!;
  // What a text has to look like (a header, an address, FORMAT=FILE) only the program knows.
  const isPlain = 'check' in spec || (spec.type === 'list' && (spec.item === 'report' || spec.item === 'host'));
  const samples = isPlain ? VALUES.filter((value) => typeof value !== 'string' && !Array.isArray(value)) : VALUES;
  for (const value of samples) {
    // Fractions of a byte are rounded.
    if (spec.type === 'size' && value === 0.5) {
      continue;
    }
    expect(accepts(rule, value), JSON.stringify(value)).toBe(isRead(spec, value));
  }
});

test.each(SPECS)('describes $flag, and its default is one of its values', (spec) => {
  const { description, default: usual, ...rule } = schema.properties[configKeyOf(spec)]!;
  expect(description).toContain(spec.sentence);
  if (usual !== undefined) {
    expect(accepts({ description, ...rule }, usual)).toBe(true);
    expect(isRead(spec, usual)).toBe(true);
  }
});

const areTaken = (rules: unknown): boolean => {
  try {
    const fail = (): never => {
      throw new Error('refused');
    };
    new CheckRules({ accept: null, failOn: null, rules }, fail);
    return true;
  } catch {
    return false;
  }
};

const MATCH = 'https://a.test/**';
const RULES: unknown[] = [
  ...[[], [{ match: '' }], [{ match: [] }], [{ match: 5 }], [{}], {}, 'rules', [5]],
  ...[MATCH, [MATCH, 're:x'], [MATCH, '']].map((match) => [{ match, ignore: true }]),
  ...[true, false, 'yes', 1].map((ignore) => [{ match: MATCH, ignore }]),
  ...['403', '200..299', '', 403].map((accept) => [{ match: MATCH, accept }]),
  ...[{ headers: { a: 'b' } }, { delay: '2s' }].map((ofHosts) => [{ match: MATCH, ...ofHosts }]),
  ...['2s', 0, 500, '1h', 'soon', -1, true].map((time) => [{ match: MATCH, maxAge: time }]),
  ...['-dead', '+moved,-tls', '', 5].map((failOn) => [{ match: MATCH, failOn }]),
  [{ match: MATCH, ignore: true, delays: 5 }],
  Array.from({ length: 1001 }, () => ({ match: MATCH, ignore: true })),
];
test.each(RULES.map((rules) => ({ rules })))('agrees with the rules of a check: $rules', ({ rules }) => {
  const errors = errorsOf({ rules }, schema.properties.check as Schema);
  expect(errors.length === 0, errors.join('\n')).toBe(areTaken(rules));
});

test('the check of a config file has rules and nothing else', () => {
  const check = schema.properties.check as Schema;
  expect([{}, { rules: [] }, { rule: [] }, []].map((value) => errorsOf(value, check).length === 0)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
