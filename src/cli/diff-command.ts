import { readAuditSettings } from '../audit/settings.js';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import type { AuditConfig } from '../config/audit-config.js';
import type { DiffFormat, DiffPart } from '../config/option-spec.js';
import type { OptionsOf } from '../config/options.js';
import { diff } from '../diff/diff.js';
import { summaryLine } from '../diff/report/words.js';
import { writeDiff, writeDiffFile } from '../diff/report/writer.js';
import type { CrawlDiff } from '../diff/result.js';
import { refuseUnwritable } from '../report/index.js';
import { StreamFiles } from '../report/stream-files.js';
import { type CommandInput, prepare, untilReaderLeaves } from './command.js';
import { EXIT } from './exit.js';
import { Terminal } from './terminal.js';

/** gossamer diff <dir> <dir> */
export async function runDiff(input: CommandInput): Promise<number> {
  const ready = prepare('diff', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [before, after, ...rest] = input.positionals;
  if (before === undefined || after === undefined || rest.length > 0) {
    throw new UsageError('`gossamer diff` takes two directories, the earlier crawl first');
  }
  const { options } = ready.resolved;
  const { ignoredParts, mapHosts, reports, output, format } = options;
  const files = [
    ...reports.map(({ format, path }) => ({ format: format as DiffFormat, path })),
    ...(output === null || output === '-' ? [] : [{ format: format as DiffFormat, path: output }]),
  ];
  for (const { path } of files) {
    refuseUnwritable(path);
  }
  // What is wrong in it is a fault of that file, and is told before anything is read.
  readAuditSettings(input.configFile?.values.audit, null, (name, problem) => {
    throw new StateError('config', `${input.configFile!.path}: ${name} ${problem}`);
  });
  const difference = await diff(before, after, {
    audit: (input.configFile?.values.audit ?? {}) as AuditConfig,
    ignore: (ignoredParts ?? '').split(',').flatMap((part) => (part === '' ? [] : [part.trim() as DiffPart])),
    mapHosts: Object.fromEntries(mapHosts.map((entry) => entry.split('=') as [string, string])),
  });
  try {
    // Files first: the reader of stdout may have gone.
    for (const file of files) {
      await writeDiffFile(difference, file.format, file.path);
    }
    if (output === null || output === '-') {
      await writeStdout(difference, options);
    }
    if (format !== 'terminal' || (output !== null && output !== '-')) {
      ready.terminal.line(`diff: ${summaryLine(difference)}`);
    }
    return difference.differs ? EXIT.findings : EXIT.ok;
  } finally {
    difference.close();
  }
}

async function writeStdout(difference: CrawlDiff, { format, color }: OptionsOf<'diff'>): Promise<void> {
  const colors = new Terminal({ stream: process.stdout, clock: systemClock, color, quiet: false, env: process.env });
  const file = new StreamFiles(process.stdout, 'stdout').create();
  const writing = writeDiff(difference, format as DiffFormat, file, (name, text) => colors.paint(name, text));
  await untilReaderLeaves(writing);
}
