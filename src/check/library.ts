import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import type { CheckRule } from '../config/check-config.js';
import type { CheckFormat } from '../config/option-spec.js';
import type { OptionsOf } from '../config/options.js';
import { completeOptionsOf } from '../config/resolve.js';
import { COMMAND_LINE_ONLY } from '../crawl/library-options.js';
import { CheckRun } from './check-run.js';
import { openKeptCheck, planCheck, planKept, planResumed } from './plan-check.js';
import type { CheckedLink, CheckReport, CheckSummary } from './result.js';
import { reopenBroken } from './rounds.js';
import { writeReportFile } from './write-report.js';

/** What belongs to a command line: where to write, and what to begin with. */
const NOT_FOR_PROGRAMS = [
  ...COMMAND_LINE_ONLY,
  'format',
  'output',
  'reports',
  'recheck',
  'dump',
  'startUrls',
  'seedsFiles',
];
type NotForPrograms =
  | (typeof COMMAND_LINE_ONLY)[number]
  | 'format'
  | 'output'
  | 'reports'
  | 'recheck'
  | 'dump'
  | 'startUrls'
  | 'seedsFiles';

/** The options of `gossamer check` in their normal units, and rules on links. */
export interface CheckLibraryOptions extends Partial<Omit<OptionsOf<'check'>, NotForPrograms>> {
  rules?: readonly CheckRule[];
  /** Hears what a user should know. */
  onNotice?: (text: string) => void;
  /** Ends the check early; the result is made of what is known by then. */
  signal?: AbortSignal;
}

/** What a check found. Links can be read until it is closed; without `dataDir` nothing is left of it then. */
export interface LinkCheck {
  readonly summary: CheckSummary;
  /** In the order of reports, as often as wanted. */
  links(): Iterable<CheckedLink>;
  /** Writes a report, in the formats of --report. */
  write(format: CheckFormat, path: string): Promise<void>;
  close(): void;
}

/** Checks links: of sites by their URLs, of folders of HTML, of Markdown files and patterns of them. */
export async function checkLinks(
  inputs: string | readonly string[],
  options: CheckLibraryOptions = {},
): Promise<LinkCheck> {
  const { given, config } = split(options);
  const resolved = completeOptionsOf('check', given);
  const planned = await planCheck(typeof inputs === 'string' ? [inputs] : inputs, resolved, config);
  if (planned.what !== 'new') {
    const { dataDir: _, resume: __, fresh: ___, ...changes } = options;
    return resumeCheck(planned.directory, changes);
  }
  for (const notice of [...resolved.notices, ...planned.notices]) {
    options.onNotice?.(notice);
  }
  try {
    return await finished(new CheckRun(heard(planned.plan, options)), options, planned.cleanUp);
  } catch (error) {
    planned.cleanUp();
    throw error;
  }
}

/** Goes on with a check that is kept, or makes its result again where nothing is left to do. */
export async function resumeCheck(
  directory: string,
  options: Omit<CheckLibraryOptions, 'dataDir' | 'resume' | 'fresh'> = {},
): Promise<LinkCheck> {
  return goOn(directory, options, false);
}

/** Asks again only for what was broken in a check that is kept. */
export async function recheckLinks(
  directory: string,
  options: Omit<CheckLibraryOptions, 'dataDir' | 'resume' | 'fresh'> = {},
): Promise<LinkCheck> {
  return goOn(directory, options, true);
}

async function goOn(directory: string, options: CheckLibraryOptions, fromStart: boolean): Promise<LinkCheck> {
  const { given, config } = split(options);
  const kept = openKeptCheck(resolve(directory));
  const resolved = completeOptionsOf('check', given, undefined, kept.stored);
  if (fromStart) {
    await reopenBroken(kept.directory, resolved.options.maxRedirects);
  }
  const plan = fromStart ? planKept(kept, resolved, config, true) : await planResumed(kept, resolved, config);
  return finished(new CheckRun(heard(plan, options)), options, () => {});
}

function split({ rules, onNotice: _, signal: __, ...given }: CheckLibraryOptions) {
  const refused = Object.keys(given).find((key) => NOT_FOR_PROGRAMS.includes(key));
  if (refused !== undefined) {
    throw new UsageError(`${refused} is an option of the command line only`);
  }
  return { given, config: rules === undefined ? null : { value: { rules }, path: 'options' } };
}

const heard = <Plan extends object>(plan: Plan, { onNotice }: CheckLibraryOptions) => ({
  ...plan,
  events: onNotice === undefined ? {} : { notice: onNotice, session: { notice: onNotice } },
});

async function finished(run: CheckRun, { signal }: CheckLibraryOptions, cleanUp: () => void): Promise<LinkCheck> {
  const stop = () => run.stop('stopped', 0);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) {
    stop();
  }
  try {
    const { report } = await run.run();
    return {
      summary: report.summary,
      links: () => report.links(),
      write: (format, path) => writeReportFile(report as CheckReport, format, resolve(path)),
      close: () => {
        report.close();
        cleanUp();
      },
    };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
