import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import { VERDICTS, type Verdict } from '../../src/check/report/result.js';
import { CheckRules, type RuleSettings } from '../../src/check/rules.js';

const fail = (name: string, problem: string): never => {
  throw new StateError('config', `${name} ${problem}`);
};
const rulesOf = (settings: Partial<RuleSettings>) =>
  new CheckRules({ accept: null, failOn: null, rules: undefined, ...settings }, fail);

const URL = 'https://x.test/a';
const decide = (
  rules: CheckRules,
  verdict: Verdict,
  more: { status?: number; external?: boolean; url?: string } = {},
) => rules.decide({ url: URL, verdict, status: 404, external: true, ...more });
const failing = (rules: CheckRules, external: boolean) =>
  VERDICTS.filter((verdict) => decide(rules, verdict, { external }).fails);

const ALWAYS = [
  'dead',
  'missing_fragment',
  'dns',
  'invalid_url',
  'insecure',
  'malformed_html',
  'redirect_loop',
  'redirect_limit',
];

describe('what fails', () => {
  it('by default: what is broken everywhere, and on our own pages also what may pass', () => {
    expect(failing(rulesOf({}), true)).toEqual(ALWAYS);
    expect(failing(rulesOf({}), false)).toEqual([...ALWAYS, 'server_error', 'timeout', 'connection', 'tls']);
  });

  it('is edited by --fail-on, the last word counts', () => {
    const rules = rulesOf({ failOn: '+soft_404, -missing_fragment,+timeout,-tls,+tls,-tls,+truncated' });
    const edited = [...ALWAYS.filter((verdict) => verdict !== 'missing_fragment'), 'timeout', 'soft_404'];
    expect(failing(rules, true)).toEqual(edited);
    expect(failing(rules, false)).toEqual(
      VERDICTS.filter((v) => [...edited, 'server_error', 'connection'].includes(v)),
    );
    expect([rules.failOn.truncated, rulesOf({}).failOn.truncated]).toEqual([true, false]);
  });

  it('is also what was not looked at, and a run that was cut short, with a plus or without', () => {
    for (const failOn of ['+unchecked,+truncated', 'unchecked, truncated']) {
      const rules = rulesOf({ failOn });
      expect(failing(rules, true)).toEqual([...ALWAYS, 'unchecked']);
      expect(rules.failOn.truncated).toBe(true);
    }
    const taken = rulesOf({ failOn: 'unchecked,truncated,-unchecked,-truncated' });
    expect([failing(taken, true), taken.failOn.truncated]).toEqual([ALWAYS, false]);
  });

  it.each([
    ['soft_404', '--fail-on must be verdicts with + or - before each, such as +soft_404,-timeout, got "soft_404"'],
    ['', '--fail-on must be verdicts with + or - before each, such as +soft_404,-timeout, got nothing'],
    ['+dead,', '--fail-on must be verdicts with + or - before each, such as +soft_404,-timeout, got nothing'],
    ['+deda', /^--fail-on must name one of dead, .*truncated, got "deda"; did you mean dead\?$/],
    ['+ok', /^--fail-on must name one of .*, got "ok"$/],
  ])('--fail-on %j is refused', (failOn, message) => {
    expect(() => rulesOf({ failOn })).toThrow(message);
  });
});

describe('what is accepted', () => {
  it('is what --accept names, by code and range', () => {
    const rules = rulesOf({ accept: '200..299, 403,500..502' });
    const accepted = [403, 404, 500, 502, 503].map((status) => decide(rules, 'dead', { status }).accepted);
    expect(accepted).toEqual([true, false, true, true, false]);
    expect(decide(rules, 'blocked', { status: 403 })).toEqual({
      ignored: false,
      accepted: true,
      fails: false,
      why: '--accept takes status 403',
    });
  });

  it('is never a finding that the status does not speak of', () => {
    const rules = rulesOf({ accept: '100..599', failOn: '+soft_404' });
    for (const verdict of ['missing_fragment', 'soft_404', 'malformed_html', 'redirect_loop'] as const) {
      expect([verdict, decide(rules, verdict, { status: 200 }).fails]).toEqual([verdict, true]);
    }
    expect(rules.decide({ url: URL, verdict: 'dns', status: null, external: true }).fails).toBe(true);
  });

  it.each([
    ['', '--accept must be status codes and ranges of them such as 200..299,403, got '],
    ['2xx', '--accept must be status codes and ranges of them such as 200..299,403, got 2xx'],
    ['200-299', '--accept must be status codes and ranges of them such as 200..299,403, got 200-299'],
    ['099', '--accept must be status codes and ranges of them such as 200..299,403, got 099'],
    ['200..', '--accept must be status codes and ranges of them such as 200..299,403, got 200..'],
    ['299..200', '--accept must not have a range that ends before it begins, got 299..200'],
  ])('--accept %j is refused', (accept, message) => {
    expect(() => rulesOf({ accept })).toThrow(message);
  });
});

