import { describe, expect, test } from 'vitest';
import { compactRobots, expandRobots } from '../../src/robots/compact.js';
import { MAX_ROBOTS_BYTES, parseRobots, productToken } from '../../src/robots/parse.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string, agent = 'gossamer') => parseRobots(bytes(text), agent, 'https://example.org/robots.txt');
const patterns = (text: string, agent?: string): string[] =>
  parse(text, agent).rules.map(({ allow, pattern }) => `${allow ? '+' : '-'}${pattern}`);

describe('2.2.1 the user-agent line', () => {
  test('the product token is compared without regard to case', () => {
    expect(patterns('User-agent: GOSSamer\nDisallow: /a', 'Gossamer')).toEqual(['-/a']);
  });

  test('all groups of the token are one', () => {
    const file = 'User-agent: gossamer\nDisallow: /a\n\nUser-agent: x\nDisallow: /x\n\nUser-agent: gossamer\nAllow: /b';
    expect(patterns(file)).toEqual(['-/a', '+/b']);
  });

  test('all groups of * are one', () => {
    expect(patterns('User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /x\nUser-agent: *\nDisallow: /b')).toEqual([
      '-/a',
      '-/b',
    ]);
  });

  test('where a group names the token, * does not count, wherever it stands', () => {
    expect(patterns('User-agent: *\nDisallow: /\nUser-agent: gossamer\nDisallow: /a')).toEqual(['-/a']);
    expect(patterns('User-agent: gossamer\nDisallow: /a\nUser-agent: *\nDisallow: /')).toEqual(['-/a']);
  });

  test('a group of the token without rules allows everything', () => {
    expect(patterns('User-agent: *\nDisallow: /\nUser-agent: gossamer')).toEqual([]);
    expect(patterns('User-agent: gossamer\nDisallow:\n\nUser-agent: *\nDisallow: /')).toEqual([]);
  });

  test('where no group names the token, * counts', () => {
    expect(patterns('User-agent: *\nDisallow: /a\nUser-agent: other\nDisallow: /b')).toEqual(['-/a']);
  });

  test('where no group fits there are no rules', () => {
    expect(patterns('User-agent: other\nDisallow: /')).toEqual([]);
    expect(patterns('')).toEqual([]);
  });

  test('lines of agents that follow each other share a group', () => {
    const file = 'User-agent: a\nUser-agent: gossamer\n\nUser-agent: b\nDisallow: /a\nDisallow: /b';
    expect(patterns(file)).toEqual(['-/a', '-/b']);
  });

  test('an agent after a rule begins a new group', () => {
    expect(patterns('User-agent: gossamer\nDisallow: /a\nUser-agent: b\nDisallow: /b')).toEqual(['-/a']);
  });

  test('an agent after an empty rule begins a new group', () => {
    expect(patterns('User-agent: gossamer\nDisallow:\nUser-agent: b\nDisallow: /b')).toEqual([]);
  });

  test('an agent that is named twice in a group gets its rules once', () => {
    expect(patterns('User-agent: gossamer\nUser-agent: Gossamer\nDisallow: /a')).toEqual(['-/a']);
  });

  test('the token ends where letters, - and _ end', () => {
    expect(patterns('User-agent: gossamer/1.0\nDisallow: /a')).toEqual(['-/a']);
    expect(patterns('User-agent: gossamer*\nDisallow: /a')).toEqual(['-/a']);
    expect(patterns('User-agent: gossamer 2\nDisallow: /a')).toEqual(['-/a']);
    expect(patterns('User-agent: gossamer-news\nDisallow: /a')).toEqual([]);
    expect(patterns('User-agent: goss\nDisallow: /a')).toEqual([]);
    expect(productToken('My_Own-Bot/2.0 (+https://example.org/)')).toBe('my_own-bot');
    expect(productToken('mybot2')).toBe('mybot');
  });

  test('an agent without a token listens to * only', () => {
    expect(patterns('User-agent: 007\nDisallow: /a\nUser-agent: *\nDisallow: /b', '007')).toEqual(['-/b']);
  });

  test('* is an agent only where it stands alone', () => {
    expect(patterns('User-agent: * # all\nDisallow: /a')).toEqual(['-/a']);
    expect(patterns('User-agent: *bot\nDisallow: /a')).toEqual([]);
  });
});

