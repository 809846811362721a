import { expect, it } from 'vitest';
import { RobotsWalk } from '../../src/robots/walk.js';

const [ROBOTS, GATE] = ['http://a.test/robots.txt', 'http://a.test/gate'];
const SEEN = [{ name: 'seen', value: '1', path: '/' }];

it('a circle of redirects is noticed at once, and leads to no file', () => {
  expect(new RobotsWalk().redirected(ROBOTS, ROBOTS, [])).toBe('none');
  const walk = new RobotsWalk();
  expect(walk.redirected(ROBOTS, GATE, [])).toBe('ask');
  expect(walk.redirected(GATE, ROBOTS, [])).toBe('none');
});

it('one that sets a cookie is gone once more with it; then the file cannot be had', () => {
  const walk = new RobotsWalk();
  expect(walk.redirected(ROBOTS, GATE, [])).toBe('ask');
  expect(walk.redirected(GATE, ROBOTS, SEEN)).toBe('ask');
  expect(walk.cookieFor(ROBOTS)).toBe('seen=1');
  expect(walk.cookieFor('http://b.test/robots.txt')).toBeNull();
  expect(walk.redirected(ROBOTS, GATE, [])).toBe('ask');
  expect(walk.redirected(GATE, ROBOTS, SEEN)).toBe('unreachable');
});

it('a cookie that is set on a way to somewhere stays where it is', () => {
  const walk = new RobotsWalk();
  expect(walk.redirected(ROBOTS, GATE, SEEN)).toBe('ask');
  expect(walk.cookieFor(GATE)).toBeNull();
});

it('ten redirects are followed, and no more', () => {
  const walk = new RobotsWalk();
  const steps = Array.from({ length: 11 }, (_, i) => walk.redirected(`${ROBOTS}?${i}`, `${ROBOTS}?${i + 1}`, []));
  expect(steps).toEqual([...new Array(10).fill('ask'), 'none']);
});
