import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { SearchHit } from '../corpus/search.js';
import { isCrawlDirectory } from '../crawl/kept-pages.js';
import { correctQuery, searchCorpus } from '../docs/kept-corpus.js';
import { type CrawlHit, searchCrawl } from '../docs/search-crawl.js';
import { openForReading } from '../store/directory.js';
import { type CommandInput, prepare, writeJson, writePieces } from './command.js';
import { EXIT } from './exit.js';
import type { Terminal } from './terminal.js';

/** gossamer search <dir> <words…> */
export async function runSearch(input: CommandInput): Promise<number> {
  const ready = prepare('search', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, ...words] = input.positionals;
  const { limit, json, prefix } = ready.resolved.options;
  if (isKeptCrawl(directory!)) {
    if (prefix !== null) {
      throw new UsageError('--prefix is for paths in a corpus, and this is a crawl');
    }
    const hits = await searchCrawl(directory!, words.join(' '), { limit });
    return tell(hits, crawlHitText, directory!, words, json, ready.terminal);
  }
  const hits = searchCorpus(directory!, words.join(' '), { limit, prefix: prefix ?? '' });
  const corrected = correctQuery(directory!, words.join(' '));
  if (corrected !== null) {
    ready.terminal.line(`did you mean: ${printable(corrected)}`);
  }
  return tell(hits, hitText, directory!, words, json, ready.terminal);
}

/** A crawl by itself; the data directory of a corpus stands for that. */
function isKeptCrawl(directory: string): boolean {
  return isCrawlDirectory(directory) && openForReading(resolve(directory), (reader) => reader.command()) === 'crawl';
}

async function tell<Hit>(
  hits: readonly Hit[],
  textOf: (hit: Hit) => string,
  directory: string,
  words: readonly string[],
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  if (json) {
    writeJson(hits);
  } else if (hits.length === 0) {
    terminal.line(`nothing in ${directory} matches ${printable(words.join(' '))}`);
  } else {
    await writePieces([hits.map(textOf).join('\n')]);
  }
  return EXIT.ok;
}

function crawlHitText({ title, url, snippet }: CrawlHit): string {
  const lines = [title === '' ? url : title, `  ${url}`, `  ${snippet}`];
  return `${lines.map((line) => printable(line, 1000)).join('\n')}\n`;
}

function hitText({ title, headings, path, url, snippet }: SearchHit): string {
  const place = [title, ...headings.filter((heading) => heading !== title)].join(' › ');
  return `${[place, `  ${path}`, `  ${url}`, `  ${snippet}`].map((line) => printable(line, 1000)).join('\n')}\n`;
}
