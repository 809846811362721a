import { relative, resolve, sep } from 'node:path';
import { StateError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { WhyBlock } from '../content/extract/why.js';
import { corpusPlace } from '../docs/corpus-place.js';
import { type CorpusPage, readDocument } from '../docs/kept-corpus.js';
import { type PageWhy, whyPage } from '../docs/why-page.js';
import { type CommandInput, prepare, writeJson, writePieces } from './command.js';
import { EXIT } from './exit.js';
import { counted } from './terminal.js';

/** gossamer show <dir> <path|url> */
export async function runShow(input: CommandInput): Promise<number> {
  const ready = prepare('show', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, asked] = input.positionals as [string, string];
  if (ready.resolved.options.why) {
    const { isCurrent, ...why } = await explain(directory, asked);
    if (!isCurrent) {
      ready.terminal.warn('the crawl has gone on since the corpus was written: this is what it would keep now');
    }
    if (ready.resolved.options.json) {
      writeJson(why);
    } else {
      await writePieces(whyLines(why));
    }
    return EXIT.ok;
  }
  const page = await find(directory, asked);
  if (ready.resolved.options.json) {
    writeJson(page);
  } else {
    await writePieces([process.stdout.isTTY ? forTerminal(page.markdown) : page.markdown]);
  }
  return EXIT.ok;
}

/** A page that the corpus left out whole can be named by its URL. */
async function explain(directory: string, asked: string): Promise<PageWhy> {
  const corpus = corpusPlace(directory);
  let missing: unknown = null;
  const page = await find(directory, asked).catch((error) => {
    missing = error;
    return null;
  });
  if (page === null && !/^https?:/i.test(asked)) {
    throw missing;
  }
  const why = await whyPage(directory, corpus, page?.source ?? asked);
  if (why === 'no run') {
    throw new StateError(
      'no_crawl',
      `the crawl that ${corpus} was made of is not here, so the page cannot be read again: name its data directory in the place of the corpus, or make the corpus again with \`gossamer docs\``,
    );
  }
  if (why === 'no body') {
    if (page === null) {
      throw missing;
    }
    throw new StateError(
      'no_body',
      `the crawl of ${corpus} has kept nothing of ${printable(page.source)}, so the page cannot be read again: run \`gossamer docs\` again`,
    );
  }
  return why;
}

/** One line a block. A page may say anything, so that it is made harmless for a file too. */
export function whyLines({ url, blocks }: Pick<PageWhy, 'url' | 'blocks'>): string[] {
  const lines =
    blocks === null
      ? [`${url} is Markdown already: all of it is kept as it is`]
      : [`${url}: ${keptOf(blocks)} kept`, ...blocks.map(whyLine)];
  return lines.map((line) => `${printable(line, Number.POSITIVE_INFINITY)}\n`);
}

const keptOf = (blocks: readonly WhyBlock[]): string =>
  `${blocks.filter(({ kept }) => kept).length} of ${counted(blocks.length, 'block')}`;

const whyLine = ({ kept, reason, path, text }: WhyBlock): string =>
  `${kept ? 'kept    ' : 'left out'}  ${reason} | ${path} | ${text}`;

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
