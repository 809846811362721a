import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwIfStopped } from '../config/abort.js';
import { readOptions } from '../config/arguments.js';
import { loadTokenCounter } from '../corpus/tokens.js';
import { type CorpusForecast, corpusSize } from '../crawl/preview/corpus-size.js';
import {
  type Preview,
  type PreviewOptions,
  type PreviewPlan,
  planPreview,
  runPreview,
} from '../crawl/preview/preview.js';
import { openForReading } from '../store/directory.js';
import { sampledPages } from './sampled-pages.js';

/** Reads robots.txt and sitemaps, and with `sample` so many pages; nothing is kept. What is wrong with the options is thrown. */
export async function preview(given: PreviewOptions): Promise<Preview> {
  const options = readOptions("preview({ seeds: ['https://example.com/'] })", given, true);
  const { plan, notices } = planPreview(options);
  throwIfStopped('preview', options.signal);
  const answer = await (options.for === 'docs' ? runDocsPreview(plan) : runPreview(plan));
  return { ...answer, notices: [...notices, ...answer.notices] };
}

/** The same for a corpus: its pages and, from a sample, its tokens. */
export async function runDocsPreview(plan: PreviewPlan): Promise<Preview> {
  if (plan.sample === null) {
    const answer = await runPreview({ ...plan, corpus: { directory: null } });
    return { ...answer, corpus: await withoutSample(answer) };
  }
  const directory = mkdtempSync(join(tmpdir(), 'gossamer-preview-'));
  const cleanUp = () => rmSync(directory, { recursive: true, force: true });
  // Ctrl+C ends the process at once.
  process.on('exit', cleanUp);
  try {
    const answer = await runPreview({ ...plan, corpus: { directory } });
    return { ...answer, corpus: await fromSample(answer, directory, plan.sample) };
  } finally {
    process.off('exit', cleanUp);
    cleanUp();
  }
}

async function withoutSample({ basis, pages }: Preview): Promise<CorpusForecast> {
  const { isEstimate } = await loadTokenCounter();
  const known = basis === 'none' ? null : { low: pages, estimate: pages, high: pages };
  return { pages: known, tokens: null, sampled: null, tokensEstimated: isEstimate };
}

async function fromSample(
  { basis, size, duration }: Preview,
  directory: string,
  sample: number,
): Promise<CorpusForecast> {
  const counter = await loadTokenCounter();
  const urls = await openForReading(directory, (_reader, database) =>
    sampledPages(database, sample, basis === 'sitemaps', counter),
  );
  const most = duration === null || duration.cutBy === null ? undefined : duration.pages;
  return { ...corpusSize(size!, urls, most), tokensEstimated: counter.isEstimate };
}
