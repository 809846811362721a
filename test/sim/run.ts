/**
 * Hours of a crawl on demand: the real coordinator in virtual time, every step checked.
 *
 *   node dist/test/sim/run.js --hosts 10000 --delay 1000 --minutes 60 --seed 7
 */
import { parseArgs } from 'node:util';
import { manyHosts } from './many-hosts.js';
import { Simulation } from './simulation.js';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000' },
    delay: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '4096' },
  },
});
const [hosts, delayMs, minutes, seed, workers] = [
  values.hosts,
  values.delay,
  values.minutes,
  values.seed,
  values.workers,
].map(Number) as [number, number, number, number, number];

const startedAt = performance.now();
const simulation = new Simulation({
  ...manyHosts({ hosts, seed }),
  seed,
  options: { workers, robotsWorkers: 1024, delayMs, durationMs: minutes * 60_000 },
  keepLog: false,
});
const end = await simulation.run();
const seconds = (performance.now() - startedAt) / 1000;
const cpu = process.cpuUsage();
const cpuSeconds = (cpu.user + cpu.system) / 1e6;
const { queuedInMemory, queuedOnDisk, done } = simulation.counts;
console.log(
  `${hosts} hosts at ${delayMs} ms for ${minutes} virtual minutes: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of them on a core, ${end?.reason ?? 'not over'}`,
);
console.log(
  `${simulation.sent} requests (${(simulation.sent / seconds).toFixed(0)} a real second), ${done} pages, ${simulation.steps} steps checked`,
);
console.log(
  `${queuedInMemory} URLs wait in memory, ${queuedOnDisk} on disk; peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`,
);
console.log(`schedule ${simulation.scheduleHash}`);
