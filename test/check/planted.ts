import type { Verdict } from '../../src/check/report/result.js';
import {
  hang,
  html,
  linkPage,
  pathSite,
  redirect,
  reset,
  type SiteAnswer,
  type SiteRequest,
  text,
} from '../web/site.js';
import type { WebInABox } from '../web/web.js';

/** A link that the home page has, what its server answers, and what a check must say of it. */
export interface Plant {
  href: string;
  verdict: Verdict;
  fails: boolean;
  answer?: SiteAnswer | ((request: SiteRequest) => SiteAnswer);
  status?: number | null;
  why?: RegExp;
  finalUrl?: string;
  suggestion?: string | null;
}

export const SEED = 'http://site.test/';

/** Sites for all plants, by their hosts; `others` are paths that no plant names. */
export function plant(web: WebInABox, plants: readonly Plant[], others: Record<string, Plant['answer']> = {}): void {
  const sites = new Map<string, Parameters<typeof pathSite>[0]>();
  const put = (href: string, answer: NonNullable<Plant['answer']>): void => {
    const { hostname, pathname, search } = new URL(href, SEED);
    const site = sites.get(hostname) ?? {};
    site[pathname + search] = answer;
    sites.set(hostname, site);
  };
  for (const { href, answer } of plants) {
    if (answer !== undefined) {
      put(href, answer);
    }
  }
  for (const [href, answer] of Object.entries(others)) {
    put(href, answer!);
  }
  put(SEED, html(linkPage('Home', [...plants.map(({ href }) => href), ...LINKED_TOO])));
  for (const [host, answers] of sites) {
    web.site(host, pathSite(answers));
  }
}

/** Links of the home page that are no plants of their own: fine, and without an entry for their fragment. */
export const LINKED_TOO = ['/ok#there', '/ok#named', '/ok#', '/ok#top', '/ok#:~:text=spider', '/doc.md#second-part'];

export const OK_PAGE = '<!doctype html><title>Fine</title><h1 id="there">Fine</h1><a name="named"></a><p>A spider.</p>';
export const ok = html(OK_PAGE);
export const status = (code: number, body = `<!doctype html><title>${code}</title>`): SiteAnswer => html(body, code);
export const refusal = (code: number, headers: Record<string, string>): SiteAnswer => ({
  ...text('No.', code),
  headers: { 'content-type': 'text/plain', ...headers },
});

const inside = (
  path: string,
  verdict: Verdict,
  fails: boolean,
  answer?: Plant['answer'],
  more: Partial<Plant> = {},
) => ({
  href: path,
  verdict,
  fails,
  ...(answer === undefined ? {} : { answer }),
  ...more,
});

