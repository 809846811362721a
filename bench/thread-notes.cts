/**
 * Loaded by Node before a measured program, in each of its threads, by NODE_OPTIONS: each writes a line that says who it is, since Linux
 * knows its number and its CPU time but not what it runs.
 */
import fs = require('node:fs');
import threads = require('node:worker_threads');

const file = process.env.BENCH_THREADS_FILE;
if (file !== undefined && fs.existsSync('/proc/thread-self')) {
  const tid = Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1));
  // Before the program's first line these are V8's helpers; libuv starts its own when it is first asked for something.
  const helpers = threads.isMainThread ? fs.readdirSync('/proc/self/task').map(Number) : [];
  // A worker learns the name of its program only after this file has run.
  process.nextTick(() => {
    const note = { pid: process.pid, tid, isMain: threads.isMainThread, program: process.argv[1] ?? '', helpers };
    fs.appendFileSync(file, `${JSON.stringify(note)}\n`);
  });
}