describe('2.2.2 allow and disallow lines', () => {
  test('rules before any agent are ignored', () => {
    expect(patterns('Disallow: /a\nUser-agent: *\nDisallow: /b')).toEqual(['-/b']);
  });

  test('an empty path is no rule', () => {
    expect(patterns('User-agent: *\nDisallow:\nAllow:\nDisallow: # nothing')).toEqual([]);
  });

  test('what is forbidden without a slash is read as if it had one, what is allowed without one is no rule', () => {
    const text = 'User-agent: *\nDisallow: fish/\nAllow: *.gif\nDisallow: $\nAllow: fish/\nAllow: $';
    expect(patterns(text)).toEqual(['-/fish/', '+*.gif', '-/$']);
    expect(patterns('User-agent: *\nAllow: fish\nUser-agent: other\nDisallow: /')).toEqual([]);
  });

  test('a rule knows its line and how it was written', () => {
    const { rules } = parse('# hello\r\nUser-agent: *\r\n\r\n  disallow :/caf\u00e9  # no coffee\r\n');
    expect(rules).toEqual([{ allow: false, pattern: '/caf%C3%A9', line: 4, text: 'disallow :/caf\u00e9' }]);
  });
});

describe('2.2.3 special characters', () => {
  test('# begins a comment anywhere', () => {
    expect(patterns('#\nUser-agent: * # x\n# Disallow: /x\nDisallow: /a#b')).toEqual(['-/a']);
  });

  test('a $ that is not at the end is an ordinary character', () => {
    expect(patterns('User-agent: *\nDisallow: /a$b$')).toEqual(['-/a%24b$']);
  });
});

describe('2.2.4 other records', () => {
  test('they break neither a group nor a run of agents', () => {
    const file = [
      'User-agent: gossamer',
      'Sitemap: https://example.org/a.xml',
      'Crawl-delay: 1',
      'Host: example.org',
      'Nonsense: 1',
      'no record at all',
      'User-agent: other',
      'Disallow: /a',
      'Sitemap: https://example.org/b.xml',
      'Clean-param: x',
      'Disallow: /b',
    ];
    expect(patterns(file.join('\n'))).toEqual(['-/a', '-/b']);
  });

  test('sitemaps count wherever they stand and whoever is spoken to', () => {
    const file =
      'Sitemap: https://example.org/1.xml\nUser-agent: x\nsitemap:HTTP://Example.org/2.xml\nDisallow: /\n' +
      'Sitemap: https://example.org/1.xml\nSitemap: /relative.xml\nSitemap: ftp://example.org/\nSitemap: https://\n' +
      'SITEMAP : https://example.org/\u00e9.xml#part';
    expect(parse(file).sitemaps).toEqual([
      'https://example.org/1.xml',
      'http://example.org/2.xml',
      'https://example.org/relative.xml',
      'https://example.org/%C3%A9.xml',
    ]);
  });

  test('all sitemaps are kept, however many of them will be read, and none that is longer than a URL', () => {
    const lines = Array.from({ length: 1_500 }, (_, n) => `Sitemap: https://example.org/${n}.xml`);
    expect(parse(lines.join('\n')).sitemaps).toHaveLength(1_500);
    expect(parse(`Sitemap: https://example.org/${'a'.repeat(10_000)}`).sitemaps).toEqual([]);
  });
});

