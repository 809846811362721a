import { describe, expect, it, test } from 'vitest';
import { type Answer, type LeftBy, verdictOn as rule } from '../../src/check/ruling.js';
import { UrlState } from '../../src/store/url-state.js';

const ruleOn = (answer: Answer, leftBy: LeftBy = 'limit') => rule(answer, leftBy);

function answer(over: Partial<Answer>): Answer {
  return {
    state: UrlState.failed,
    reason: null,
    status: null,
    message: null,
    headers: {},
    title: null,
    first: null,
    wasDoubted: false,
    last: null,
    forbiddenByHost: 0,
    ...over,
  };
}

/** Two looks that saw the same. */
const twice = (look: Pick<Answer, 'reason' | 'status'> & Partial<Answer>): Answer =>
  answer({
    ...look,
    wasDoubted: true,
    first: { reason: look.reason, status: look.status, message: look.message ?? null },
  });

describe('two looks that agree', () => {
  test.each([
    ['http_4xx', 404, 'dead'],
    ['http_4xx', 410, 'dead'],
    ['http_4xx', 400, 'dead'],
    ['http_4xx', 408, 'timeout'],
    ['http_4xx', 425, 'unverifiable'],
    ['http_4xx', 451, 'unverifiable'],
    ['auth_required', 401, 'auth_required'],
    ['auth_required', 403, 'auth_required'],
    ['auth_required', 407, 'auth_required'],
    ['rate_limited', 429, 'rate_limited'],
    ['http_5xx', 500, 'server_error'],
    ['timeout', null, 'timeout'],
    ['too_slow', null, 'timeout'],
    ['connection_refused', null, 'connection'],
    ['connection_reset', null, 'connection'],
    ['tls', null, 'tls'],
    ['malformed_html', 200, 'malformed_html'],
    ['redirect_limit', 302, 'redirect_limit'],
    ['invalid_url', 302, 'invalid_url'],
    ['unknown', null, 'unverifiable'],
    ['too_large', 200, 'ok'],
  ])('%s %s is %s', (reason, status, verdict) => {
    expect(ruleOn(twice({ reason, status })).verdict).toBe(verdict);
  });

  it('of one class are the verdict, though the codes differ', () => {
    const ruling = ruleOn({
      ...twice({ reason: 'http_4xx', status: 410 }),
      first: { reason: 'http_4xx', status: 404, message: null },
    });
    expect(ruling.verdict).toBe('dead');
    const lost = ruleOn({
      ...twice({ reason: 'connection_reset', status: null }),
      first: { reason: 'connection_refused', status: null, message: null },
    });
    expect(lost.verdict).toBe('connection');
  });
});

it('looks that differ accuse nobody, and both are told', () => {
  const { verdict, why } = ruleOn(
    answer({
      reason: 'http_4xx',
      status: 404,
      wasDoubted: true,
      first: { reason: 'http_5xx', status: 503, message: null },
    }),
  );
  expect(verdict).toBe('unverifiable');
  expect(why).toBe('the looks differ: first 503, then 404');
});

it('one look that failed and one that did not is fine', () => {
  const { verdict, why } = ruleOn(
    answer({
      state: UrlState.done,
      status: 200,
      wasDoubted: true,
      first: { reason: 'http_4xx', status: 404, message: null },
    }),
  );
  expect(verdict).toBe('ok');
  expect(why).toBe('200, on the second look; before that 404');
});

it('without a second look nothing is accused', () => {
  const waiting = answer({
    state: UrlState.queued,
    wasDoubted: true,
    first: { reason: 'http_4xx', status: 404, message: null },
  });
  expect(ruleOn(waiting)).toEqual({ verdict: 'unverifiable', why: 'there was no time for a second look: 404' });
});

describe('a name that does not resolve', () => {
  test.each([
    ['x.test: there is no such name.', 'dns'],
    ['x.test: the name has no address.', 'dns'],
    ['x.test: the name servers did not answer in time.', 'unverifiable'],
    ['x.test: the name server failed.', 'unverifiable'],
    ['x.test: no name server can be reached.', 'unverifiable'],
  ])('%s', (message, verdict) => {
    expect(ruleOn(twice({ reason: 'dns', status: null, message })).verdict).toBe(verdict);
  });
});

it('a look that accuses nobody decides alone, and does not speak for the first', () => {
  const first = { reason: 'http_4xx', status: 404, message: null };
  const ruling = ruleOn({ ...twice({ reason: 'http_4xx', status: 451 }), first });
  expect(ruling).toEqual({ verdict: 'unverifiable', why: '451: withheld for legal reasons' });
});

