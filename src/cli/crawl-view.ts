import { join } from 'node:path';
import type { CrawlOptions } from '../config/options.js';
import { nextStep } from '../crawl/resume-plan.js';
import type { CrawlSession } from '../crawl/session.js';
import type { SessionEvents, SessionPlan, SessionResult } from '../crawl/session-plan.js';
import type { SettledPage } from '../frontier/embedded/frontier-state.js';
import type { Summary } from '../report/summary.js';
import { hostKeyOf } from '../url/host.js';
import { hostForPeople, unicodeHost } from '../url/host-display.js';
import { ProgressLine } from './progress-line.js';
import { type BoxRow, counted, formatBytes, formatCount, formatDuration, type Terminal } from './terminal.js';

const TRAPS_SHOWN = 5;

/** What a person sees of a crawl: what to expect, how it goes, what is waited for, what came of it. */
export class CrawlView {
  readonly #terminal: Terminal;
  readonly #options: Pick<CrawlOptions, 'verbose' | 'maxUrls'>;
  #delayMs = 0;
  #progress: ProgressLine;
  #sitemapTold = false;

  constructor(terminal: Terminal, options: Pick<CrawlOptions, 'verbose' | 'maxUrls'>) {
    this.#terminal = terminal;
    this.#options = options;
    this.#progress = new ProgressLine({ maxUrls: options.maxUrls, msAPage: null });
  }

  get events(): SessionEvents {
    return {
      tick: (session) => this.#tick(session),
      notice: (text) => this.#notice(text),
      sitemapRead: (_url, urls) => this.#sitemap(urls),
      ...(this.#options.verbose ? { settled: (pages) => this.#pages(pages) } : {}),
    };
  }

  started(session: CrawlSession, plan: SessionPlan): void {
    const seeds = plan.seeds ?? plan.storedSeeds ?? [];
    const hosts = new Set(seeds.map(({ url }) => hostKeyOf(url)));
    const delays = [...hosts].map((host) => session.settings.scheduler.delayMsFor(host));
    this.#delayMs = Math.max(...delays, 0);
    const isOneSlowHost = hosts.size === 1 && this.#delayMs > 0;
    this.#progress = new ProgressLine({
      maxUrls: this.#options.maxUrls,
      msAPage: isOneSlowHost ? this.#delayMs : null,
    });
    // What earlier runs have done is no rate of this one.
    this.#progress.forms(session.stats());
    const rate = delays.reduce((sum, delay) => sum + (delay > 0 ? 60_000 / delay : 0), 0);
    const pace =
      this.#delayMs === 0
        ? 'no delay'
        : `delay ${formatDuration(this.#delayMs)}: at most ${rate < 1 ? `${formatCount(Math.floor(rate * 60))} pages/h` : `${formatCount(Math.floor(rate))} pages/min`}`;
    const own = this.#delayMs >= 1_000 && hosts.size === 1 ? '; your own site? --delay 100' : '';
    const [only = ''] = hosts;
    const named = hosts.size === 1 && unicodeHost(only) !== null ? ` ${hostForPeople(only)},` : '';
    this.#terminal.line(`${counted(hosts.size, 'host')},${named} ${pace}${own}`);
    const { snapshot } = session;
    if (snapshot.resumed) {
      const { done = 0, open = 0 } = snapshot.counts;
      this.#terminal.line(
        `${formatCount(done)} done, ${formatCount(open)} to go, ${formatCount(snapshot.refetched)} ${snapshot.refetched === 1 ? 'was under way and is' : 'were under way and are'} fetched again`,
      );
    }
  }

  ended({ summary, end }: SessionResult, directory: string | null): void {
    const rows: BoxRow[] = [
      ['URLs', `${formatCount(summary.total)}: ${countsOf(summary)}`],
      [
        'requests',
        `${formatCount(summary.requests)} (${counted(summary.retries, 'retry', 'retries')}), ${formatBytes(summary.bytes)}`,
      ],
      [
        'time',
        `${formatDuration(summary.durationMs)}, ${summary.pagesPerSecond.toFixed(1)} pages/s, peak memory ${formatBytes(summary.peakMemoryBytes)}`,
      ],
      ...breakdown('failed', summary.byClass),
      ...breakdown('skipped', summary.bySkipReason),
      ...summary.deferredHosts
        .slice(0, 5)
        .map(
          ({ host, reason, urls }): BoxRow => ['deferred', `${hostForPeople(host)}: ${formatCount(urls)} (${reason})`],
        ),
      ...summary.traps.slice(0, TRAPS_SHOWN).flatMap(({ pattern, count, cause, examples, allow }): BoxRow[] => [
        ['trap', `${formatCount(count)} cut: ${pattern}`],
        ['', cause],
        ['', `such as ${examples[0]}`],
        ['', allow],
      ]),
      ...moreTraps(summary),
    ];
    if (summary.sitemap !== null) {
      rows.push(['sitemap', `${counted(summary.sitemap.urls, 'URL')}${leftOut(summary.sitemap.leftOut)}`]);
    }
    rows.push(...sitemapFilesRow(summary.sitemapFiles));
    const { links, pages } = summary.linksCut;
    if (links > 0) {
      rows.push(['links cut', `${counted(links, 'link')} of ${counted(pages, 'page')}: more than 64 MiB of URLs`]);
    }
    for (const { host, ...facts } of summary.seeding) {
      rows.push([host, seedingOf(facts)]);
    }
    if (directory !== null) {
      for (const name of ['pages.jsonl', 'sitemap.xml', 'summary.json', 'crawl.sqlite']) {
        rows.push([name, join(directory, name)]);
      }
    }
    this.#terminal.box(`${end.reason}${end.truncated === null ? '' : ' (truncated)'}`, rows);
    const next = directory === null ? null : nextStep(directory, end.reason, summary.done + summary.failed);
    if (next !== null) {
      this.#terminal.line(next);
    }
  }

  #sitemap(urls: number): void {
    if (this.#sitemapTold || urls < 2) {
      return;
    }
    this.#sitemapTold = true;
    const eta = this.#delayMs > 0 ? ` ≈ ${formatDuration(urls * this.#delayMs)}` : '';
    this.#terminal.line(`${formatCount(urls)} URLs in the sitemap${eta}`);
  }

  #pages(pages: readonly SettledPage[]): void {
    for (const { url, state, reason, outcome } of pages) {
      const status = outcome.status === null ? '' : ` ${outcome.status}`;
      this.#terminal.line(`${state}${status} ${url}${reason === null ? '' : ` (${outcome.message ?? reason})`}`);
    }
  }

  #notice(text: string): void {
    if (!text.startsWith('governor:') || this.#options.verbose) {
      this.#terminal.line(text);
    }
  }

  #tick(session: CrawlSession): void {
    this.#terminal.progress(...this.#progress.forms(session.stats()));
  }
}

