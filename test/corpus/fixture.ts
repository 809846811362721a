import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { CorpusOptions } from '../../src/corpus/corpus-options.js';
import type { CorpusDocument, CorpusInput, LinksOf } from '../../src/corpus/document.js';
import { ESTIMATE } from '../../src/corpus/tokens.js';
import { filesBelow } from '../../src/corpus/tree.js';
import { writeCorpus } from '../../src/corpus/write-corpus.js';

export const ORIGIN = 'https://docs.test';

/** A folder that is gone when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-corpus-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function page(path: string, fields: Partial<CorpusDocument> = {}): CorpusDocument {
  const url = new URL(path, ORIGIN).href;
  const title = fields.title ?? `Page ${path}`;
  const text = fields.text ?? fields.markdown ?? `Text of ${path}.`;
  return {
    url,
    finalUrl: url,
    title,
    description: null,
    lang: 'en',
    markdown: `# ${title}\n\n${text}`,
    text,
    canonical: null,
    etag: null,
    lastModified: null,
    crawledAt: '2026-01-01T00:00:00.000Z',
    ...fields,
  };
}

/** Finds `[text](https://…)`; enough for these tests. */
export const linksOf: LinksOf = (markdown) =>
  [...markdown.matchAll(/(?<=\]\()https?:[^()\s]+(?=\))/g)].map(({ 0: url, index: start }) => ({
    ...{ start, end: start + url.length, url },
  }));

export const OPTIONS: CorpusOptions = {
  title: 'Docs',
  summary: null,
  source: `${ORIGIN}/`,
  origin: ORIGIN,
  chunkTokens: 512,
  tokens: ESTIMATE,
  linksOf,
  now: '2026-02-01T00:00:00.000Z',
};

export const write = (dir: string, inputs: readonly CorpusInput[], options: Partial<CorpusOptions> = {}) =>
  writeCorpus(dir, inputs, { ...OPTIONS, ...options });

export const read = (dir: string, name: string): string => readFileSync(join(dir, name), 'utf8');

export const lines = (dir: string, name: string): Record<string, unknown>[] =>
  read(dir, name)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export const index = (dir: string) => JSON.parse(read(dir, 'index.json'));

/** Every file of a folder with its bytes. */
export function snapshot(dir: string): Record<string, string> {
  return Object.fromEntries(
    [...filesBelow(dir)].sort().map((path) => [path, readFileSync(join(dir, path)).toString('latin1')]),
  );
}
