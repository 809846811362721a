import { expect, test } from 'vitest';
import { blocksOf, textOf } from '../../bench/extraction/blocks.js';
import { withoutParts } from '../../bench/extraction/code.js';
import { type Counts, measure, scoreOf } from '../../bench/extraction/measure.js';
import { type Label, type LabelledBlock, readManifest, readPage } from '../../bench/extraction/sample.js';
import { wordsOf } from '../../bench/extraction/words.js';

const PAGE = `<nav><ul><li>Home</li><li>All the other pages of this site</li></ul></nav>
<h1>Sorting a list<a>¶</a></h1>
<p>Every list has a method that puts its elements into order and gives nothing back.</p>
<table><tr><th>Name</th><td>sort</td></tr><tr><th>Since</th><td>version two</td></tr></table>
<pre>def sort(self):
    if not self:
        return
    self.done()
</pre>
<p>Last changed in May</p>
<footer>Copyright by those who wrote it</footer>`;
const LABELS: Label[] = [
  'chrome',
  'chrome',
  'main',
  'main',
  'main',
  'main',
  'main',
  'main',
  'main',
  'either',
  'chrome',
];

const labelled: LabelledBlock[] = blocksOf(PAGE).map((block, i) => ({
  ...block,
  label: LABELS[i]!,
  parts: block.text.endsWith('¶') ? [{ label: 'chrome', at: block.text.length - 1, text: '¶' }] : [],
}));

/** What an extractor would give that makes no mistake. */
const perfect = (blocks: readonly LabelledBlock[]): string[] =>
  blocks
    .filter(({ label }) => label === 'main')
    .map(({ text, code, parts }) =>
      withoutParts(
        code ?? text,
        parts.filter(({ label }) => label === 'chrome'),
      ),
    );

const shuffled = (text: string): string => {
  const words = wordsOf(text);
  // Steps that share no factor with the number of words: every word once, none beside its old neighbour.
  const step = [7, 11, 13, 17, 19].find((each) => words.length % each !== 0)!;
  return words.map((_, i) => words[(i * step) % words.length]!).join(' ');
};

const score = (extract: string) => scoreOf(measure(labelled, extract));
const text = perfect(labelled).join('\n');

test('blocks are runs of text between block-level tags, with white space folded', () => {
  expect(blocksOf('<p>a <b>b</b>\n c<ul><li>d</li></ul>e').map((block) => block.text)).toEqual(['a b c', 'd', 'e']);
  expect(blocksOf('<script>no</script><p>\u200b</p><template>no</template><noscript>no</noscript>')).toEqual([]);
  expect(blocksOf('<p><span>one</span><span>two</span> <i>th</i>ree').map((block) => block.text)).toEqual([
    'one two three',
  ]);
  expect(blocksOf('<p>2<sup>32</sup>-1 words').map((block) => block.text)).toEqual(['2 32 -1 words']);
  expect(blocksOf('<pre>a\n  b<br>c</pre>').map(({ code }) => code)).toEqual(['a\n  b\nc']);
  expect(blocksOf(`${'<div>'.repeat(20_000)}deep`).map((block) => block.text)).toEqual(['deep']);
});

test('a perfect extract scores one, an empty one nothing', () => {
  expect(score(text)).toEqual({ recall: 1, precision: 1, f1: 1, left: 0 });
  expect(score('')).toEqual({ recall: 0, precision: 0, f1: 0, left: 0 });
});

test('the whole body has all of the main text and all of the furniture', () => {
  const { recall, left, precision } = score(textOf(PAGE));
  expect([recall, left]).toEqual([1, 1]);
  expect(precision).toBeLessThan(0.8);
});

test('words in another order score nothing', () => {
  expect(score(shuffled(text)).recall).toBeLessThan(0.05);
  expect(score(wordsOf(text).sort().join('\n')).recall).toBeLessThan(0.05);
});

test('words said twice count once', () => {
  const { recall, precision } = score(`${text}\n${text}`);
  expect(recall).toBe(1);
  expect(precision).toBeCloseTo(0.5, 1);
  expect(score('Every list has a method. '.repeat(9)).recall).toBeLessThan(0.2);
});

test('blocks may change places', () => {
  expect(score(perfect(labelled).reverse().join('\n')).recall).toBeGreaterThan(0.8);
});

