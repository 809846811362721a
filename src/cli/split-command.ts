import { UsageError } from '../base/errors.js';
import { splitCrawl } from '../split/split.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { stoppable } from './stoppable.js';

/** gossamer split <dir> --nodes N -o <dir> */
export async function runSplit(input: CommandInput): Promise<number> {
  const ready = prepare('split', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { clusterNodes, output, json } = ready.resolved.options;
  if (clusterNodes === null || output === null || output === '-') {
    throw new UsageError('`gossamer split` needs --nodes, the number of parts, and --output, a new folder for them');
  }
  const [directory = ''] = input.positionals;
  return stoppable(ready.terminal, async (signal) => {
    const { parts, ...split } = await splitCrawl(directory, { nodes: clusterNodes, output, signal });
    if (json) {
      writeJson({ ...split, parts });
    } else {
      ready.terminal.line(`${parts.length} parts in ${split.directory}: slot-0 to slot-${parts.length - 1}`);
    }
  });
}
