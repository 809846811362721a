import { describe, expect, it } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import { Simulation } from '../sim/simulation.js';
import { plainHost, VirtualWeb } from '../sim/virtual-web.js';

describe('a survey', () => {
  it.each([
    [1_000, 1000],
    [3, 1000],
    [3, 0],
  ])(
    'asks each of 40 hosts for robots.txt once and for no page (room for %i hosts, delay %i)',
    async (room, delayMs) => {
      const web = new VirtualWeb();
      const hosts = Array.from({ length: 40 }, (_, n) => `h${n}.test`);
      for (const host of hosts) {
        web.add(host, plainHost());
      }
      const urls = hosts.flatMap((host) => [1, 2, 3].map((page) => `http://${host}/${page}`));
      const scheduler = { surveyOnly: true, readyHeapLimit: room };
      const simulation = new Simulation({ web, urls, scheduler, options: { delayMs } });
      const end = await simulation.run(3_600_000);
      expect(end).toMatchObject({ reason: 'surveyed', truncated: null, error: null });
      expect(simulation.log.map(({ kind }) => kind)).toEqual(hosts.map(() => UrlKind.robots));
      expect(new Set(simulation.log.map(({ host }) => host)).size).toBe(40);
      expect(simulation.counts.outstanding).toBe(120);
    },
  );
});
