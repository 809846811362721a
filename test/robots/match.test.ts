import { describe, expect, test } from 'vitest';
import { expandRobots } from '../../src/robots/compact.js';
import { compileGlob, globMatches, RobotsMatcher } from '../../src/robots/match.js';
import { parseRobots } from '../../src/robots/parse.js';

const matcher = (lines: string, maxSteps?: number): RobotsMatcher =>
  new RobotsMatcher(parseRobots(new TextEncoder().encode(`User-agent: *\n${lines}`), 'gossamer'), maxSteps);
const isAllowed = (lines: string, path: string): boolean => matcher(lines).match(path).allowed;
const decidingRule = (lines: string, path: string): string | undefined => matcher(lines).match(path).rule?.text;

describe('2.2.2 which rule decides', () => {
  test('without a rule that matches, all is allowed', () => {
    expect(matcher('Disallow: /b').match('/a')).toEqual({ allowed: true, rule: null, tooComplex: false });
    expect(isAllowed('', '/a')).toBe(true);
  });

  test('a path matches from its first octet', () => {
    expect(isAllowed('Disallow: /a', '/a/b')).toBe(false);
    expect(isAllowed('Disallow: /a', '/b/a')).toBe(true);
  });

  test('case counts', () => {
    expect(isAllowed('Disallow: /a', '/A')).toBe(true);
  });

  test('the longest match wins, in whatever order the rules stand', () => {
    expect(isAllowed('Allow: /a/b\nDisallow: /a', '/a/b/c')).toBe(true);
    expect(isAllowed('Disallow: /a\nAllow: /a/b', '/a/b/c')).toBe(true);
    expect(isAllowed('Allow: /a\nDisallow: /a/b', '/a/b/c')).toBe(false);
    expect(isAllowed('Disallow: /a/b/c\nAllow: /a/b\nDisallow: /a', '/a/b')).toBe(true);
  });

  test('of two as long, Allow wins', () => {
    expect(isAllowed('Disallow: /a\nAllow: /a', '/a')).toBe(true);
    expect(isAllowed('Allow: /a\nDisallow: /a', '/a')).toBe(true);
    expect(isAllowed('Disallow: /a*\nAllow: /ab', '/ab')).toBe(true);
    expect(isAllowed('Allow: /a*\nDisallow: /ab', '/ab')).toBe(true);
    expect(isAllowed('Disallow: /*b\nAllow: /a*', '/ab')).toBe(true);
  });

  test('of two alike, the first line is named', () => {
    expect(matcher('Disallow: /a\nDisallow: /a').match('/a').rule?.line).toBe(2);
    expect(matcher('Disallow: /*b\nDisallow: /a*').match('/ab').rule?.line).toBe(2);
  });

  test('/robots.txt itself is always allowed, and nothing else is', () => {
    expect(isAllowed('Disallow: /', '/robots.txt')).toBe(true);
    expect(isAllowed('Disallow: /robots.txt', '/robots.txt')).toBe(true);
    expect(isAllowed('Disallow: /', '/robots.txt2')).toBe(false);
    expect(isAllowed('Disallow: /', '/a/robots.txt')).toBe(false);
  });

  test('an empty path is the root', () => {
    expect(isAllowed('Disallow: /$', '')).toBe(false);
    expect(isAllowed('Disallow: /', '?q')).toBe(false);
  });

  test('the query is part of what is matched', () => {
    expect(isAllowed('Disallow: /a?id=', '/a?id=1')).toBe(false);
    expect(isAllowed('Disallow: /a?id=', '/a')).toBe(true);
  });

  test('the rule that decides is named', () => {
    expect(decidingRule('Disallow: /a\nAllow: /*/b # yes', '/a/b')).toBe('Allow: /*/b');
    expect(decidingRule('Disallow: /a\nAllow: /ab$', '/ab')).toBe('Allow: /ab$');
  });

  test('rules that went through the store decide the same', () => {
    const stored = expandRobots('[null,[],[[0,"/a",2],[1,"/a/%C3%A9*",3]]]');
    expect(new RobotsMatcher(stored).match('/a/\u00e9').allowed).toBe(true);
    expect(new RobotsMatcher(stored).match('/a/e').allowed).toBe(false);
  });
});

