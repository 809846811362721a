import { printable } from '../base/text.js';
import { writeDuration } from '../config/units.js';
import { HOW_TO_COUNT } from '../corpus/tokens.js';
import type { RunningSession } from '../crawl/profile.js';
import { seedFailure } from '../crawl/seed-failure.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import type { SizeEstimate } from '../crawl/survey/site-size.js';
import { runDocsPreview } from '../docs/preview.js';
import { asCrawlOptions, type Preview, runPreview } from '../preview/preview.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT, exitNow } from './exit.js';
import { onStopSignals, signalExit } from './signals.js';
import { counted, formatCount, formatDuration } from './terminal.js';

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
    tick: (session: RunningSession) => {
      const { done, failed } = session.stats();
      sampled = `${formatCount(done + failed)} of ${formatCount(sample ?? 0)} pages sampled`;
      terminal.progress({ forms: [progressOf(session, sample)] });
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

function progressOf(session: RunningSession, sample: number | null): string {
  const { requests, done, failed, queuedInMemory, queuedOnDisk } = session.stats();
  const found = `${counted(queuedInMemory + queuedOnDisk, 'URL')} found`;
  return sample === null
    ? `${counted(requests, 'request')} for robots.txt and sitemaps, ${found}`
    : `${formatCount(done + failed)} of ${formatCount(sample)} pages sampled, ${found}`;
}

const MOST_SHOWN = 5;
const USUAL_SAMPLE = 200;

/** A preview for people, line by line. */
function previewLines(preview: Preview, delayMs: number): string[] {
  const lines = [
    `${subject(preview)}: ${amount(preview)}`,
    ...corpus(preview),
    ...forbidden(preview),
    ...leftOut(preview),
    ...troubled(preview),
    ...duration(preview, delayMs),
    ...faster(preview),
    ...unknown(preview),
  ];
  return lines.map((line) => printable(line, 1000));
}

function subject({ seeds }: Preview): string {
  return seeds.length === 1 ? seeds[0]!.label : `${seeds[0]!.label} and ${counted(seeds.length - 1, 'more seed')}`;
}

function amount(preview: Preview): string {
  const { basis, pages, size, sampled, sitemaps, hosts, seeds } = preview;
  const where = hosts > 1 ? `, ${counted(hosts, 'host')}` : '';
  if (basis === 'sitemaps') {
    const names = sitemaps.read === 1 ? 'names' : 'name';
    const alone = seeds.length === 1 ? 'the seed' : 'the seeds';
    return `${counted(pages, 'page')}${where}: what ${counted(sitemaps.read, 'sitemap')} ${names}, and ${alone}`;
  }
  if (basis !== 'sample' || size === null || sampled === null) {
    return basis === 'none'
      ? `no sitemap says which pages there are${where}`
      : `${counted(pages, 'page')}, the seeds alone`;
  }
  const asked = sampled.html + sampled.other + sampled.redirects + sampled.failed;
  const kinds = `${formatCount(sampled.html)} HTML, ${counted(sampled.redirects, 'redirect')}, ${formatCount(sampled.failed)} failed, ${formatCount(sampled.other)} other`;
  const basisText = `${counted(asked, 'page')} sampled: ${kinds}`;
  if (size.estimate === null || size.high === null) {
    return `more than ${counted(size.low, 'page')}${where}, and the sample sees no end (${basisText})`;
  }
  return size.low === size.high
    ? `${counted(size.low, 'page')}${where}, all of them seen (${basisText})`
    : `about ${counted(size.estimate, 'page')}, between ${formatCount(size.low)} and ${formatCount(size.high)}${where} (${basisText})`;
}

function corpus({ corpus: forecast }: Preview): string[] {
  if (forecast === null) {
    return [];
  }
  const { pages, tokens, sampled, tokensEstimated } = forecast;
  if (tokens === null || sampled === null || pages === null) {
    return [`How many tokens its corpus has is unknown: --sample ${USUAL_SAMPLE} estimates it`];
  }
  const basis = `${counted(sampled.pages, 'page')} sampled have ${tokensEstimated ? '~' : ''}${counted(sampled.tokens, 'token')}`;
  return [
    `Its corpus: ${range(pages, 'page')}, ${range(tokens, 'token')} (${basis})`,
    ...(tokensEstimated ? [HOW_TO_COUNT] : []),
  ];
}

function range({ low, estimate, high }: SizeEstimate, what: string): string {
  if (estimate === null || high === null) {
    return `more than ${counted(low, what)}`;
  }
  return low === high
    ? counted(low, what)
    : `about ${counted(estimate, what)} (${formatCount(low)} to ${formatCount(high)})`;
}

function forbidden({ forbidden: { pages, rules } }: Preview): string[] {
  if (pages === 0) {
    return [];
  }
  return [
    `robots.txt forbids ${counted(pages, 'more known page')}:`,
    ...rules
      .slice(0, MOST_SHOWN)
      .map(({ host, line, rule, pages: count }) => `  ${formatCount(count)} by line ${line} of ${host}: ${rule}`),
  ];
}

function leftOut({ outside, skipped, sitemaps }: Preview): string[] {
  const [first] = outside.hosts;
  const causes = Object.entries(skipped).map(([cause, count]) => `${formatCount(count)} ${cause}`);
  return [
    ...(first === undefined
      ? []
      : [
          `${counted(outside.urls, 'URL')} in sitemaps ${outside.urls === 1 ? 'is' : 'are'} out of scope, ${formatCount(first.urls)} of them at ${first.host}; ` +
            'where a seed redirects to is seen only when it is fetched',
        ]),
    ...(causes.length === 0 ? [] : [`known and left out: ${causes.join(', ')}`]),
    ...sitemaps.problemList.slice(0, MOST_SHOWN).map(({ url, problem }) => `sitemap ${url}: ${problem}`),
  ];
}

function troubled({ hostList }: Preview): string[] {
  const lines = hostList.filter(({ trouble }) => trouble !== null);
  return lines
    .slice(0, MOST_SHOWN)
    .map(({ host, trouble, crawlDelayMs }) =>
      trouble === 'crawl_delay'
        ? `${host} asks for a Crawl-delay of ${writeDuration(crawlDelayMs!)}, more than --max-crawl-delay: one page at that pace, the rest is put off`
        : `${host} cannot be asked now (${trouble}): a crawl puts its pages off`,
    );
}

function duration({ duration, size }: Preview, delayMs: number): string[] {
  if (duration === null) {
    return [];
  }
  const { durationMs, lowMs, highMs } = duration;
  if (durationMs === null || lowMs === null) {
    const cut = duration.cutBy === null ? '' : `; ${cutText(duration.cutBy)} may end it`;
    return [`Without a delay a crawl is as fast as the server answers: how long it takes is not known${cut}`];
  }
  const pace = {
    delay: `At one request in ${writeDuration(delayMs)} to a host (--delay ${writeDuration(delayMs).replace(' ', '')})`,
    crawl_delay: 'At the Crawl-delay that robots.txt asks for',
    answers: 'Where there is no delay, as fast as the server answers: a rough guess',
    workers: 'With as many requests in flight as --workers allows',
  }[duration.decidedBy];
  const time =
    size === null || lowMs === highMs
      ? `about ${formatDuration(durationMs)}`
      : highMs === null
        ? `more than ${formatDuration(lowMs)}`
        : `about ${formatDuration(durationMs)}, between ${formatDuration(lowMs)} and ${formatDuration(highMs)}`;
  const cut =
    duration.cutBy === null ? '' : `, then ${cutText(duration.cutBy)} ends it with ${counted(duration.pages, 'page')}`;
  return [`${pace}: ${time}${cut}`];
}

const cutText = (cutBy: 'max_urls' | 'duration'): string => (cutBy === 'max_urls' ? '--max-urls' : '--duration');

function faster({ faster: ways, duration, hostList }: Preview): string[] {
  if (duration === null) {
    return [];
  }
  if (duration.decidedBy === 'crawl_delay') {
    const slowest = hostList.find(({ crawlDelayMs, delayMs }) => crawlDelayMs === delayMs);
    return slowest === undefined
      ? []
      : [`Faster: only if ${slowest.host} lowers its Crawl-delay of ${writeDuration(slowest.delayMs)}`];
  }
  return ways.map(({ option, durationMs }) => {
    const whose = option.startsWith('--delay') ? 'it is your own site? ' : '';
    return `Faster: ${whose}${option}: about ${formatDuration(durationMs)}`;
  });
}

function unknown({ basis, hostsUnknown, corpus: forecast }: Preview): string[] {
  const ask = `--sample ${USUAL_SAMPLE} fetches ${USUAL_SAMPLE} pages, as politely as a crawl, and estimates it`;
  if (basis === 'none') {
    return [`How many there are cannot be known without looking: ${ask}`];
  }
  if (basis !== 'sitemaps') {
    return [];
  }
  const silent =
    hostsUnknown === 0 ? [] : [`No sitemap says anything about ${counted(hostsUnknown, 'other host')} of the seeds`];
  // A corpus takes its pages from sitemaps where they name them, so links say nothing about its size.
  return forecast !== null ? silent : [...silent, `Links may lead to more than sitemaps name: ${ask}`];
}
