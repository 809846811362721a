import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { CERTIFICATE } from './certificate.js';
import { always, failureOf, GUARDED, get, newFetcher, rawServer, response, tunnelTo } from './support.js';

test('http pages are asked of the proxy by their whole URL, names unresolved', async () => {
  const proxy = await rawServer(always(response('page')));
  const fetcher = newFetcher({
    ...GUARDED,
    proxies: [`http://me:p%40ss@127.0.0.1:${proxy.port}`],
    dnsServers: ['127.0.0.1:1'],
  });
  const answer = await fetcher.fetch(get('http://name.test/a?b')).promise;
  expect(answer).toMatchObject({ status: 200, remoteAddress: null });
  expect(proxy.requests[0]).toMatch(/^GET http:\/\/name\.test\/a\?b HTTP\/1\.1\r\nhost: name\.test\r\n/);
  expect(proxy.requests[0]).toContain(`proxy-authorization: Basic ${btoa('me:p@ss')}`);
  expect(await fetcher.resolve('name.test')).toBe('name.test');
});

test('https pages go through a tunnel, in which the certificate of the host is checked', async () => {
  const server = await rawServer(always(response('secret')), { tls: true });
  const proxy = await tunnelTo(server);
  const options = { ...GUARDED, proxies: [`http://me:pass@127.0.0.1:${proxy.port}`] };
  const trusting = newFetcher({ ...options, cacert: CERTIFICATE });
  expect((await trusting.fetch(get('https://a.test/x')).promise).body?.toString()).toBe('secret');
  expect(proxy.requests[0]).toMatch(/^CONNECT a\.test:443 HTTP\/1\.1\r\n/);
  expect(server.requests[0]).not.toContain('proxy-authorization');
  expect((await failureOf(trusting.fetch(get('https://b.test/')))).errorClass).toBe('tls');
  expect((await failureOf(newFetcher(options).fetch(get('https://a.test/')))).errorClass).toBe('tls');
});

test('private addresses are refused also where the proxy could reach them', async () => {
  const proxy = await rawServer(always(response('page')));
  const fetcher = newFetcher({ ...GUARDED, proxies: [proxy.url] });
  for (const url of [
    'http://169.254.169.254/',
    'https://127.0.0.1/',
    'http://localhost/',
    'http://[::ffff:10.0.0.1]/',
  ]) {
    expect((await failureOf(fetcher.fetch(get(url)))).errorClass).toBe('blocked_address');
  }
  expect(proxy.requests).toHaveLength(0);
});

test('a proxy that refuses says so', async () => {
  const locked = await rawServer(always(response('', [], '407 Proxy Authentication Required')));
  expect((await failureOf(newFetcher({ proxies: [locked.url] }).fetch(get('https://a.test/')))).errorClass).toBe(
    'auth_required',
  );
  const broken = await rawServer(always(response('', [], '502 Bad Gateway')));
  expect((await failureOf(newFetcher({ proxies: [broken.url] }).fetch(get('https://a.test/')))).errorClass).toBe(
    'connection_refused',
  );
  const gone = newFetcher({ proxies: ['http://127.0.0.1:1'] });
  expect((await failureOf(gone.fetch(get('http://a.test/')))).errorClass).toBe('connection_refused');
});

test('what is no proxy that is known is a usage error, without its credentials', () => {
  for (const proxy of ['socks4://me:secret@127.0.0.1:1080', 'me:secret@host', '']) {
    expect(() => newFetcher({ proxies: [proxy] })).toThrow(UsageError);
    expect(() => newFetcher({ proxies: [proxy] })).not.toThrow(/secret/);
  }
});
