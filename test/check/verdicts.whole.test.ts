import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedLink } from '../../src/check/report/result.js';
import { closedPort } from '../crawl/support.js';
import { peakConcurrency, urlOf } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { html, notFound, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, type Closing, check, HASTY, nameOf, tlsFront, unknowingNames } from './checking.js';
import {
  BROKEN_PAGES,
  DOUBTS,
  FRAGMENTS,
  HEADS,
  HOPS,
  NETWORK,
  NO_URLS,
  OK_PAGE,
  ok,
  PLANTS,
  type Plant,
  plant,
  REDIRECTS,
  SEED,
  SOFT_404S,
  STATUSES,
  status,
  WALLS,
} from './planted.js';

const UNKNOWN_NAMES = new Set(['nobody.site.test', 'nobody.test', 'servfail.test']);

describe('a web with faults of every kind', () => {
  const closing: Closing[] = [];
  let web: WebInABox;
  let checked: Checked;
  let questions: string[];

  beforeAll(async () => {
    web = await openWeb();
    plant(web, PLANTS, {
      ...HOPS,
      '/nothing': status(404),
      'http://fine.test/y': ok,
      'http://robots.test/robots.txt': text('User-agent: *\nDisallow: /private\n'),
      'http://robots5xx.test/robots.txt': status(500),
    });
    web.site('soft.site.test', {
      handle: ({ path }) =>
        path === '/robots.txt' || path.includes('sitemap')
          ? notFound
          : html(path === '/real' ? OK_PAGE : '<!doctype html><title>Page not found</title><p>Sorry.'),
    });
    const tls = await tlsFront(web.port);
    const names = await unknowingNames();
    questions = names.questions;
    closing.push(tls, names);
    const closed = await closedPort();
    const hosts = new Set(PLANTS.flatMap(({ href }) => hostOf(href)));
    const connectTo = [...hosts].flatMap((host) => [
      ...['--connect-to', `${host}:80:127.0.0.1:${host.startsWith('refused') ? closed : web.port}`],
      ...['--connect-to', `${host}:443:127.0.0.1:${tls.port}`],
    ]);
    const times = ['--timeout', '4s', '--idle-timeout', '4s'];
    checked = await check(
      [SEED, ...HASTY, ...times, '--max-redirects', '5', '--resolver', names.address, ...connectTo],
      { code: 1 },
    );
  });

  afterAll(async () => {
    for (const each of closing) {
      each.close();
    }
    await web.close();
  });

  const families: [string, Plant[]][] = [
    ['redirects, by whether they last and where they end', REDIRECTS],
    ['statuses: what is dead, and what is not', STATUSES],
    ['walls against programs, by a sign that is named', WALLS],
    ['names, connections, certificates and time', NETWORK],
    ['pages that are cut off, undecodable or no HTML', BROKEN_PAGES],
    ['fragments, also elsewhere, in Markdown and through redirects', FRAGMENTS],
    ['what is no URL of the web', NO_URLS],
    ['doubts: robots.txt, looks that differ, a second look that is fine', DOUBTS],
    ['pages that are there by their status only', SOFT_404S],
    ['HEAD that is refused or wrong', HEADS],
  ];

  it.each(families)('%s', (_name, plants) => {
    const said = plants.map((each) => [each.href, seen(each, checked)]);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(plants.map((each) => [each.href, opinion(each)])));
  });

  it('speaks of no link besides, and counts what it says', () => {
    const planted = new Set(PLANTS.map(({ href }) => absolute(href)));
    expect(checked.links.map(nameOf).filter((name) => !planted.has(name))).toEqual([SEED]);
    expect(checked.summary.links).toBe(PLANTS.length + 1);
    expect(checked.summary.failing).toBe(PLANTS.filter(({ fails }) => fails).length);
  });

  it('says where each stands', () => {
    const dead = checked.byUrl.get(`${SEED}s404`)!;
    expect(dead.sources).toMatchObject([{ page: SEED, kind: 'a', href: '/s404', text: '/s404' }]);
    const { line, column } = dead.sources[0]!;
    const lines = PLANTS.findIndex(({ href }) => href === '/s404');
    expect([line, column]).toEqual([6 + lines, 5]);
  });

  it('keeps each look as evidence', () => {
    expect(looksAt(checked.byUrl.get(`${SEED}404-then-500`)!)).toEqual(['404 http_4xx', '500 http_5xx']);
    expect(looksAt(checked.byUrl.get(`${SEED}500-then-fine`)!)).toEqual(['500 http_5xx', '200 null']);
    expect(looksAt(checked.byUrl.get('http://dead.test/x')!)).toEqual(['404 null', '404 http_4xx', '404 http_4xx']);
  });

  describe('the second look', () => {
    /** By URL: the request of the second look is the last one, the first look's are those before it. */
    function looks(plants: readonly Plant[]): { first: LoggedRequest[]; second: LoggedRequest[] } {
      const all = plants.map(({ href }) => web.log.filter((each) => urlOf(each) === absolute(href)));
      return { first: all.flatMap((each) => each.slice(0, -1)), second: all.map((each) => each.at(-1)!) };
    }
    const failing = PLANTS.filter(
      ({ verdict, answer, href }) =>
        answer !== undefined &&
        !href.startsWith('http://robots') &&
        ['dead', 'server_error', 'timeout', 'malformed_html', 'auth_required', 'blocked', 'rate_limited'].includes(
          verdict,
        ) &&
        href !== '/to-nothing',
    );

    it('is a GET at least 5 s after the first try', () => {
      const { first, second } = looks(failing);
      expect(second.length).toBeGreaterThan(30);
      expect(new Set(second.map(({ method }) => method))).toEqual(new Set(['GET']));
      for (const request of second) {
        const before = first.filter((each) => urlOf(each) === urlOf(request));
        expect(before.length, urlOf(request)).toBeGreaterThan(0);
        expect(request.at - before.at(-1)!.at, urlOf(request)).toBeGreaterThanOrEqual(5_000);
      }
    });

    it('comes once, over new connections, one request of a host at a time', () => {
      const { first, second } = looks(failing);
      for (const { href, verdict } of failing) {
        const asked = web.log.filter((each) => urlOf(each) === absolute(href));
        const isInside = new URL(absolute(href)).hostname.endsWith('site.test');
        // Elsewhere it is HEAD, then the first byte, unless HEAD was not answered at all.
        expect(asked.length, href).toBe(isInside || verdict === 'timeout' ? 2 : 3);
      }
      const old = new Set(first.map(({ connection }) => connection));
      expect(second.filter(({ connection }) => old.has(connection))).toEqual([]);
      const from = Math.min(...second.map(({ at }) => at));
      const late = web.log.filter(({ at }) => at >= from);
      for (const host of new Set(late.map(({ host }) => host))) {
        expect(peakConcurrency(late, host), host).toBe(1);
      }
    });

    it('takes the first 64 KiB of what is only checked', () => {
      const elsewhere = looks(failing).second.filter(({ host }) => !host.endsWith('site.test'));
      expect(new Set(elsewhere.map(({ headers }) => headers.range))).toEqual(new Set(['bytes=0-65535']));
    });

    it('asks for names anew', () => {
      const asked = questions.filter((name) => name === 'nobody.test').length;
      expect(asked).toBeGreaterThanOrEqual(2);
    });
  });
});

const absolute = (href: string): string => (URL.canParse(href, SEED) ? new URL(href, SEED).href : href);

function hostOf(href: string): string[] {
  if (!URL.canParse(href, SEED)) {
    return [];
  }
  const { hostname } = new URL(href, SEED);
  return hostname === '' || UNKNOWN_NAMES.has(hostname) ? [] : [hostname];
}

const looksAt = ({ evidence }: CheckedLink): string[] =>
  evidence.looks.map(({ status, error }) => `${status} ${error}`);

function opinion(each: Plant): object {
  const { href: _, answer: _answer, why: _why, ...rest } = each;
  return rest;
}

/** Of what a check says that which the plant has an opinion on. */
function seen(each: Plant, { byUrl }: Checked): object {
  const link = byUrl.get(absolute(each.href));
  if (link === undefined) {
    return { missing: true };
  }
  const { verdict, fails, evidence } = link;
  return {
    verdict,
    fails,
    ...(each.why === undefined || each.why.test(evidence.why) ? {} : { why: evidence.why }),
    ...('status' in each ? { status: link.status } : {}),
    ...('finalUrl' in each ? { finalUrl: link.finalUrl } : {}),
    ...('suggestion' in each ? { suggestion: link.suggestion } : {}),
  };
}
