import { star } from '../web/plain.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer, text } from '../web/site.js';
import type { Row, Seen, Stage } from './harness.js';
import { askedPages, fateOf, timesAsked } from './questions.js';
import { crawlOf } from './stages.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const HTML = { 'content-type': 'text/html' };
const piecewise = (pieces: number, everyMs: number, piece = '<p>more</p>'): SiteAnswer => ({
  headers: HTML,
  pieces: (n) => (n === 0 ? '<!doctype html><title>Slow</title>' : n <= pieces ? piece : null),
  everyMs,
  end: 'finish',
});

/** One page that is difficult in one way, found from a home page that is not. */
const difficult = (name: string, answer: () => SiteAnswer, ...args: string[]): Stage =>
  crawlOf({
    name,
    seeds: ['http://hard.test/'],
    args: ['--seeding-strategy', 'none', ...args],
    sites: () => ({ 'hard.test': pathSite({ '/': html(linkPage('Home', ['/hard'])), '/hard': answer }) }),
  });
const fate = (seen: Seen) => fateOf(seen, 'http://hard.test/hard');

const flaky = crawlOf({
  name: 'a page that fails once',
  seeds: ['http://flaky.test/'],
  args: ['--seeding-strategy', 'none', '--workers', '1', '--max-backoff', '1s'],
  sites: () => {
    let asks = 0;
    return {
      'flaky.test': pathSite({
        '/': html(linkPage('Home', ['/once', '/other'])),
        '/once': () => (asks++ === 0 ? text('Sorry.', 500) : html(linkPage('Fine', []))),
        '/other': html(linkPage('Other', [])),
      }),
    };
  },
});

const chain = crawlOf({
  name: 'a chain of six redirects',
  seeds: ['http://chain.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => ({
    'chain.test': pathSite({
      '/': html(linkPage('Home', ['/0'])),
      ...Object.fromEntries(range(6).map((n) => [`/${n}`, redirect(`/${n + 1}`)])),
      '/6': html(linkPage('The end', [])),
    }),
  }),
});

const fourHosts = crawlOf({
  name: 'four hosts in turn',
  seeds: range(4).map((n) => `http://t${n}.test/`),
  args: ['--seeding-strategy', 'none', '--workers', '1', '--parse-workers', '1'],
  sites: () => Object.fromEntries(range(4).map((n) => [`t${n}.test`, star(4)])),
});
const connections = (seen: Seen): number => new Set(seen.log.map(({ connection }) => connection)).size;

/** Slow in waiting, not in working: they begin first. */
export const SLOW_FETCH_EVIDENCE: Row[] = [
  {
    key: 'minSpeedBytesPerSecond',
    stage: difficult('a body of 24 drops', () => piecewise(24, 500), '--timeout', '50s', '--retries', '0'),
    values: [[], ['--min-speed', '0']],
    sees: fate,
    gives: ['failed too_slow', 'done'],
  },
];

export const FETCH_EVIDENCE: Row[] = [
  {
    key: 'timeoutMs',
    stage: difficult(
      'a page that takes a second',
      () => ({ ...html(linkPage('Late', [])), afterMs: 1000 }),
      '--retries',
      '0',
    ),
    values: [[], ['--timeout', '200ms']],
    sees: fate,
    gives: ['done', 'failed timeout'],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxBodyBytes',
    stage: difficult('a page of 8 KiB', () => html(linkPage('Long', [], 'x'.repeat(8192)))),
    values: [[], ['--max-body', '4KiB']],
    sees: fate,
    gives: ['done', 'failed too_large'],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'retries',
    stage: flaky,
    values: [[], ['--retries', '0']],
    sees: (seen) => [timesAsked(seen, 'flaky.test/once'), fateOf(seen, 'http://flaky.test/once')],
    gives: [
      [2, 'done'],
      [1, 'failed http_5xx'],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'retryDelayMs',
    stage: flaky,
    // The host is left alone for a second after the failure. What comes then: the retry, or the page that waits beside it?
    values: [
      ['--retry-delay', '0'],
      ['--retry-delay', '4s'],
    ],
    sees: (seen) => askedPages(seen).map((url) => url.replace('flaky.test', '')),
    gives: [
      ['/', '/once', '/once', '/other'],
      ['/', '/once', '/other', '/once'],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxRedirects',
    stage: chain,
    values: [[], ['--max-redirects', '3'], ['--max-redirects', '0']],
    sees: (seen) => [timesAsked(seen, 'chain.test/6'), fateOf(seen, 'http://chain.test/0')],
    gives: [
      [1, 'done'],
      [0, 'failed redirect_limit'],
      [1, 'done'],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'idleTimeoutMs',
    stage: difficult('a body with a pause', () => piecewise(2, 800), '--retries', '0'),
    values: [[], ['--idle-timeout', '200ms']],
    sees: fate,
    gives: ['done', 'failed timeout'],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxSockets',
    stage: fourHosts,
    values: [[], ['--max-sockets', '1']],
    sees: (seen) => [connections(seen) <= 8, askedPages(seen).length],
    gives: [
      [true, 16],
      [false, 16],
    ],
    check: 'same',
    docs: 'same',
  },
];
