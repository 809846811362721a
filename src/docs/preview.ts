import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { throwIfStopped } from '../config/abort.js';
import { readOptions } from '../config/arguments.js';
import { SiteMemory } from '../content/extract/site-memory.js';
import { textHash } from '../corpus/fingerprint.js';
import { loadTokenCounter, type TokenCounter } from '../corpus/tokens.js';
import { firstPartOf } from '../crawl/survey/sample-order.js';
import { type CorpusForecast, corpusSize, type SampledUrl } from '../preview/corpus-size.js';
import { type Preview, type PreviewOptions, type PreviewPlan, planPreview, runPreview } from '../preview/preview.js';
import { DocsReader, type SampledPage } from '../store/docs-reader.js';
import { UrlState } from '../store/url-state.js';
import { factsOf, type KeptPage, readPage } from './convert/page-content.js';
import { NOINDEX } from './documents.js';

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
  const store = DocsReader.open(directory);
  try {
    const urls = await sampledPages(store, sample, basis === 'sitemaps', counter);
    const most = duration === null || duration.cutBy === null ? undefined : duration.pages;
    return { ...corpusSize(size!, urls, most), tokensEstimated: counter.isEstimate };
  } finally {
    store.close();
  }
}

const NO_IDS: ReadonlySet<string> = new Set();

/**
 * How long the pages of a sample are as Markdown, in the order they were answered.
 *
 * @param isNamed only seeds and what sitemaps name are pages of the corpus
 */
async function sampledPages(
  store: DocsReader,
  sample: number,
  isNamed: boolean,
  counter: TokenCounter,
): Promise<SampledUrl[]> {
  const memory = await learned(store);
  const seen = new Set<string | null>();
  const urls: SampledUrl[] = [];
  const firstPart = firstPartOf(sample);
  let place = 0;
  for (const row of store.sampledPages()) {
    const isDrawn = place++ >= firstPart;
    if (isNamed && !row.isGiven) {
      continue;
    }
    const page = isPage(row) ? readPage(row as KeptPage, memory, NO_IDS) : null;
    const hash = page === null ? null : textHash(page.text);
    urls.push({ tokens: page === null || seen.has(hash) ? null : counter.count(page.markdown), isDrawn });
    // A page with the text of an earlier one gives no page of the corpus.
    if (hash !== null) {
      seen.add(hash);
    }
    await setImmediate();
  }
  return urls;
}

const isPage = ({ state, redirectTo, packed, robots }: SampledPage): boolean =>
  state === UrlState.done && redirectTo === null && packed !== null && !NOINDEX.test(robots ?? '');

async function learned(store: DocsReader): Promise<SiteMemory> {
  const memory = new SiteMemory();
  for (const row of store.sampledPages()) {
    if (row.state === UrlState.done && row.packed !== null) {
      memory.learn(factsOf(row as KeptPage).fingerprints);
      await setImmediate();
    }
  }
  return memory;
}
