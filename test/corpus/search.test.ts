import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/corpus/query.js';
import { listCorpus, readDocument } from '../../src/corpus/read-corpus.js';
import { correctQuery, searchCorpus, slips } from '../../src/corpus/search.js';
import { headingsOf, sectionOf } from '../../src/corpus/section.js';
import { index, ORIGIN, page, temporaryFolder, write } from './fixture.js';

const dir = join(temporaryFolder(), 'docs');
const filler = 'Other words that say nothing. '.repeat(60);

beforeAll(async () => {
  await write(dir, [
    page('/threads', {
      title: 'Threads',
      markdown: `# Threads\n\nA pool runs tasks.\n\n## Executors\n\nAn executor starts \x1b[31mthreads\x07 at once.`,
    }),
    page('/pool', { title: 'Swimming', markdown: `# Swimming\n\n${filler}\n\nThe pool is open. ${filler}` }),
    page('/both', {
      title: 'Far apart',
      markdown: `# Far\n\nThe executor.\n\n## One\n\n${filler}\n\n## Two\n\n${filler}\n\n## Three\n\nThe pool.`,
    }),
    page('/names', {
      title: 'Names',
      markdown: 'Call `os.path.join_all("a")` or [read](https://zebra.test/giraffe) C++ and naïve café.',
    }),
    page('/lib', { title: 'Tools', markdown: LIB }),
    page('/uses', { title: 'Uses', markdown: 'Call `lib.tools.gather` from time to time.' }),
    page('/de', { title: 'Anleitung', lang: 'de', markdown: 'Alle Verbindungen lesen eine Datei.' }),
    page('/ja', { title: '日本語', markdown: '非同期処理のためのドキュメントです。' }),
    page('/server', { title: 'Net', markdown: 'Call `createGizmoServer` or `HTTPWidget2` to begin.' }),
    page('/copy', { title: 'Copy', text: 'twice', markdown: 'twice' }),
    page('/copy/2', { title: 'Copy', text: 'twice', markdown: 'twice' }),
  ]);
});

const paths = (query: string): string[] => searchCorpus(dir, query).map(({ path }) => path);

describe('a word of a search', () => {
  it('that says nothing counts only where there is no other', () => {
    expect(paths('what is the')).not.toEqual([]);
    expect(paths('what is the executor')).toEqual(paths('executor'));
  });

  it('is found in other forms of the language that the page is in', () => {
    expect(paths('Verbindung')).toEqual(['de.md']);
    expect(paths('Dateien')).toEqual(['de.md']);
  });

  it('that is a name finds the page that defines it, and the place', () => {
    const [hit, other] = searchCorpus(dir, 'lib.tools.gather()');
    expect(hit).toMatchObject({ path: 'lib.md', headings: ['Tools', 'Running'], anchor: 'lib.tools.gather' });
    expect(other).toMatchObject({ path: 'uses.md' });
    expect(paths('how do I use lib.tools.gather')[0]).toBe('lib.md');
  });

  it('finds names of code that it is a part of', () => {
    expect(paths('gizmo')).toEqual(['server.md']);
    expect(paths('widget')).toEqual(['server.md']);
    expect(paths('creategizmoserver')).toEqual(['server.md']);
  });

  it('that no page has is put right', () => {
    expect(correctQuery(dir, 'exectuor "a pol"')).toBe('executor "a pol"');
    expect(correctQuery(dir, 'swiming in the pool')).toBe('swimming in the pool');
    expect(correctQuery(dir, 'xyzzyqq')).toBeNull();
    expect(correctQuery(dir, 'pool executor')).toBeNull();
    expect(correctQuery(dir, "exec'\" OR utor -'x")).toBeNull();
  });

  it.each([
    ['pool', 'pool', 0],
    ['pool', 'polo', 1],
    ['pool', 'pol', 1],
    ['pool', 'poool', 1],
    ['pool', 'tool', 1],
    ['pool', 'lake', 4],
    ['', 'abc', 3],
    ['abcdef', 'a', 4],
  ])('%j is %j with %i slips', (one, other, count) => {
    expect(slips(one, other, 3)).toBe(count);
  });
});

