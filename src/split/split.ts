import { join } from 'node:path';
import { Breaks } from '../base/breaks.js';
import { StateError, UsageError } from '../base/errors.js';
import { checkSignal, throwIfStopped } from '../config/abort.js';
import { checkKeys, describeValue, readDirectory, readOptions } from '../config/arguments.js';
import { PartStore } from '../store/part-store.js';
import { splitStore } from '../store/split-store.js';
import { UnfinishedFolder } from '../store/unfinished-folder.js';

/** How a crawl is split. */
export interface SplitOptions {
  /** Into how many parts, one for each node of a cluster. */
  nodes: number;
  /** A folder that is not there yet. The parts are folders in it. */
  output: string;
  /** Stops it: nothing is left. */
  signal?: AbortSignal;
}

/** What a crawl was split into. */
export interface SplitCrawl {
  /** The folder of the parts. */
  directory: string;
  /** The parts, in the order of their slots. */
  parts: string[];
}

export const MOST_NODES = 1_024;
const CALL = "splitCrawl('crawl', { nodes: 4, output: 'parts' })";

/** Deals a kept crawl out to the nodes of a cluster. The crawl is only read. */
export async function splitCrawl(directory: string, options: SplitOptions): Promise<SplitCrawl> {
  const from = readDirectory(CALL, directory, 'crawl');
  const given = readOptions(CALL, options, true);
  checkKeys('splitCrawl', given, ['nodes', 'output', 'signal']);
  const { nodes, signal } = given;
  if (!Number.isSafeInteger(nodes) || nodes < 2 || nodes > MOST_NODES) {
    throw new UsageError(`nodes must be a whole number from 2 to ${MOST_NODES}, got ${describeValue(nodes)}`);
  }
  const output = readDirectory(CALL, given.output, 'output');
  checkSignal(signal);
  const whole = PartStore.open(from);
  try {
    const { part } = whole;
    if (part !== null) {
      throw new StateError(
        'part',
        `${from} is a part already, slot ${part.slot} of ${part.nodes}: \`gossamer merge\` all of them first`,
      );
    }
    const unfinished = UnfinishedFolder.open(output);
    try {
      const names = await splitStore(whole, unfinished, nodes, new Breaks(() => signal?.aborted ?? false));
      throwIfStopped('the split', signal);
      unfinished.finish();
      return { directory: output, parts: names.map((name) => join(output, name)) };
    } catch (error) {
      unfinished.close();
      throwIfStopped('the split', signal);
      throw error;
    }
  } finally {
    whole.close();
  }
}
