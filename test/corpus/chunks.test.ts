import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, chunkPage } from '../../src/corpus/chunks.js';
import { readBlocks } from '../../src/corpus/markdown-blocks.js';
import { estimateTokens, loadTokenCounter } from '../../src/corpus/tokens.js';

/** No half of a character. */
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text;

const LIMIT = 64;
const exact = (await loadTokenCounter()).count;

function chunk(markdown: string, limit = LIMIT, count = exact): Chunk[] {
  const chunks = chunkPage({ url: 'https://docs.test/a', title: 'A', markdown }, limit, count);
  for (const { text, tokens } of chunks) {
    expect(count(text)).toBe(tokens);
    expect(tokens).toBeLessThanOrEqual(limit);
  }
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, i) => i));
  return chunks;
}

const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, i) => `${word}${i}`).join(' ');
const rows = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('\n');

describe('chunks', () => {
  it('of a page that fits are one', () => {
    const markdown = '# A\n\nText.\n\n## B\n\n- one\n- two\n\n\n\n```js\nx\n```';
    expect(chunk(markdown).map(({ headings, text }) => ({ headings, text }))).toEqual([
      { headings: [], text: markdown.replace('\n\n\n\n', '\n\n') },
    ]);
  });

  it('follow headings, and each says under which it stands', () => {
    const markdown = `# Guide\n\n${words(20)}\n\n## Install\n\n${words(15, 'npm')}\n\n### Linux\n\n${words(15, 'apt')}\n\n## Use\n\n${words(15, 'run')}`;
    expect(chunk(markdown).map(({ headings, text }) => [headings, text.split('\n')[0]])).toEqual([
      [['Guide'], '# Guide'],
      [['Guide', 'Install'], '## Install'],
      [['Guide', 'Install', 'Linux'], '### Linux'],
      [['Guide', 'Use'], '## Use'],
    ]);
  });

  it('a heading without text of its own goes with the first section below it', () => {
    const [first, ...rest] = chunk(`# Guide\n\n## One\n\n${words(18)}\n\n## Two\n\n${words(18)}`);
    expect(first!.text.startsWith('# Guide\n\n## One\n\nword0')).toBe(true);
    expect(first!.headings).toEqual(['Guide', 'One']);
    expect(rest.map(({ headings }) => headings)).toEqual([['Guide', 'Two']]);
  });

  it('never cut code that fits', () => {
    const code = `\`\`\`python\n${rows(8, (i) => `call(${i})`)}\n\`\`\``;
    expect(exact(code)).toBeLessThan(LIMIT);
    const texts = chunk(`# A\n\n${words(12)}\n\n${code}\n\n${words(12)}`).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.filter((text) => text.includes(code)).length).toBe(1);
  });

  it('leave code whole that fits alone but not below its heading', () => {
    const code = `\`\`\`\n${rows(14, (i) => `call(${i})`)}\n\`\`\``;
    expect(exact(code)).toBeGreaterThan(LIMIT - 10);
    expect(exact(`# A heading of some words\n\n${code}`)).toBeGreaterThan(LIMIT);
    expect(chunk(`# A heading of some words\n\n${code}`).map(({ text }) => text)).toEqual([
      '# A heading of some words',
      code,
    ]);
  });

  it('keep within the limit where a text counts for more than its parts', () => {
    const count = (text: string): number => Math.ceil(text.length ** 1.2 / 10);
    expect(chunk(`# A\n\n${`${words(6)}\n\n`.repeat(30)}`, LIMIT, count).length).toBeGreaterThan(10);
  });

  it('cut larger code at lines, with its fences around each part', () => {
    const lines = Array.from({ length: 60 }, (_, i) => `    call(${i}, "\`\`\`")`);
    const texts = chunk(`# A\n\n~~~~js title="x"\n${lines.join('\n')}\n~~~~\n\nafter`).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(5);
    const coded = texts.filter((text) => text.includes('call('));
    for (const text of coded) {
      expect(text).toMatch(/^(?:# A\n\n)?~~~~js title="x"\n[\s\S]*\n~~~~(?:\n\nafter)?$/);
    }
    expect(coded.flatMap((text) => text.split('\n').filter((line) => line.includes('call(')))).toEqual(lines);
    expect(texts[0]!.startsWith('# A\n\n~~~~js')).toBe(true);
  });

  it('cut a larger table at rows, with its head on each part', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `| name${i} | a \\| b |`);
    const texts = chunk(`| Name | Value |\n|:--|--:|\n${lines.join('\n')}`).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) {
      expect(text.startsWith('| Name | Value |\n|:--|--:|\n| name')).toBe(true);
    }
    expect(texts.flatMap((text) => text.split('\n').slice(2))).toEqual(lines);
  });

  it('cut one endless line, in whole characters', () => {
    for (const line of [
      'x'.repeat(5_000),
      '😀'.repeat(600),
      words(500),
      'Sentence one. '.repeat(100),
      '中'.repeat(2_000),
    ]) {
      const texts = chunk(line).map(({ text }) => text);
      expect(texts.join('')).toBe(line);
      for (const text of texts) {
        expect(isWellFormed(text)).toBe(true);
      }
    }
  });

  it('keep within the limit where the fence or the head of the table alone is too long', () => {
    expect(chunk(`\`\`\`js ${words(200)}\ncode\n\`\`\``).length).toBeGreaterThan(1);
    expect(chunk(`| ${words(100)} | b |\n|--|--|\n| c | d |`).length).toBeGreaterThan(1);
    expect(chunk(`# ${words(300)}\n\ntext`).length).toBeGreaterThan(1);
  });

  it('follow headings of all that CommonMark takes for one, and of nothing in a comment or in front matter', () => {
    const markdown = '---\na: b\n---\n\n2.0.8\n=====\n\n<!--\n# no\n-->\n\n> # no\n\n1.2 of\n*three*\n---\n';
    expect(readBlocks(markdown).filter(({ kind }) => kind === 'heading')).toMatchObject([
      { title: '2.0.8', level: 1, lines: ['2.0.8', '====='] },
      { title: '1.2 of *three*', level: 2, lines: ['1.2 of', '*three*', '---'] },
    ]);
  });

  it('take nothing in code for a heading or a table', () => {
    const markdown =
      '```\n# not a heading\n| a | b |\n|---|---|\n```\n\n    # nor this\n\n    and this\n\n> ```\n> # quoted\n\n# Real';
    expect(readBlocks(markdown).map(({ kind }) => kind)).toEqual(['code', 'code', 'code', 'heading']);
    expect(
      readBlocks('- item\n\n      # code in a list\n\n  ```sh\n  # more\n  ```\n\nTitle\n=====\n').map(
        ({ kind, title }) => [kind, title],
      ),
    ).toEqual([
      ['text', ''],
      ['text', ''],
      ['code', ''],
      ['heading', 'Title'],
    ]);
  });

  it('keep their ids when something else on the page changes', () => {
    const section = (name: string, text: string): string => `## ${name}\n\n${text}\n\n`;
    const page = (first: string): string =>
      `# A\n\n${words(10)}\n\n${section('One', first)}${section('Two', words(20, 'two'))}${section('Three', words(20, 'three'))}`;
    const ids = (markdown: string): string[] => chunk(markdown).map(({ id }) => id);
    const [before, after] = [ids(page(words(20, 'one'))), ids(page(words(80, 'new')))];
    expect(after.length).toBeGreaterThan(before.length);
    expect(after.slice(-2)).toEqual(before.slice(-2));
    expect(after).not.toContain(before[1]);
    expect(before[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids(page(words(20, 'one')))).toEqual(before);
  });

  it('of equal sections have ids of their own', () => {
    expect(chunk(`${`## Same\n\n${words(20)}\n\n`.repeat(3)}`).length).toBe(3);
  });

  const line = fc.oneof(
    fc.constantFrom(
      '',
      '',
      '# H',
      '## H2',
      '###### deep',
      '```',
      '```js',
      '~~~',
      '> ```',
      '- ```',
      '| a | b |',
      '|---|---|',
      '---',
      '===',
      '- item',
      '1. one',
      '    indented',
      '\tTab',
      '> quote',
      '<div>',
      'a\\|b',
    ),
    fc.string({ maxLength: 20 }),
    fc.lorem({ maxCount: 40 }),
    fc.string({ unit: 'binary', maxLength: 300 }),
  );

  it('have all the text of any page, in its order, and each is within the limit', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.constantFrom(64, 100, 512),
        fc.boolean(),
        (lines, limit, isExact) => {
          const markdown = lines.join('\n');
          const chunks = chunk(markdown, limit, isExact ? exact : estimateTokens);
          // Fences and heads are there more than once, so that what was is a subsequence of what is.
          const text = chunks
            .map((each) => each.text)
            .join('')
            .replace(/\s/g, '');
          let at = -1;
          for (const character of markdown.replace(/\s/g, '')) {
            at = text.indexOf(character, at + 1);
            expect(at).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('of a hostile page are made in time that grows with its size', () => {
    for (const piece of [
      '# a\n',
      '```\n',
      '> ',
      '| a | b |\n|---|---|\n',
      '- ',
      ' ',
      '#',
      '|',
      '`',
      '~~~',
      'a\n---\n',
      '\\',
      '-|',
    ]) {
      chunk(piece.repeat(Math.floor(200_000 / piece.length)), 512, (text) => Math.ceil(text.length / 4));
    }
  });

  it('name a heading as long as the page by its beginning', () => {
    const sections = Array.from({ length: 50 }, (_, n) => `## Section ${n}\n\nSome text of section ${n}.\n`).join('\n');
    const chunks = chunk(`# ${'😀'.repeat(50_000)}\n\n${sections}`, 64, (text) => Math.ceil(text.length / 4));
    expect(chunks.at(-1)!.headings.map((heading) => heading.length)).toEqual([300, 10]);
    expect(JSON.stringify(chunks).length).toBeLessThan(400_000);
  });
});