describe('files as they are really written', () => {
  const NBSP = '\u00a0';

  test.each(['User Agent', 'useragent', 'UserAgent', `User-agent${NBSP}`, `${NBSP}User-agent`, 'User-agents'])(
    '%s: * speaks to all',
    (key) => {
      expect(patterns(`${key}: *\nDisallow: /a`)).toEqual(['-/a']);
    },
  );

  test.each(['dissallow', 'Dissalow', 'disalow', 'diasllow', 'disallaw', 'Disallowed', `Disallow${NBSP}`])(
    '%s: /a forbids',
    (key) => {
      expect(patterns(`User-agent: *\n${key}: /a`)).toEqual(['-/a']);
    },
  );

  test('two words are a record where the colon is missing, three are none', () => {
    expect(patterns('User-agent *\nDisallow /a\nDisallow\t \t/b # c\nAllow /a/b\nDisallow /c /d\nDisallow')).toEqual([
      '-/a',
      '-/b',
      '+/a/b',
    ]);
    expect(parse('Sitemap /map.xml\nSite-map: /other.xml').sitemaps).toEqual([
      'https://example.org/map.xml',
      'https://example.org/other.xml',
    ]);
    expect(parse('User-agent: *\nCrawl Delay: 2').crawlDelayMs).toBe(2_000);
  });

  test('no-break spaces around a value are none of it, save where they would let somebody in', () => {
    const text = `User-agent:${NBSP}*${NBSP}\nDisallow:${NBSP}/a${NBSP} \nAllow:${NBSP}/a/b`;
    expect(patterns(text)).toEqual(['-/a']);
    expect(patterns(`User-agent: *\nDisallow: /a\nAllow: /a/b${NBSP}\n${NBSP}Allow: /a`)).toEqual([
      '-/a',
      '+/a/b%C2%A0',
    ]);
    const octets = Buffer.from('User-agent:\xa0*\nDisallow\xa0: \xa0/a\xa0\nDisallow: /\xc3\xa0', 'latin1');
    const { rules } = parseRobots(octets, 'gossamer');
    expect(rules.map(({ pattern }) => pattern)).toEqual(['/a', '/%C3%A0']);
  });

  test.each(['\u0085', '\u1680', '\u2003', '\u2028', '\u202f', '\u205f', '\u3000'])(
    'any space of Unicode around a word is none of it: %j',
    (space) => {
      const text = `${space}User-agent${space}:${space}*${space}\n${space}Disallow /a${space}\nDisallow:${space}/b\nAllow:${space}/b`;
      expect(patterns(text)).toEqual(['-/a', '-/b']);
    },
  );
});

describe('Crawl-delay', () => {
  const delay = (text: string) => parse(text).crawlDelayMs;

  test.each([
    ['10', 10_000],
    ['0', 0],
    ['0.5', 500],
    ['.25', 250],
    ['3.', 3_000],
    ['1.001', 1_001],
    ['0.0001', 1],
    ['9'.repeat(400), 365 * 86_400_000],
  ])('%s seconds', (value, expected) => {
    expect(delay(`User-agent: *\nCrawl-delay: ${value}`)).toBe(expected);
  });

  test.each(['', '-1', 'ten', '1,5', '5s', '1 2', '1e3', '.', 'Infinity'])('%j is ignored', (value) => {
    expect(delay(`User-agent: *\nCrawl-delay: ${value}`)).toBeNull();
  });

  test('the largest of the groups counts', () => {
    const file =
      'User-agent: gossamer\nCrawl-delay: 2\nDisallow: /a\n\nUser-agent: gossamer\nCrawl-delay: 5\nCrawl-delay: 1';
    expect(delay(file)).toBe(5_000);
  });

  test('that of * does not count where a group names the token', () => {
    expect(delay('User-agent: *\nCrawl-delay: 9\nDisallow: /x\nUser-agent: gossamer\nDisallow: /a')).toBeNull();
  });

  test('that of an agent above is not that of the next one', () => {
    expect(delay('User-agent: slowbot\nCrawl-delay: 3600\n\nUser-agent: *\nDisallow: /a')).toBeNull();
  });
});

describe('2.3 encoding and lines', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('%s ends a line', (_, end) => {
    const { rules } = parse(['User-agent: *', 'Disallow: /a', '', 'Disallow: /b', ''].join(end));
    expect(rules.map(({ pattern, line }) => [pattern, line])).toEqual([
      ['/a', 2],
      ['/b', 4],
    ]);
  });

  test('a byte order mark is passed over', () => {
    expect(patterns('\ufeffUser-agent: *\nDisallow: /a')).toEqual(['-/a']);
  });

  test.each(['\xef', '\xef\xbb'])('so is the beginning of one: %j', (start) => {
    const octets = Buffer.from(`${start}User-agent: *\nDisallow: /a`, 'latin1');
    expect(parseRobots(octets, 'gossamer').rules).toMatchObject([{ pattern: '/a' }]);
  });

  test('a NUL ends what is said in its line', () => {
    expect(patterns('User-agent: *\nDisallow: /a\0b\nAllow: /a/c\0d\n\0Allow: /\nDisallow: /e#\0')).toEqual([
      '-/a',
      '+/a/c',
      '-/e',
    ]);
  });

  test.each(['\ufeff', ''])('UTF-16 can be read, in either order of octets, after %j', (mark) => {
    const little = Buffer.from(`${mark}User-agent: *\r\nDisallow: /a\r\n`, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const octets of [little, big]) {
      expect(parseRobots(octets, 'gossamer').rules).toMatchObject([{ pattern: '/a', line: 2 }]);
    }
  });

  test('keys are read in any case, with or without spaces and tabs', () => {
    expect(patterns('USER-AGENT:*\n\tdisAllow\t:\t/a\t\nALLOW:/b')).toEqual(['-/a', '+/b']);
  });

  test('keys that nobody takes for a rule are passed over', () => {
    expect(patterns('User-agent: *\nDeny: /a\nDont-allow: /b\nNoindex: /c\nDisallow: /d')).toEqual(['-/d']);
  });

  test('the last octet of a character is not taken for white space', () => {
    expect(patterns('User-agent: *\nDisallow: /\u00e0')).toEqual(['-/%C3%A0']);
  });

  test('octets that are no UTF-8 are kept as octets', () => {
    const file = Buffer.from('User-agent: *\nDisallow: /caf\xe9', 'latin1');
    expect(parseRobots(file, 'gossamer').rules).toMatchObject([{ pattern: '/caf%E9' }]);
  });

  test('a page of HTML has no rules', () => {
    expect(parse('<!DOCTYPE html>\n<p style="color: red">Disallow: /</p>\n')).toEqual({
      rules: [],
      crawlDelayMs: null,
      sitemaps: [],
    });
  });

  test('a part of a larger buffer is read as that part', () => {
    const buffer = bytes('Disallow: /x\nUser-agent: *\nDisallow: /a\nDisallow: /b');
    expect(parseRobots(buffer.subarray(13, 39), 'gossamer').rules).toMatchObject([{ pattern: '/a' }]);
  });
});

