import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { readCheckInput } from '../check/check-input.js';
import { type CheckPlan, CheckRun } from '../check/check-run.js';
import type { LocalFolder } from '../check/local-folder.js';
import { CHECK_REPORTS, githubStepSummary, lastLineOf, type Paint, PLAIN_REPORT } from '../check/report/index.js';
import type { CheckReport } from '../check/result.js';
import { reopenBroken } from '../check/rounds.js';
import type { CheckFormat } from '../config/option-spec.js';
import type { OptionsOf } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import { chooseDirectory } from '../crawl/data-directory.js';
import { badSeedLines } from '../crawl/seed-input.js';
import { AtomicFiles } from '../report/atomic-file.js';
import { refuseUnwritable } from '../report/index.js';
import { StreamFiles } from '../report/stream-files.js';
import { openForReading } from '../store/directory.js';
import { CheckView } from './check-view.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';
import { seedFailure } from './seed-failure.js';
import { stopOnSignals } from './signals.js';
import { Terminal } from './terminal.js';

type CheckOptions = OptionsOf<'check'>;

/** gossamer check */
export async function runCheck(input: CommandInput): Promise<number> {
  const ready = prepare('check', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  const { options } = resolved;
  refuseNonsense(options);
  if (options.recheck !== null) {
    return recheck(options.recheck, input, terminal);
  }
  const cwd = process.cwd();
  const { seeds, credentials, bad, folders } = await readCheckInput(input.positionals, options, cwd);
  for (const warning of badSeedLines(bad)) {
    terminal.warn(warning);
  }
  const plan = {
    resolved,
    config: configOf(input),
    seeds,
    folders,
    badSeeds: bad,
    credentials,
    cwd,
    clock: systemClock,
  };
  if (options.dataDir === null) {
    const directory = mkdtempSync(join(tmpdir(), 'gossamer-check-'));
    try {
      return await check({ ...plan, directory, isNew: true, round: 0, truncated: null, events: {} }, terminal);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  const choice = chooseDirectory(options, seeds[0]!.url);
  if (choice.movedTo !== null) {
    terminal.line(`moved the old check to ${choice.movedTo}`);
  }
  if (choice.what === 'finished') {
    terminal.line(`${choice.directory} is finished; nothing to do`);
    return EXIT.ok;
  }
  if (choice.what === 'resume') {
    return resumeCheck(choice.directory, input);
  }
  return check({ ...plan, directory: choice.directory, isNew: true, round: 0, truncated: null, events: {} }, terminal);
}

/** Goes on with a check that is kept. */
export async function resumeCheck(directory: string, input: CommandInput): Promise<number> {
  const { stored, ...kept } = openKept(directory);
  const ready = prepare('check', input, stored);
  if (ready === null) {
    return EXIT.ok;
  }
  ready.terminal.line(`going on with ${directory}`);
  return goOn(directory, input, ready.resolved, ready.terminal, kept);
}

async function recheck(given: string, input: CommandInput, terminal: Terminal): Promise<number> {
  const directory = resolve(given);
  const { stored, ...kept } = openKept(directory);
  const { recheck: _, ...flags } = input.flags;
  const ready = prepare('check', { ...input, flags }, stored);
  if (ready === null) {
    return EXIT.ok;
  }
  const queued = await reopenBroken(directory, ready.resolved.options.maxRedirects);
  terminal.line(`asks again for ${queued} of ${directory}`);
  return goOn(directory, input, ready.resolved, terminal, { ...kept, round: 0, truncated: null });
}

type Kept = Pick<CheckPlan, 'seeds' | 'folders' | 'round' | 'truncated'>;

function goOn(
  directory: string,
  input: CommandInput,
  resolved: ResolvedOptions<'check'>,
  terminal: Terminal,
  kept: Kept,
): Promise<number> {
  const place = { directory, config: configOf(input), cwd: process.cwd(), clock: systemClock };
  return check({ ...kept, ...place, resolved, isNew: false, events: {} }, terminal);
}

function openKept(directory: string): Kept & { stored: StoredOptions } {
  return openForReading(directory, (reader) => {
    const meta = reader.meta();
    if (meta.command !== 'check' || meta.options === undefined) {
      throw new StateError('no_check', `${directory} holds no check; \`gossamer check --data-dir\` keeps one`);
    }
    return {
      stored: JSON.parse(meta.options) as StoredOptions,
      seeds: reader.seeds(),
      folders: JSON.parse(meta.folders ?? '[]') as LocalFolder[],
      round: Number(meta.checkRound ?? 0),
      truncated: meta.checkTruncated ?? null,
    };
  });
}

function refuseNonsense({ updateBaseline, baseline, output, format }: CheckOptions): void {
  if (updateBaseline && baseline === null) {
    throw new UsageError('--update-baseline needs --baseline FILE');
  }
  if (output !== null && output !== '-' && format === 'terminal') {
    throw new UsageError('--output needs --format: what is to be written there');
  }
}

const configOf = ({ configFile }: CommandInput): CheckPlan['config'] =>
  configFile === null ? null : { value: configFile.values.check, path: configFile.path };

async function check(plan: CheckPlan, terminal: Terminal): Promise<number> {
  const { options } = plan.resolved;
  for (const path of outputsOf(options)) {
    refuseUnwritable(path);
  }
  const view = new CheckView(terminal, options);
  const run = new CheckRun({ ...plan, events: view.events });
  const unhook = stopOnSignals(run, options.graceMs, terminal);
  try {
    const { report, result } = await run.run();
    terminal.endProgress();
    try {
      // What a limit left unasked is not out of reach.
      const nothingReached = report.nothingReached && report.summary.truncated === null;
      const exitCode = exitCodeOf(report.summary.exitCode, nothingReached, result.end.reason);
      await writeReports({ ...report, summary: { ...report.summary, exitCode } }, options, terminal);
      if (exitCode === EXIT.noSeed) {
        throw seedFailure(result.seeds, 'no answer');
      }
      return exitCode;
    } finally {
      report.close();
    }
  } finally {
    unhook();
  }
}

function exitCodeOf(found: number, nothingReached: boolean, reason: string): number {
  if (reason === 'interrupted') {
    return EXIT.interrupted;
  }
  if (reason === 'terminated') {
    return EXIT.terminated;
  }
  return nothingReached ? EXIT.noSeed : found;
}

const outputsOf = ({ reports, output, baseline, updateBaseline, cache }: CheckOptions): string[] => [
  ...reports.map(({ path }) => path),
  ...(output === null || output === '-' ? [] : [output]),
  ...(baseline !== null && updateBaseline ? [baseline] : []),
  ...(cache === null ? [] : [cache]),
];

/** Files first: whoever reads stdout may have gone. */
async function writeReports(report: CheckReport, options: CheckOptions, terminal: Terminal): Promise<void> {
  for (const { format, path } of options.reports) {
    await writeFile(report, format as CheckFormat, path);
  }
  const format = options.format as CheckFormat;
  if (options.output !== null && options.output !== '-') {
    await writeFile(report, format, options.output);
  } else {
    await writeStdout(report, format, options);
  }
  const { GITHUB_STEP_SUMMARY: stepSummary } = process.env;
  if (format === 'github' && stepSummary) {
    appendFileSync(stepSummary, [...githubStepSummary(report)].join(''));
  }
  if (format !== 'terminal' || options.output !== null) {
    terminal.line(lastLineOf(report));
  }
}

async function writeFile(report: CheckReport, format: CheckFormat, path: string): Promise<void> {
  const files = new AtomicFiles(path);
  try {
    const file = files.create();
    for (const piece of CHECK_REPORTS[format](report, PLAIN_REPORT)) {
      await file.write(piece);
    }
    await file.close();
    files.commit();
  } catch (error) {
    files.discard();
    throw error;
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
  try {
    for (const piece of CHECK_REPORTS[format](report, { paint, verbose: options.verbose })) {
      await file.write(piece);
    }
    await file.close();
  } catch (error) {
    // Whoever reads has seen enough.
    if (!/EPIPE/.test(String((error as Error).message))) {
      throw error;
    }
  }
}
