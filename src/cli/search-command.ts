import { printable } from '../base/text.js';
import type { SearchHit } from '../corpus/search.js';
import { searchCorpus } from '../docs/kept-corpus.js';
import { type CommandInput, prepare, writeJson, writePieces } from './command.js';
import { EXIT } from './exit.js';

/** gossamer search <dir> <words…> */
export async function runSearch(input: CommandInput): Promise<number> {
  const ready = prepare('search', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, ...words] = input.positionals;
  const { limit, json } = ready.resolved.options;
  const hits = searchCorpus(directory!, words.join(' '), { limit });
  if (json) {
    writeJson(hits);
  } else if (hits.length === 0) {
    ready.terminal.line(`nothing in ${directory} matches ${words.join(' ')}`);
  } else {
    await writePieces([hits.map(hitText).join('\n')]);
  }
  return EXIT.ok;
}

function hitText({ title, headings, path, url, snippet }: SearchHit): string {
  const place = [title, ...headings.filter((heading) => heading !== title)].join(' › ');
  return `${[place, `  ${path}`, `  ${url}`, `  ${snippet}`].map((line) => printable(line, 1000)).join('\n')}\n`;
}
