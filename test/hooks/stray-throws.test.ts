import { describe, expect, test } from 'vitest';
import { isOnlyOfUser } from '../../src/hooks/stray-throws.js';

function withStack(...frames: string[]): Error {
  const error = new Error('late');
  error.stack = ['Error: late', ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

const OWN = '/app/node_modules/gossamer/lib/';
const isUsers = (error: unknown): boolean => isOnlyOfUser(error, OWN);

describe('a throw that nobody caught is the user’s', () => {
  test.each([
    ['Timeout._onTimeout (file:///home/me/hooks.mjs:1:20)', 'listOnTimeout (node:internal/timers:581:17)'],
    ['file:///home/me/my%20hooks.mjs:1:20'],
    ['async /home/me/hooks.ts:3:1'],
    ['Object.page (C:\\me\\hooks.js:1:1)'],
  ])('where its stack names a file of theirs: %s', (...frames) => {
    expect(isUsers(withStack(...frames))).toBe(true);
  });

  test.each([
    ['Lane.take (file:///app/node_modules/gossamer/lib/lane-worker.js:1:20)'],
    ['page (file:///home/me/hooks.mjs:1:1)', 'call (/app/node_modules/gossamer/lib/chunk-A.js:1:20)'],
    ['Socket.emit (node:events:519:28)', 'TLSSocket.onerror (node:internal/tls:1:1)'],
    [],
  ])('and not where ours is in it, or none: %s', (...frames) => {
    expect(isUsers(withStack(...frames))).toBe(false);
  });

  test.each([
    ['Lane.take (file:///C:/My%20app/lib/lane-worker.js:1:20)'],
    ['file:///c:/my%20app/lib/lane-worker.js:1:20'],
    ['Lane.take (C:\\My app\\lib\\lane-worker.cjs:1:20)'],
  ])('and not where ours is in it on Windows: %s', (frame) => {
    const own = 'C:\\My app\\lib\\';
    expect(isOnlyOfUser(withStack('page (file:///C:/me/hooks.mjs:1:1)'), own)).toBe(true);
    expect(isOnlyOfUser(withStack('page (file:///C:/me/hooks.mjs:1:1)', frame), own)).toBe(false);
  });

  test('and not where there is no stack to read', () => {
    const odd = new Error('odd');
    Object.defineProperty(odd, 'stack', {
      get() {
        throw new Error('no');
      },
    });
    for (const thrown of ['text', null, odd, Object.assign(new Error('x'), { stack: 7 })]) {
      expect(isUsers(thrown)).toBe(false);
    }
  });
});
