import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CorpusInput } from '../../src/corpus/document.js';
import { resemblance, signatureOf, textHash, titleKey } from '../../src/corpus/fingerprint.js';
import { index, lines, ORIGIN, page, read, temporaryFolder, write } from './fixture.js';

/** The same words for the same seed, and others for another. */
function words(count: number, seed: number): string {
  let state = seed * 7919;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `w${state >>> 16}`;
  }).join(' ');
}

/** Which pages are left out, and for which. */
async function duplicates(inputs: CorpusInput[]): Promise<Record<string, string>> {
  const dir = join(temporaryFolder(), 'docs');
  await write(dir, inputs);
  const found = index(dir).duplicates.map((each: { url: string; duplicateOf: string; kind: string }) => [
    each.url.replace(ORIGIN, ''),
    `${each.kind} ${each.duplicateOf.replace(ORIGIN, '')}`,
  ]);
  expect(index(dir).pages + found.length).toBe(inputs.length);
  return Object.fromEntries(found);
}

describe('duplicates', () => {
  it('with the same text are one page, the one with the shortest path', async () => {
    const text = words(50, 1);
    expect(
      await duplicates([
        page('/long/path', { text }),
        page('/b', { text: `${text}  \n` }),
        page('/c', { text: `\n${text}` }),
        page('/d'),
      ]),
    ).toEqual({
      '/long/path': 'exact /b',
      '/c': 'exact /b',
    });
  });

  it('that a canonical link names are kept, before one with a shorter path', async () => {
    const text = words(50, 1);
    const canonical = `${ORIGIN}/the/right/one`;
    expect(
      await duplicates([
        page('/a', { text, canonical }),
        page('/b', { text }),
        page('/the/right/one', { text, canonical }),
      ]),
    ).toEqual({
      '/a': 'canonical /the/right/one',
      '/b': 'exact /the/right/one',
    });
  });

  it('by canonical link need a target in the corpus, and a text that has to do with it', async () => {
    expect(
      await duplicates([
        page('/home', { text: words(200, 1) }),
        page('/a', { text: words(200, 2), canonical: `${ORIGIN}/home` }),
        page('/b', { text: words(200, 3), canonical: 'https://elsewhere.test/' }),
        page('/v1/c', { title: 'C', text: `${words(180, 4)} old`, canonical: `${ORIGIN}/v2/c` }),
        page('/v2/c', { title: 'C', text: `${words(200, 4)} new` }),
      ]),
    ).toEqual({ '/v1/c': 'canonical /v2/c' });
  });

  it('never name each other in a circle or in a chain', async () => {
    const text = words(100, 1);
    const canonical = (path: string) => ({ text, canonical: ORIGIN + path });
    expect(
      await duplicates([page('/aa', canonical('/b')), page('/b', canonical('/ccc')), page('/ccc', { text })]),
    ).toEqual({
      '/aa': 'canonical /ccc',
      '/b': 'canonical /ccc',
    });
    expect(await duplicates([page('/aa', canonical('/b')), page('/b', canonical('/aa'))])).toEqual({
      '/aa': 'exact /b',
    });
  });

  it('that nearly have the same text are one where the title is the same too', async () => {
    const text = words(400, 1);
    const title = 'Install';
    const near = { title, text: `${text} printed 2026-01-01`, markdown: `# Install\n\n${text} printed` };
    expect(await duplicates([page('/install', { title, text }), page('/install?print=1', near)])).toEqual({
      '/install?print=1': 'near /install',
    });
    for (const other of [{ title: 'Remove' }, { markdown: '# Remove' }]) {
      expect(await duplicates([page('/install', { title, text }), page('/other', { ...near, ...other })])).toEqual({});
    }
  });

  it('are not pages that are alike in structure only', async () => {
    const javadoc = (name: string, other: string) =>
      page(`/${name}`, {
        title: name,
        text: `Class ${name} extends Object. ${words(150, 1)} public ${name}() Constructs a new ${name}. ${words(60, 2)} throws ${other}Exception.`,
      });
    const empty = (path: string) => page(path, { text: '', title: 'Empty', markdown: '' });
    expect(
      await duplicates([javadoc('Double', 'Float'), javadoc('Float', 'Double'), empty('/x'), empty('/y')]),
    ).toEqual({});
    const untitled = (path: string, seed: number) =>
      page(path, { title: 'Docs', markdown: '', text: `${words(150, 1)} ${words(60, seed)}` });
    expect(await duplicates([untitled('/1', 5), untitled('/2', 6)])).toEqual({});
  });

  it('are in no file, and links to them lead to the copy that is kept', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const text = words(50, 1);
    await write(dir, [
      page('/', {
        markdown: `[one](${ORIGIN}/copy#part) [two](${ORIGIN}/kept) [three](${ORIGIN}/moved) [gone](${ORIGIN}/gone)`,
      }),
      page('/kept', { text, finalUrl: `${ORIGIN}/moved` }),
      page('/copy/of/it', { text }),
      page('/copy', { text, canonical: `${ORIGIN}/kept` }),
    ]);
    expect(read(dir, 'index.md')).toContain(
      `[one](kept.md#part) [two](kept.md) [three](kept.md) [gone](${ORIGIN}/gone)`,
    );
    expect(lines(dir, 'corpus.jsonl').map(({ url }) => url)).toEqual([`${ORIGIN}/`, `${ORIGIN}/kept`]);
    expect(new Set(lines(dir, 'chunks.jsonl').map(({ url }) => url)).size).toBe(2);
    expect(read(dir, 'llms.txt')).not.toContain('copy');
  });

  it('that are many under one title are found as well', async () => {
    const text = words(300, 1);
    const inputs = Array.from({ length: 60 }, (_, i) =>
      page(`/p${i}`, { title: 'Same', markdown: '# Same', text: i % 2 === 0 ? `${text} at ${i}` : words(300, 10 + i) }),
    );
    expect(Object.keys(await duplicates(inputs)).length).toBe(29);
  });
});

describe('a fingerprint', () => {
  it('estimates how much of two texts is the same', () => {
    const [a, b] = [words(1_000, 1), words(1_000, 2)];
    const of = (x: string, y: string): number => resemblance(signatureOf(x), signatureOf(y));
    expect(of(a, a)).toBe(1);
    expect(of(a, b)).toBeLessThan(0.1);
    expect(of(a, `${a} ${b}`)).toBeGreaterThan(0.35);
    expect(of(a, `${a} ${b}`)).toBeLessThan(0.65);
    expect(of(a, a.replace(/ w/, ' x'))).toBeGreaterThan(0.95);
    expect(of('', '')).toBe(1);
  });

  it('knows a text by what is read, not by its blanks or its form of Unicode', () => {
    expect(textHash(' é\n x ')).toBe(textHash('e\u0301 x'));
    expect(textHash('a b')).not.toBe(textHash('ab'));
    expect(textHash(' \n')).toBeNull();
    expect(titleKey('A — page', '# Head')).toBe(titleKey('a page', 'intro\n# head'));
    expect(titleKey('A', '# B')).not.toBe(titleKey('A', '# C'));
  });
});
