import {
  hang,
  html,
  linkPage,
  pathSite,
  redirect,
  reset,
  type Site,
  type SiteAnswer,
  text,
  urlset,
  xml,
} from './site.js';
import type { WebInABox } from './web.js';

/** One way in which a host can answer for robots.txt, and what a crawler must make of it. */
export interface RobotsCase {
  readonly name: string;
  readonly host: string;
  /** 'unreachable': the host's pages must not be requested; they wait. */
  readonly expect: 'rules' | 'allow_all' | 'unreachable';
  /** Pages that must be requested, and pages that never may; all are linked from `/`. */
  readonly allowed: readonly string[];
  readonly disallowed: readonly string[];
  readonly crawlDelayMs?: number;
  /** As the Sitemap lines say. */
  readonly sitemaps?: readonly string[];
  /** Fresh for each call: some answers depend on how often robots.txt was asked for. */
  readonly makeSites: () => Record<string, Site>;
}

const RULES = 'User-agent: *\nDisallow: /closed\n';
const OPEN = ['/', '/open'];
const CLOSED = ['/closed'];
const ALL = [...OPEN, ...CLOSED];

/** A site whose pages always work; only robots.txt is special. */
function robotsSite(pages: readonly string[], robots: (ask: number, origin: string) => SiteAnswer, more = {}): Site {
  const fixed = pathSite({
    ...Object.fromEntries(pages.map((path) => [path, html(linkPage(`Page ${path}`, pages))])),
    ...more,
  });
  let asks = 0;
  return {
    handle: (request) => (request.path === '/robots.txt' ? robots(asks++, request.origin) : fixed.handle(request)),
  };
}

type Expectation = Pick<RobotsCase, 'expect' | 'allowed' | 'disallowed'>;
const obeyed: Expectation = { expect: 'rules', allowed: OPEN, disallowed: CLOSED };
const open: Expectation = { expect: 'allow_all', allowed: ALL, disallowed: [] };
const unreachable: Expectation = { expect: 'unreachable', allowed: [], disallowed: ALL };

function robotsCase(
  name: string,
  expectation: Expectation,
  robots: (ask: number, origin: string) => SiteAnswer,
  extra: Pick<RobotsCase, 'crawlDelayMs' | 'sitemaps'> = {},
): RobotsCase {
  const host = `${name}.robots.test`;
  const pages = [...expectation.allowed, ...expectation.disallowed];
  return { name, host, ...expectation, ...extra, makeSites: () => ({ [host]: robotsSite(pages, robots) }) };
}

/** robots.txt moves `hops` times before its rules come. */
function redirected(name: string, hops: number, expectation: Expectation): RobotsCase {
  const host = `${name}.robots.test`;
  const moves: Record<string, SiteAnswer> = { [`/moved/${hops}`]: text(RULES) };
  for (let hop = 1; hop < hops; hop++) {
    moves[`/moved/${hop}`] = redirect(`/moved/${hop + 1}`, 302);
  }
  return {
    name,
    host,
    ...expectation,
    makeSites: () => ({ [host]: robotsSite(ALL, () => redirect('/moved/1'), moves) }),
  };
}

function crossHost(): RobotsCase {
  const host = 'cross-host.robots.test';
  const other = 'keeper.robots.test';
  return {
    name: 'cross-host',
    host,
    ...obeyed,
    makeSites: () => ({
      [host]: robotsSite(ALL, () => redirect(`http://${other}/rules.txt`)),
      // The rules bind the host that was asked, not the one that keeps them.
      [other]: robotsSite(ALL, () => text(''), { '/rules.txt': text(RULES) }),
    }),
  };
}

function withSitemaps(): RobotsCase {
  const name = 'sitemaps';
  const host = `${name}.robots.test`;
  const maps = [`http://${host}/one.xml`, `http://${host}/two.xml`];
  // Not part of a group: the line stands in the middle of one, which goes on after it.
  const robots = `Sitemap: ${maps[0]}\nUser-agent: *\nsitemap:${maps[1]}\nDisallow: /closed\n`;
  const more = {
    '/one.xml': xml(urlset([`http://${host}/only-in-one`])),
    '/two.xml': xml(urlset([`http://${host}/only-in-two`, `http://${host}/closed`])),
    '/only-in-one': html(linkPage('Only in one', [])),
    '/only-in-two': html(linkPage('Only in two', [])),
  };
  const allowed = [...OPEN, '/only-in-one', '/only-in-two'];
  return {
    name,
    host,
    expect: 'rules',
    allowed,
    disallowed: CLOSED,
    sitemaps: maps,
    makeSites: () => ({ [host]: robotsSite(ALL, () => text(robots), more) }),
  };
}

