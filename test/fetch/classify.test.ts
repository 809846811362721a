import { errors } from 'undici';
import { expect, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { classify, isTransient } from '../../src/fetch/classify.js';

const coded = (code: string): Error => Object.assign(new Error(`text of ${code}`), { code });

test.each([
  ['connection_refused', ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']],
  ['connection_reset', ['HPE_INVALID_CONSTANT', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_HTTP2_STREAM_ERROR']],
  ['timeout', ['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']],
  ['tls', ['EPROTO', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT']],
  ['tls', ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_SSL_WRONG_VERSION_NUMBER', 'SELF_SIGNED_CERT_IN_CHAIN']],
  ['too_large', ['UND_ERR_HEADERS_OVERFLOW']],
  ['unknown', ['SOMETHING_ELSE']],
])('%s', (errorClass, codes) => {
  for (const code of codes) {
    const cause = coded(code);
    const error = classify(cause, false);
    expect(error.errorClass, code).toBe(errorClass);
    expect(error.cause).toBe(cause);
  }
});

test('an error that is classified already stays as it is', () => {
  const error = new FetchError('too_slow', 'x');
  expect(classify(error, true)).toBe(error);
});

test('the chain of causes is in the message only when asked for', () => {
  const error = new errors.SocketError('other side closed', undefined as never);
  error.cause = new Error('the root of it');
  expect(classify(error, false).message).not.toContain('root');
  expect(classify(error, true).message).toContain('the root of it');
});

test.each([
  ['its own words', Object.assign(new Error('The server closed the connection.'), { code: 'ERR_CLOSED_EARLY' })],
  ['a part of them', Object.assign(new Error('Expected HTTP/'), { code: 'HPE_INVALID_CONSTANT' })],
  ['nothing', Object.assign(new Error(''), { code: 'ECONNRESET' })],
])('a cause that says nothing new is left out of the message: %s', (_name, cause) => {
  expect(classify(cause, true).message).toBe(classify(cause, false).message);
});

test('each cause is named once, and one with a name of its own is always named', () => {
  const root = new Error('other side closed');
  const cause = Object.assign(new Error('other side closed', { cause: root }), { code: 'ECONNRESET' });
  expect(classify(cause, true).message).toBe('The connection was reset. (Error: other side closed)');
  expect(classify(new TypeError('x is not a function'), true).message).toBe(
    'x is not a function (TypeError: x is not a function)',
  );
});

test('retries are for what may pass: refused, reset, time-outs, 5xx, 429', () => {
  for (const errorClass of ['connection_refused', 'connection_reset', 'timeout', 'http_5xx', 'rate_limited'] as const) {
    expect(isTransient(errorClass), errorClass).toBe(true);
  }
  for (const errorClass of [
    'dns',
    'tls',
    'blocked_address',
    'too_large',
    'too_slow',
    'invalid_url',
    'unknown',
  ] as const) {
    expect(isTransient(errorClass), errorClass).toBe(false);
  }
});

test.each([
  ['CERT_HAS_EXPIRED', 'TLS: the certificate has expired (CERT_HAS_EXPIRED).'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS: the server has signed its certificate itself (DEPTH_ZERO_SELF_SIGNED_CERT).'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS: the certificate is for other names (ERR_TLS_CERT_ALTNAME_INVALID).'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS: the server does not speak TLS at this port (ERR_SSL_WRONG_VERSION_NUMBER).'],
  ['ERR_SSL_SOMETHING_NEW', 'TLS: the server and this program found no common ground (ERR_SSL_SOMETHING_NEW).'],
])('%s is said in plain words, with its code', (code, words) => {
  const raw = Object.assign(new Error('80B2:error:0A00010B:SSL routines:ssl3_get_record:wrong:../deps/x.c:355:'), {
    code,
  });
  expect(classify(raw, false).message).toBe(words);
});
