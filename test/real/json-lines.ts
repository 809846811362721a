import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** One value a line; a file or a stream. Empty lines are passed over, anything else that is no JSON ends the reading. */
export async function* readJsonLines(source: string | Readable): AsyncGenerator<unknown> {
  const input = typeof source === 'string' ? createReadStream(source) : source;
  input.setEncoding('utf8');
  let lineNumber = 0;
  let unfinished = '';
  for await (const chunk of input) {
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() as string;
    for (const line of lines) {
      yield* parseLine(line, ++lineNumber);
    }
  }
  yield* parseLine(unfinished, lineNumber + 1);
}

function* parseLine(line: string, lineNumber: number): Iterable<unknown> {
  if (line.trim() === '') {
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Error(`line ${lineNumber} is not JSON: ${line.slice(0, 200)}`, { cause });
  }
  yield value;
}

export async function writeJsonLines(file: string, values: Iterable<unknown>): Promise<void> {
  const lines = function* () {
    for (const value of values) {
      yield `${JSON.stringify(value)}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
}
