import { join } from 'node:path';
import { formatMoment, printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import type { RunningSession, SessionResult } from '../crawl/profile.js';
import { NOTHING_MAY_BE_ASKED } from '../crawl/seed-failure.js';
import type { SessionEvents, SessionPlan } from '../crawl/session-plan.js';
import type { SettledPage } from '../frontier/outcome.js';
import type { Summary } from '../report/summary.js';
import { hostKeyOf } from '../url/host.js';
import { hostForPeople, unicodeHost } from '../url/host-display.js';
import type { LiveSnapshot } from '../watch/live.js';
import { isFetched, liveLines, type Suspects, type Total } from './live-view.js';
import { ProgressLine } from './progress-line.js';
import {
  type BoxRow,
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  type Progress,
  type Terminal,
} from './terminal.js';

const TRAPS_SHOWN = 5;
const DEFERRED_SHOWN = 5;
/** A layer is named as the tightest for so long after it was. */
const LASTS_MS = 5_000;

/** What a person sees of a crawl: what to expect, how it goes, what it waits for, and its result. */
export class CrawlView {
  readonly #terminal: Terminal;
  readonly #options: Pick<CrawlOptions, 'verbose' | 'maxUrls'>;
  #delayMs = 0;
  #progress: ProgressLine;
  readonly #suspects: ((again: number) => Suspects) | null;
  /** The session of the round under way, or of the last one. */
  #session: RunningSession | null = null;
  #heldBy: { layer: string | null; atMs: number } = { layer: null, atMs: 0 };
  #isSurvey = false;
  #sitemapTold = false;
  #isResumed = false;

  /** @param suspects what a check shows in place of problems, by how many links are looked at again */
  constructor(
    terminal: Terminal,
    options: Pick<CrawlOptions, 'verbose' | 'maxUrls'>,
    suspects: ((again: number) => Suspects) | null = null,
  ) {
    this.#terminal = terminal;
    this.#options = options;
    this.#suspects = suspects;
    this.#progress = new ProgressLine({ maxUrls: options.maxUrls, msAPage: null });
  }

  get events(): SessionEvents {
    return {
      tick: (session) => this.#tick(session),
      notice: (text) => this.#notice(text),
      sitemapRead: (_url, urls) => this.#sitemap(urls),
      ...(this.#options.verbose
        ? { settled: (pages) => this.#pages(pages), retryLater: (...retry) => this.#retry(...retry) }
        : {}),
    };
  }

  /** A round begins: of several, each is told of. */
  began(session: RunningSession, plan: SessionPlan): void {
    this.#session = session;
    this.#isSurvey = plan.profile?.scope?.surveys === true;
  }

  started(session: RunningSession, plan: SessionPlan): void {
    this.began(session, plan);
    const seeds = plan.seeds ?? plan.storedSeeds ?? [];
    const hosts = new Set(seeds.map(({ url }) => hostKeyOf(url)));
    const delays = [...hosts].map((host) => session.settings.scheduler.delayMsFor(host));
    this.#delayMs = Math.max(...delays, 0);
    const isOneSlowHost = hosts.size === 1 && this.#delayMs > 0;
    this.#progress = new ProgressLine({
      maxUrls: this.#options.maxUrls,
      msAPage: isOneSlowHost ? this.#delayMs : null,
    });
    // The first call sets the start of the rate, so that pages of earlier runs do not count.
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
      this.#isResumed = true;
      const { done = 0, failed = 0, open = 0 } = snapshot.counts;
      const { refetched } = snapshot;
      const again =
        refetched === 0
          ? ''
          : `, ${formatCount(refetched)} ${refetched === 1 ? 'was under way and is' : 'were under way and are'} fetched again`;
      this.#terminal.line(`${formatCount(done + failed)} fetched before, ${formatCount(open)} to go${again}`);
    }
  }

  /** The run is over, whatever came of it: its view makes way for what is said now. */
  close(): void {
    const session = this.#session;
    this.#terminal.endProgress(session === null ? undefined : () => this.#progressOf(session));
  }

  /** @param next what to type now; null: nothing */
  ended({ summary, end }: SessionResult, directory: string | null, next: string | null): void {
    this.close();
    const fromCache = summary.cached === 0 ? '' : `, ${formatCount(summary.cached)} more from the cache`;
    const carried = summary.carriedOver === 0 ? '' : `; ${counted(summary.carriedOver, 'page')} carried over`;
    const requests = `${formatCount(summary.requests)} (${counted(summary.retries, 'retry', 'retries')})${fromCache}${carried}`;
    const time = `${formatDuration(summary.durationMs)}, ${summary.pagesPerSecond.toFixed(1)} pages/s, peak memory ${formatBytes(summary.peakMemoryBytes)}`;
    const rows: BoxRow[] = [
      [
        'URLs',
        `${formatCount(summary.total)}: ${countsOf(summary)}; ${formatBytes(summary.bytes)}${this.#isResumed ? ' (all runs)' : ''}`,
      ],
      ...(this.#isResumed ? ([['this run', `${counted(summary.settled, 'URL')} settled`]] as const) : []),
      ['requests', requests],
      ['time', time],
      ...breakdown('failed', summary.byClass),
      ...failureRows(summary),
      ...breakdown('skipped', summary.bySkipReason),
      ...summary.deferredHosts.slice(0, DEFERRED_SHOWN).flatMap(deferredRows),
      ...moreDeferred(summary),
      ...summary.traps.slice(0, TRAPS_SHOWN).flatMap(({ pattern, count, cause, examples, allow }): BoxRow[] => [
        ['trap', `${formatCount(count)} cut: ${pattern}`],
        ['', cause],
        ['', `such as ${examples[0]}`],
        ['', allow],
      ]),
      ...moreTraps(summary),
    ];
    if (summary.sitemap !== null) {
      const { urls, leftOut: left } = summary.sitemap;
      rows.push([
        'sitemap',
        `${urls === 0 ? 'not written, no page belongs in it' : counted(urls, 'URL')}${leftOut(left)}`,
      ]);
    }
    if (summary.ignoredRobots) {
      rows.push(['robots.txt', 'was ignored (--ignore-robots)']);
    }
    rows.push(...sitemapFilesRow(summary.sitemapFiles));
    const { links, pages } = summary.linksCut;
    if (links > 0) {
      rows.push(['links cut', `${counted(links, 'link')} of ${counted(pages, 'page')}: more than 64 MiB of URLs`]);
    }
    for (const { text, pages, count } of summary.found) {
      rows.push([
        'search',
        `${printable(text, 60)}: ${pages === 0 ? 'on no page' : `${counted(count, 'time')} on ${counted(pages, 'page')}`}`,
      ]);
    }
    for (const { host, ...facts } of summary.seeding) {
      rows.push([host, seedingOf(facts)]);
    }
    if (directory !== null) {
      const sitemap = (summary.sitemap?.urls ?? 0) > 0 ? ['sitemap.xml'] : [];
      for (const name of ['pages.jsonl', ...sitemap, 'summary.json', 'crawl.sqlite']) {
        rows.push([name, join(directory, name)]);
      }
    }
    this.#terminal.box(`${end.reason}${end.truncated === null ? '' : ' (truncated)'}`, rows);
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

  #retry(url: string, status: number | null, why: string, afterMs: number): void {
    this.#terminal.line(
      `again${status === null ? '' : ` ${status}`} ${url} (${why}; in ${formatDuration(afterMs)} at the earliest)`,
    );
  }

  #notice(text: string): void {
    if (!text.startsWith('governor:') || this.#options.verbose) {
      this.#terminal.line(text);
    }
  }

  #tick(session: RunningSession): void {
    this.#terminal.progress(this.#progressOf(session));
  }

  #progressOf(session: RunningSession): Progress {
    const stats = session.stats();
    const snapshot = session.live();
    const tightest = this.#tightest(snapshot);
    const picture = {
      snapshot: { ...snapshot, tightest },
      isHeldOver: tightest !== snapshot.tightest,
      total: this.#total(snapshot),
      suspects: this.#suspects?.(stats.secondLooks) ?? null,
    };
    const { work } = snapshot;
    return {
      forms:
        work === null || work.total === null
          ? this.#progress.forms({ ...stats, bytes: snapshot.bytes, hostsBackingOff: snapshot.hosts.backingOff })
          : [`${formatCount(work.done)} of ${formatCount(work.total)} ${work.name}`],
      lines: (screen) => liveLines(picture, screen, (color, text) => this.#terminal.paint(color, text)),
      json: () => snapshot,
    };
  }

  /** Between two requests of a host with a delay nothing holds the run back for a moment: that is not worth a change of the view. */
  #tightest({ tightest, elapsedMs }: LiveSnapshot): string | null {
    if (tightest !== null || elapsedMs - this.#heldBy.atMs > LASTS_MS) {
      this.#heldBy = { layer: tightest, atMs: elapsedMs };
    }
    return this.#heldBy.layer;
  }

  /** Known where --max-urls will end it, where sitemaps have named the pages, and where all is fetched. */
  #total(snapshot: LiveSnapshot): Total | null {
    const { urls, inFlight } = snapshot;
    const fetched = urls.done + urls.failed;
    if (isFetched(snapshot)) {
      return { urls: fetched, mayGrow: false };
    }
    const known = fetched + urls.queued + inFlight;
    const { maxUrls } = this.#options;
    if (maxUrls !== null && known >= maxUrls) {
      return { urls: maxUrls, mayGrow: false };
    }
    return this.#sitemapTold && !this.#isSurvey ? { urls: known, mayGrow: true } : null;
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

