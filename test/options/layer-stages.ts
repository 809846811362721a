import { expect } from 'vitest';
import { peakConcurrency } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { star } from '../web/plain.js';
import { html, linkPage, pathSite, type Site } from '../web/site.js';
import type { Seen } from './harness.js';
import { layer } from './questions.js';
import { crawlOf } from './stages.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The same site, but every answer takes its time: what is allowed at once is then seen at once. */
const slowed = (site: Site, afterMs: number): Site => ({
  async handle(request) {
    return { ...(await site.handle(request)), afterMs };
  },
});

const SIX = range(6).map((n) => `h${n}.test`);
/** Six hosts from the start, robots.txt first: how many are asked at once is up to the options alone. */
export const sixHosts = crawlOf({
  name: 'six slow hosts',
  seeds: SIX.map((host) => `http://${host}/`),
  args: ['--seeding-strategy', 'none'],
  sites: () => Object.fromEntries(SIX.map((host) => [host, slowed(star(2), 60)])),
});

export const oneHost = crawlOf({
  name: 'one slow host of 25 pages',
  seeds: ['http://one.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => ({ 'one.test': slowed(star(25), 250) }),
});

const manyLinks = (from: number, to: number): string =>
  linkPage(
    `From ${from}`,
    range(to - from).map((n) => `http://out.test/${from + n}`),
  );
/** So many ends of edges that a megabyte does not hold their keys: older ones go to disk, behind the filter. */
export const manyKeys = crawlOf({
  name: 'more keys than fit in memory',
  seeds: ['http://keys.test/'],
  args: ['--seeding-strategy', 'none', '--workers', '1'],
  sites: () => ({
    'keys.test': pathSite({
      '/': html(`${linkPage('Keys', ['/1'])}${manyLinks(0, 8000)}`),
      '/1': html(manyLinks(8000, 11_000)),
    }),
  }),
});
export const TINY = ['--seen-memory', '1MiB'];
export const LEAKY = [...TINY, '--fp-rate', '0.5', '--expected-urls', '1000'];
/** Of the URLs that are new, but might be on disk: the share for which the filter could not save a look. */
export function needlessLookUps(seen: Seen): number {
  const { peak: asked, peakWaiting: saved } = layer(seen, 'filter');
  return (asked - saved) / asked;
}

export const manyHosts = crawlOf({
  name: 'eleven hundred hosts',
  seeds: ['http://start.test/'],
  args: ['--scope', 'any', '--seeding-strategy', 'none', '--max-urls', '3'],
  sites: () => ({
    'start.test': pathSite({
      '/': html(
        linkPage(
          'Start',
          range(1100).map((n) => `http://x${n}.test/`),
        ),
      ),
    }),
  }),
});

const BODY = 60 * 1024;
const heavyPage = (n: number) => {
  const filler = Buffer.from(`<!doctype html><title>Heavy ${n}</title>${' '.repeat(BODY)}`);
  const size = filler.length / 12;
  return {
    headers: { 'content-type': 'text/html', 'content-length': String(filler.length) },
    pieces: (piece: number) => (piece < 12 ? filler.subarray(piece * size, (piece + 1) * size) : null),
    everyMs: 10,
    end: 'finish' as const,
  };
};
/** Eight big bodies that come in pieces, all at once. */
export const heavy = crawlOf({
  name: 'heavy bodies',
  seeds: ['http://heavy.test/'],
  args: ['--seeding-strategy', 'none', '--no-auto-tune', '--max-body', '128KiB'],
  sites: () => ({
    'heavy.test': pathSite({
      '/': html(
        linkPage(
          'Heavy',
          range(8).map((n) => `/${n}`),
        ),
      ),
      ...Object.fromEntries(range(8).map((n) => [`/${n}`, heavyPage(n)])),
    }),
  }),
});

/** Enough requests, a few at a time, that the lanes become threads; and hosts enough for all of them. */
export const busy = crawlOf({
  name: 'twelve hosts of 20 pages',
  seeds: range(12).map((n) => `http://b${n}.test/`),
  args: ['--seeding-strategy', 'none', '--no-auto-tune', '--workers', '24'],
  sites: () => Object.fromEntries(range(12).map((n) => [`b${n}.test`, slowed(star(20), 20)])),
});

/** Longer than a second, so that the governor looks. */
export const unhurried = crawlOf({
  name: 'a few pages, one every half second',
  seeds: ['http://slow.test/'],
  args: ['--seeding-strategy', 'none', '--delay', '500', '--verbose'],
  sites: () => ({ 'slow.test': star(4) }),
});
export const governed = (seen: Seen): boolean => seen.stderr.includes('governor: 1 in flight (memory');
/** More at once than one, as the server sees it. */
export const SEVERAL: unknown = expect.toSatisfy((count: number) => count > 1);

/** The most that were let out at once. Never fewer than the server has seen, and it may see fewer: a slow client spreads them. */
export function atOnce(seen: Seen, name: string, log: readonly LoggedRequest[]): number {
  // A check keeps no figures of its layers: then it is up to the server.
  if (seen.summary === null) {
    return peakConcurrency(log);
  }
  const { peak } = layer(seen, name);
  return peakConcurrency(log) <= peak ? peak : Number.NaN;
}
