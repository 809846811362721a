import { describe, expect, it } from 'vitest';
import { robotsDirectives } from '../../src/lane/robots-directives.js';

describe('X-Robots-Tag', () => {
  it.each([
    [['noindex'], 'noindex'],
    [['mybot: noindex, nofollow'], 'noindex,nofollow'],
    [['MyBot/2.0: noindex'], 'noindex'],
    [['mybot/2: nofollow'], 'nofollow'],
    [['otherbot/2: nofollow'], null],
    [['noindex nofollow'], 'noindex,nofollow'],
    [['noindex; nofollow'], 'noindex,nofollow'],
    [['mybot: noindex nofollow'], 'noindex,nofollow'],
    [['mybot:noindex'], 'noindex'],
    [['mybot : noindex'], 'noindex'],
    [['*: noindex'], 'noindex'],
    [['noindex otherbot: nofollow'], 'noindex'],
    [['otherbot: noindex; nofollow'], null],
    [['max-snippet:5 nofollow'], 'max-snippet:5,nofollow'],
    [
      ['max-video-preview: -1; max-image-preview: large noindex'],
      'max-video-preview: -1,max-image-preview: large,noindex',
    ],
    [['unavailable_after: 25 Jun 2010 15:00:00 PST; nofollow'], 'unavailable_after: 25 jun 2010 15:00:00 pst,nofollow'],
    [['otherbot: max-snippet: 5, nofollow'], null],
    [['mybot: max-snippet: 5, nofollow'], 'max-snippet: 5,nofollow'],
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

  it.each(['noindex nofollow', 'noindex; nofollow', ' NOINDEX ,nofollow', 'noindex\n nofollow'])(
    'in a meta element %j is two directives',
    (text) => {
      expect(robotsDirectives([text], [], 'mybot')).toEqual({ nofollow: true, text: 'noindex,nofollow' });
    },
  );

  it('is one with the meta elements', () => {
    expect(robotsDirectives(['noindex'], ['none'], 'mybot')).toEqual({ nofollow: true, text: 'noindex,none' });
  });
});
