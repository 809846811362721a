/**
 * Loaded into every thread of the program by a test (`NODE_OPTIONS=--import …`): breaks one from inside, without a word of it in the
 * program. SABOTAGE says how:
 *   lane-once:/path    the first lane that gets this path dies of an uncaught error; the file SABOTAGE_MARK says that it happened
 *   lane-always:/path  every lane that gets it dies
 *   lane-late:/path    the first lane that gets it dies once there is a file SABOTAGE_MARK
 *   store:n            the store's thread ends at the n-th commit, before it is made
 *   store-takes:/path  the store cannot take a commit that settles a page which leads to this path: it throws, as text without end does
 *   main-takes:/path   the same while the commit is packed, in the main thread
 *   main-throws        the main thread throws where nobody catches it
 */
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

const [what, detail] = (process.env.SABOTAGE ?? '').split(/:(.*)/);
const isLane = !isMainThread && workerData?.setup !== undefined;
let commits = 0;

function die() {
  throw new Error('sabotage');
}

/** The letters of a message; src/base/worker-thread.ts writes them. */
function lettersOf({ letters }) {
  return letters.flatMap((name, i) => (i % 4 === 0 ? [{ name, text: letters[i + 2] }] : []));
}

function sabotageLane(mail) {
  const jobs = lettersOf(mail).flatMap(({ name, text }) => (name === 'take' ? JSON.parse(text).jobs : []));
  const mark = process.env.SABOTAGE_MARK;
  if (!jobs.some(({ lease }) => lease.url.endsWith(detail))) {
    return;
  }
  if (what === 'lane-late') {
    if (!existsSync(mark)) {
      setInterval(() => existsSync(mark) && die(), 1);
    }
  } else if (what === 'lane-always' || !existsSync(mark)) {
    writeFileSync(mark, 'done');
    process.nextTick(die);
  }
}

function sabotageStore(mail) {
  if (lettersOf(mail).some(({ name }) => name === 'commit') && ++commits >= Number(detail)) {
    process.exit(1);
  }
}

const sabotage = isLane && what?.startsWith('lane') ? sabotageLane : !isLane && what === 'store' ? sabotageStore : null;

/** What a commit is packed with. */
function choke(pack) {
  return (value, ...more) => {
    const isTransaction = typeof value === 'string' ? value.includes('"newUrls":') : value?.newUrls !== undefined;
    const text = isTransaction ? (typeof value === 'string' ? value : stringify(value)) : '';
    if (text.includes(`${detail}"`)) {
      throw new RangeError('Invalid string length');
    }
    return pack(value, ...more);
  };
}
const stringify = JSON.stringify;
if (what === 'main-takes' && isMainThread) {
  JSON.stringify = choke(JSON.stringify);
}
if (what === 'store-takes' && !isMainThread && !isLane) {
  JSON.parse = choke(JSON.parse);
}

if (what === 'main-throws' && isMainThread) {
  const waiting = setInterval(() => {
    // As soon as the program is there.
    if (process.listenerCount('SIGTERM') === 0) {
      return;
    }
    clearInterval(waiting);
    die();
  }, 1);
}

if (!isMainThread && parentPort !== null && sabotage !== null) {
  // In front of the thread's own listener; one beside it would start the port too early and swallow its first message.
  const on = parentPort.on.bind(parentPort);
  parentPort.on = (event, listener) =>
    on(event, (message) => {
      if (event === 'message') {
        sabotage(message);
      }
      listener(message);
    });
}
