import { isMainThread } from 'node:worker_threads';

// Loaded into the program by a test: says at its end how much memory the process ever had.
if (isMainThread) {
  process.on('exit', () => process.stderr.write(`\npeak ${process.resourceUsage().maxRSS} KiB\n`));
}
