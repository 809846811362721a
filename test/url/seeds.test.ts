import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { type PathProbe, parseSeedArgument, parseSeedLines, type Seed } from '../../src/url/seeds.js';

const nothing: PathProbe = () => null;

function seedOf(text: string): Seed {
  const argument = parseSeedArgument(text, nothing);
  if (argument.kind !== 'url') {
    throw new Error(`${text} is a ${argument.kind}`);
  }
  return argument.seed;
}

describe('an argument', () => {
  it('is stdin, a URL, a folder, a file or a bare domain, in this order', () => {
    const everything: PathProbe = (path) => (path.endsWith('.d') ? 'folder' : 'file');
    expect(parseSeedArgument('-', everything)).toEqual({ kind: 'stdin' });
    expect(parseSeedArgument('http://a.test', everything).kind).toBe('url');
    expect(parseSeedArgument('site.d', everything)).toEqual({ kind: 'folder', path: 'site.d' });
    expect(parseSeedArgument('example.com', everything)).toEqual({ kind: 'file', path: 'example.com' });
    expect(parseSeedArgument('C:\\seeds.txt', everything)).toEqual({ kind: 'file', path: 'C:\\seeds.txt' });
    expect(parseSeedArgument('example.com', nothing).kind).toBe('url');
  });

  it('with a scheme is that URL in normal form and nothing else', () => {
    expect(seedOf('HTTP://Example.com:80/A#b')).toEqual({
      url: 'http://example.com/A',
      fallbacks: [],
      label: 'HTTP://Example.com:80/A#b',
    });
  });

  it('shows user and password nowhere but in credentials', () => {
    const seed = seedOf('https://me:s3cret@example.com/x');
    expect(seed.credentials).toEqual({ username: 'me', password: 's3cret' });
    expect(JSON.stringify({ ...seed, credentials: null })).not.toContain('s3cret');
    expect(() => seedOf('ftp://me:s3cret@example.com/')).toThrow(/^ftp:\/\/example\.com\/: /);
  });

  it('may be folded as the crawl folds its URLs', () => {
    const options = { stripQuery: true, stripTracking: false, sortQuery: false };
    expect(parseSeedArgument('a.test/?x', nothing, options)).toMatchObject({
      seed: { url: 'https://a.test/', fallbacks: ['http://a.test/', 'https://www.a.test/', 'http://www.a.test/'] },
    });
  });

  it.each([
    ['example.com', 'https://example.com/ http://example.com/ https://www.example.com/ http://www.example.com/'],
    [
      'example.com/a?b',
      'https://example.com/a?b http://example.com/a?b https://www.example.com/a?b http://www.example.com/a?b',
    ],
    ['www.example.com/a', 'https://www.example.com/a http://www.example.com/a'],
    ['example.com:8080/a', 'https://example.com:8080/a http://example.com:8080/a'],
    ['example.com:443', 'https://example.com/ http://example.com:443/'],
    ['10.0.0.1/a', 'https://10.0.0.1/a http://10.0.0.1/a'],
    ['localhost', 'http://localhost/ https://localhost/'],
    ['localhost:3000/a', 'http://localhost:3000/a https://localhost:3000/a'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/ https://127.0.0.1:3000/'],
    ['[::1]:3000', 'http://[::1]:3000/ https://[::1]:3000/'],
  ])('%s is tried as %s', (text, tries) => {
    const seed = seedOf(text);
    expect([seed.url, ...seed.fallbacks].join(' ')).toBe(tries);
    expect(seed.label).toBe(text);
  });

  it.each([
    ['htp:/x', 'htp:/x: "htp:" is not a scheme Gossamer can crawl; use http:// or https://'],
    ['ftp://a.test/', 'ftp://a.test/: "ftp:" is not a scheme Gossamer can crawl; use http:// or https://'],
    ['', 'A seed is empty; give a URL such as https://example.com/'],
    ['  ', 'A seed is empty; give a URL such as https://example.com/'],
    ['http://a.test/b c', 'http://a.test/b c: a URL has no spaces in it; write them as %20'],
    ['http://', 'http://: this is not a valid URL'],
    ['http://a.test:99999/', 'http://a.test:99999/: this is not a valid URL'],
    ['./seeds.txt', './seeds.txt: this is neither a URL nor a domain, nor an existing file or folder'],
    ['exa<mple', 'exa<mple: this is neither a URL nor a domain, nor an existing file or folder'],
    ['htp:\u001b[31m', 'htp:\ufffd[31m: "htp:" is not a scheme Gossamer can crawl; use http:// or https://'],
  ])('%j is refused in one sentence', (text, message) => {
    expect(() => seedOf(text)).toThrow(UsageError);
    expect(() => seedOf(text)).toThrow(new UsageError(message));
  });
});

describe('a list of seeds', () => {
  it('has one a line, with comments, blank lines, any line ending and a byte order mark', () => {
    const { seeds, bad } = parseSeedLines(
      '\ufeffhttp://a.test/\r\n\r\n# all of it\n  b.test   # a domain\rhttp://c.test/#d\n',
      'seeds.txt',
    );
    expect(bad).toEqual([]);
    expect(seeds.map((seed) => [seed.url, seed.label])).toEqual([
      ['http://a.test/', 'seeds.txt:1'],
      ['https://b.test/', 'seeds.txt:4'],
      ['http://c.test/', 'seeds.txt:5'],
    ]);
  });

  it('gives each seed its own scope and budget', () => {
    const { seeds } = parseSeedLines('http://a.test/ scope=host depth=0 max-urls=100\nhttp://b.test/', 'x');
    expect(seeds[0]).toMatchObject({ scope: 'host', depth: 0, maxUrls: 100 });
    expect(Object.keys(seeds[1]!).sort()).toEqual(['fallbacks', 'label', 'url']);
  });

  it('names every bad line with its number and keeps the good ones', () => {
    const lines = [
      'http://a.test/',
      'htp:/x',
      'http://b.test/ scope=all',
      'http://c.test/ depth=-1',
      'c.test max-urls=0',
    ];
    const { seeds, bad } = parseSeedLines([...lines, 'd.test speed=9', 'e.test depth', '-'].join('\n'), 'x');
    expect(seeds.map((seed) => seed.url)).toEqual(['http://a.test/']);
    expect(bad.map(({ line, problem }) => [line, problem])).toEqual([
      [2, 'htp:/x: "htp:" is not a scheme Gossamer can crawl; use http:// or https://'],
      [3, 'scope is one of page, prefix, host, subdomains, domain, any, not "all"'],
      [4, 'depth must be a whole number from 0, got "-1"'],
      [5, 'max-urls must be a whole number from 1, got "0"'],
      [6, '"speed=9" is not a setting of a seed; there are scope=, depth= and max-urls='],
      [7, 'depth must be a whole number from 0, got ""'],
      [8, '-: this is neither a URL nor a domain, nor an existing file or folder'],
    ]);
    expect(bad[1]!.text).toBe('http://b.test/ scope=all');
  });
});
