import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignPaths, foldedPath, pagePath, relativeLink } from '../../src/corpus/page-paths.js';

const ORIGIN = 'https://docs.test';
const path = (url: string): string => pagePath(new URL(url, ORIGIN).href, ORIGIN);
const marked = (name: string): RegExp => new RegExp(`^${name}~[0-9a-f]{10}\\.md$`);

describe('the path of a page', () => {
  it.each([
    ['/', 'index.md'],
    ['/a', 'a.md'],
    ['/a/', 'a/index.md'],
    ['/a/b.html', 'a/b.md'],
    ['/a/b.HTM', 'a/b.md'],
    ['/a/readme.md', 'a/readme.md'],
    ['/a/list.php', 'a/list.php.md'],
    ['/api/java/lang/String.html', 'api/java/lang/String.md'],
    ['/wiki/M%C3%BCnchen', 'wiki/München.md'],
    ['/%E6%97%A5%E6%9C%AC/%E8%AA%9E', '日本/語.md'],
    ['/search?q=a&page=2', 'search@q=a,page=2.md'],
    ['/a/?x=1', 'a/index@x=1.md'],
    ['/a?', 'a.md'],
    ['https://other.test/a/b', '@other.test/a/b.md'],
    ['http://docs.test:8080/a', '@docs.test_8080_http/a.md'],
  ])('%s stands at %s', (url, expected) => {
    expect(path(url)).toBe(expected);
  });

  it.each([
    ['/con', '_con'],
    ['/AUX.html', '_AUX'],
    ['/nul.txt', '_nul.txt'],
    ['/COM%C2%B9', '_COM¹'],
    ['/lpt1.tar.gz', '_lpt1.tar.gz'],
    ['/.htaccess', '_htaccess'],
    ['/-rf', '_rf'],
    ['/a.%20', 'a_'],
    ['/a...', 'a_'],
    ['/a%00b', 'a_b'],
    ['/a%0d%0ab', 'a__b'],
    ['/a%2Fb', 'a_b'],
    ['/..%2f..%2fetc', '_._.._etc'],
    ['/a%5C..%5Cb', 'a_.._b'],
    ['/a:b', 'a_b'],
    ['/a%E2%80%AEb', 'a_b'],
    ['/a%FFb', 'a_FFb'],
    ['/progra~1', 'progra_1'],
    ['/%E2%81%A5', '_'],
  ])('%s is made safe and told apart by a hash', (url, expected) => {
    expect(path(url)).toMatch(marked(expected.replace(/[.+]/g, '\\$&')));
  });

  it('a folder is never named like a file of the corpus', () => {
    for (const name of [
      'a.md',
      'a.MD',
      'index.json',
      'llms.txt',
      'search.db',
      'search.db-wal',
      'State.db',
      'corpus.jsonl',
    ]) {
      expect(path(`/${name}/b`)).toMatch(/~[0-9a-f]{10}\/b\.md$/);
    }
  });

  it('long names and deep folders are cut, each to a path of its own', () => {
    const long = ['x', 'y'].map((end) => path(`/${'a'.repeat(300)}${end}`));
    const deep = ['x', 'y'].map((end) => path(`/${'abc/'.repeat(200)}${end}`));
    const query = ['x', 'y'].map((end) => path(`/a?${'b'.repeat(3000)}${end}`));
    const wide = ['x', 'y'].map((end) => path(`/${'%F0%9F%98%80'.repeat(80)}${end}`));
    const all = [...long, ...deep, ...query, ...wide];
    expect(new Set(all.map(foldedPath)).size).toBe(8);
    for (const each of all) {
      expect(Buffer.byteLength(each)).toBeLessThan(200);
      expect(each.split('/').length).toBeLessThan(20);
    }
  });
});

/** URLs that want the same names, and hostile ones. */
const segment = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'b',
    'index',
    'index.html',
    'a.html',
    'a.md',
    'A.MD',
    'con',
    '..',
    '.',
    '',
    'x.',
    'x',
    '%C3%A9',
    'e%CC%81',
    '%EF%AC%81',
    'fi',
    'a~1',
    'STRASSE',
    'stra%C3%9Fe',
    'llms.txt',
    '@other.test',
    'a@x=1',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => encodeURIComponent(Buffer.from(text).toString())),
);
const url = fc
  .tuple(
    fc.constantFrom(ORIGIN, ORIGIN, ORIGIN, 'http://docs.test', 'https://other.test'),
    fc.array(segment, { maxLength: 4 }),
    fc.constantFrom('', '', '/', '?x=1', '?X=1', '?x=1&y', '?x=1,y'),
  )
  .map(([origin, segments, end]) => new URL(`${origin}/${segments.join('/')}${end}`).href);

