import { describe, expect, it } from 'vitest';
import { ERROR_CLASSES, type ErrorClass } from '../../src/base/errors.js';
import { failure, type Outcome } from '../../src/frontier/outcome.js';
import { classOfStatus, judge } from '../../src/frontier/verdict.js';
import { UrlFlag, UrlKind, UrlState } from '../../src/store/url-state.js';

const RULES = { retries: 2, retryDelayMs: 1_000, maxRetryDelayMs: 30_000 };
const outcome = (fields: Partial<Outcome>): Outcome => ({ ...failure({ id: 1 }, 0, null, null), ...fields });

const asked = (attempts: number, flags: number, kind: UrlKind = UrlKind.page) => ({
  url: 'http://a.test/x',
  kind,
  attempts,
  flags,
});

describe('what becomes of a page after one request', () => {
  it.each([
    [200, null],
    [304, null],
    [401, 'auth_required'],
    [403, 'auth_required'],
    [407, 'auth_required'],
    [404, 'http_4xx'],
    [429, 'rate_limited'],
    [500, 'http_5xx'],
    [599, 'http_5xx'],
  ])('status %i has the class %s', (status, errorClass) => {
    expect(classOfStatus(status)).toBe(errorClass);
  });

  it('is done with an answer below 400, skipped where robots.txt forbids it, failed where nothing came', () => {
    expect(judge(outcome({ status: 204 }), asked(1, 0), RULES)).toEqual({ state: UrlState.done, reason: null });
    expect(judge(outcome({ unsent: 'robots' }), asked(1, 0), RULES)).toEqual({
      state: UrlState.skipped,
      reason: 'robots',
    });
    expect(judge(outcome({}), asked(1, 0), RULES)).toEqual({ state: UrlState.failed, reason: 'unknown' });
  });

  it('is tried again after transient failures only, later each time, and not for ever', () => {
    const transient = new Set<ErrorClass>([
      'timeout',
      'connection_refused',
      'connection_reset',
      'too_slow',
      'http_5xx',
      'rate_limited',
    ]);
    for (const errorClass of ERROR_CLASSES) {
      const verdicts = [1, 2, 3].map((attempt) => judge(outcome({ errorClass }), asked(attempt, 0), RULES));
      const failed = { state: UrlState.failed, reason: errorClass };
      const retry = (afterMs: number) => ({ state: 'retry', afterMs, flags: 0, reason: errorClass });
      expect(verdicts).toEqual(
        transient.has(errorClass) ? [retry(1_000), retry(2_000), failed] : [failed, failed, failed],
      );
    }
  });

  it('waits no longer than the longest pause', () => {
    expect(judge(outcome({ status: 500 }), asked(8, 0), { ...RULES, retries: 10 })).toMatchObject({ afterMs: 30_000 });
  });

  it.each([
    ['ranged' as const, UrlFlag.rangedGet],
    ['whole' as const, UrlFlag.wholeGet],
  ])('asks again at once (%s) where HEAD left it open, and that is no attempt of its own', (askAgain, flag) => {
    expect(judge(outcome({ status: 405, askAgain }), asked(1, UrlFlag.external), RULES)).toEqual({
      ...{ state: 'retry', afterMs: 0, flags: UrlFlag.external | flag, reason: null },
    });
    expect(judge(outcome({ status: 503 }), asked(2, flag), RULES)).toMatchObject({ state: 'retry', afterMs: 1_000 });
    expect(judge(outcome({ status: 503 }), asked(4, flag), RULES)).toEqual({
      state: UrlState.failed,
      reason: 'http_5xx',
    });
  });

  describe('where there is a second look', () => {
    const secondLook = {
      afterMs: (_url: string, reason: string, status: number | null) =>
        status === 451 || reason === 'internal' ? null : 5_000,
      isAccepted: (_url: string, status: number | null) => status === 503,
    };
    const rules = { ...RULES, secondLook };
    const again = (reason: string, flags: number = UrlFlag.secondLook) => ({
      ...{ state: 'retry', afterMs: 5_000, flags, reason, look: 1 },
    });

    it('begins it instead of a retry, by a GET, and never a third', () => {
      expect(judge(outcome({ status: 404 }), asked(1, 0), rules)).toEqual(again('http_4xx'));
      expect(judge(outcome({ status: 500 }), asked(1, UrlFlag.external), rules)).toEqual(
        again('http_5xx', UrlFlag.external | UrlFlag.secondLook),
      );
      expect(judge(outcome({ status: 500 }), asked(2, UrlFlag.secondLook), rules)).toMatchObject({
        ...{ state: 'retry', afterMs: 1_000 },
      });
      expect(judge(outcome({ status: 500 }), asked(4, UrlFlag.secondLook), rules)).toMatchObject({
        state: UrlState.failed,
      });
      expect(judge(outcome({ status: 404 }), asked(2, UrlFlag.rangedGet), rules)).toEqual(again('http_4xx'));
      const failed = { state: UrlState.failed, reason: 'http_4xx' };
      expect(judge(outcome({ status: 404 }), asked(2, UrlFlag.secondLook), rules)).toEqual(failed);
    });

    it('is the retry of what takes long: two time-outs in all', () => {
      for (const errorClass of ['timeout', 'too_slow'] as const) {
        expect(judge(outcome({ errorClass }), asked(1, 0), rules)).toEqual(again(errorClass));
        const failed = { state: UrlState.failed, reason: errorClass };
        expect(judge(outcome({ errorClass }), asked(2, UrlFlag.secondLook), rules)).toEqual(failed);
      }
    });

    it('tries no answer again that the user accepts', () => {
      expect(judge(outcome({ status: 503 }), asked(1, UrlFlag.secondLook), rules)).toMatchObject({
        state: UrlState.failed,
      });
    });

    it('looks twice at a sitemap that somebody names, and not at a guess', () => {
      expect(judge(outcome({ status: 404 }), asked(1, 0, UrlKind.sitemap), rules)).toMatchObject({ look: 1 });
      expect(judge(outcome({ status: 404 }), asked(1, UrlFlag.candidate, UrlKind.sitemap), rules)).toMatchObject({
        state: UrlState.failed,
      });
    });

    it('leaves out seeds, candidates and probes', () => {
      const failed = { state: UrlState.failed, reason: 'http_4xx' };
      for (const flags of [UrlFlag.seed, UrlFlag.candidate]) {
        expect(judge(outcome({ status: 404 }), asked(1, flags), rules)).toEqual(failed);
      }
      expect(judge(outcome({ status: 404 }), asked(1, 0, UrlKind.probe), rules)).toEqual(failed);
    });
  });
});
