import { Closable } from '../base/closable.js';
import { UsageError } from '../base/errors.js';
import { checkSignal, stoppedBy } from '../config/abort.js';
import { checkFunction, describeValue, readDirectory, readOptions, readTexts } from '../config/arguments.js';
import type { CheckRule } from '../config/check-config.js';
import { CHECK_FORMATS, type CheckFormat } from '../config/option-spec.js';
import type { OptionsOf } from '../config/options.js';
import { completeOptionsOf, refuseHostKeys, refuseOtherIdentity } from '../config/resolve.js';
import { crawlDirectoryIn, keptPagesIn, optionsForKept } from '../crawl/kept-pages.js';
import { COMMAND_LINE_ONLY } from '../crawl/library-options.js';
import { checkWatching, LibraryWatching, type WatchingOptions } from '../crawl/library-watching.js';
import { UserFunctions } from '../crawl/user-functions.js';
import { type CheckPlan, CheckRun } from './check-run.js';
import { openKeptCheck, planCheck, planCheckOfKept, planKept, planResumed } from './plan-check.js';
import { writeReportFile } from './report/index.js';
import type { CheckedLink, CheckReport, CheckSummary } from './report/result.js';
import { reopenBroken } from './rounds.js';

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
export interface CheckLibraryOptions extends Partial<Omit<OptionsOf<'check'>, NotForPrograms>>, WatchingOptions {
  /** Rules on links, as in a config file; of each kind the first that matches counts. */
  rules?: readonly CheckRule[];
  /** Hears what a user should know. */
  onNotice?: (text: string) => void;
  /** Ends the check early, after `graceMs` at most; the result is made of what is known by then. */
  signal?: AbortSignal;
}

/** What a check found. Links can be read until it is closed; without `dataDir` nothing is left of it then. */
export interface LinkCheck {
  /** Counts by verdict, and what the command line would end with. */
  readonly summary: CheckSummary;
  /** In the order of reports, as often as wanted. */
  links(): Iterable<CheckedLink>;
  /** Writes a report, in the formats of --report. */
  write(format: CheckFormat, path: string): Promise<void>;
  /** Gives the store back: links cannot be read any more. A second time it does nothing. */
  close(): void;
}

const CHECK_CALL = "checkLinks(['https://example.com/', 'README.md'], { retries: 1 })";

/** Checks links: of sites by their URLs, of folders of HTML, of Markdown files and patterns of them, of a crawl that kept its pages, by its directory. */
export async function checkLinks(
  inputs: string | readonly string[],
  choice: CheckLibraryOptions = {},
): Promise<LinkCheck> {
  const arguments_ = readTexts(CHECK_CALL, inputs, 'inputs');
  const options = readOptions(CHECK_CALL, choice);
  const { given, config } = split(options);
  const crawl = crawlDirectoryIn(arguments_);
  if (crawl !== null) {
    return checkKept(crawl, options);
  }
  const resolved = completeOptionsOf('check', given);
  if (given.hosts !== undefined) {
    refuseHostKeys('check', resolved.options.hosts);
  }
  const planned = await planCheck(arguments_, resolved, config);
  if (planned.what !== 'new') {
    const { dataDir: _, resume: __, fresh: ___, ...changes } = options;
    return resumeCheck(planned.directory, changes);
  }
  try {
    const notices = [...resolved.notices, ...planned.notices];
    return await finished(planned.plan, options, notices, planned.cleanUp);
  } catch (error) {
    planned.cleanUp();
    throw error;
  }
}

async function checkKept(directory: string, options: CheckLibraryOptions): Promise<LinkCheck> {
  const { given, config } = split(options);
  const kept = keptPagesIn(directory, 'a check');
  const resolved = completeOptionsOf('check', given, undefined, { values: kept.inherited, withheld: [] });
  const { plan, cleanUp } = planCheckOfKept(kept, optionsForKept(resolved), config);
  try {
    return await finished(plan, options, [...resolved.notices, ...kept.notices], cleanUp);
  } catch (error) {
    cleanUp();
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

async function goOn(directory: string, choice: CheckLibraryOptions, fromStart: boolean): Promise<LinkCheck> {
  const call = `${fromStart ? 'recheckLinks' : 'resumeCheck'}('gossamer-data/example.com', { delayMs: 2000 })`;
  const path = readDirectory(call, directory);
  const options = readOptions(call, choice);
  const { given, config } = split(options);
  const kept = openKeptCheck(path);
  const resolved = completeOptionsOf('check', given, undefined, kept.stored);
  if (given.hosts !== undefined) {
    refuseHostKeys('check', resolved.options.hosts);
    refuseOtherIdentity('hosts', resolved.options.hosts, kept.stored);
  }
  if (fromStart) {
    await reopenBroken(kept.directory, resolved.options.maxRedirects);
  }
  const plan = fromStart ? planKept(kept, resolved, config, true) : await planResumed(kept, resolved, config);
  return finished(plan, options, [], () => {});
}

function split({ rules, onNotice, onProgress, onEvent, signal, ...given }: CheckLibraryOptions) {
  checkFunction('onNotice', onNotice);
  checkWatching(onProgress, onEvent);
  checkSignal(signal);
  const refused = Object.keys(given).find((key) => NOT_FOR_PROGRAMS.includes(key));
  if (refused !== undefined) {
    throw new UsageError(`${refused} is an option of the command line only`);
  }
  return { given, config: rules === undefined ? null : { value: { rules }, path: 'options' } };
}

async function finished(
  plan: Omit<CheckPlan, 'events'>,
  options: CheckLibraryOptions,
  notices: readonly string[],
  cleanUp: () => void,
): Promise<LinkCheck> {
  const { signal, onNotice } = options;
  const functions = new UserFunctions(() => run.stop('stopped', 0));
  const watching = new LibraryWatching(options, functions);
  const notice = (text: string) => onNotice && functions.call(onNotice, text);
  const run = new CheckRun({ ...plan, events: { notice, session: { notice, ...watching.events } } });
  notices.forEach(notice);
  const { graceMs } = plan.resolved.options;
  const { report } = await stoppedBy(
    signal,
    () => run.stop('stopped', graceMs),
    () => run.run(),
  );
  watching.end();
  try {
    functions.end();
  } catch (error) {
    report.close();
    throw error;
  }
  const open = new Closable('the check', () => {
    report.close();
    cleanUp();
  });
  return {
    summary: report.summary,
    links: () => open.read(() => report.links()),
    write: async (format, path) => {
      open.check();
      if (!CHECK_FORMATS.includes(format)) {
        throw new UsageError(`format must be one of ${CHECK_FORMATS.join(' ')}, got ${describeValue(format)}`);
      }
      await writeReportFile(report as CheckReport, format, readDirectory("write('html', 'links.html')", path, 'path'));
    },
    close: () => open.close(),
  };
}
