import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import type { ExportFormat, ExportTable } from '../config/option-spec.js';
import { exportFormat } from '../report/index.js';
import { openForReading } from '../store/directory.js';
import { type CommandInput, prepare, untilReaderLeaves } from './command.js';
import { EXIT } from './exit.js';

/** gossamer export <dir> --format F */
export async function runExport(input: CommandInput): Promise<number> {
  const ready = prepare('export', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, ...rest] = input.positionals;
  if (directory === undefined || rest.length > 0) {
    throw new UsageError('`gossamer export` takes one directory');
  }
  const { format, output, table, bom, sitemapExtras } = ready.resolved.options;
  refuseUnused(format, ready.resolved.sources);
  const target = output === null || output === '-' ? { stdout: process.stdout } : { path: output };
  await openForReading(resolve(directory), async (reader) => {
    if ((format === 'edges' || table === 'links') && reader.meta().anchorText !== 'true') {
      ready.terminal.line('the text of links was not kept; crawl with --anchor-text to have it');
    }
    const notes = await untilReaderLeaves(
      exportFormat(reader, format as ExportFormat, target, { table: table as ExportTable, bom, sitemapExtras }),
    );
    if (notes?.files === 0) {
      ready.terminal.line('no page of this crawl belongs in a sitemap: none was written');
    }
  });
  return EXIT.ok;
}

/** An option that would change nothing is a mistake of whoever gave it. */
function refuseUnused(format: string, { table, bom }: Readonly<Record<'table' | 'bom', string>>): void {
  if (table !== 'default' && format !== 'csv' && format !== 'parquet') {
    throw new UsageError(`--table is for csv and parquet, and not for ${format}`);
  }
  if (bom !== 'default' && format !== 'csv') {
    throw new UsageError(`--bom is for csv, and not for ${format}`);
  }
}
