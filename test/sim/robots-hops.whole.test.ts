import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import { Simulation } from './simulation.js';
import { ALLOWED, type Reply, type VirtualHost, VirtualWeb } from './virtual-web.js';

const HOSTS = 12;
const nameOf = (n: number) => `h${n % HOSTS}.test`;

/** robots.txt of each host moved twice; all requests for it are noted. */
function movedRobots(requests: { from: number; to: number }[]): VirtualWeb {
  const web = new VirtualWeb();
  for (let n = 0; n < HOSTS; n++) {
    const host: VirtualHost = ({ kind, path, at }) => {
      const reply: Reply = { headersMs: 40, endMs: 40, status: 200 };
      if (kind !== UrlKind.robots) {
        return reply;
      }
      requests.push({ from: at, to: at + 40 });
      if (path === '/robots.txt') {
        return { ...reply, status: 301, redirect: `http://${nameOf(n)}/moved` };
      }
      if (path === '/moved') {
        return { ...reply, status: 301, redirect: `http://${nameOf(n)}/here` };
      }
      return { ...reply, robots: ALLOWED };
    };
    web.add(nameOf(n), host);
  }
  return web;
}

describe('robots.txt that moved', () => {
  test.each([1, 3])('is asked for within --robots-workers %i, each hop of it too', async (robotsWorkers) => {
    const requests: { from: number; to: number }[] = [];
    const simulation = new Simulation({
      web: movedRobots(requests),
      urls: Array.from({ length: 3 * HOSTS }, (_, n) => `http://${nameOf(n)}/p${n}`),
      options: { robotsWorkers, delayMs: 0 },
    });
    const end = await simulation.run(600_000);
    expect(end?.reason).toBe('complete');
    expect(simulation.counts.done).toBe(3 * HOSTS);
    expect(requests).toHaveLength(3 * HOSTS);
    const atOnce = requests.map(({ from }) => requests.filter((other) => other.from <= from && from < other.to).length);
    expect(Math.max(...atOnce)).toBe(robotsWorkers);
    expect(simulation.frontier.peaks.robotsInFlight).toBe(robotsWorkers);
    expect(simulation.counts).toMatchObject({ robotsInFlight: 0, robotsWaiting: 0 });
  });

  test('holds up no place when a lane dies with it', async () => {
    const requests: { from: number; to: number }[] = [];
    const simulation = new Simulation({
      web: movedRobots(requests),
      urls: Array.from({ length: HOSTS }, (_, n) => `http://${nameOf(n)}/p${n}`),
      lanes: 3,
      options: { robotsWorkers: 1, delayMs: 0 },
    });
    for (const [n, elapsedMs] of [60, 110, 250, 310].entries()) {
      simulation.after(elapsedMs, () => simulation.killLane(1 + (n % 3)));
    }
    const end = await simulation.run(600_000);
    expect(end?.reason).toBe('complete');
    expect(simulation.counts).toMatchObject({ done: HOSTS, robotsInFlight: 0 });
  });
});