describe('a wall against programs', () => {
  it('is known by its header, its page, or its refusing everything; each is named', () => {
    const refused = { reason: 'auth_required', status: 403 };
    expect(ruleOn(twice({ ...refused, headers: { 'cf-mitigated': 'challenge' } }))).toEqual({
      verdict: 'blocked',
      why: 'Cloudflare: header cf-mitigated: challenge, on both looks',
    });
    expect(ruleOn(twice({ reason: 'http_5xx', status: 503, title: 'Just a moment...' })).verdict).toBe('blocked');
    expect(ruleOn(twice({ ...refused, forbiddenByHost: 7 })).why).toMatch(/403 to each of 7 URLs/);
    expect(ruleOn(twice({ reason: 'http_4xx', status: 999 })).verdict).toBe('blocked');
  });

  it('is not seen in an answer that is no refusal', () => {
    expect(ruleOn(twice({ reason: 'http_4xx', status: 404, headers: { 'x-datadome': 'protected' } })).verdict).toBe(
      'dead',
    );
    expect(ruleOn(twice({ reason: 'http_5xx', status: 500, title: 'Just a moment...' })).verdict).toBe('server_error');
  });

  it.each([{ 'x-datadome': 'protected' }, { 'x-iinfo': '1-2' }, { 'x-sucuri-id': '1' }, { server: 'AkamaiGHost' }])(
    'that sends its name always has not refused where the site behind it is down: %o',
    (headers) => {
      expect(ruleOn(twice({ reason: 'http_5xx', status: 503, headers })).verdict).toBe('server_error');
      expect(ruleOn(twice({ reason: 'auth_required', status: 403, headers })).verdict).toBe('blocked');
    },
  );

  it('that says so has refused with 503 too', () => {
    const headers = { 'cf-mitigated': 'challenge' };
    expect(ruleOn(twice({ reason: 'http_5xx', status: 503, headers })).verdict).toBe('blocked');
    expect(ruleOn(twice({ reason: 'auth_required', status: 401, forbiddenByHost: 7 })).verdict).toBe('auth_required');
  });
});

describe('what was not asked for', () => {
  test.each([
    [{ state: UrlState.skipped, reason: 'robots', message: 'robots.txt line 2: Disallow: /' }, 'robots'],
    [{ state: UrlState.skipped, reason: 'limit' }, 'limit'],
    [{ state: UrlState.skipped, reason: 'trap' }, 'too_long'],
    [{ state: UrlState.skipped, reason: 'known' }, 'cache'],
    [{ state: UrlState.deferred, reason: 'retry_after' }, 'put_off'],
    [{ state: UrlState.deferred, reason: 'quarantine' }, 'put_off'],
    [{ state: UrlState.deferred, reason: 'robots_unreachable' }, 'robots_unreachable'],
    [{ state: UrlState.failed, reason: 'blocked_address' }, 'blocked_address'],
    [{ state: UrlState.queued, reason: null }, 'stop'],
    [{ state: UrlState.leased, reason: null }, 'stop'],
  ] as const)('%o is unchecked because of: %s', (over, cause) => {
    const ruling = ruleOn(answer(over), 'stop');
    expect(ruling).toMatchObject({ verdict: 'unchecked', unchecked: cause });
    expect(ruling.why).not.toBe('');
  });

  test.each(['scheme', 'scope', 'ignored', 'asset', 'nofollow'])('and was not to be (%s) is skipped', (reason) => {
    expect(ruleOn(answer({ state: UrlState.unlisted, reason }))).toMatchObject({ verdict: 'skipped' });
  });
});

describe('what was asked for and would have been asked again', () => {
  const last = { reason: 'rate_limited', status: 429, message: null };
  test.each([
    [{ state: UrlState.queued, reason: 'rate_limited' }, 'unverifiable'],
    [{ state: UrlState.skipped, reason: 'limit' }, 'unverifiable'],
    [{ state: UrlState.deferred, reason: 'backoff' }, 'unverifiable'],
    [{ state: UrlState.deferred, reason: 'retry_after' }, 'rate_limited'],
    [{ state: UrlState.skipped, reason: 'robots' }, 'unchecked'],
  ] as const)('%o is %s', (over, verdict) => {
    expect(ruleOn(answer({ ...over, last })).verdict).toBe(verdict);
  });

  test('is not said to be refused where its host refused another URL', () => {
    const silent = { reason: 'timeout', status: null, message: 'No headers came for 10000 ms.' };
    const put = answer({ state: UrlState.deferred, reason: 'retry_after', last: silent });
    expect(ruleOn(put).verdict).toBe('unverifiable');
  });
});
