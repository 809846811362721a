import { resolve } from 'node:path';
import { auditCrawl } from '../audit/audit.js';
import { type AuditPaint, PLAIN, writeAuditFile, writeAuditReport } from '../audit/report/index.js';
import type { AuditReport } from '../audit/report/result.js';
import { readAuditSettings } from '../audit/settings.js';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import type { AuditFormat } from '../config/option-spec.js';
import { refuseUnwritable } from '../report/index.js';
import { StreamFiles } from '../report/stream-files.js';
import { type CommandInput, prepare, untilReaderLeaves } from './command.js';
import { EXIT } from './exit.js';
import { Terminal } from './terminal.js';

/** gossamer audit <dir> */
export async function runAudit(input: CommandInput): Promise<number> {
  const ready = prepare('audit', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, ...rest] = input.positionals;
  if (directory === undefined || rest.length > 0) {
    throw new UsageError('`gossamer audit` takes one directory');
  }
  const { format, output, reports, failOn, color, bom } = ready.resolved.options;
  const toFile = output !== null && output !== '-' ? output : null;
  if (toFile !== null && format === 'terminal') {
    throw new UsageError('--output needs --format, which says what to write there');
  }
  // `failOn` of a config file edits what a check fails for; that of an audit stands under `audit`.
  const given = ready.resolved.sources.failOn.startsWith('config file') ? null : failOn;
  const settings = readAuditSettings(input.configFile?.values.audit, given, (name, problem) => {
    if (name === '--fail-on') {
      throw new UsageError(`${name} ${problem}`);
    }
    throw new StateError('config', `${input.configFile!.path}: ${name} ${problem}`);
  });
  const files = reports as readonly { format: AuditFormat; path: string }[];
  for (const path of [...files.map((each) => each.path), ...(toFile === null ? [] : [toFile])]) {
    refuseUnwritable(path);
  }
  const report = auditCrawl(resolve(directory), settings);
  try {
    for (const each of files) {
      await writeAuditFile(report, each.format, each.path, { ...PLAIN, bom });
    }
    if (toFile !== null) {
      await writeAuditFile(report, format as AuditFormat, toFile, { ...PLAIN, bom });
    } else {
      await toStdout(report, format as AuditFormat, color, bom);
    }
    return report.summary.failing > 0 ? EXIT.findings : EXIT.ok;
  } finally {
    report.close();
  }
}

async function toStdout(report: AuditReport, format: AuditFormat, color: boolean | null, bom: boolean): Promise<void> {
  const terminal = new Terminal({ stream: process.stdout, clock: systemClock, color, quiet: false, env: process.env });
  const paint: AuditPaint = (name, text) => (format === 'terminal' ? terminal.paint(name, text) : text);
  const file = new StreamFiles(process.stdout, 'stdout').create();
  await untilReaderLeaves(writeAuditReport(report, format, file, { paint, bom }));
}
