import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { COMMAND_LINE_ONLY } from '../crawl/library-options.js';
import { type MarkdownPage, pageAsMarkdown } from '../docs/page-markdown.js';
import { writeFileAtomically } from '../report/atomic-file.js';
import { jsonLines } from '../report/output.js';
import { parseSeedArgument } from '../url/seeds.js';
import { type CommandInput, prepare, writePieces } from './command.js';
import { EXIT, exitNow } from './exit.js';
import { forTerminal } from './show-command.js';
import { onStopSignals, signalExit } from './signals.js';

/** gossamer md <url|file|-> */
export async function runMd(input: CommandInput): Promise<number> {
  const ready = prepare('md', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { json, output, baseUrl, ...options } = ready.resolved.options;
  onStopSignals((signal) => void exitNow(signalExit(signal)));
  const page = await read(input.positionals[0]!, baseUrl, forLibrary(options));
  const text = json ? jsonLines(page) : withLastLine(page.markdown);
  if (output !== null && output !== '-') {
    writeFileAtomically(resolve(output), text);
  } else {
    await writePieces([process.stdout.isTTY && !json ? forTerminal(text) : text]);
  }
  return EXIT.ok;
}

const forLibrary = (options: object): object =>
  Object.fromEntries(
    Object.entries(options).filter(([key]) => !(COMMAND_LINE_ONLY as readonly string[]).includes(key)),
  );

const withLastLine = (markdown: string): string =>
  markdown === '' || markdown.endsWith('\n') ? markdown : `${markdown}\n`;

async function read(asked: string, baseUrl: string | null, options: object): Promise<MarkdownPage> {
  const argument = parseSeedArgument(asked, probe);
  if (argument.kind === 'folder') {
    throw new UsageError(`${printable(asked)} is a folder; \`gossamer md\` takes a URL, a file or -`);
  }
  if (argument.kind === 'url') {
    if (baseUrl !== null) {
      throw new UsageError('--base-url is for a file or stdin: a page from the net has its own URL');
    }
    return pageAsMarkdown(asked, options);
  }
  const path = argument.kind === 'stdin' ? null : argument.path;
  const type = path === null ? undefined : typeOf(path);
  const given = { ...(type === undefined ? {} : { type }), ...(baseUrl === null ? {} : { url: baseUrl }) };
  try {
    return await pageAsMarkdown(bytesOf(path), { ...options, ...given });
  } catch (error) {
    throw error instanceof StateError && error.code === 'not_readable' && path !== null
      ? new StateError(error.code, `${printable(path)}: ${error.message}`, { cause: error })
      : error;
  }
}

function probe(path: string): 'file' | 'folder' | null {
  const stats = statSync(resolve(path), { throwIfNoEntry: false });
  return stats === undefined ? null : stats.isDirectory() ? 'folder' : 'file';
}

/** Of a file by its name; any other is looked at. */
function typeOf(path: string): string | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(path.toLowerCase()) ?? [];
  return {
    md: 'text/markdown',
    markdown: 'text/markdown',
    txt: 'text/plain',
    html: 'text/html',
    htm: 'text/html',
    pdf: 'application/pdf',
  }[extension];
}

function bytesOf(path: string | null): Uint8Array {
  try {
    return readFileSync(path === null ? 0 : resolve(path));
  } catch (error) {
    const name = path === null ? 'stdin' : printable(path);
    throw new StateError('page_file', `cannot read ${name}: ${(error as Error).message}`, { cause: error });
  }
}
