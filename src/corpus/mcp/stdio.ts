import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { jsonLine } from '../../report/json-line.js';
import { nameCorpora } from './corpora.js';
import { ERROR, RpcError, refusal } from './json-rpc.js';
import { messageLines, TOO_LONG } from './message-lines.js';
import { McpServer } from './server.js';

/** A call is a few hundred bytes. */
const LONGEST_MESSAGE = 1024 * 1024;

/** Answers calls from `input`, one a line, until it ends. Nothing but messages goes to `output`, each on one line whatever a page says. */
export async function serveMcp(
  dirs: readonly string[],
  version: string,
  input: AsyncIterable<Uint8Array>,
  output: Writable,
): Promise<void> {
  const server = new McpServer(await nameCorpora(dirs), version);
  const tooLong = refusal(null, new RpcError(ERROR.invalidRequest, `a message has at most ${LONGEST_MESSAGE} bytes`));
  // A client that is gone reads no more; its end of the input is then over too.
  output.on('error', () => {});
  for await (const line of messageLines(input, LONGEST_MESSAGE)) {
    if (output.destroyed) return;
    const message = line === TOO_LONG ? tooLong : await server.handle(line);
    if (message !== null && !output.write(jsonLine(message)))
      await Promise.race([once(output, 'drain'), once(output, 'close')]).catch(() => {});
  }
}