const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

describe('the paths of many pages', () => {
  it('are all different on every file system, safe, inside the folder, and no page stands where a folder does', () => {
    fc.assert(
      fc.property(fc.array(url, { maxLength: 40 }), (urls) => {
        const paths = [...assignPaths(urls, ORIGIN).values()];
        expect(new Set(paths.map(foldedPath)).size).toBe(new Set(urls).size);
        const files = new Set(paths.map((each) => each.normalize('NFC').toLowerCase()));
        for (const each of paths) {
          const names = each.split('/');
          for (const name of names) {
            expect(name).toMatch(/^[^\s.\-/\\][^/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]*$/u);
            expect(name).not.toMatch(/[. ]$/);
            expect(name).not.toMatch(DEVICE);
            expect(Buffer.byteLength(name)).toBeLessThanOrEqual(220);
          }
          for (let i = 1; i < names.length; i++) {
            expect(files.has(names.slice(0, i).join('/').normalize('NFC').toLowerCase())).toBe(false);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('do not depend on the order in which the pages came', () => {
    fc.assert(
      fc.property(
        fc
          .array(url, { maxLength: 30 })
          .chain((urls) => fc.tuple(fc.constant(urls), fc.shuffledSubarray(urls, { minLength: urls.length }))),
        ([urls, shuffled]) => {
          const sorted = (of: string[]) => [...assignPaths(of, ORIGIN)].sort();
          expect(sorted(shuffled)).toEqual(sorted(urls));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('stay what they were when pages come and go', () => {
    fc.assert(
      fc.property(
        fc.array(url, { maxLength: 20 }),
        fc.array(url, { maxLength: 20 }),
        fc.nat(5),
        (first, added, gone) => {
          const before = assignPaths(first, ORIGIN);
          const after = assignPaths([...added, ...first.slice(gone)], ORIGIN, before);
          for (const each of first.slice(gone)) {
            expect(after.get(each)).toBe(before.get(each));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('of an index that somebody has changed are not believed', () => {
    const before = new Map([[`${ORIGIN}/a`, '../../etc/passwd.md']]);
    expect([...assignPaths([`${ORIGIN}/a`], ORIGIN, before).values()]).toEqual(['a.md']);
  });

  it('a page and a page in its folder, and two spellings of one folder, get a file each', () => {
    const paths = assignPaths(
      ['/a', '/a/', '/a/index.html', '/a/b', '/A/b', '/a.html'].map((each) => ORIGIN + each),
      ORIGIN,
    );
    expect([...paths.values()].map((each) => each.replace(/~.{10}/, '~')).sort()).toEqual(
      ['A/b.md', 'a.md', 'a/b~.md', 'a/index.md', 'a/index~.md', 'a~.md'].sort(),
    );
  });
});

describe('a link from one file to another', () => {
  it.each([
    ['a.md', 'b.md', 'b.md'],
    ['a/b.md', 'a/c.md', 'c.md'],
    ['a/b/c.md', 'x/y.md', '../../x/y.md'],
    ['index.md', 'a/b (c).md', 'a/b%20%28c%29.md'],
    ['a/b.md', 'a/b.md', 'b.md'],
    ['a.md', 'a/100%.md', 'a/100%25.md'],
  ])('%s → %s is %s', (from, to, expected) => {
    expect(relativeLink(from, to)).toBe(expected);
  });

  it('leads there, whatever the names', () => {
    fc.assert(
      fc.property(url, url, (a, b) => {
        const [from, to] = [pagePath(a, ORIGIN), pagePath(b, ORIGIN)];
        const base = new URL(from.split('/').map(encodeURIComponent).join('/'), 'https://base.test/');
        expect(decodeURIComponent(new URL(relativeLink(from, to), base).pathname)).toBe(`/${to}`);
      }),
    );
  });
});
