import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashOf } from '../../bench/extraction/blocks.js';
import {
  type Entry,
  type LabelLine,
  labelPage,
  readLabels,
  readManifest,
  readPage,
  SampleError,
} from '../../bench/extraction/sample.js';
import { pageWords } from '../../bench/extraction/words.js';
import { SAMPLE_FOLDER } from '../../bench/folders.js';

const entries = readManifest();
const filesBelow = (folder: string, end: string): string[] =>
  (readdirSync(join(SAMPLE_FOLDER, folder), { recursive: true }) as string[])
    .filter((path) => path.endsWith(end))
    .map((path) => path.slice(0, -end.length).replaceAll('\\', '/'))
    .sort();

test('the sample is large and varied', () => {
  const articles = entries.filter(({ system }) => system === 'article');
  expect(entries.length - articles.length).toBeGreaterThanOrEqual(72);
  expect(new Set(entries.map(({ system }) => system)).size).toBeGreaterThanOrEqual(7);
  expect(articles.length).toBeGreaterThanOrEqual(12);
});

test('every page has its labels and its place in the manifest', () => {
  const names = entries.map(({ name }) => name).sort();
  expect(filesBelow('pages', '.html.gz')).toEqual(names);
  expect(filesBelow('labels', '.tsv')).toEqual(names);
});

test('the sample stays below 3 MB', () => {
  const paths = (readdirSync(SAMPLE_FOLDER, { recursive: true }) as string[]).map((path) => join(SAMPLE_FOLDER, path));
  const bytes = paths.map((path) => statSync(path)).reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
  expect(bytes).toBeLessThan(3_000_000);
});

test('nobody chose which pages are held out: the hash of the name does', () => {
  const rank = ({ name }: Entry): string => createHash('sha256').update(name).digest('hex');
  for (const system of new Set(entries.map((entry) => entry.system))) {
    const own = entries.filter((entry) => entry.system === system).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    const half = Math.ceil(own.length / 2);
    expect(own.map((entry) => entry.half)).toEqual(own.map((_, i) => (i < half ? 'dev' : 'held-out')));
  }
});

test.each(entries.map((entry) => [entry.name, entry] as const))(
  '%s: each block has the label it was given',
  (_, entry) => {
    const { blocks } = readPage(entry);
    const lines = readLabels(entry.name);
    for (const [i, { start }] of lines.entries()) {
      expect(blocks[i]!.text.startsWith(start.replace(/…$/, ''))).toBe(true);
    }
    const words = pageWords(blocks);
    expect(words.some(({ label }) => label === 'main')).toBe(true);
    expect(words.some(({ label }) => label === 'chrome')).toBe(true);
  },
);

const entry = entries[0]!;
const line = (text: string, more: Partial<LabelLine> = {}): LabelLine => ({
  label: 'main',
  hash: hashOf(text),
  start: text,
  parts: [],
  ...more,
});

test('labels that do not fit their page are refused', () => {
  const page = '<h1>Title¶</h1><p>Text</p>';
  const part = { label: 'chrome', at: 5, text: '¶' } as const;
  const title = line('Title¶', { parts: [part] });
  expect(labelPage(entry, page, [title, line('Text')]).blocks).toHaveLength(2);
  expect(() => labelPage(entry, page, [title])).toThrow(SampleError);
  expect(() => labelPage(entry, page, [title, line('Test')])).toThrow(SampleError);
  expect(() => labelPage(entry, page, [line('Title¶', { parts: [{ ...part, at: 4 }] }), line('Text')])).toThrow(
    SampleError,
  );
});

test('what stands for an image is arguable', () => {
  const { blocks } = labelPage(entry, '<p>Text<img alt="A white lighthouse"></p><img>', [line('Text')]);
  expect(blocks.map(({ text, label }) => [text, label])).toEqual([
    ['Text', 'main'],
    ['A white lighthouse', 'either'],
  ]);
});
