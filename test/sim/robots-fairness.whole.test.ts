import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import { Simulation } from './simulation.js';
import { plainHost, type VirtualHost, VirtualWeb } from './virtual-web.js';

const SECOND = 1_000;
const SILENT = 600;
const QUICK = 60;

/** Takes the connection and never answers. */
const silent: VirtualHost = () => ({
  ...{ headersMs: null, endMs: 10 * SECOND, errorClass: 'timeout', robots: { standing: 'unreachable' } },
});

const names = (count: number, nameOf: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => nameOf(n));
const quickNames = names(QUICK, (n) => `quick${n}.test`);

function silentAndQuick(
  nameOf: (n: number) => string,
  addressOf: (n: number) => string,
  options: { robotsWorkers?: number; workers?: number } = {},
): Simulation {
  const web = new VirtualWeb();
  const silentNames = names(SILENT, nameOf);
  silentNames.forEach((name, n) => {
    web.add(name, silent, addressOf(n));
  });
  for (const name of quickNames) {
    web.add(name, plainHost({ headersMs: [20, 80] }));
  }
  return new Simulation({
    web,
    // Whoever is silent comes first.
    urls: [...silentNames, ...quickNames].map((name) => `http://${name}/`),
    options: { delayMs: 0, ...options },
  });
}

const isQuick = ({ host }: { host: string }) => host.startsWith('quick');
const lastQuickPage = ({ log }: Simulation): number =>
  Math.max(...log.filter((sent) => isQuick(sent) && sent.kind === UrlKind.page).map(({ at }) => at));

describe('600 names that take a connection and never answer', () => {
  test.each([
    ['of one domain', (n: number) => `s${n}.silent.test`, (n: number) => `10.0.${n >> 8}.${n & 255}`],
    ['on one address', (n: number) => `silent${n}.test`, () => '10.0.0.1'],
    ['of one domain and on one address', (n: number) => `s${n}.silent.test`, () => '10.0.0.1'],
  ])('%s hold up nobody else, and are asked three times each', async (_name, nameOf, addressOf) => {
    const simulation = silentAndQuick(nameOf, addressOf);
    const end = await simulation.run(3_600 * SECOND);
    expect(end?.reason).toBe('complete_with_deferred');
    expect(simulation.counts).toMatchObject({ done: QUICK, deferred: SILENT, robotsInFlight: 0, robotsWaiting: 0 });
    expect(lastQuickPage(simulation)).toBeLessThan(2 * SECOND);
    const asked = simulation.log.filter((sent) => !isQuick(sent));
    expect(asked).toHaveLength(3 * SILENT);
    // Half of the places may wait for them.
    expect(simulation.clock.elapsedMs).toBeLessThan(((3 * SILENT) / 32) * 10 * SECOND * 1.2);
  });

  test('lose their turn: none is asked a second time before all others were asked once', async () => {
    const simulation = silentAndQuick(
      (n) => `silent${n}.test`,
      (n) => `10.0.${n >> 8}.${n & 255}`,
    );
    await simulation.run(3_600 * SECOND);
    const robots = simulation.log.filter(({ kind }) => kind === UrlKind.robots);
    const times = (isAgain: boolean) => robots.flatMap(({ attempt, at }) => (attempt > 1 === isAgain ? [at] : []));
    expect(times(false)).toHaveLength(SILENT + QUICK);
    expect(Math.max(...times(false))).toBeLessThanOrEqual(Math.min(...times(true)));
  });

  test('leave a place for others also where there are only two', async () => {
    const simulation = silentAndQuick(
      (n) => `s${n}.silent.test`,
      () => '10.0.0.1',
      { robotsWorkers: 2 },
    );
    await simulation.run(60 * SECOND);
    expect(lastQuickPage(simulation)).toBeLessThan(5 * SECOND);
  });
});

describe('600 names of one domain on one address that answer', () => {
  test('use nearly all places', async () => {
    const web = new VirtualWeb();
    const all = names(600, (n) => `h${n}.many.test`);
    for (const name of all) {
      web.add(name, plainHost({ headersMs: [50, 50] }), '10.0.0.1');
    }
    const simulation = new Simulation({ web, urls: all.map((name) => `http://${name}/`), options: { delayMs: 0 } });
    await simulation.run();
    const robots = simulation.log.filter(({ kind }) => kind === UrlKind.robots);
    expect(robots).toHaveLength(600);
    expect(simulation.frontier.peaks.robotsInFlight).toBeGreaterThanOrEqual(48);
    // 600 in turns of 48, each of 50 ms.
    expect(robots.at(-1)!.at).toBeLessThan(1_000);
  });
});