describe('2.5 limits', () => {
  const head = 'User-agent: *\n';
  const padding = (length: number): string => `#${'x'.repeat(length - 2)}\n`;

  test('a rule that ends at 500 KiB is read', () => {
    const rule = 'Disallow: /last';
    const file = head + padding(500 * 1024 - head.length - rule.length) + rule;
    expect(file).toHaveLength(MAX_ROBOTS_BYTES);
    expect(patterns(file)).toEqual(['-/last']);
    expect(patterns(`${file}\nDisallow: /more`)).toEqual(['-/last']);
  });

  test('a line that goes on past the cap is not read at all', () => {
    const rule = 'Disallow: /private';
    const file = head + padding(MAX_ROBOTS_BYTES - head.length - rule.length + 7) + rule;
    expect(patterns(file)).toEqual([]);
    expect(patterns(head + 'x'.repeat(MAX_ROBOTS_BYTES))).toEqual([]);
  });

  test.each([
    ['white space in a line', `Disallow: /a${' '.repeat(400_000)}b`],
    ['digits in a delay', `Crawl-delay: ${'1'.repeat(400_000)}x`],
    ['escapes in a path', `Disallow: /${'%'.repeat(400_000)}`],
    ['one line after the other', '\n'.repeat(400_000)],
    ['the longest name of an agent', `User-agent: ${'a'.repeat(400_000)}!`],
  ])('is read in linear time: %s', (_, line) => {
    expect(patterns(`User-agent: *\nDisallow: /z\n${line}`)[0]).toBe('-/z');
  });

  test('the text of a long line is cut, its pattern is not', () => {
    const [rule] = parse(`User-agent: *\nDisallow: /${'a'.repeat(5_000)}`).rules;
    expect(rule?.text).toHaveLength(1_000);
    expect(rule?.pattern).toHaveLength(5_001);
  });
});

describe('the compact form', () => {
  const file = parse(
    'User-agent: *\nDisallow: /a\nallow: /b\u00e9"\\\nDisallow: /*.php$\nCrawl-delay: 1.5\nSitemap: https://example.org/s.xml',
  );

  test('gives back what went in', () => {
    expect(expandRobots(compactRobots(file))).toEqual(file);
    expect(expandRobots(compactRobots(parse('')))).toEqual({ rules: [], crawlDelayMs: null, sitemaps: [] });
  });

  test('holds nothing of what is said to others', () => {
    const text = compactRobots(parse('User-agent: other\nDisallow: /secret\nUser-agent: *\nDisallow: /a'));
    expect(text).not.toContain('secret');
    expect(text).toBe('[null,[],[[0,"/a",4]]]');
  });

  test.each(['', '{}', '[]', '[1,[],[[2,"/",1]]]', '["1",[],[]]', '[1,[2],[]]', '[1,[],[[1,"/"]]]', '[1,[],[0]]'])(
    'is refused when damaged: %s',
    (text) => {
      expect(() => expandRobots(text)).toThrow(expect.objectContaining({ code: 'robots_damaged' }));
    },
  );
});
