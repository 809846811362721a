import { readFileSync } from 'node:fs';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { matchRobots, robotsVerdict } from '../crawl/robots-question.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';

/** gossamer robots <url>, or --file F --agent A --url U */
export async function runRobots(input: CommandInput): Promise<number> {
  const ready = prepare('robots', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { file, agent: asked, url, ...options } = ready.resolved.options;
  const given = [...input.positionals, ...(url === null ? [] : [url])];
  if (given.length !== 1) {
    throw new UsageError('`gossamer robots` takes one URL');
  }
  const agent = asked ?? options.userAgent ?? 'gossamer';
  const answer =
    file === null
      ? await robotsVerdict(given[0]!, { ...options, agent })
      : matchRobots(readRobots(file), given[0]!, agent);
  if (options.json) {
    writeJson(answer);
  } else {
    process.stdout.write(
      `${answer.allowed ? 'allowed' : 'disallowed'}: ${printable(answer.url)} for ${answer.agent} (${printable(answer.why)})\n`,
    );
  }
  return answer.allowed ? EXIT.ok : EXIT.findings;
}

function readRobots(path: string): Uint8Array {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw new StateError('robots_file', `cannot read ${printable(path)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
