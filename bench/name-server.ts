/** A name server in a thread of its own: every name is at 127.0.0.1, and every answer takes its time. */
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';

const HEADER_BYTES = 12;
const { answerAfterMs } = workerData as { answerAfterMs: number };

/** The question as it came, marked as answered, and one address for its name with a TTL of a minute. */
function answerTo(question: Buffer): Buffer {
  let end = HEADER_BYTES;
  while (question[end] !== 0) {
    end += question[end]! + 1;
  }
  const asked = question.subarray(0, end + 5);
  const address = Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  const answer = Buffer.concat([asked, address]);
  answer.writeUInt16BE(0x8180, 2);
  // One question, one answer, nothing else.
  answer.writeUInt16BE(1, 4);
  answer.writeUInt16BE(1, 6);
  answer.writeUInt32BE(0, 8);
  return answer;
}

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
socket.on('message', (question, { address, port }) => {
  setTimeout(() => socket.send(answerTo(question), port, address), answerAfterMs);
});
socket.bind(0, '127.0.0.1', () => parentPort!.postMessage(socket.address().port));