describe('rules by pattern', () => {
  it('of each kind the first that matches counts', () => {
    const rules = rulesOf({
      accept: '418',
      rules: [
        { match: 'https://x.test/keep/**', ignore: false },
        { match: ['https://x.test/**', 'https://y.test/**'], ignore: true },
        { match: '**', maxAge: '1d', accept: '403', failOn: '-dead,+blocked' },
        { match: 're:z', accept: '404' },
      ],
    });
    expect(
      ['https://x.test/a', 'https://y.test/', 'https://x.test/keep/a', 'https://z.test/'].map((u) => rules.ignores(u)),
    ).toEqual([true, true, false, false]);
    expect(rules.maxAgeMsOf('https://x.test/')).toBe(86_400_000);
    const z = { url: 'https://z.test/' };
    expect(decide(rules, 'dead', { ...z, status: 403 })).toMatchObject({
      accepted: true,
      why: 'a rule accepts status 403',
    });
    expect(decide(rules, 'dead', { ...z, status: 418 }).accepted).toBe(true);
    expect(decide(rules, 'dead', { ...z, status: 404 })).toMatchObject({ accepted: false, fails: false });
    expect(decide(rules, 'blocked', { ...z, status: 429 }).fails).toBe(true);
    expect(decide(rules, 'dead')).toEqual({
      ignored: true,
      accepted: false,
      fails: false,
      why: 'a rule leaves it out',
    });
  });

  it('a rule edits what --fail-on left, not the default', () => {
    const rules = rulesOf({ failOn: '-dead', rules: [{ match: 'https://x.test/**', failOn: '+soft_404' }] });
    expect([decide(rules, 'dead').fails, decide(rules, 'soft_404').fails]).toEqual([false, true]);
    expect(decide(rules, 'soft_404', { url: 'https://y.test/' }).fails).toBe(false);
  });

  it.each([
    [{}, 'rules must be a list of rules'],
    [['x'], 'rules[0] must be an object'],
    [[{ match: 'x' }], 'rules[0] must have something besides match: ignore, accept, maxAge, failOn'],
    [[{ ignore: true }], "rules[0].match must be a pattern such as 'https://x.test/**', got nothing"],
    [[{ match: [], ignore: true }], 'rules[0].match must not be empty'],
    [
      [
        { match: 'a', ignore: true },
        { match: '{', ignore: true },
      ],
      'rules[1].match is not usable: match pattern "{": a "{" is not closed',
    ],
    [[{ match: 'a', ignored: true }], 'rules[0] has an unknown key ignored; did you mean ignore?'],
    [[{ match: 'a', ignore: 'yes' }], 'rules[0].ignore must be true or false, got "yes"'],
    [[{ match: 'a', accept: 200 }], 'rules[0].accept must be text, got 200'],
    [
      [{ match: 'a', accept: 'x' }],
      'rules[0].accept must be status codes and ranges of them such as 200..299,403, got x',
    ],
    [
      [{ match: 'a', delay: '2s' }],
      "rules[0] has delay, which is a key of hosts: write hosts: [{ match: 'x.test', delay: … }] beside check",
    ],
    [[{ match: 'a', headers: { a: 'secret' } }], 'rules[0] has headers, which is a key of hosts'],
    [[{ match: 'a', maxAge: 'soon' }], 'rules[0].maxAge must be a time such as 500ms, 2s or 1d, got "soon"'],
    [[{ match: 'a', maxAge: Number.NaN }], 'rules[0].maxAge must be from 0 to 365 d, got null'],
    [[{ match: 'a', failOn: 'dead' }], 'rules[0].failOn must be verdicts with + or - before each'],
    [Array(1001).fill({ match: 'a', ignore: true }), 'rules must be at most 1000, got 1001'],
  ])('%j is refused', (rules, message) => {
    expect(() => rulesOf({ rules })).toThrow(message);
    try {
      rulesOf({ rules });
    } catch (error) {
      expect((error as Error).message).not.toContain('secret\r');
      expect((error as Error).message.replace('a secret', '')).not.toContain('secret');
    }
  });
});
