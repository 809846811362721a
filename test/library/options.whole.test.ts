import { crawl, defineConfig, type LibraryOptions, resumeCrawl, UsageError } from 'gossamer';
import { describe, expect, it } from 'vitest';
import { asKey } from './support.js';

const fetch = () => null;
const bad = (options: object): string => {
  try {
    crawl(options as LibraryOptions);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
};

describe('what is wrong with the options is said at once', () => {
  it.each([
    ['no seed', {}, 'no seed given: crawl({ seeds: [...] })'],
    ['an empty seed', { seeds: [''] }, 'A seed is empty; give a URL such as https://example.com/'],
    [
      'a seed that is no URL',
      { seeds: ['ftp://a.test/'] },
      'ftp://a.test/: "ftp:" is not a scheme Gossamer can crawl; use http:// or https://',
    ],
    ['a misspelt option', { seeds: ['a.test'], worker: 3 }, 'unknown option worker; did you mean workers?'],
    ['a value out of bounds', { seeds: ['a.test'], workers: 0 }, 'workers must be'],
    [
      'an option of the command line',
      { seeds: ['a.test'], quiet: true },
      'quiet is an option of the command line; a program has no use for it',
    ],
    [
      'downloaders twice',
      { seeds: ['a.test'], workers: 2, downloaders: 3 },
      'downloaders and workers are the same: give one of them',
    ],
    ['queueSize 0', { seeds: ['a.test'], queueSize: 0 }, 'queueSize must be a whole number from 1 to 10000000, got 0'],
    [
      'parsers that are no number',
      { seeds: ['a.test'], parsers: 1.5 },
      'parsers must be a whole number from 1, got 1.5',
    ],
    [
      'a proxy beside fetch',
      { seeds: ['a.test'], fetch, proxy: ['http://p.test'] },
      'proxy is for connections and has no effect with your own fetch: leave one of them out',
    ],
    [
      'a scope beside resolve',
      { seeds: ['a'], fetch, resolve: asKey, scope: 'host' },
      'scope has no effect with resolve, which decides what a link leads to: return null for links not to follow',
    ],
    [
      'a file of seeds beside keys',
      { seeds: ['a'], fetch, resolve: asKey, seedsFiles: ['x'] },
      'startUrls and seedsFiles contain URLs; with fetch and resolve, give the keys as seeds',
    ],
    [
      'a budget for a key',
      { seeds: [{ url: 'a', depth: 1 }], fetch, resolve: asKey },
      'the seed a cannot have its own scope or budget together with resolve',
    ],
    [
      'resume without a directory',
      { seeds: ['a.test'], resume: true },
      'resume needs a dataDir: without one nothing is kept',
    ],
  ])('%s', (_what, options, message) => {
    expect(bad(options)).toContain(message);
  });

  it('what the directory says cannot be given to resumeCrawl', () => {
    expect(() => resumeCrawl('x', { seeds: ['a'] } as never)).toThrow(/seeds cannot be given to resumeCrawl/);
  });
});

it('defineConfig gives back what it is given', () => {
  const config = { delay: '2s', maxUrls: 10 } as const;
  expect(defineConfig(config)).toBe(config);
});
