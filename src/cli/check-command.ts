import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { readBaseline } from '../check/baseline.js';
import { type CheckEvents, type CheckPlan, CheckRun, rulesOf } from '../check/check-run.js';
import { DUMP_FORMATS, dumpText } from '../check/dump.js';
import { checkExitCode } from '../check/make-report.js';
import { openKeptCheck, planCheck, planCheckOfKept, planKept, planResumed } from '../check/plan-check.js';
import { githubStepSummary, lastLineOf, type Paint, writeCheckReport, writeReportFile } from '../check/report/index.js';
import type { CheckReport } from '../check/report/result.js';
import { reopenBroken } from '../check/rounds.js';
import { CAUSE_CHAIN } from '../check/ruling.js';
import type { CheckFormat } from '../config/option-spec.js';
import type { OptionsOf } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { EndReason } from '../crawl/ending.js';
import { crawlDirectoryIn, keptPagesIn, optionsForKept } from '../crawl/kept-pages.js';
import { nextStep } from '../crawl/resume-plan.js';
import { seedFailure } from '../crawl/seed-failure.js';
import type { SessionEvents } from '../crawl/session-plan.js';
import type { SeedFate } from '../frontier/seed-book.js';
import { refuseUnwritable } from '../report/index.js';
import { StreamFiles } from '../report/stream-files.js';
import { resumeCommand } from '../store/directory.js';
import { withResumeAdvice } from './advice.js';
import { type CommandInput, prepare, untilReaderLeaves, writePieces } from './command.js';
import { CrawlView } from './crawl-view.js';
import { EXIT } from './exit.js';
import { type Outlets, withOutlets } from './outlets.js';
import { stopOnSignals } from './signals.js';
import { SuspectLinks } from './suspect-links.js';
import { counted, formatCount, Terminal } from './terminal.js';

type CheckOptions = OptionsOf<'check'>;