const status = (code: number): SiteAnswer => text('Disallow: /\nUser-agent: *\nDisallow: /\n', code);
const delayed = (seconds: number): SiteAnswer => text(`User-agent: *\nCrawl-delay: ${seconds}\nDisallow: /closed\n`);

const WILDCARDS =
  'User-agent: *\nDisallow: /*.gif$\nDisallow: /shop/*/basket\nAllow: /shop/guest/basket\nDisallow: /tie\nAllow: /tie\n' +
  'Disallow: /caf%C3%A9\nDisallow: /a%7eb\nUser-agent: otherbot\nDisallow: /\nUser-Agent: *\nDisallow: /second-group\n';
const wildcard: Expectation = {
  expect: 'rules',
  allowed: ['/', '/a.gif?v=1', '/shop/guest/basket', '/shop/basket', '/tie', '/SHOP/x/basket'],
  disallowed: ['/a.gif', '/shop/x/basket', '/shop/x/y/basket/1', '/caf%C3%A9', '/a~b', '/second-group/x'],
};

/** The rule stands within the first 500 KiB, which must be read; the end of the file is beyond. */
function largeFile(): string {
  const comment = `# ${'x'.repeat(100)}\n`;
  return `User-agent: *\n${comment.repeat(Math.floor((480 * 1024) / comment.length))}Disallow: /closed\n${comment.repeat(
    Math.ceil((120 * 1024) / comment.length),
  )}`;
}

export const robotsCases: readonly RobotsCase[] = [
  robotsCase('rules', obeyed, () => text(RULES)),
  robotsCase('named-agent', obeyed, () =>
    text('User-agent: *\nDisallow: /\n\nUser-agent: otherbot\nUser-agent: GosSamer\nDisallow: /closed\n'),
  ),
  robotsCase('empty', open, () => text('')),
  redirected('redirect-1', 1, obeyed),
  redirected('redirect-5', 5, obeyed),
  // More than five hops may be given up as unavailable, or followed: /closed is neither asked for nor ruled out.
  redirected('redirect-6', 6, { expect: 'allow_all', allowed: OPEN, disallowed: [] }),
  crossHost(),
  ...[401, 403, 404, 410].map((code) => robotsCase(`status-${code}`, open, () => status(code))),
  ...[429, 500].map((code) => robotsCase(`status-${code}`, unreachable, () => status(code))),
  robotsCase('status-503-once', obeyed, (ask) => (ask === 0 ? status(503) : text(RULES))),
  robotsCase('silent', unreachable, () => hang),
  robotsCase('reset', unreachable, () => reset),
  robotsCase('large', obeyed, () => text(largeFile())),
  robotsCase('bom', obeyed, () => text(`\ufeff${RULES}`)),
  robotsCase('crlf', obeyed, () => text(RULES.replaceAll('\n', '\r\n'))),
  robotsCase('cr', obeyed, () => text(RULES.replaceAll('\n', '\r'))),
  robotsCase('html-body', open, () => html('<!doctype html><title>Welcome</title><p>Disallow is a word on this page.')),
  robotsCase('crawl-delay-1', obeyed, () => delayed(1), { crawlDelayMs: 1000 }),
  robotsCase('crawl-delay-5', obeyed, () => delayed(5), { crawlDelayMs: 5000 }),
  robotsCase('crawl-delay-120', obeyed, () => delayed(120), { crawlDelayMs: 120_000 }),
  withSitemaps(),
  robotsCase('wildcards', wildcard, () => text(WILDCARDS)),
];

/** A host whose robots.txt forbids /closed from the `asks`-th fetch on, and allows everything before. */
export function changingRobots(asks: number): Site {
  return robotsSite(ALL, (ask) => text(ask < asks ? 'User-agent: *\nAllow: /\n' : RULES));
}

export function installRobotsCases(web: WebInABox): void {
  for (const { makeSites } of robotsCases) {
    for (const [host, site] of Object.entries(makeSites())) {
      web.site(host, site);
    }
  }
}
