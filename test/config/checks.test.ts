import { expect, test } from 'vitest';
import {
  checkConnectTo,
  checkDnsServer,
  checkHeader,
  checkNetwork,
  checkProxy,
  checkUser,
} from '../../src/config/checks.js';

test.each([
  [
    checkHeader,
    ['Accept: text/html', 'X-Empty:', '*|A: b', 'https://a.test:1|A: b'],
    ['Accept', ': x', 'A b: c', '', 'a.test|A: b', 'https://a.test/x|A: b', 'https://a.test A: b'],
  ],
  [checkUser, ['me:', 'me:a:b'], ['me', ':x']],
  [checkProxy, ['http://p:3128', 'https://u:x@p/'], ['p:3128', 'socks4a://p', 'ftp://p', 'a.test=http://p', 'http://']],
  [
    checkNetwork,
    ['10.0.0.0/8', '10.1.2.3', 'fd00::/8', '::1'],
    ['10.0.0.0/33', '10.1', '0x7f.0.0.1', '0x7f.1/8', '10.1/16', '10.0.0.0/8/8', 'localhost'],
  ],
  [
    checkDnsServer,
    ['9.9.9.9', '127.0.0.1:5353', '[::1]:53', '::1'],
    ['dns.test', '9.9.9.9:0', '9.9.9.9:99999', '[::1'],
  ],
  [
    checkConnectTo,
    ['a.test:80:127.0.0.1:8080', '::127.0.0.1:8080', '[::1]:80:[::2]:81', ':::'],
    ['a.test:80', 'a:b:c:d', 'a:99999:b:1', 'a:1:b:1:2'],
  ],
])('%o takes what is well formed and nothing else', (check, good, bad) => {
  for (const text of good) {
    expect(check(text), text).toBeNull();
  }
  for (const text of bad) {
    expect(check(text), text).toBeTypeOf('string');
  }
});