describe('2.2.2 escapes', () => {
  test.each([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
    ['/foo/bar/\u30c4', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/~joe', '/%7ejoe'],
    ['/a b', '/a%20b'],
    ['/a"<>`{}|^\\', '/a%22%3c%3e%60%7b%7d%7c%5e%5c'],
    ['/a,b;c:d@e!f', '/a%2Cb%3Bc%3Ad%40e%21f'],
    ['/x?[a]=b+c', '/x?%5Ba%5D=b%2Bc'],
    ['/100%', '/100%'],
    ['/a%2', '/a%2'],
  ])('%s and %s are the same', (a, b) => {
    for (const [pattern, path] of [
      [a, b],
      [b, a],
      [a, a],
      [b, b],
    ]) {
      expect(isAllowed(`Disallow: ${pattern}`, path!)).toBe(false);
    }
  });

  test('an escaped slash is not a slash in a path', () => {
    expect(isAllowed('Disallow: /a/b', '/a%2Fb')).toBe(true);
    expect(isAllowed('Disallow: /a%2Fb', '/a/b')).toBe(true);
    expect(isAllowed('Disallow: /a%2fb', '/a%2Fb')).toBe(false);
  });

  test('an escaped question mark does not begin a query', () => {
    expect(isAllowed('Disallow: /*?', '/a%3Fb')).toBe(true);
    expect(isAllowed('Disallow: /*%3F', '/a?b')).toBe(true);
  });

  test('a wildcard finds reserved characters in a query however they are written', () => {
    expect(isAllowed('Disallow: /*/print', '/a?to=/print')).toBe(false);
    expect(isAllowed('Disallow: /*%2B', '/a?q=1%2b2')).toBe(false);
    expect(isAllowed('Disallow: /*+', '/a?q=1+2')).toBe(false);
  });

  test('nothing is unescaped twice', () => {
    expect(isAllowed('Disallow: /a%2541', '/aA')).toBe(true);
    expect(isAllowed('Disallow: /aA', '/a%2541')).toBe(true);
  });

  test('the length of a rule is that of its normal spelling', () => {
    expect(isAllowed('Disallow: /%61%62\nAllow: /abc', '/abc')).toBe(true);
    expect(isAllowed('Allow: /\u00e9\nDisallow: /*9', '/%c3%a9')).toBe(true);
  });
});

describe('2.2.3 special characters', () => {
  test('* is any sequence, also none', () => {
    expect(isAllowed('Disallow: /a*c', '/ac')).toBe(false);
    expect(isAllowed('Disallow: /a*c', '/a/b?c')).toBe(false);
    expect(isAllowed('Disallow: /a*c', '/ab')).toBe(true);
    expect(isAllowed('Disallow: *', '/')).toBe(false);
    expect(isAllowed('Disallow: /a***c', '/abc')).toBe(false);
  });

  test('$ is the end', () => {
    expect(isAllowed('Disallow: /a$', '/a')).toBe(false);
    expect(isAllowed('Disallow: /a$', '/ab')).toBe(true);
    expect(isAllowed('Disallow: /a$', '/a?')).toBe(true);
    expect(isAllowed('Disallow: /*.gif$', '/x.gif.gif')).toBe(false);
    expect(isAllowed('Disallow: /a*$', '/abc')).toBe(false);
    expect(isAllowed('Disallow: /ab*b$', '/ab')).toBe(true);
    expect(isAllowed('Disallow: /*ab*b$', '/xxab')).toBe(true);
  });

  test('* and $ themselves are written as escapes', () => {
    expect(isAllowed('Disallow: /path/file-with-a-%2A.html', '/path/file-with-a-*.html')).toBe(false);
    expect(isAllowed('Disallow: /path/file-with-a-%2a.html', '/path/file-with-a-x.html')).toBe(true);
    expect(isAllowed('Disallow: /path/foo-%24', '/path/foo-$')).toBe(false);
    expect(isAllowed('Disallow: /a$b', '/a$b')).toBe(false);
    expect(isAllowed('Disallow: /a$b', '/a%24b')).toBe(false);
    expect(isAllowed('Disallow: /a$$', '/a$')).toBe(false);
    expect(isAllowed('Disallow: /a$$', '/a$b')).toBe(true);
  });
});

describe('5.1 and 5.2, the examples of the RFC', () => {
  const file = [
    'User-Agent: *',
    'Disallow: *.gif$',
    'Disallow: /example/',
    'Allow: /publications/',
    '',
    'User-Agent: foobot',
    'Disallow:/',
    'Allow:/example/page.html',
    'Allow:/example/allowed.gif',
    '',
    'User-Agent: barbot',
    'User-Agent: bazbot',
    'Disallow: /example/page.html',
    '',
    'User-Agent: quxbot',
    '',
  ].join('\n');
  const isAllowedTo = (agent: string, path: string): boolean =>
    new RobotsMatcher(parseRobots(new TextEncoder().encode(file), agent)).match(path).allowed;

  test.each([
    ['gossamer', '/a.gif', false],
    ['gossamer', '/a.gif?', true],
    ['gossamer', '/example/a', false],
    ['gossamer', '/publications/', true],
    ['foobot', '/', false],
    ['foobot', '/example/page.html', true],
    ['foobot', '/example/allowed.gif', true],
    ['foobot', '/example/other.gif', false],
    ['barbot', '/example/page.html', false],
    ['bazbot', '/example/page.html', false],
    ['bazbot', '/a.gif', true],
    ['quxbot', '/example/page.html', true],
  ])('%s, %s: %s', (agent, path, expected) => {
    expect(isAllowedTo(agent, path)).toBe(expected);
  });

  test('the longest match', () => {
    const rules = 'Allow: /example/page/\nDisallow: /example/page/disallowed.gif';
    expect(isAllowed(rules, '/example/page/disallowed.gif')).toBe(false);
    expect(isAllowed(rules, '/example/page/a.gif')).toBe(true);
  });
});

describe("Google's table of paths", () => {
  const fish = [
    '/fish',
    '/fish.html',
    '/fish/salmon.html',
    '/fishheads',
    '/fishheads/yummy.html',
    '/fish.php?id=anything',
  ];
  const noFish = ['/Fish.asp', '/catfish', '/?id=fish', '/desert/fish'];
  const php = [
    '/index.php',
    '/filename.php',
    '/folder/filename.php',
    '/folder/filename.php?parameters',
    '/folder/any.php.file.html',
    '/filename.php/',
  ];
  test.each([
    ['/', ['/', '/a', '/a/b?c'], []],
    ['/*', ['/', '/a', '/a/b?c'], []],
    ['/$', ['/'], ['/a', '/?a']],
    ['/fish', fish, noFish],
    ['/fish*', fish, noFish],
    [
      '/fish/',
      ['/fish/', '/fish/?id=anything', '/fish/salmon.htm'],
      ['/fish', '/fish.html', '/animals/fish/', '/Fish/Salmon.asp'],
    ],
    ['fish/', ['/fish/', '/fish/?id=anything', '/fish/salmon.htm'], ['/fish', '/fish.html', '/Fish/Salmon.asp']],
    ['/*.php', php, ['/', '/windows.PHP']],
    [
      '/*.php$',
      ['/filename.php', '/folder/filename.php'],
      ['/filename.php?parameters', '/filename.php/', '/filename.php5', '/windows.PHP'],
    ],
    ['/fish*.php', ['/fish.php', '/fishheads/catfish.php?parameters'], ['/Fish.PHP']],
  ])('%s', (pattern, matching, others) => {
    const rules = matcher(`Disallow: ${pattern}`);
    expect(matching.filter((path) => rules.match(path).allowed)).toEqual([]);
    expect(others.filter((path) => !rules.match(path).allowed)).toEqual([]);
  });

  test.each([
    ['/page', 'Allow: /p\nDisallow: /', 'Allow: /p'],
    ['/folder/page', 'Allow: /folder\nDisallow: /folder', 'Allow: /folder'],
    ['/page.htm', 'Allow: /page\nDisallow: /*.htm', 'Disallow: /*.htm'],
    ['/page.php5', 'Allow: /page\nDisallow: /*.ph', 'Allow: /page'],
    ['/', 'Allow: /$\nDisallow: /', 'Allow: /$'],
    ['/page.htm', 'Allow: /$\nDisallow: /', 'Disallow: /'],
  ])('order of precedence: %s', (path, rules, winner) => {
    expect(decidingRule(rules, path)).toBe(winner);
  });
});

describe('hostile files', () => {
  const lines = (count: number, line: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');

  test('rules without wildcards cost no steps however many there are', () => {
    const rules = matcher(`${lines(20_000, (n) => `Disallow: /${n}/`)}\nAllow: /19999/ok`, 0);
    expect(rules.match('/19999/x')).toMatchObject({ allowed: false, rule: { pattern: '/19999/' }, tooComplex: false });
    expect(rules.match('/19999/ok').allowed).toBe(true);
    expect(rules.match('/20000').allowed).toBe(true);
  });

  test('a thousand rules that are prefixes of each other give the longest', () => {
    const rules = matcher(lines(900, (n) => `${n % 2 === 0 ? 'Disallow' : 'Allow'}: /${'a'.repeat(n)}`));
    expect(rules.match(`/${'a'.repeat(500)}b`).allowed).toBe(false);
    expect(rules.match(`/${'a'.repeat(501)}b`).allowed).toBe(true);
    expect(rules.match(`/${'a'.repeat(5_000)}`).allowed).toBe(true);
  });

  test('the steps of one rule grow with pattern times path and no faster', () => {
    const stepsFor = (pattern: string, path: string): number => {
      const budget = { steps: 1e9 };
      globMatches(compileGlob({ allow: false, pattern, line: 1, text: '' }), path, budget);
      return 1e9 - budget.steps;
    };
    const path = `/${'a'.repeat(2_000)}`;
    expect(stepsFor(`/${'*a'.repeat(1_000)}b`, path)).toBeLessThan(10_000);
    expect(stepsFor(`/${'*aa'.repeat(600)}*b`, path)).toBeLessThan(10_000);
    expect(stepsFor(`/*${'a'.repeat(100)}b`, path)).toBeLessThan(101 * 2_001);
    expect(stepsFor(`/*${'a'.repeat(400_000)}`, path)).toBe(1);
  });

  test('a rule is given up as soon as the steps are spent', () => {
    const budget = { steps: 1_000 };
    const pattern = `/*${'a'.repeat(100)}b`;
    globMatches(compileGlob({ allow: false, pattern, line: 1, text: '' }), `/${'a'.repeat(4_000)}`, budget);
    expect(budget.steps).toBeGreaterThan(-200);
  });

  test('a URL is disallowed when its rules cost too much', () => {
    const rules = matcher(lines(4_500, (n) => `Allow: /*${'a'.repeat(90)}b${n}`));
    const verdict = rules.match(`/${'a'.repeat(4_000)}`);
    expect(verdict).toMatchObject({ allowed: false, tooComplex: true });
    expect(verdict.rule?.text).toMatch(/^Allow: /);
    expect(rules.match('/b')).toEqual({ allowed: true, rule: null, tooComplex: false });
  });

  test('rules shorter than the one that matches are not looked at', () => {
    const rules = matcher(`${lines(4_500, (n) => `Allow: /*${'a'.repeat(80)}b${n}`)}\nDisallow: /${'a'.repeat(100)}`);
    expect(rules.match(`/${'a'.repeat(4_000)}`)).toMatchObject({ allowed: false, tooComplex: false });
  });

  test('a row of stars costs no more than one', () => {
    const rules = matcher(`Disallow: /${'*'.repeat(400_000)}a`, 100);
    expect(rules.match('/bcda')).toMatchObject({ allowed: false, tooComplex: false });
  });
});
