/**
 * Loaded into every thread of the program by a test (`NODE_OPTIONS=--import …`): breaks one from inside, without a word of it in the
 * program. SABOTAGE says how:
 *   lane-once:/path    the first lane that gets this path dies of an uncaught error; the file SABOTAGE_MARK says that it happened
 *   lane-always:/path  every lane that gets it dies
 *   store:n            the store's thread ends at the n-th commit, before it is made
 */
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

const [what, detail] = (process.env.SABOTAGE ?? '').split(/:(.*)/);
const isLane = !isMainThread && workerData?.setup !== undefined;
let commits = 0;

function sabotageLane({ jobs }) {
  const isHit = jobs?.some(({ lease }) => lease.url.endsWith(detail));
  if (isHit && (what === 'lane-always' || !existsSync(process.env.SABOTAGE_MARK))) {
    writeFileSync(process.env.SABOTAGE_MARK, 'done');
    process.nextTick(() => {
      throw new Error('sabotage');
    });
  }
}

function sabotageStore({ method }) {
  if (method === 'commit' && ++commits >= Number(detail)) process.exit(1);
}

if (!isMainThread && parentPort !== null) {
  const isStore = !isLane;
  if (isLane && what?.startsWith('lane')) parentPort.on('message', sabotageLane);
  if (isStore && what === 'store') parentPort.on('message', sabotageStore);
}