/** The first failures, with the pages that link to them: a site owner would look these up next. */
function failureRows({ failures, failed }: Summary): BoxRow[] {
  const more = failed - failures.length;
  return [
    ...failures.flatMap(({ url, status, reason, message, parent }): BoxRow[] => [
      ['', `${isOfStatus(reason) ? status : reason} ${url}${message === null ? '' : ` (${message})`}`],
      ['', parent === null ? '  a seed, or named by a third party' : `  on ${parent}`],
    ]),
    ...(more > 0 ? ([['', `and ${formatCount(more)} more: pages.jsonl names them all`]] as const) : []),
  ];
}

/** Where there is a status, it says more than the error class that is named after it. */
const isOfStatus = (reason: string | null): boolean =>
  ['http_4xx', 'http_5xx', 'auth_required', 'rate_limited'].includes(reason ?? '');

function deferredRows({ host, reason, urls, until, detail }: Summary['deferredHosts'][number]): BoxRow[] {
  const end = until === null ? '' : `, until ${formatMoment(Date.parse(until))}`;
  return [
    ['deferred', `${hostForPeople(host)}: ${counted(urls, 'URL')} (${reason}${end})`],
    ...(detail === null ? [] : [`${detail},`, NOTHING_MAY_BE_ASKED].map((line): BoxRow => ['', line])),
  ];
}

function moreDeferred({ deferredHosts }: Summary): BoxRow[] {
  const more = deferredHosts.length - DEFERRED_SHOWN;
  return more > 0 ? [['', `and ${counted(more, 'more host')}: summary.json names them all`]] : [];
}

/** How many sitemaps were read, where there were any. */
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
  const figures = `${formatCount(found)} ${source === 'ct' ? 'names' : 'captures'}, ${formatCount(inScope)} in scope${addresses}; ${formatCount(answered)} answered`;
  return problem === null ? figures : `${figures}; given up: ${problem}`;
}

function leftOut(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.length === 0
    ? ''
    : `; left out: ${parts.map(([name, count]) => `${formatCount(count)} ${name}`).join(', ')}`;
}
