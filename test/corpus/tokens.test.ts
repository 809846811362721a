import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countWordByWord, estimateTokens, loadTokenCounter } from '../../src/corpus/tokens.js';
import { Random } from '../web/random.js';

const exactly = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;
const docs = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

describe('tokens', () => {
  it('are those of o200k_base', async () => {
    const counter = await loadTokenCounter();
    expect(counter.isEstimate).toBe(false);
    for (const text of ['', 'Hello world', docs('STORE'), '日本語 😀 — naïve', 'a\n\n\n  b']) {
      expect(counter.count(text)).toBe(exactly(text));
    }
  });

  it('are the same counted word by word, whatever stands beside what', async () => {
    const { count } = await loadTokenCounter();
    const pieces = [
      ...[' ', ' ', ' ', '  ', '\n', '\n', '\n\n', '\r\n', '\r', '\t', '\u00a0', '\u2028', '\ufeff', '\u3000'],
      ...['/', '//', "'", "'s", "'LL", '’', '.', ',', '](', '_', '#', '```', '<|endoftext|>', '—', '\0', '\x7f'],
      ...[
        'a',
        'it',
        'Word',
        'camelCase',
        'HTTP',
        '1',
        '1234',
        '٣',
        'é',
        'e\u0301',
        'ʰ',
        'ǅ',
        'ß',
        '中文',
        'ا',
        '😀',
        '\ud800',
      ],
    ];
    const random = new Random(7);
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: random.between(1, 12) }, () => random.pick(pieces)).join('');
      expect([text, count(text)]).toEqual([text, exactly(text)]);
    }
  });

  it('are the same when there are more words than are remembered', () => {
    let asked = 0;
    const count = countWordByWord((text) => {
      asked++;
      return text.length;
    });
    const text = Array.from({ length: 300_000 }, (_, i) => ` ${i.toString(36)}`).join('');
    expect(count(text)).toBe(text.length);
    expect(count(text)).toBe(text.length);
    expect(count(' same'.repeat(1_000))).toBe(5_000);
    expect(asked).toBeLessThan(600_002);
  });

  it('are counted where a page has marks of the tokenizer in it', async () => {
    const { count } = await loadTokenCounter();
    expect(count('before <|endoftext|> after <|im_start|>')).toBeGreaterThan(8);
  });

  it('of a run that never ends are counted in slices: the tokenizer would take the square of its length', async () => {
    const { count } = await loadTokenCounter();
    for (const run of ['=', ' ', 'a', '\n', '中', '\u00a0']) {
      const tokens = count(`head ${run.repeat(300_000)} tail`);
      expect(tokens).toBeGreaterThan(1_000);
    }
    // In slices it is the same but for the seams.
    const long = 'antidisestablishmentarianism/'.repeat(40);
    expect(Math.abs(count(long) - exactly(long))).toBeLessThanOrEqual(10);
  });

  it('of a run are counted in slices wherever it begins', async () => {
    const { count } = await loadTokenCounter();
    for (let before = 0; before < 600; before += 7) {
      const [head, run] = ['a '.repeat(before / 2), '='.repeat(256)];
      expect(count(`${head}${run} b`)).toBe(exactly(`${head}${run} b`));
      expect(count(`${head}${run}= b`)).toBe([head, run, '=', ' b'].reduce((sum, each) => sum + exactly(each), 0));
    }
  });

  it('are estimated where the tokenizer is not installed', async () => {
    const absent = 'gpt-tokenizer-that-nobody-has';
    const counter = await loadTokenCounter(() => import(/* @vite-ignore */ absent));
    expect(counter.isEstimate).toBe(true);
    expect(counter.count('Hello world')).toBe(2);
  });

  it('are not estimated where the tokenizer is there and broken', async () => {
    await expect(loadTokenCounter(() => Promise.reject(new SyntaxError('damaged')))).rejects.toThrow('damaged');
  });

  it('that are estimated are near those that are counted', () => {
    for (const name of ['ARCHITECTURE', 'STORE', 'OPTIONS', 'POLITENESS', 'SECURITY']) {
      const text = docs(name);
      expect(estimateTokens(text) / exactly(text)).toBeGreaterThan(0.85);
      expect(estimateTokens(text) / exactly(text)).toBeLessThan(1.15);
    }
  });
});
