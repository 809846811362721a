import { describe, expect, it } from 'vitest';
import { redisAddress, redisUrlProblem, shownUrl } from '../../src/url/redis-url.js';

describe('--redis-url', () => {
  it.each([
    'http://a',
    'redis://',
    'a:6379',
    'redis://a/x',
    'redis://a?sentinel',
    'redis://a?sentinel=m&cluster',
    'redis://a/1?cluster',
    'redis://a?ca=/x',
    'redis://a?family=6',
    'redis://a?cluster&also=b:x',
    'redis://a?cluster&also=u@b',
    'redis://a%zz:b@c',
  ])('refuses %s', (url) => {
    expect(redisUrlProblem(url)).toMatch(/^a URL /);
  });

  it('says where one server is, and by which user and password', () => {
    const url = 'rediss://crawler:p%40ss@10.0.0.1:6380/3?ca=/etc/ca.pem';
    expect(redisUrlProblem(url)).toBeNull();
    expect(redisAddress(url)).toEqual({
      ...{
        form: 'single',
        places: [{ host: '10.0.0.1', port: 6380 }],
        master: '',
        username: 'crawler',
        password: 'p@ss',
      },
      ...{ sentinelPassword: '', db: 3, tls: { ca: '/etc/ca.pem' } },
    });
    expect(shownUrl(url)).toBe('rediss://10.0.0.1:6380/3');
  });

  it('names several Sentinels, and several of a Redis Cluster, with the ports that are usual there', () => {
    const sentinel = 'redis://:pass@a?sentinel=main&also=b,c:1&sentinel-password=other';
    expect(redisUrlProblem(sentinel)).toBeNull();
    expect(redisAddress(sentinel)).toMatchObject({
      ...{ form: 'sentinel', master: 'main', password: 'pass', sentinelPassword: 'other', tls: null },
      places: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_379 },
        { host: 'c', port: 1 },
      ],
    });
    expect(shownUrl(sentinel)).toBe('redis://a');
    expect(redisUrlProblem('redis://[::1]:7000?cluster&also=b:7001')).toBeNull();
    expect(redisAddress('redis://[::1]:7000?cluster&also=b')).toMatchObject({
      form: 'cluster',
      places: [
        { host: '::1', port: 7000 },
        { host: 'b', port: 6379 },
      ],
    });
  });
});
