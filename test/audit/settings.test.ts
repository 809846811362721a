import { describe, expect, it } from 'vitest';
import { problemOfCode } from '../../src/audit/language-code.js';
import { AUDIT_RULES, RULE_IDS } from '../../src/audit/report/rules.js';
import { DEFAULT_SETTINGS, readAuditSettings } from '../../src/audit/settings.js';

const fail = (name: string, problem: string): never => {
  throw new Error(`${name} ${problem}`);
};
const read = (config: unknown, failOn: string | null = null) => readAuditSettings(config, failOn, fail);

describe('the settings of an audit', () => {
  it('are the defaults where nothing is said', () => {
    expect(read(undefined)).toEqual(DEFAULT_SETTINGS);
  });

  it('take rules, thresholds with their units, and what fails', () => {
    const settings = read({
      rules: { deep: false, thin: 'error' },
      thresholds: { slow: '500ms', heavy: '1 MiB', thinWords: 5, nearDuplicate: 0.95 },
      failOn: 'warning,deep',
    });
    expect([...settings.severities]).toEqual([
      ['deep', null],
      ['thin', 'error'],
    ]);
    expect(settings.thresholds).toMatchObject({
      slowMs: 500,
      heavyBytes: 1 << 20,
      thinWords: 5,
      nearDuplicate: 0.95,
      depth: 4,
    });
    expect([...settings.failOn]).toEqual(['error', 'warning', 'deep']);
    expect([...read({ failOn: 'notice' }, 'orphan').failOn]).toEqual(['orphan']);
    expect(read({ thresholds: { slow: 3 } }).thresholds.slowMs).toBe(3_000);
  });

  it.each([
    [[], 'audit must be an object, got []'],
    [{ rule: {} }, 'audit unknown key rule; did you mean rules?'],
    [{ rules: { orphans: false } }, 'audit.rules there is no rule orphans; did you mean orphan?'],
    [{ rules: { orphan: true } }, 'audit.rules.orphan must be false, error, warning, notice, got true'],
    [{ thresholds: { titel: 1 } }, 'audit.thresholds unknown key titel'],
    [{ thresholds: { toString: 1 } }, 'audit.thresholds unknown key toString'],
    [{ thresholds: { titleLength: 0 } }, 'audit.thresholds.titleLength must be from 1 to 4096, got 0'],
    [{ thresholds: { titleLength: 1.5 } }, 'audit.thresholds.titleLength must be a whole number, got 1.5'],
    [{ thresholds: { titleLength: '60' } }, 'audit.thresholds.titleLength must be a whole number, got "60"'],
    [
      { thresholds: { slow: 'soon' } },
      'audit.thresholds.slow must be a duration such as 2s, or a number of seconds, got "soon"',
    ],
    [{ thresholds: { heavy: {} } }, 'audit.thresholds.heavy must be a size such as 500 KiB, got {}'],
    [{ thresholds: { nearDuplicate: 0.5 } }, 'audit.thresholds.nearDuplicate must be from 0.8 to 1, got 0.5'],
    [{ failOn: 7 }, 'audit.failOn must be text, got 7'],
  ])('refuse %j in a sentence', (config, message) => {
    expect(() => read(config)).toThrow(message);
  });

  it('refuse a rule or severity that there is not', () => {
    expect(() => read({}, 'errors')).toThrow(
      '--fail-on must name a severity (error, warning, notice) or a rule of the audit, got "errors"',
    );
    expect(() => read({}, '')).toThrow('got nothing');
  });
});

describe('the table of rules', () => {
  it('has each rule once, with sentences', () => {
    expect(new Set(RULE_IDS).size).toBe(AUDIT_RULES.length);
    for (const { id, title, why, advice } of AUDIT_RULES) {
      expect(id).toMatch(/^[a-z0-9_]+$/);
      expect([title, why, advice].map((text) => /^[A-Z]/.test(text))).toEqual([true, true, true]);
      expect([why, advice].every((text) => text.endsWith('.'))).toBe(true);
    }
  });
});

describe('a code of hreflang', () => {
  it.each(['en', 'de-AT', 'zh-Hant', 'zh-Hans-CN', 'es-419', 'X-Default', 'PT-br', 'fil', 'sr-Latn', 'en-XK'])(
    '%s is one',
    (code) => {
      expect(problemOfCode(code)).toBeNull();
    },
  );

  it.each([
    ['en-UK', 'there is no country UK'],
    ['jp', 'there is no language jp'],
    ['en_US', 'is no code of a language'],
    ['english', 'is no code of a language'],
    ['', 'is no code of a language'],
    ['de-DE-AT', 'is no code of a language'],
    ['xx-DE', 'there is no language xx'],
    ['eng', 'the code of eng is en'],
    ['ger-AT', 'the code of ger is de'],
    ['zh-Abcd', 'there is no script Abcd'],
    ['sr-YU', 'there is no country YU'],
    ['de-dd', 'there is no country dd'],
    ['en-ZZ', 'there is no country ZZ'],
  ])('%s is none', (code, problem) => {
    expect(problemOfCode(code)).toBe(problem);
  });
});
