import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isIndexPage } from '../../src/corpus/index-page.js';
import { listCorpus, readDocument } from '../../src/corpus/read-corpus.js';
import { searchCorpus } from '../../src/corpus/search.js';
import { page, read, temporaryFolder, write } from './fixture.js';

const entries = (count: number, after = '') =>
  Array.from({ length: count }, (_, n) => `- [entry${n}() (a function)](https://docs.test/a#e${n})${after}`).join('\n');

describe('a page that only says where things are', () => {
  it.each([
    ['genindex.md', entries(40), true],
    ['genindex-A.md', entries(40), true],
    ['py-modindex.md', entries(40), true],
    ['api/contents.md', entries(40), true],
    ['bookindex.md', entries(40), true],
    ['genindex.md', entries(10), false],
    ['contents.md', entries(40, ' says this and that, with many words of its own, so that it is read'), false],
    ['links.md', entries(40), false],
    ['links.md', entries(400), true],
    ['index.md', entries(400), false],
    ['guide/index.md', entries(1_000), false],
    ['table-of-contents.md', 'No link at all.', false],
  ])('%s', (path, markdown, isIndex) => {
    expect(isIndexPage(path, `# Index\n\n${markdown}\n`)).toBe(isIndex);
  });

  it('is told in time that grows with the page', () => {
    expect(isIndexPage('genindex.md', '['.repeat(300_000))).toBe(false);
    expect(isIndexPage('genindex.md', '[a]('.repeat(100_000))).toBe(false);
  });

  const inputs = [
    page('/a', { markdown: '# A\n\nWhat entry7 does.' }),
    page('/genindex.html', { title: 'Index', markdown: `# Index\n\n${entries(40)}`, kept: 0.3 }),
  ];

  it('has a file, and is in no chunk, not in llms-full.txt and not found', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const report = await write(dir, inputs);
    expect(report).toMatchObject({ pages: 2, indexPages: 1, low: 1, chunks: 1 });
    expect((await readDocument(dir, 'genindex.md')).entry).toMatchObject({ kind: 'index', kept: 0.3, chunks: [] });
    expect(read(dir, 'llms-full.txt')).not.toContain('entry3');
    expect(read(dir, 'chunks.jsonl')).not.toContain('entry3');
    expect(searchCorpus(dir, 'entry7').map(({ path }) => path)).toEqual(['a.md']);
    expect(read(dir, 'llms.txt')).toMatch(/## Optional\n\n- \[Index\]\([^)]*genindex\.md\)[^\n]*\n?$/);
    const lines = read(dir, 'corpus.jsonl').trim().split('\n');
    expect(lines).toHaveLength(2);
  });

  it('is a page like any other where that is asked for, and back', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, inputs);
    const apart = read(dir, 'chunks.jsonl');
    const known = inputs.map(({ url }) => ({ url, isKnown: true as const }));
    const report = await write(dir, known, { indexPages: true });
    expect(report).toMatchObject({ indexPages: 0, low: 1, changes: { changed: 1, unchanged: 1 } });
    expect(read(dir, 'llms-full.txt')).toContain('entry3');
    expect(searchCorpus(dir, 'entry3')[0]!.path).toBe('genindex.md');
    const entry = (await readDocument(dir, 'genindex.md')).entry;
    expect(entry.kind).toBeUndefined();
    expect(entry.chunks.length).toBeGreaterThan(0);
    await write(dir, known);
    expect(read(dir, 'chunks.jsonl')).toBe(apart);
    for await (const { kept } of listCorpus(dir)) {
      expect([0.3, undefined]).toContain(kept);
    }
  });
});
