import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERDICTS } from '../../src/check/report/result.js';
import { ResultCache } from '../../src/check/result-cache.js';
import { checkedLink } from './links.js';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const A = 'https://a.test/x?q=1';
let folder: string;
let file: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-cache-'));
  file = join(folder, 'cache.jsonl');
  now = START;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const options = (mostEntries?: number) => ({
  maxAgeMs: DAY,
  now: () => now,
  ...(mostEntries === undefined ? {} : { mostEntries }),
});
const load = (mostEntries?: number) => ResultCache.load(file, options(mostEntries));

describe('the cache of results', () => {
  it('gives back what was put, also to the next run', async () => {
    const cache = await load();
    cache.put(checkedLink(A, 'moved', { status: 301, finalUrl: 'https://b.test/', suggestion: 'https://b.test/' }));
    await cache.save(file);
    const again = await load();
    const expected = { url: A, verdict: 'moved', status: 301, finalUrl: 'https://b.test/', why: 'because' };
    for (const each of [cache, again]) {
      expect(each.get(A)).toMatchObject(expected);
    }
    expect(again.get('https://a.test/x')).toBeNull();
    expect(readdirSync(folder)).toEqual(['cache.jsonl']);
  });

  it('keeps what will be the same tomorrow, and nothing else', async () => {
    const cache = await load();
    for (const verdict of VERDICTS) {
      cache.put(checkedLink(`https://${verdict.replaceAll('_', '-')}.test/`, verdict));
    }
    await cache.save(file);
    const kept = readFileSync(file, 'utf8').trim().split('\n');
    expect(kept.map((line) => JSON.parse(line).verdict).sort()).toEqual(['dead', 'moved', 'ok', 'redirected']);
  });

  it('takes a link for dead only when a second look said so', async () => {
    const cache = await load();
    const link = checkedLink(A, 'dead');
    cache.put({ ...link, evidence: { ...link.evidence, looks: link.evidence.looks.slice(1) } });
    expect(cache.get(A)).toBeNull();
    cache.put(link);
    expect(cache.get(A)?.verdict).toBe('dead');
  });

  it('forgets what turned out otherwise', async () => {
    const cache = await load();
    cache.put(checkedLink(A, 'ok'));
    cache.put(checkedLink(A, 'timeout'));
    expect(cache.get(A)).toBeNull();
  });

  it('ignores what is too old or from the future, and drops it when it is saved', async () => {
    const cache = await load();
    cache.put(checkedLink(A, 'ok'));
    now += DAY;
    expect(cache.get(A)).not.toBeNull();
    expect(cache.get(A, DAY / 2)).toBeNull();
    now += 1;
    expect(cache.get(A)).toBeNull();
    expect(cache.get(A, 2 * DAY)).not.toBeNull();
    await cache.save(file);
    expect(readFileSync(file, 'utf8')).toBe('');
    now = START;
    cache.put(checkedLink(A, 'ok'));
    await cache.save(file);
    now = START - DAY;
    expect((await load()).size).toBe(0);
  });

  it('the oldest go when there are too many, in a run and when a file is read', async () => {
    const cache = await load(2);
    for (const name of ['a', 'b', 'a', 'c']) {
      cache.put(checkedLink(`https://${name}.test/`, 'ok'));
      now += 1;
    }
    const urls = (each: ResultCache) => ['a', 'b', 'c'].filter((name) => each.get(`https://${name}.test/`) !== null);
    expect(urls(cache)).toEqual(['a', 'c']);
    await cache.save(file);
    expect(urls(await load(1))).toEqual(['c']);
  });

  it('skips damaged lines and counts them', async () => {
    const cache = await load();
    cache.put(checkedLink(A, 'ok'));
    await cache.save(file);
    const good = JSON.parse(readFileSync(file, 'utf8'));
    const damaged = [
      { url: 'x' },
      { url: 'https://u:p@b.test/' },
      { at: 'never' },
      { verdict: 'timeout' },
      { status: '200' },
    ];
    for (const wrong of damaged) {
      appendFileSync(file, `${JSON.stringify({ ...good, ...wrong })}\n`);
    }
    appendFileSync(
      file,
      `not JSON\nnull\n[]\n${'x'.repeat(200_000)}\n\n${JSON.stringify({ ...good, url: 'https://b.test/' })}`,
    );
    const again = await load();
    expect([again.size, again.damaged]).toEqual([2, damaged.length + 4]);
    // Its end looks like a line, where the file is read in pieces.
    writeFileSync(file, `${'y'.repeat(2 ** 17)}${JSON.stringify(good)}\n`);
    expect(await load()).toMatchObject({ size: 0, damaged: 1 });
  });

  it('holds no credentials, and fragments are one page', async () => {
    const cache = await load();
    cache.put(checkedLink('https://me:secret@a.test/#top', 'redirected', { finalUrl: 'https://me:secret@b.test/' }));
    await cache.save(file);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
    expect((await load()).get('https://a.test/')?.finalUrl).toBe('https://b.test/');
  });

  it('a file that cannot be read or written is said by name', async () => {
    await expect(ResultCache.load(folder, options())).rejects.toMatchObject({
      message: `cannot read the cache ${folder} (EISDIR)`,
      exitCode: 3,
    });
    await expect((await load()).save(join(folder, 'none', 'x'))).rejects.toMatchObject({ exitCode: 3 });
  });
});
