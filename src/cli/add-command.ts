import { resolve } from 'node:path';
import { printable } from '../base/text.js';
import { addFromCommandLine } from '../crawl/kept-additions.js';
import { resumeCommand } from '../store/directory.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { formatCount } from './terminal.js';

/** gossamer add <dir> <url…> */
export async function runAdd(input: CommandInput): Promise<number> {
  const ready = prepare('add', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  const { json, atDepth, rank, givenData, seedsFiles } = resolved.options;
  const [directory = '', ...words] = input.positionals;
  const added = addFromCommandLine(
    resolve(directory),
    { words, files: seedsFiles },
    {
      depth: atDepth,
      ...(rank === null ? {} : { rank }),
      ...(givenData === null ? {} : { data: JSON.parse(givenData) }),
    },
  );
  if (json) {
    writeJson(added);
    return EXIT.ok;
  }
  const isOne = added.urls.length === 1;
  const what = isOne ? printable(added.urls[0]!) : `${formatCount(added.urls.length)} URLs`;
  const them = isOne ? 'it' : 'them';
  terminal.line(
    added.running
      ? `added ${what}: the crawl that runs takes ${them} up`
      : `added ${what}: \`${resumeCommand(added.directory)}\` goes on with ${them}`,
  );
  return EXIT.ok;
}