const raw = (head: string, body: string | Buffer, end: 'close' | 'open' = 'close'): SiteAnswer => ({
  raw: Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n${head}\r\n\r\n`),
    Buffer.from(body),
  ]),
  end,
  status: 200,
});

/** One after the other, the last one for ever. */
export function inTurn(...answers: SiteAnswer[]): NonNullable<Plant['answer']> {
  let asked = 0;
  return () => answers[Math.min(asked++, answers.length - 1)]!;
}

const byMethod =
  (head: SiteAnswer, get: SiteAnswer): NonNullable<Plant['answer']> =>
  ({ method }) =>
    method === 'HEAD' ? head : get;

const CHALLENGE = '<!doctype html><title>Just a moment...</title>';

export const REDIRECTS: Plant[] = [
  inside('/found', 'redirected', false, redirect('/ok', 302), {
    finalUrl: `${SEED}ok`,
    suggestion: null,
    why: /^temporary/,
  }),
  inside('/see-other', 'redirected', false, redirect('/ok', 303)),
  inside('/temporary', 'redirected', false, redirect('/ok', 307)),
  inside('/moved', 'moved', false, redirect('/ok', 301), { suggestion: `${SEED}ok`, why: /^permanent$/ }),
  inside('/moved-308', 'moved', false, redirect('/ok', 308), { suggestion: `${SEED}ok` }),
  inside('/chain', 'moved', false, redirect('/moved-308', 301), {
    suggestion: `${SEED}ok`,
    why: /chain of 2 redirects/,
  }),
  inside('/both', 'redirected', false, redirect('/found', 301), { suggestion: null, why: /permanent and temporary/ }),
  inside('/old-article', 'moved', false, redirect('/', 301), { suggestion: null, why: /home page/ }),
  inside('/to-nothing', 'dead', true, redirect('/nothing', 301), { status: 404, finalUrl: `${SEED}nothing` }),
  inside('/loop-a', 'redirect_loop', true, redirect('/loop-b', 302)),
  inside('/loop-b', 'redirect_loop', true, redirect('/loop-a', 302)),
  inside('/itself', 'redirect_loop', true, redirect('/itself', 301)),
  inside('/far', 'redirect_limit', true, redirect('/far-1', 302)),
  inside('/near', 'redirected', false, redirect('/near-1', 302)),
];
export const HOPS = Object.fromEntries([
  ...[1, 2, 3, 4, 5, 6, 7].map((n) => [`/far-${n}`, redirect(`/far-${n + 1}`, 302)] as const),
  ...[1, 2, 3].map((n) => [`/near-${n}`, redirect(n === 3 ? '/ok' : `/near-${n + 1}`, 302)] as const),
]);

export const STATUSES: Plant[] = [
  inside('/ok', 'ok', false, ok, { status: 200 }),
  inside('/no-content', 'ok', false, { status: 204 }),
  ...[400, 402, 404, 405, 406, 409, 410, 414, 418, 422, 431].map((code) =>
    inside(`/s${code}`, 'dead', true, status(code), { status: code, why: /on both looks/ }),
  ),
  ...[401, 403, 407].map((code) => inside(`/s${code}`, 'auth_required', false, status(code), { status: code })),
  inside('/s408', 'timeout', true, status(408), { status: 408 }),
  inside('/s425', 'unverifiable', false, status(425), { status: 425 }),
  inside('/s451', 'unverifiable', false, status(451), { status: 451 }),
  inside('/s500', 'server_error', true, status(500), { status: 500 }),
  { href: 'http://e500.test/x', verdict: 'server_error', fails: false, answer: status(502), status: 502 },
  { href: 'http://dead.test/x', verdict: 'dead', fails: true, answer: status(404), status: 404 },
  { href: 'http://gone.test/x', verdict: 'dead', fails: true, answer: status(410), status: 410 },
  { href: 'http://fine.test/x', verdict: 'ok', fails: false, answer: ok, status: 200 },
  {
    href: 'http://moved.test/x',
    verdict: 'moved',
    fails: false,
    answer: redirect('http://fine.test/y', 301),
    suggestion: 'http://fine.test/y',
  },
  { href: 'http://r429.site.test/x', verdict: 'rate_limited', fails: false, answer: refusal(429, {}), status: 429 },
];

export const WALLS: Plant[] = [
  inside('/cf', 'blocked', false, refusal(403, { 'cf-mitigated': 'challenge' }), { why: /cf-mitigated/ }),
  inside('/challenge', 'blocked', false, status(403, CHALLENGE), { why: /Just a moment/ }),
  {
    href: 'http://wall.test/x',
    verdict: 'blocked',
    fails: false,
    answer: status(503, CHALLENGE),
    why: /Just a moment/,
  },
  {
    href: 'http://waf.test/x',
    verdict: 'blocked',
    fails: false,
    answer: refusal(405, { 'x-amzn-waf-action': 'captcha' }),
    why: /x-amzn-waf-action/,
  },
  ...[1, 2, 3].map(
    (n): Plant => ({
      href: `http://forbids.test/${n}`,
      verdict: 'blocked',
      fails: false,
      answer: status(403),
      why: /403 to each of 3 URLs/,
    }),
  ),
  // Two are too few to say that a host forbids everything.
  ...[1, 2].map(
    (n): Plant => ({ href: `http://members.test/${n}`, verdict: 'auth_required', fails: false, answer: status(403) }),
  ),
  // Three that are forbidden and one that is not: no wall.
  ...[1, 2, 3].map(
    (n): Plant => ({ href: `http://partly.test/${n}`, verdict: 'auth_required', fails: false, answer: status(403) }),
  ),
  { href: 'http://partly.test/open', verdict: 'ok', fails: false, answer: ok },
  // Where what says that a page is gone has such a sign, it is gone all the same.
  {
    href: 'http://akamai.test/x',
    verdict: 'dead',
    fails: true,
    answer: refusal(404, { server: 'AkamaiGHost', 'cf-mitigated': 'challenge' }),
  },
  // The sign of a wall on a page that answers says nothing.
  {
    href: 'http://harmless.test/x',
    verdict: 'ok',
    fails: false,
    answer: { ...ok, headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' } },
  },
];