/** gossamer check */
export async function runCheck(input: CommandInput): Promise<number> {
  const crawl = crawlDirectoryIn(input.positionals);
  if (crawl !== null) {
    return checkKept(crawl, input);
  }
  const ready = prepare('check', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  refuseNonsense(resolved, input);
  if (resolved.options.recheck !== null) {
    refuseInputs(input.positionals, resolved.options);
    return recheck(resolve(resolved.options.recheck), input);
  }
  const planned = await planCheck(input.positionals, resolved, configOf(input));
  // A finished check reports again what it found: it may have been killed before it could, and people run it for its exit code.
  if (planned.what !== 'new') {
    return resumeCheck(planned.directory, input);
  }
  for (const notice of planned.notices) {
    terminal.warn(notice);
  }
  try {
    if (resolved.options.dump) {
      return await dump(planned.plan, terminal);
    }
    return await check(planned.plan, terminal, resolved.options.dataDir !== null);
  } finally {
    planned.cleanUp();
  }
}

/** Checks the links of a crawl that kept its answers, without a network. */
async function checkKept(directory: string, input: CommandInput): Promise<number> {
  const kept = keptPagesIn(directory, 'a check');
  const ready = prepare('check', input, undefined, kept.inherited);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  refuseNonsense(resolved, input);
  if (resolved.options.recheck !== null) {
    refuseInputs(input.positionals, resolved.options);
  }
  const { plan, cleanUp } = planCheckOfKept(kept, optionsForKept(resolved), configOf(input));
  for (const notice of kept.notices) {
    terminal.warn(notice);
  }
  try {
    return await (resolved.options.dump ? dump(plan, terminal) : check(plan, terminal, false));
  } finally {
    cleanUp();
  }
}

/** Resumes a check that is kept. */
export async function resumeCheck(directory: string, input: CommandInput): Promise<number> {
  const kept = openKeptCheck(directory);
  const ready = prepare('check', input, kept.stored);
  if (ready === null) {
    return EXIT.ok;
  }
  refuseNonsense(ready.resolved, input);
  ready.terminal.line(`going on with ${directory}`);
  return check(await planResumed(kept, ready.resolved, configOf(input)), ready.terminal, true);
}

async function recheck(directory: string, input: CommandInput): Promise<number> {
  const kept = openKeptCheck(directory);
  const ready = prepare('check', input, kept.stored);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  refuseNonsense(resolved, input);
  const queued = await reopenBroken(directory, resolved.options.maxRedirects);
  terminal.line(`asks again for ${counted(queued, 'URL')} of ${directory}`);
  return check(planKept(kept, resolved, configOf(input), true), terminal, true);
}

/** Refuses options that contradict each other, before a directory is touched or anything is asked for. */
function refuseNonsense(resolved: ResolvedOptions<'check'>, input: CommandInput): void {
  const { updateBaseline, baseline, output, format, dataDir, resume, fresh } = resolved.options;
  if (updateBaseline && baseline === null) {
    throw new UsageError('--update-baseline needs --baseline FILE');
  }
  if (output !== null && output !== '-' && format === 'terminal') {
    throw new UsageError('--output needs --format, which says what to write there');
  }
  if (dataDir === null && (resume || fresh)) {
    throw new UsageError(`--${resume ? 'resume' : 'fresh'} needs --data-dir: without it nothing is kept of a check`);
  }
  refuseDump(resolved.options);
  rulesOf(resolved, configOf(input));
  if (baseline !== null) {
    readBaseline(baseline);
  }
}

function refuseDump({ dump, ...options }: CheckOptions): void {
  if (!dump) {
    return;
  }
  const other = (
    [
      ['--data-dir', options.dataDir],
      ['--recheck', options.recheck],
      ['--report', options.reports[0]],
    ] as const
  ).find(([, value]) => value !== null && value !== undefined);
  if (other !== undefined) {
    throw new UsageError(`--dump checks nothing, so it takes no ${other[0]}`);
  }
  if (options.output !== null && options.output !== '-') {
    throw new UsageError('--dump writes only to stdout, not to a file of --output');
  }
  if (!DUMP_FORMATS.includes(options.format)) {
    throw new UsageError(`--dump writes the formats ${DUMP_FORMATS.join(', ')}, and not ${options.format}`);
  }
}

/** Prints the links that a check would look at. */
async function dump(plan: CheckPlan, terminal: Terminal): Promise<number> {
  const { options } = plan.resolved;
  const view = new CheckView(terminal, options);
  const run = new CheckRun({ ...plan, events: { session: view.events.session, notice: view.events.notice! } });
  const removeListeners = stopOnSignals({ run, graceMs: options.graceMs, terminal, afterwards: NOTHING_KEPT });
  try {
    const { end, seeds, allSeedsFailed, summary } = await run.dump((links) => {
      view.close();
      return writePieces(dumpText(links, options.format));
    });
    const exitCode = checkExitCode(EXIT.ok, allSeedsFailed, end.reason);
    if (exitCode === EXIT.noSeed) {
      throw seedFailure(inWords(seeds, options), summary);
    }
    return exitCode;
  } finally {
    view.close();
    removeListeners();
  }
}

function refuseInputs(positionals: readonly string[], { startUrls, seedsFiles }: CheckOptions): void {
  const [input] = [...positionals, ...startUrls, ...seedsFiles];
  if (input !== undefined) {
    throw new UsageError(`--recheck uses the input of the kept check, so it does not take ${printable(input, 200)}`);
  }
}

const configOf = ({ configFile }: CommandInput): CheckPlan['config'] =>
  configFile === null ? null : { value: configFile.values.check, path: configFile.path };

function check(plan: CheckPlan, terminal: Terminal, isKept: boolean): Promise<number> {
  return withOutlets(plan.resolved.options, terminal, plan, (outlets) => runCheckWith(plan, terminal, isKept, outlets));
}

async function runCheckWith(plan: CheckPlan, terminal: Terminal, isKept: boolean, outlets: Outlets): Promise<number> {
  const { directory } = plan;
  const { options } = plan.resolved;
  for (const path of outputsOf(options)) {
    refuseUnwritable(path);
  }
  const view = new CheckView(terminal, options);
  const events = { ...view.events, session: outlets.beside(view.events.session) };
  const run = new CheckRun({ ...plan, events });
  const afterwards = isKept ? `\`${resumeCommand(directory)}\` goes on` : NOTHING_KEPT;
  const removeListeners = stopOnSignals({ run, graceMs: options.graceMs, terminal, afterwards });
  try {
    const { report, result } = await (isKept ? withResumeAdvice(directory, () => run.run()) : run.run());
    view.close();
    try {
      const { exitCode } = report.summary;
      outlets.cameTo(report.summary);
      await writeReports(report, options, terminal);
      const { done, failed } = result.summary;
      const reason = (report.summary.truncated as EndReason | null) ?? result.end.reason;
      const next = nextStep(directory, reason, done + failed);
      if (next !== null) {
        terminal.line(isKept ? next : NOTHING_KEPT);
      }
      if (exitCode === EXIT.noSeed) {
        throw seedFailure(inWords(result.seeds, options), result.summary);
      }
      return exitCode;
    } finally {
      report.close();
    }
  } finally {
    view.close();
    removeListeners();
  }
}

const NOTHING_KEPT = 'nothing is kept of this check: with --data-dir DIR it is, and `gossamer resume DIR` goes on';

/** A check keeps the chain of causes of each failure for its reports; people see it only with --verbose-network. */
const inWords = (seeds: readonly SeedFate[], { verboseNetwork }: CheckOptions): readonly SeedFate[] =>
  verboseNetwork ? seeds : seeds.map((seed) => ({ ...seed, detail: seed.detail?.replace(CAUSE_CHAIN, '') ?? null }));

const outputsOf = ({ reports, output, baseline, updateBaseline, cache }: CheckOptions): string[] => [
  ...reports.map(({ path }) => path),
  ...(output === null || output === '-' ? [] : [output]),
  ...(baseline !== null && updateBaseline ? [baseline] : []),
  ...(cache === null ? [] : [cache]),
];

/** Files are written first, because the reader of stdout may have gone. */
async function writeReports(report: CheckReport, options: CheckOptions, terminal: Terminal): Promise<void> {
  for (const { format, path } of options.reports) {
    await writeReportFile(report, format as CheckFormat, path);
  }
  const format = options.format as CheckFormat;
  if (options.output !== null && options.output !== '-') {
    await writeReportFile(report, format, options.output);
  } else {
    await writeStdout(report, format, options);
  }
  const { GITHUB_STEP_SUMMARY: stepSummary } = process.env;
  if (format === 'github' && stepSummary) {
    appendFileSync(stepSummary, githubStepSummary(report));
  }
  if (format !== 'terminal' || options.output !== null) {
    terminal.line(lastLineOf(report));
  }
}

async function writeStdout(report: CheckReport, format: CheckFormat, options: CheckOptions): Promise<void> {
  const colors = new Terminal({
    stream: process.stdout,
    clock: systemClock,
    color: options.color,
    quiet: false,
    env: process.env,
  });
  const paint: Paint = (color, text) => colors.paint(color, text);
  const file = new StreamFiles(process.stdout, 'stdout').create();
  await untilReaderLeaves(writeCheckReport(report, format, file, { paint, verbose: options.verbose }));
}

/** What a person sees of a check while it runs. */
class CheckView {
  readonly #terminal: Terminal;
  readonly #suspects = new SuspectLinks();
  readonly #crawl: CrawlView;

  constructor(terminal: Terminal, options: OptionsOf<'check'>) {
    this.#terminal = terminal;
    this.#crawl = new CrawlView(terminal, options, (again) => this.#suspects.shown(again));
  }

  get events(): CheckEvents & { session: SessionEvents } {
    const { events } = this.#crawl;
    return {
      session: {
        ...events,
        settled: (pages) => {
          this.#suspects.settled(pages);
          events.settled?.(pages);
        },
        retryLater: (url, status, why, afterMs) => {
          this.#suspects.retryLater(url, status, why);
          events.retryLater?.(url, status, why, afterMs);
        },
      },
      notice: (text) => this.#terminal.line(text),
      began: (session, plan, round) => {
        if (round === 0) {
          this.#crawl.started(session, plan);
          return;
        }
        this.#crawl.began(session, plan);
        const { open = 0 } = session.snapshot.counts;
        if (open > 0) {
          this.#terminal.line(`second look: asks again for ${formatCount(open)}`);
        }
      },
    };
  }

  close(): void {
    this.#crawl.close();
  }
}
