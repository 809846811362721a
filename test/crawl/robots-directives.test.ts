import { describe, expect, it } from 'vitest';
import { robotsDirectives } from '../../src/crawl/robots-directives.js';

describe('X-Robots-Tag', () => {
  it.each([
    [['noindex'], 'noindex'],
    [['mybot: noindex, nofollow'], 'noindex,nofollow'],
    [['MyBot/2.0: noindex'], 'mybot/2.0: noindex'],
    [['otherbot: noindex, nofollow'], null],
    [['otherbot: noindex', 'nofollow'], 'nofollow'],
    [['nofollow', 'otherbot: noindex'], 'nofollow'],
    [['otherbot: noindex, mybot: nofollow'], 'nofollow'],
    [
      ['unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex'],
      'unavailable_after: wed,03 dec 2025 13:09:53 gmt,noindex',
    ],
    [['otherbot: unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex'], null],
    [['max-snippet: 5, nofollow'], 'max-snippet: 5,nofollow'],
  ])('%j says %j to mybot', (lines, text) => {
    expect(robotsDirectives([], lines, 'mybot').text).toBe(text);
  });

  it('is one with the meta elements', () => {
    expect(robotsDirectives(['noindex'], ['none'], 'mybot')).toEqual({ nofollow: true, text: 'noindex,none' });
  });
});