test('furniture that is left counts, down to a permalink sign and a single word', () => {
  const furniture = measure(labelled, textOf(PAGE)).chrome;
  const left = (extract: string) => measure(labelled, extract).chromeLeft;
  expect(left(text.replace('a list', 'a list¶'))).toBe(1);
  expect(left(`${text}\nHome`)).toBe(1);
  expect(left(`${text}\nCopyright by those who wrote it`)).toBe(6);
  expect(furniture).toBe(15);
});

test('what is arguable is counted for nobody', () => {
  expect(score(`${text}\nLast changed in May`)).toEqual({ recall: 1, precision: 1, f1: 1, left: 0 });
});

const counts = (html: string, labels: Label[], extract: string): Counts =>
  measure(
    blocksOf(html).map((block, i) => ({ ...block, label: labels[i]!, parts: [] })),
    extract,
  );

test('a heading of two words counts where it stands between others', () => {
  const html = '<h2>Set up</h2><p>one two three four</p><h2>Tear down</h2>';
  expect(counts(html, ['main', 'chrome', 'main'], 'Tear down\none two three four\nSet up').mainKept).toBe(4);
  expect(counts(html, ['main', 'chrome', 'main'], 'up Set one two three four').mainKept).toBe(0);
});

test('what navigation and text both say is text first, and furniture where it is there twice', () => {
  const html = '<nav>Sorting a very large list</nav><h1>Sorting a very large list</h1>';
  const once = 'Sorting a very large list';
  expect(counts(html, ['chrome', 'main'], once)).toMatchObject({ mainKept: 5, chromeLeft: 0 });
  expect(counts(html, ['chrome', 'main'], `${once}\n${once}`)).toMatchObject({ mainKept: 5, chromeLeft: 5 });
  expect(counts(html, ['chrome', 'main'], `${once} or ${once}`)).toMatchObject({ mainKept: 5, chromeLeft: 5 });
});

test('code counts where every line of it is there with its indentation', () => {
  const kept = (extract: string) => measure(labelled, extract).codeKept;
  const code = labelled.find((block) => block.code !== null)!.code!;
  expect(kept(code)).toBe(1);
  expect(kept(code.replace(/^/gm, '    '))).toBe(1);
  expect(kept(code.replaceAll('\n', '\n\n'))).toBe(1);
  expect(kept(code.replace(/^ +/gm, ''))).toBe(0);
  expect(kept(code.replaceAll('\n', ' '))).toBe(0);
  expect(kept(code.replace('        return\n', ''))).toBe(0);
  expect(kept(code.replace('return', 'return 1'))).toBe(0);
});

test('parts of code may be furniture or arguable: line numbers have to go, hidden lines may', () => {
  const [block] = blocksOf('<pre><i>1</i>hidden\n<i>2</i>  shown\n</pre>');
  const parts = [
    { label: 'chrome', at: 0, text: '1' },
    { label: 'either', at: 1, text: 'hidden' },
    { label: 'chrome', at: 8, text: '2' },
  ] as const;
  const kept = (extract: string) => measure([{ ...block!, label: 'main', parts }], extract).codeKept;
  expect([kept('hidden\n  shown'), kept('shown'), kept('1hidden\n2  shown')]).toEqual([1, 1, 0]);
});

test('a cell counts where all of it is there', () => {
  expect(measure(labelled, text)).toMatchObject({ cells: 4, cellsKept: 4 });
  expect(measure(labelled, text.replace('version two', 'version'))).toMatchObject({ cells: 4, cellsKept: 3 });
});

/** Its line numbers touch the code, and are one word with it where they are left. */
const GLUED = 'sphinx/saltmarsh-stations';

test.each(readManifest().map((entry) => [entry.name, entry] as const))(
  '%s: the ends of the scale are right',
  (_, entry) => {
    const { blocks, html, name } = readPage(entry);
    const ideal = measure(blocks, perfect(blocks).join('\n'));
    expect(scoreOf(ideal)).toMatchObject({ recall: 1, left: 0 });
    expect(ideal).toMatchObject({ codeKept: ideal.code, cellsKept: ideal.cells });
    if (name !== GLUED) {
      expect(scoreOf(measure(blocks, textOf(html)))).toMatchObject({ recall: 1, left: 1 });
    }
    expect(scoreOf(measure(blocks, shuffled(perfect(blocks).join('\n')))).recall).toBeLessThan(0.1);
  },
);
