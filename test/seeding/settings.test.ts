import { expect, test } from 'vitest';
import { completeOptions } from '../../src/config/resolve.js';
import { engineSettings } from '../../src/crawl/settings.js';

const settingsOf = (given: Parameters<typeof completeOptions>[0]) =>
  engineSettings({
    options: completeOptions(given).options,
    delayIsDefault: true,
    seeds: [],
    credentials: new Map([['http://10.1.2.3', { username: 'me', password: 'secret' }]]),
    listensToEdges: false,
  });

test('a private address that the user gives for a third party is opened for that alone', () => {
  const { fetch, seedingFetch } = settingsOf({ ctUrl: 'http://127.0.0.1:8080/ct', commoncrawlUrl: 'http://10.1.2.3' });
  expect(seedingFetch.guard).toMatchObject({ allowPrivate: false, allowAddresses: ['127.0.0.1:8080', '10.1.2.3'] });
  expect(fetch.guard.allowAddresses).toEqual([]);
});

test('a name of a third party opens nothing', () => {
  expect(settingsOf({ ctUrl: 'http://ct.intranet.test' }).seedingFetch.guard.allowAddresses).toEqual([]);
});

test('what was meant for the sites is not sent to third parties; who asks is', () => {
  const { fetch, seedingFetch, userAgent } = settingsOf({ headers: ['*|Cookie: secret'], contact: 'me@example.com' });
  expect(fetch.headers).toHaveLength(1);
  expect(fetch.originHeaders).not.toEqual({});
  expect([seedingFetch.headers, seedingFetch.originHeaders]).toEqual([[], {}]);
  expect(seedingFetch.userAgent).toBe(userAgent);
  expect(userAgent).toContain('me@example.com');
});