export const NETWORK: Plant[] = [
  { href: 'http://hang.site.test/x', verdict: 'timeout', fails: true, answer: hang, status: null },
  {
    href: 'http://stall.site.test/x',
    verdict: 'timeout',
    fails: true,
    answer: {
      headers: { 'content-type': 'text/html', 'content-length': '9999' },
      pieces: (n) => (n === 0 ? OK_PAGE : null),
      everyMs: 0,
      end: 'open',
    },
  },
  { href: 'http://hang.test/x', verdict: 'timeout', fails: false, answer: hang },
  { href: 'http://nobody.site.test/x', verdict: 'dns', fails: true, status: null },
  { href: 'http://nobody.test/x', verdict: 'dns', fails: true },
  { href: 'http://servfail.test/x', verdict: 'unverifiable', fails: false },
  { href: 'https://tls.site.test/x', verdict: 'tls', fails: true, status: null },
  { href: 'https://a.test/x', verdict: 'tls', fails: false },
  { href: 'http://refused.site.test/x', verdict: 'connection', fails: true, status: null },
  { href: 'http://refused.test/x', verdict: 'connection', fails: false },
  { href: 'http://reset.site.test/x', verdict: 'connection', fails: true, answer: reset },
  { href: 'http://reset.test/x', verdict: 'connection', fails: false, answer: reset },
];

export const BROKEN_PAGES: Plant[] = [
  inside('/truncated', 'connection', true, raw('Content-Length: 9999', OK_PAGE), { why: /ended early/ }),
  inside(
    '/no-text',
    'malformed_html',
    true,
    { headers: { 'content-type': 'text/html' }, body: '%PDF-1.7\n%\0' },
    { why: /no text/ },
  ),
];

export const FRAGMENTS: Plant[] = [
  inside('/ok#nowhere', 'missing_fragment', true, undefined, { status: 200 }),
  inside('/moved#nowhere', 'missing_fragment', true, undefined, { finalUrl: `${SEED}ok` }),
  inside('/doc.md', 'ok', false, {
    headers: { 'content-type': 'text/markdown; charset=utf-8' },
    body: '# First part\n\n## Second part\n',
  }),
  inside('/doc.md#third-part', 'missing_fragment', true),
  { href: 'http://manual.test/page', verdict: 'ok', fails: false, answer: ok },
  { href: 'http://manual.test/page#nowhere', verdict: 'missing_fragment', fails: true },
  // Its ids may come from a program in the browser.
  { href: 'http://app.test/page#made-later', verdict: 'unverifiable', fails: false },
  {
    href: 'http://app.test/page',
    verdict: 'ok',
    fails: false,
    answer: html('<!doctype html><title>App</title><div></div>'),
  },
];

export const NO_URLS: Plant[] = [
  { href: 'http://[not-an-address/', verdict: 'invalid_url', fails: true },
  { href: 'mailto:someone@site.test', verdict: 'skipped', fails: false },
  { href: 'tel:+123', verdict: 'skipped', fails: false },
];

export const DOUBTS: Plant[] = [
  { href: 'http://robots.test/private', verdict: 'unchecked', fails: false, answer: ok, why: /robots\.txt/ },
  { href: 'http://robots5xx.test/x', verdict: 'unchecked', fails: false, answer: ok, why: /robots\.txt/ },
  inside('/404-then-500', 'unverifiable', false, inTurn(status(404), status(500)), {
    why: /looks differ: first 404, then 500/,
  }),
  inside('/500-then-404', 'unverifiable', false, inTurn(status(500), status(404)), { why: /looks differ/ }),
  inside('/404-then-410', 'dead', true, inTurn(status(404), status(410))),
  inside('/404-then-fine', 'ok', false, inTurn(status(404), ok), { why: /before that 404/ }),
  inside('/500-then-fine', 'ok', false, inTurn(status(500), ok), { why: /before that 500/ }),
  { href: 'http://moody.test/x', verdict: 'ok', fails: false, answer: inTurn(reset, ok) },
];

export const SOFT_404S: Plant[] = [
  { href: 'http://soft.site.test/real', verdict: 'ok', fails: false },
  { href: 'http://soft.site.test/never-was', verdict: 'soft_404', fails: false, status: 200 },
];

export const HEADS: Plant[] = [
  ...[400, 403, 404, 405, 500, 501].map(
    (code): Plant => ({
      href: `http://head${code}.test/x`,
      verdict: 'ok',
      fails: false,
      answer: byMethod(status(code), ok),
    }),
  ),
  // A server that forgets its 404 with HEAD: the GET that confirms it tells.
  { href: 'http://headfine.test/x', verdict: 'dead', fails: true, answer: byMethod(ok, status(404)) },
];

export const PLANTS = [
  ...REDIRECTS,
  ...STATUSES,
  ...WALLS,
  ...NETWORK,
  ...BROKEN_PAGES,
  ...FRAGMENTS,
  ...NO_URLS,
  ...DOUBTS,
  ...SOFT_404S,
  ...HEADS,
];
