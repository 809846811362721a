import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MetricsFile, metricsPaths } from '../../src/watch/metrics-file.js';
import { eventfulMoment } from './live-fixture.js';

let folder: string;
let now: number;
let ring: (() => void) | null;
let requests: number;
const failures: string[] = [];
const clock = {
  now: () => now,
  wall: () => now,
  at: (at: number, fire: () => void) => {
    expect(at - now).toBe(60_000);
    ring = fire;
    return () => {
      ring = null;
    };
  },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-metrics-'));
  now = 0;
  ring = null;
  requests = 1;
  failures.length = 0;
});

afterEach(() => rmSync(folder, { recursive: true }));

const open = (path: string): MetricsFile =>
  new MetricsFile({
    ...{ path, intervalMs: 60_000, clock },
    live: () => eventfulMoment({ requests }),
    failed: ({ message }) => failures.push(message),
  });

/** When the file is written, the next time is set. */
async function armed(): Promise<() => void> {
  while (ring === null) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const fire = ring;
  ring = null;
  return fire;
}

it('is JSON, text or both, by its name', () => {
  expect(metricsPaths('/a/m.json')).toEqual(['/a/m.json']);
  expect(metricsPaths('/a/m.prom')).toEqual(['/a/m.prom']);
  expect(metricsPaths('/a.b/m')).toEqual(['/a.b/m.json', '/a.b/m.prom']);
});

it('is written at once, anew after each interval, and at the end; nothing else is left beside it', async () => {
  const path = join(folder, 'metrics');
  const file = open(path);
  const written = () => [
    JSON.parse(readFileSync(`${path}.json`, 'utf8')).requests,
    Number(/^gossamer_requests_total (\d+)$/m.exec(readFileSync(`${path}.prom`, 'utf8'))![1]),
  ];
  const first = await armed();
  expect(written()).toEqual([1, 1]);
  requests = 2;
  first();
  await armed();
  expect(written()).toEqual([2, 2]);
  requests = 3;
  await file.close();
  expect(written()).toEqual([3, 3]);
  expect(ring).toBeNull();
  expect(readdirSync(folder).sort()).toEqual(['metrics.json', 'metrics.prom']);
});

it('that cannot be written says so once, and the run goes on', async () => {
  const path = join(folder, 'none', 'metrics.prom');
  const file = open(path);
  (await armed())();
  await armed();
  await file.close();
  expect(failures).toHaveLength(1);
  expect(existsSync(path)).toBe(false);
});