describe('a hit', () => {
  it('names other sections of the page that match, with their places', () => {
    const [hit] = searchCorpus(dir, 'lib tools');
    expect([hit!, ...hit!.more].map(({ anchor }) => anchor).sort()).toEqual(['running', 'stopping', 'tools'].sort());
    for (const { anchor, headings } of [hit!, ...hit!.more]) {
      const text = sectionOf(LIB, anchor!)!;
      expect(text).toContain(`# ${headings.at(-1)}`);
    }
  });

  it('is on a page below the folder that is asked for', () => {
    expect(searchCorpus(dir, 'pool', { prefix: 'th' }).map(({ path }) => path)).toEqual(['threads.md']);
    expect(searchCorpus(dir, 'pool', { prefix: '%' })).toEqual([]);
  });
});

describe('a section of a page', () => {
  it('is what stands under a heading, by its words or by a place, with what is below it', () => {
    expect(sectionOf(LIB, 'running')).toMatch(/^## Running\n[\s\S]*Runs all\.$/);
    expect(sectionOf(LIB, '#stopping')).toMatch(/^## Stopping/);
    expect(sectionOf(LIB, 'lib.tools.gather')).toBe(sectionOf(LIB, 'Running'));
    expect(sectionOf(LIB, 'TOOLS')?.trim()).toBe(LIB.trim());
    expect(sectionOf(LIB, 'not there')).toBeNull();
    expect(sectionOf('```\n# no heading\n```\n', 'no heading')).toBeNull();
    expect(headingsOf(LIB, 2)).toEqual(['Tools', 'Running']);
  });
});

const LIB = `# Tools

Tools of the lib.

${'All that is said of tools of the lib in general. '.repeat(60)}

## Running

- <a id="lib.tools.gather"></a>\`lib.tools.gather(*tools)\`

  Runs all.

## Stopping

${'Tools of the lib stop by themselves. '.repeat(60)}
`;

describe('a search', () => {
  it('finds pages with some of the words, those with more of them and in fewer places first', () => {
    expect(paths('pool executor')).toEqual(['threads.md', 'both.md', 'pool.md']);
    expect(paths('how does the pool start an executor')[0]).toBe('threads.md');
    expect(paths('executor xyzzy')).toEqual(['threads.md', 'both.md']);
    expect(paths('threads')[0]).toBe('threads.md');
    expect(paths('pool').sort()).toEqual(['both.md', 'pool.md', 'threads.md']);
  });

  it('says under which headings the best passage stands', () => {
    expect(searchCorpus(dir, 'executor')[1]!.headings).toEqual(['Far']);
    expect(searchCorpus(dir, 'swimming')[0]).toMatchObject({
      path: 'pool.md',
      title: 'Swimming',
      url: `${ORIGIN}/pool`,
    });
  });

  it('counts a word in a title for more than one in the text', () => {
    expect(paths('swimming executor')[0]).toBe('pool.md');
    expect(searchCorpus(dir, 'swimming')[0]!.score).toBeGreaterThan(searchCorpus(dir, 'open')[0]!.score);
  });

  it('knows phrases and words that must not be there', () => {
    expect(paths('"pool runs"')).toEqual(['threads.md']);
    expect(paths('"runs pool"')).toEqual([]);
    expect(paths('pool -executor')).toEqual(['pool.md']);
    expect(paths('pool -"the pool"')).toEqual(['threads.md']);
  });

  it('finds names of code, words in another form and letters without their marks', () => {
    expect(paths('os.path.join_all')).toEqual(['names.md']);
    expect(paths('join_all(')).toEqual(['names.md']);
    expect(paths('calls naive CAFE')[0]).toBe('names.md');
    expect(paths('naive')).toEqual(['names.md']);
    expect(paths('giraffe')).toEqual([]);
  });

  it('finds words of scripts that put no blanks between them', () => {
    expect(paths('日本')).toEqual(['ja.md']);
    expect(paths('処理')).toEqual(['ja.md']);
    expect(paths('理処')).toEqual([]);
    expect(searchCorpus(dir, '同期')[0]!.snippet).toContain('非同期処理のため');
  });

  it('gives snippets of one line without control characters', () => {
    const { snippet } = searchCorpus(dir, 'executor starts')[0]!;
    expect(snippet).toContain('executor starts');
    expect(snippet).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('gives no more pages than asked for', () => {
    expect(searchCorpus(dir, 'pool', { limit: 2 }).length).toBe(2);
    for (const limit of [0, 101, 1.5, Number.NaN]) {
      expect(() => searchCorpus(dir, 'pool', { limit })).toThrow('limit must be a whole number');
    }
  });

  it.each(['"', '""', '-', '-pool', '   ', '***', "'", '()', '-"x"'])(
    '%j asks for nothing and is refused in a sentence',
    (query) => {
      expect(() => searchCorpus(dir, query)).toThrow('a search needs at least one word');
    },
  );

  it.each([
    'title:pool',
    'pool*',
    '^pool',
    'pool NEAR executor',
    'NEAR(pool executor)',
    'pool AND executor',
    'NOT pool',
    '{title text}: pool',
    'pool" OR "x',
    "pool'); DROP TABLE words; --",
    'pool\0x',
    'a AND',
    '+pool',
    'pool - executor',
  ])('%j is words and nothing else', (query) => {
    expect(Array.isArray(searchCorpus(dir, query))).toBe(true);
  });

  it('never lets anything reach the syntax of the index', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom(...'ab "-*^(){}:+.,\0\'NOTANDOR'.split('')) }),
        ),
        (query) => {
          try {
            expect(Array.isArray(searchCorpus(dir, query))).toBe(true);
          } catch (error) {
            expect((error as Error).message).toMatch(/^a search /);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('has a longest and a largest query', () => {
    expect(() => parseQuery('x'.repeat(1_001))).toThrow('at most 1000 characters');
    expect(() => parseQuery('a '.repeat(33))).toThrow('at most 32 words');
  });

  it('of a folder without a corpus, or with another file of that name, says so', async () => {
    expect(() => searchCorpus(join(dirname(dir), 'nothing'), 'x')).toThrow('there is no corpus in');
    const other = join(temporaryFolder(), 'docs');
    await write(other, [page('/a')]);
    writeFileSync(join(other, 'search.db'), 'not a database');
    expect(() => searchCorpus(other, 'x')).toThrow('was not written by this version');
    unlinkSync(join(other, 'search.db'));
    expect(() => searchCorpus(other, 'x')).toThrow('there is no search.db');
  });
});

describe('the pages of a corpus', () => {
  it('are listed in the order of the site', async () => {
    const listed: string[] = [];
    for await (const { path } of listCorpus(dir)) {
      listed.push(path);
    }
    expect(listed).toEqual(index(dir).documents.map(({ path }: { path: string }) => path));
  });

  it.each(['threads.md', 'threads', './threads.md', `${ORIGIN}/threads`, 'HTTPS://docs.test:443/threads#x'])(
    'are read by %s',
    async (asked) => {
      expect((await readDocument(dir, asked)).content).toContain('A pool runs tasks.');
    },
  );

  it('are read by the URL of a copy as well', async () => {
    expect((await readDocument(dir, `${ORIGIN}/copy/2`)).entry.path).toBe('copy.md');
  });

  it.each([
    '../secret.md',
    '/etc/passwd',
    'index.json',
    'search.db',
    '',
    '.',
    '..',
    'threads.md/../../secret.md',
    '\0',
    `${ORIGIN}/nowhere`,
    'C:\\secret.md',
  ])('are all that is read: not %j', async (asked) => {
    writeFileSync(join(dirname(dir), 'secret.md'), 'secret');
    await expect(readDocument(dir, asked)).rejects.toThrow(/there is no page/);
  });

  // Windows lets only administrators make links.
  it.skipIf(process.platform === 'win32')(
    'are not read through a link that leads out of the folder, nor by a path that the index was made to name',
    async () => {
      const other = join(temporaryFolder(), 'docs');
      await write(other, [page('/a'), page('/b/c')]);
      const secret = join(dirname(other), 'secret');
      mkdirSync(secret);
      writeFileSync(join(secret, 'c.md'), 'secret');
      unlinkSync(join(other, 'a.md'));
      symlinkSync(join(secret, 'c.md'), join(other, 'a.md'));
      await expect(readDocument(other, 'a.md')).rejects.toThrow('the file of a.md is missing');
      const changed = JSON.stringify(index(other)).replace('b/c.md', '../secret/c.md');
      writeFileSync(
        join(other, 'index.json'),
        changed
          .replace('"documents":[', '\n"documents": [\n')
          .replace('},{"url"', '},\n{"url"')
          .replace('],"duplicates"', '\n],\n"duplicates"'),
      );
      await expect(readDocument(other, `${ORIGIN}/b/c`)).rejects.toThrow('the file of ../secret/c.md is missing');
    },
  );
});
