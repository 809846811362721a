import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compactRobots, expandRobots } from '../../src/robots/compact.js';
import type { RobotsRule } from '../../src/robots/match.js';
import { RobotsMatcher } from '../../src/robots/match.js';
import { parseRobots } from '../../src/robots/parse.js';

/** Slow and plain: `*` is nothing, or one more octet. */
function matches(pattern: string, path: string): boolean {
  const known = new Map<string, boolean>();
  const from = (p: number, s: number): boolean => {
    const key = `${p},${s}`;
    const cached = known.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const answer =
      p === pattern.length ||
      (p === pattern.length - 1 && pattern[p] === '$' && s === path.length) ||
      (pattern[p] === '*' && (from(p + 1, s) || (s < path.length && from(p, s + 1)))) ||
      (s < path.length && pattern[p] === path[s] && from(p + 1, s + 1));
    known.set(key, answer);
    return answer;
  };
  return from(0, 0);
}

function verdict(rules: readonly RobotsRule[], path: string): { allowed: boolean; length: number } {
  const matching = rules.filter(({ pattern }) => matches(pattern, path));
  const length = Math.max(0, ...matching.map(({ pattern }) => pattern.length));
  const longest = matching.filter(({ pattern }) => pattern.length === length);
  return { allowed: longest.length === 0 || longest.some(({ allow }) => allow), length };
}

/** Few letters, so that much of it matches. */
const shortText = (letters: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((parts) => parts.join(''));
const patternArbitrary = fc
  .tuple(fc.constantFrom('/', '*'), shortText(['a', 'b', '/', '*', '*', '?', '%2F']), fc.constantFrom('', '', '$'))
  .map((parts) => parts.join(''));
const pathArbitrary = shortText(['a', 'b', 'ab', '/', '?', '%2F']).map((rest) => `/${rest}`);
const ruleArbitrary = fc.record({
  allow: fc.boolean(),
  pattern: patternArbitrary,
  line: fc.nat(100),
  text: fc.string(),
});

test('the matcher agrees with a slow and plain one', () => {
  fc.assert(
    fc.property(fc.array(ruleArbitrary, { maxLength: 12 }), pathArbitrary, (rules, path) => {
      // Reserved characters in a query have several spellings, which the plain matcher does not know.
      fc.pre(!/\?.*(?:[/?]|%2F)/.test(path));
      const answer = new RobotsMatcher({ rules, crawlDelayMs: null, sitemaps: [] }).match(path);
      const expected = verdict(rules, path);
      expect(answer.allowed).toBe(expected.allowed);
      expect(answer.rule?.pattern.length ?? 0).toBe(expected.length);
      expect(answer.rule?.allow ?? true).toBe(expected.allowed);
    }),
    { numRuns: 3_000 },
  );
});

const lineArbitrary = fc.oneof(
  fc.constantFrom(
    'User-agent: *',
    'User-agent: gossamer',
    'User-agent: other',
    'Sitemap: https://example.org/',
    '',
    '# x',
  ),
  fc
    .tuple(fc.constantFrom('Allow', 'disallow', 'Crawl-delay', 'x'), fc.constantFrom(':', ': ', ' : '), fc.string())
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);

test('any file is parsed, and its compact form says the same', () => {
  fc.assert(
    fc.property(
      fc.array(lineArbitrary).map((lines) => lines.join('\n')),
      fc.string(),
      (text, path) => {
        const file = parseRobots(new TextEncoder().encode(text), 'gossamer');
        const copy = expandRobots(compactRobots(file));
        expect(copy).toEqual(file);
        expect(new RobotsMatcher(copy).match(path)).toEqual(new RobotsMatcher(file).match(path));
      },
    ),
  );
});

test('any bytes are parsed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(parseRobots(bytes, 'gossamer').rules).toEqual([]);
    }),
  );
});

test('a path is disallowed by itself as a rule, however it is written', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (href) => {
      const { pathname, search } = new URL(href);
      const path = pathname + search;
      fc.pre(path !== '/robots.txt' && !/[*#$]/.test(path));
      const file = parseRobots(new TextEncoder().encode(`User-agent: *\nDisallow: ${path}`), 'gossamer');
      expect(new RobotsMatcher(file).match(path).allowed).toBe(false);
    }),
  );
});

test('a rule with its letters escaped is the same rule', () => {
  const escapeLetters = (text: string): string =>
    text.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  fc.assert(
    fc.property(patternArbitrary, pathArbitrary, (pattern, path) => {
      const isAllowed = (line: string): boolean => {
        const file = parseRobots(new TextEncoder().encode(`User-agent: *\nDisallow: ${line}`), 'gossamer');
        return new RobotsMatcher(file).match(path).allowed;
      };
      expect(isAllowed(escapeLetters(pattern))).toBe(isAllowed(pattern));
    }),
  );
});
