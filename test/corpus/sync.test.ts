import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CorpusInput } from '../../src/corpus/document.js';
import { corpusValidators } from '../../src/corpus/earlier-corpus.js';
import { index, lines, ORIGIN, page, read, snapshot, temporaryFolder, write } from './fixture.js';

const known = (path: string, fields: object = {}): CorpusInput => ({ url: ORIGIN + path, isKnown: true, ...fields });
const later = { crawledAt: '2026-05-05T00:00:00.000Z' };

const ids = (dir: string, path: string): unknown[] =>
  lines(dir, 'chunks.jsonl')
    .filter(({ url }) => url === ORIGIN + path)
    .map(({ id }) => id);

describe('a second run', () => {
  it('of 500 pages of which 3 changed, 2 came and 1 went writes those', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const site = Array.from({ length: 500 }, (_, i) => page(`/p/${i}`, { etag: `"${i}"` }));
    await write(dir, site);
    const before = snapshot(dir);
    const next = site.slice(1).map((each, i): CorpusInput => {
      if (i < 3) {
        return page(new URL(each.url).pathname, { text: `changed ${i}`, ...later });
      }
      // Half of them are not sent again, half come again as they were.
      return i % 2 === 0 ? { url: each.url, isKnown: true } : { ...each, ...later };
    });
    const { changes } = await write(dir, [...next, page('/p/new1', later), page('/p/new2', later)]);
    expect(changes).toEqual({ added: 2, changed: 3, rewritten: 0, removed: 1, unchanged: 496 });
    expect(index(dir).changes).toEqual(changes);
    const after = snapshot(dir);
    const differing = Object.keys({ ...before, ...after }).filter(
      (path) => path.endsWith('.md') && before[path] !== after[path],
    );
    expect(differing.sort()).toEqual(['p/0.md', 'p/1.md', 'p/2.md', 'p/3.md', 'p/new1.md', 'p/new2.md']);
    expect(lines(dir, 'changes.jsonl').map(({ change, path }) => `${change} ${path}`)).toEqual([
      'changed p/1.md',
      'changed p/2.md',
      'changed p/3.md',
      'added p/new1.md',
      'added p/new2.md',
      'removed p/0.md',
    ]);
  });

  it('in which nothing changed changes nothing but the count of runs and what is in changes.jsonl', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const site = ['/a', '/b', '/c'].map((path) => page(path));
    await write(dir, site);
    const before = snapshot(dir);
    await write(dir, [known('/a'), known('/b'), known('/c')]);
    const after = snapshot(dir);
    expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual(['changes.jsonl', 'index.json']);
    expect(after['changes.jsonl']).toBe('');
  });

  describe('measures', () => {
    const site = ['/a', '/b', '/c'].map((path) =>
      page(path, { markdown: `# ${path}\n\n${'some words '.repeat(300)}` }),
    );
    /** The texts that were counted. */
    async function counted(dir: string, inputs: readonly CorpusInput[], chunkTokens = 512): Promise<string> {
      const texts: string[] = [];
      const count = (text: string): number => {
        texts.push(text);
        return text.length >> 2;
      };
      await write(dir, inputs, { tokens: { count, isEstimate: true }, chunkTokens });
      return texts.join('\n');
    }

    it('no page that is as it was, however it is handed over', async () => {
      const dir = join(temporaryFolder(), 'docs');
      await counted(dir, site);
      const before = snapshot(dir);
      expect(await counted(dir, [site[0]!, { ...site[1]!, ...later }, known('/c')])).toBe('');
      expect({ ...snapshot(dir), 'index.json': '', 'changes.jsonl': '' }).toEqual({
        ...before,
        ...{ 'index.json': '', 'changes.jsonl': '' },
      });
    });

    it('a page that changed, and no other', async () => {
      const dir = join(temporaryFolder(), 'docs');
      await counted(dir, site);
      const changed = page('/b', { markdown: '# other' });
      expect(await counted(dir, [site[0]!, changed, known('/c')])).toMatch(/^(?:# other\n?)+$/);
    });

    it('all pages where chunks are to be of another size, and what an interrupted run took in by the old one', async () => {
      const [dir, other] = [join(temporaryFolder(), 'docs'), join(temporaryFolder(), 'docs')];
      await counted(dir, site);
      expect(await counted(dir, [site[0]!, known('/b'), known('/c')], 128)).toContain('# /c');
      await counted(other, site, 128);
      expect(read(dir, 'chunks.jsonl')).toBe(read(other, 'chunks.jsonl'));

      const late = join(temporaryFolder(), 'docs');
      function* cut() {
        yield* site;
        throw new Error('interrupted');
      }
      await expect(write(late, cut() as unknown as CorpusInput[])).rejects.toThrow('interrupted');
      await counted(late, [known('/a'), known('/b'), known('/c')], 128);
      expect(read(late, 'chunks.jsonl')).toBe(read(other, 'chunks.jsonl'));
    });

    it('a page again whose chunks were changed by hand, or whose title is another', async () => {
      const dir = join(temporaryFolder(), 'docs');
      await counted(dir, site);
      const chunks = read(dir, 'chunks.jsonl');
      writeFileSync(join(dir, 'chunks.jsonl'), chunks.replace('some words', 'SOME WORDS'));
      expect(await counted(dir, site)).toContain('# /a');
      expect(read(dir, 'chunks.jsonl')).toBe(chunks);
      expect(await counted(dir, [{ ...site[0]!, title: 'Other' }, site[1]!, site[2]!])).toContain('# /a');
      expect(lines(dir, 'chunks.jsonl')[0]!.title).toBe('Other');
    });
  });

  it('says which chunks to write and which to delete, and no others', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const section = (name: string): string => `## ${name}\n\n${`word ${name} `.repeat(40)}\n\n`;
    const made = (...names: string[]) => page('/a', { markdown: `# A\n\n${names.map(section).join('')}` });
    await write(dir, [made('One', 'Two', 'Three'), page('/b')], { chunkTokens: 100 });
    const [before, gone] = [ids(dir, '/a'), ids(dir, '/b')];
    await write(dir, [made('One', 'Zero', 'Three'), page('/c')], { chunkTokens: 100 });
    const after = ids(dir, '/a');
    expect(after.filter((id) => before.includes(id)).length).toBe(before.length - 1);
    expect(lines(dir, 'changes.jsonl')).toEqual([
      {
        change: 'changed',
        url: `${ORIGIN}/a`,
        path: 'a.md',
        upsert: after.filter((id) => !before.includes(id)),
        delete: before.filter((id) => !after.includes(id)),
      },
      { change: 'added', url: `${ORIGIN}/c`, path: 'c.md', upsert: ids(dir, '/c'), delete: [] },
      { change: 'removed', url: `${ORIGIN}/b`, path: 'b.md', upsert: [], delete: gone },
    ]);
  });

  it('with another title writes all chunks of the page again, and with another chunk size all there are', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const markdown = `# A\n\n${'some words here. '.repeat(60)}`;
    await write(dir, [page('/a', { markdown })]);
    await write(dir, [page('/a', { markdown, title: 'Other' })]);
    expect(lines(dir, 'changes.jsonl')).toMatchObject([{ change: 'changed', upsert: ids(dir, '/a'), delete: [] }]);
    const before = ids(dir, '/a');
    await write(dir, [page('/a', { markdown, title: 'Other' })], { chunkTokens: 64 });
    expect(lines(dir, 'changes.jsonl')).toMatchObject([{ change: 'changed', upsert: ids(dir, '/a'), delete: before }]);
  });

  it('turns links where a page came or went, and says so apart', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const a = page('/a', { markdown: `[b](${ORIGIN}/b)` });
    await write(dir, [a]);
    expect((await write(dir, [a, page('/b')])).changes).toEqual({
      added: 1,
      changed: 0,
      rewritten: 1,
      removed: 0,
      unchanged: 0,
    });
    expect(read(dir, 'a.md')).toContain('[b](b.md)');
    expect(lines(dir, 'changes.jsonl')[0]).toEqual({
      change: 'rewritten',
      url: `${ORIGIN}/a`,
      path: 'a.md',
      upsert: [],
      delete: [],
    });
    await write(dir, [a]);
    expect(read(dir, 'a.md')).toContain(`[b](${ORIGIN}/b)`);
  });

  it('names pages that are gone for ten runs, unless they come back', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, [page('/a'), page('/b'), page('/c')]);
    await write(dir, [page('/a')], { now: '2026-06-06T00:00:00.000Z' });
    expect(index(dir).removed).toEqual([
      { url: `${ORIGIN}/b`, path: 'b.md', removed: '2026-06-06T00:00:00.000Z', runsLeft: 10 },
      { url: `${ORIGIN}/c`, path: 'c.md', removed: '2026-06-06T00:00:00.000Z', runsLeft: 10 },
    ]);
    await write(dir, [page('/a'), page('/b')]);
    expect(index(dir).removed).toMatchObject([{ url: `${ORIGIN}/c`, runsLeft: 9 }]);
    for (let left = 8; left >= 1; left--) {
      await write(dir, [known('/a')]);
      expect(index(dir).removed.find(({ url }: { url: string }) => url === `${ORIGIN}/c`).runsLeft).toBe(left);
    }
    await write(dir, [known('/a')]);
    expect(index(dir).removed.map(({ url }: { url: string }) => url)).toEqual([`${ORIGIN}/b`]);
  });

  it('that did not see the whole site removes nothing', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, [page('/a'), page('/b')]);
    const { changes } = await write(dir, [page('/c')], { isComplete: false });
    expect(changes).toEqual({ added: 1, changed: 0, rewritten: 0, removed: 0, unchanged: 2 });
  });

  it('takes a page that became a duplicate out, without a tombstone', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, [page('/a'), page('/long')]);
    const gone = ids(dir, '/long');
    await write(dir, [page('/a'), page('/long', { text: page('/a').text })]);
    expect(index(dir)).toMatchObject({
      duplicates: [{ url: `${ORIGIN}/long`, duplicateOf: `${ORIGIN}/a` }],
      removed: [],
    });
    expect(lines(dir, 'changes.jsonl')).toMatchObject([
      { change: 'removed', delete: gone, duplicateOf: `${ORIGIN}/a` },
    ]);
  });

  it('keeps the names of pages when another comes that wants one', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, [page('/b/Index.html')]);
    await write(dir, [page('/b/'), known('/b/Index.html')]);
    const paths = index(dir).documents.map(({ path }: { path: string }) => path.replace(/~.{10}/, '~'));
    expect(paths).toEqual(['b/index~.md', 'b/Index.md']);
  });
});

describe('validators', () => {
  it('are those of each page that is kept, renewed where a server gave new ones', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const all = async () => {
      const found: object[] = [];
      for await (const each of corpusValidators(dir)) {
        found.push(each);
      }
      return found;
    };
    expect(await all()).toEqual([]);
    const text = 'the same text in both';
    await write(dir, [
      page('/a', { etag: '"1"', lastModified: 'yesterday' }),
      page('/b', { text }),
      page('/bcopy', { text, etag: '"2"' }),
    ]);
    await write(dir, [known('/a', { etag: '"3"' }), known('/b')]);
    expect(await all()).toEqual([
      { url: `${ORIGIN}/a`, etag: '"3"', lastModified: 'yesterday', crawled: '2026-01-01T00:00:00.000Z' },
      { url: `${ORIGIN}/b`, etag: null, lastModified: null, crawled: '2026-01-01T00:00:00.000Z' },
    ]);
  });
});
