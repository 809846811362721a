import { asCrawlOptions, runPreview } from '../crawl/preview/preview.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import type { CrawlSession } from '../crawl/session.js';
import { runDocsPreview } from '../docs/preview.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { exitNow } from './exit-now.js';
import { previewLines } from './preview-view.js';
import { seedFailure } from './seed-failure.js';
import { onStopSignals, signalExit } from './signals.js';
import { counted, formatCount } from './terminal.js';

/** gossamer preview <url…> */
export async function runPreviewCommand(input: CommandInput): Promise<number> {
  const ready = prepare('preview', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { terminal } = ready;
  const { sample, sampleSeed, for: purpose, json } = ready.resolved.options;
  const resolved = asCrawlOptions(ready.resolved);
  const { seeds, credentials, bad } = readSeeds(input.positionals, resolved.options, 'preview');
  for (const warning of badSeedLines(bad)) {
    terminal.warn(warning);
  }
  let sampled = `0 of ${formatCount(sample ?? 0)} pages sampled`;
  const events = {
    tick: (session: CrawlSession) => {
      const { done, failed } = session.stats();
      sampled = `${formatCount(done + failed)} of ${formatCount(sample ?? 0)} pages sampled`;
      terminal.progress(progressOf(session, sample));
    },
    notice: (text: string) => terminal.line(text),
  };
  onStopSignals((signal) => {
    terminal.endProgress();
    terminal.line(`interrupted${sample === null ? '' : `, ${sampled}`}: nothing is estimated and nothing is kept`);
    void exitNow(signalExit(signal));
  });
  const run = purpose === 'docs' ? runDocsPreview : runPreview;
  const preview = await run({ resolved, seeds, credentials, sample, sampleSeed, events });
  terminal.endProgress();
  if (json) {
    writeJson(preview);
  }
  if (preview.seeds.every(({ fate }) => fate === 'failed' || fate === 'forbidden')) {
    throw seedFailure(preview.seeds);
  }
  if (!json) {
    process.stdout.write(`${previewLines(preview, resolved.options.delayMs).join('\n')}\n`);
  }
  return EXIT.ok;
}

function progressOf(session: CrawlSession, sample: number | null): string {
  const { requests, done, failed, queuedInMemory, queuedOnDisk } = session.stats();
  const found = `${counted(queuedInMemory + queuedOnDisk, 'URL')} found`;
  return sample === null
    ? `${counted(requests, 'request')} for robots.txt and sitemaps, ${found}`
    : `${formatCount(done + failed)} of ${formatCount(sample)} pages sampled, ${found}`;
}
