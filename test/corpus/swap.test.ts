import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../src/corpus/read-corpus.js';
import { searchCorpus } from '../../src/corpus/search.js';
import { repairCorpus, type SwapStep } from '../../src/corpus/swap.js';
import { index, page, read, snapshot, temporaryFolder, write } from './fixture.js';

const OLD = [page('/a', { text: 'the old text' }), page('/b'), page('/gone')];
const NEW = [page('/a', { text: 'the new text' }), page('/b'), page('/c')];
const STEPS: SwapStep[] = ['state removed', 'moved aside', 'moved in', 'carried', 'removed'];

/** A kill: nothing that stands behind it is run. */
const killAt = (wanted: SwapStep) => (step: SwapStep) => {
  if (step === wanted) {
    throw new Error('killed');
  }
};

/** Written once: most of the time goes into waiting for the disk. */
let old: string;
/** What a swap that nobody disturbs makes of it. */
let expected: Record<string, string>;
beforeAll(async () => {
  old = join(temporaryFolder(), 'docs');
  await write(old, OLD);
  const dir = oldCorpus();
  await write(dir, NEW);
  expected = snapshot(dir);
});

/** A copy of its own of the old corpus. */
function oldCorpus(): string {
  const dir = join(temporaryFolder(), 'docs');
  cpSync(old, dir, { recursive: true, preserveTimestamps: true });
  return dir;
}

describe('the swap of an old corpus for a new one', () => {
  it.each(STEPS)(
    'killed when it had just %s leaves one of them findable, and a next start repairs it',
    async (step) => {
      const dir = oldCorpus();
      mkdirSync(join(dir, 'notes/deep'), { recursive: true });
      writeFileSync(join(dir, 'notes/deep/mine.txt'), 'kept');
      writeFileSync(join(dir, 'c.md'), 'mine too');
      const before = snapshot(dir);
      await expect(write(dir, NEW, { onSwapStep: killAt(step) })).rejects.toThrow('killed');

      const found = (await readDocument(dir, 'a.md')).content;
      expect(found).toMatch(step === 'state removed' ? /the old text/ : /the new text/);
      expect(searchCorpus(dir, 'text').map(({ path }) => path)).toContain('a.md');
      if (step === 'state removed') {
        expect(snapshot(dir)).toEqual(before);
      }

      await repairCorpus(dir);
      const { 'notes/deep/mine.txt': mine, 'c.md.kept': beside, ...rest } = snapshot(dir);
      expect([mine, beside]).toEqual(['kept', 'mine too']);
      expect(rest).toEqual(expected);
      expect(readdirSync(dirname(dir))).toEqual(['docs']);
    },
  );

  it('killed, and then again by the next run, ends well with the third', async () => {
    for (const first of STEPS) {
      for (const second of STEPS) {
        const dir = oldCorpus();
        await expect(write(dir, [page('/between')], { onSwapStep: killAt(first) })).rejects.toThrow('killed');
        await expect(write(dir, NEW, { onSwapStep: killAt(second) })).rejects.toThrow('killed');
        await write(dir, NEW);
        expect(index(dir).documents.map(({ path }: { path: string }) => path)).toEqual(['a.md', 'b.md', 'c.md']);
        expect(index(dir).run).toBe(4);
        expect(readdirSync(dirname(dir))).toEqual(['docs']);
      }
    }
  });

  it('where there was no corpus yet is repaired as well', async () => {
    for (const step of STEPS.slice(0, 3)) {
      const dir = join(temporaryFolder(), 'docs');
      await expect(write(dir, NEW, { onSwapStep: killAt(step) })).rejects.toThrow('killed');
      await repairCorpus(dir);
      expect(index(dir).pages).toBe(3);
      expect(readdirSync(dirname(dir))).toEqual(['docs']);
    }
  });

  it('puts the old one back where the new one has never been complete', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, OLD);
    const before = snapshot(dir);
    renameSync(dir, `${dir}.replaced`);
    await repairCorpus(dir);
    expect(snapshot(dir)).toEqual(before);
  });

  it('never removes a folder of another', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, OLD);
    mkdirSync(`${dir}.replaced`);
    writeFileSync(join(`${dir}.replaced`, 'thesis.tex'), 'ten years of work');
    await expect(write(dir, NEW)).rejects.toThrow(`${dir}.replaced is in the way`);
    expect(read(`${dir}.replaced`, 'thesis.tex')).toBe('ten years of work');
  });
});

describe('files of pages that did not change', () => {
  it('are carried over with their bytes and their time', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, OLD);
    const before = statSync(join(dir, 'b.md'));
    await write(
      dir,
      NEW.map((each) => ({ ...each, crawledAt: '2026-03-03T00:00:00.000Z' })),
    );
    const after = statSync(join(dir, 'b.md'));
    expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
    expect(read(dir, 'b.md')).toContain('crawled: "2026-01-01T00:00:00.000Z"');
    expect(read(dir, 'a.md')).toContain('crawled: "2026-03-03T00:00:00.000Z"');
  });

  it('never have their bytes changed in place: a link to the old one keeps what it was', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, OLD);
    const kept = join(dirname(dir), 'kept.md');
    linkSync(join(dir, 'a.md'), kept);
    await write(dir, NEW);
    expect(read(dirname(dir), 'kept.md')).toContain('the old text');
    expect(read(dir, 'a.md')).toContain('the new text');
  });

  it('are written anew where somebody has changed them', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, OLD);
    const before = read(dir, 'b.md');
    writeFileSync(join(dir, 'b.md'), 'changed by hand');
    const { changes } = await write(dir, OLD);
    expect(changes).toMatchObject({ rewritten: 1, unchanged: 2 });
    expect(read(dir, 'b.md')).toBe(before);
  });

  it('of a corpus that was copied somewhere are known there', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, OLD);
    cpSync(dir, `${dir}-copy`, { recursive: true });
    expect((await write(`${dir}-copy`, OLD)).changes).toMatchObject({ unchanged: 3 });
    expect(existsSync(join(dir, 'b.md'))).toBe(true);
  });
});
