import { relative, resolve, sep } from 'node:path';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type CorpusPage, readDocument } from '../docs/kept-corpus.js';
import { type CommandInput, prepare, writeJson, writePieces } from './command.js';
import { EXIT } from './exit.js';

/** gossamer show <dir> <path|url> */
export async function runShow(input: CommandInput): Promise<number> {
  const ready = prepare('show', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, asked] = input.positionals as [string, string];
  const page = await find(directory, asked);
  if (ready.resolved.options.json) {
    writeJson(page);
  } else {
    await writePieces([process.stdout.isTTY ? forTerminal(page.markdown) : page.markdown]);
  }
  return EXIT.ok;
}

/** A shell completes paths from the current folder, so they begin with the folder of the corpus. */
async function find(directory: string, asked: string): Promise<CorpusPage> {
  try {
    return await readDocument(directory, asked);
  } catch (error) {
    const below = relative(resolve(directory), resolve(asked)).replaceAll(sep, '/');
    if (!(error instanceof StateError && error.code === 'no_page') || below === '' || below === asked) {
      throw error;
    }
    return readDocument(directory, below).catch(() => {
      throw error;
    });
  }
}

/** A file gets the page as it is; a terminal gets it without control characters, which it would obey. */
export const forTerminal = (markdown: string): string =>
  markdown
    .split('\n')
    .map((line) =>
      line
        .split('\t')
        .map((part) => printable(part, Number.POSITIVE_INFINITY))
        .join('\t'),
    )
    .join('\n');