const countsOf = ({ done, failed, skipped, deferred, unfinished }: Summary): string =>
  [
    `${formatCount(done)} done`,
    `${formatCount(failed)} failed`,
    `${formatCount(skipped)} skipped`,
    ...(deferred > 0 ? [`${formatCount(deferred)} deferred`] : []),
    ...(unfinished > 0 ? [`${formatCount(unfinished)} not fetched yet`] : []),
  ].join(', ');

function breakdown(label: string, counts: Readonly<Record<string, number>>): BoxRow[] {
  const parts = Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${formatCount(count)} ${name}`);
  return parts.length === 0 ? [] : [[label, parts.join(', ')]];
}

/** What sitemaps were read, where there were any. */
function sitemapFilesRow({ read, notRead, cutHosts }: Summary['sitemapFiles']): BoxRow[] {
  const left = Object.entries(notRead).map(([cause, files]) => `${formatCount(files)} ${cause}`);
  const [most] = cutHosts;
  const where = most === undefined ? '' : `; most at ${hostForPeople(most.host)}: ${formatCount(most.files)}`;
  return read + left.length === 0
    ? []
    : [
        [
          'sitemap files',
          `${formatCount(read)} read${left.length === 0 ? '' : `, not read: ${left.join(', ')}${where}`}`,
        ],
      ];
}

function moreTraps({ trapPatterns }: Summary): BoxRow[] {
  const more = trapPatterns - TRAPS_SHOWN;
  return more > 0 ? [['', `and ${counted(more, 'more pattern')}: summary.json has ${more === 1 ? 'it' : 'them'}`]] : [];
}

function seedingOf({
  source,
  found,
  inScope,
  withAddress,
  answered,
  problem,
}: Omit<Summary['seeding'][number], 'host'>): string {
  const addresses = withAddress === null ? '' : `, ${formatCount(withAddress)} with an address`;
  const told = `${formatCount(found)} ${source === 'ct' ? 'names' : 'captures'}, ${formatCount(inScope)} in scope${addresses}; ${formatCount(answered)} answered`;
  return problem === null ? told : `${told}; given up: ${problem}`;
}

function leftOut(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.length === 0
    ? ''
    : `; left out: ${parts.map(([name, count]) => `${formatCount(count)} ${name}`).join(', ')}`;
}
