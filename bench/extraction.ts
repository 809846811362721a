import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './compete.js';
import { EXTRACTORS, type Extractor, type Input } from './extraction/extractors.js';
import { measure } from './extraction/measure.js';
import { withoutNames } from './extraction/nameless.js';
import { HEADINGS, type Result, rowsOf } from './extraction/report.js';
import { HALVES, type Half, readManifest, readPage } from './extraction/sample.js';
import { markdownTable, table } from './figures.js';
import { RESULTS_FOLDER } from './folders.js';
import type { Scenario } from './scenario.js';

const AS_THEY_ARE: Input['change'] = { name: 'none', of: (html) => html };
const NAMELESS: Input['change'] = { name: 'nameless', of: withoutNames };

/** How much of the main content extractors keep, and of the rest, on pages that people have labelled block by block. */
export const extraction: Scenario = {
  word: 'extraction',
  sentence: 'main content of pages labelled block by block: what extractors keep and what they leave',
  run: async ({ only, half: wanted }) => {
    const extractors = chosen(only);
    if (extractors.length === 0) {
      return;
    }
    const halves = HALVES.filter((half) => wanted === null || half === wanted);
    const results = await runAll(extractors, halves, AS_THEY_ARE);
    const nameless = await runAll(extractors, halves, NAMELESS);
    const page: string[] = [];
    const show = (title: string, some: readonly Result[]): void => {
      process.stdout.write(`\n${title}\n${table(HEADINGS, rowsOf(some))}`);
      page.push(`### ${title}\n\n${markdownTable(HEADINGS, rowsOf(some))}`);
    };
    for (const half of halves) {
      const ofHalf = results.filter(({ page }) => page.half === half);
      show(`${half}: all pages`, ofHalf);
      for (const system of new Set(ofHalf.map(({ page }) => page.system))) {
        show(
          `${half}: ${system}`,
          ofHalf.filter(({ page }) => page.system === system),
        );
      }
      const stripped = nameless.filter(({ page }) => page.half === half);
      show(`${half}, names taken away: all pages`, stripped);
      show(
        `${half}, names taken away: article`,
        stripped.filter(({ page }) => page.system === 'article'),
      );
    }
    mkdirSync(RESULTS_FOLDER, { recursive: true });
    writeFileSync(join(RESULTS_FOLDER, 'extraction.md'), `## Main content\n\n${page.join('\n')}`);
  },
};

/** Names of other scenarios' contestants mean nothing here: a run of all scenarios goes on. */
function chosen(only: readonly string[] | null): readonly Extractor[] {
  const extractors = EXTRACTORS.filter(({ name }) => only === null || only.includes(name));
  if (extractors.length === 0) {
    say(`no extractor of that name; there are ${EXTRACTORS.map(({ name }) => name).join(', ')}`);
  }
  return extractors;
}

async function runAll(
  extractors: readonly Extractor[],
  halves: readonly Half[],
  change: Input['change'],
): Promise<Result[]> {
  const results: Result[] = [];
  for (const entry of readManifest().filter(({ half }) => halves.includes(half))) {
    const page = readPage(entry);
    for (const extractor of extractors) {
      const input = { html: change.of(page.html), url: page.url, entry, change };
      const startedAt = performance.now();
      const extract = await attempt(extractor, input);
      const ms = performance.now() - startedAt;
      results.push({ page: entry, extractor: extractor.name, counts: measure(page.blocks, extract), ms });
    }
  }
  return results;
}

/** An extractor that fails has kept nothing. */
async function attempt(extractor: Extractor, input: Input): Promise<string> {
  try {
    return await extractor.extract(input);
  } catch (error) {
    say(`${extractor.name} failed on ${input.url}: ${error instanceof Error ? error.message : 'no reason given'}`);
    return '';
  }
}
