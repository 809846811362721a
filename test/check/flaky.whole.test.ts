import { describe, expect, it } from 'vitest';
import type { CheckedLink } from '../../src/check/report/result.js';
import { openWeb } from '../web/web.js';
import { check } from './checking.js';
import { FlakyWeb, HOME } from './flaky-web.js';

/** Three here; FLAKY_SEEDS=20 for more of them. */
const SEEDS = Array.from({ length: Number(process.env.FLAKY_SEEDS ?? 3) }, (_, i) => i + 1);
const HOSTS = 200;

/** So that a host which failed is asked again soon, and none is given up. */
const PATIENCE = [
  ...['--delay', '0', '--retry-delay', '100ms', '--max-backoff', '1s'],
  // What only this machine is too slow for is nobody's fault, and the server would not know of it.
  ...['--timeout', '2m', '--idle-timeout', '2m', '--connect-timeout', '2m', '--robots-timeout', '2m'],
  ...['--quarantine-after', '1000', '--no-auto-tune', '--max-inflight-per-host', '2'],
];

async function checkFlaky(seed: number) {
  const retries = seed % 3;
  const flaky = new FlakyWeb({ seed, hosts: HOSTS, linksPerHost: 5, flaky: 0.2, dead: 0.1, retries });
  const web = await openWeb({ keepLog: false });
  try {
    flaky.install(web);
    const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const checked = await check([HOME, ...PATIENCE, '--retries', String(retries), ...connectTo], { code: 1 });
    return { flaky, checked };
  } finally {
    await web.close();
  }
}

const counted = (links: readonly Pick<CheckedLink, 'verdict'>[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { verdict } of links) {
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
};

describe.concurrent('1,000 links on 200 hosts that fail one request in five', () => {
  it.each(SEEDS)('seed %i: every verdict is what the answers make it, and no link that works is dead', async (seed) => {
    const { flaky, checked } = await checkFlaky(seed);
    const wrong: string[] = [];
    for (const url of flaky.urls) {
      const said = checked.byUrl.get(url);
      const verdict = flaky.verdictOn(url);
      if (said?.verdict !== verdict) {
        wrong.push(`${url}: ${said?.verdict} and not ${verdict}: ${said?.evidence.why}`);
      }
      if (!flaky.wasAsked(url) && !flaky.wasKeptOff(url)) {
        wrong.push(`${url} was not asked for`);
      }
      if (said?.verdict === 'dead' && !flaky.isDead(url)) {
        wrong.push(`${url} works and is called dead`);
      }
    }
    if (process.env.FLAKY_SEEDS !== undefined) {
      const figures = {
        requests: flaky.requests,
        ...counted(checked.links),
        ms: Math.round(checked.summary.durationMs),
      };
      console.log(`seed ${seed}: ${JSON.stringify(figures)}`);
    }
    expect(wrong).toEqual([]);
    expect(checked.links).toHaveLength(flaky.urls.length + 1);
    // The web was as flaky as it was meant to be, and most of what is dead was found.
    expect(flaky.failures('server_error') + flaky.failures('connection')).toBeGreaterThan(flaky.requests * 0.15);
    const dead = flaky.urls.filter((url) => flaky.isDead(url));
    expect(dead.length).toBeGreaterThan(60);
    expect(dead.filter((url) => checked.byUrl.get(url)!.verdict === 'dead').length).toBeGreaterThan(dead.length * 0.5);
    expect(dead.filter((url) => checked.byUrl.get(url)!.verdict === 'ok')).toEqual([]);
  });
});
