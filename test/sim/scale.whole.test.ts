import { describe, expect, test } from 'vitest';
import { manyHosts } from './many-hosts.js';
import { Simulation } from './simulation.js';

function simulate(hosts: number, seed: number, seconds: number, trouble = 0): Simulation {
  return new Simulation({
    ...manyHosts({ hosts, seed, trouble }),
    seed,
    options: { workers: 4096, robotsWorkers: 1024, delayMs: 1000, durationMs: seconds * 1000 },
    keepLog: false,
  });
}

describe('many hosts in virtual time', () => {
  test('10,000 hosts at 1 s delay get 95 % of what their delays allow in 20 s, and no rule is ever broken', {
    timeout: 600_000,
  }, async () => {
    const simulation = simulate(10_000, 7, 20);
    const end = await simulation.run();
    expect(end?.reason).toBe('duration');
    // Longer would be easier: the start, where robots.txt comes first, weighs less.
    // A request takes 100 ms to its headers on average: Σ 1 / (delay + time to headers).
    expect(simulation.sent).toBeGreaterThan((0.95 * 10_000 * 20) / 1.1);
  });

  test('the same seed gives the same schedule, another seed another one', async () => {
    const hashes = [];
    for (const seed of [7, 7, 8]) {
      const simulation = simulate(300, seed, 20, 0.05);
      await simulation.run();
      hashes.push(simulation.scheduleHash);
    }
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });
});
