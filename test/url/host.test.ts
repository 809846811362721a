import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  barePathOf,
  extensionOf,
  hasBinaryExtension,
  hostKeyOf,
  hostnameOf,
  isHttp,
  isIpHost,
  isLoopbackHost,
  originOf,
  pathOf,
} from '../../src/url/host.js';

describe('parts of a URL in normal form', () => {
  it('are those that the URL parser finds', () => {
    const urls = fc.tuple(
      fc.constantFrom('http', 'https'),
      fc.constantFrom('a', 'example.com', 'www.example.com.', '127.0.0.1', '[::1]', '[2001:db8::1]'),
      fc.constantFrom('', ':81', ':65535'),
      fc.constantFrom('/', '/a', '/a:b/c', '/a//b', '/[x]:1/'),
      fc.constantFrom('', '?', '?a=/b:1', '?a?b'),
    );
    fc.assert(
      fc.property(urls, ([scheme, host, port, path, query]) => {
        const url = `${scheme}://${host}${port}${path}${query}`;
        const parsed = new URL(url);
        expect(originOf(url)).toBe(parsed.origin);
        expect(hostnameOf(url)).toBe(parsed.hostname);
        expect(pathOf(url)).toBe(path + query);
        expect(barePathOf(url)).toBe(parsed.pathname);
      }),
    );
  });

  it('of a key that is no URL are all path', () => {
    for (const key of ['root', 'db:42', 'a-rather-long-key/with:parts', '']) {
      expect([originOf(key), hostnameOf(key), hostKeyOf(key), pathOf(key)]).toEqual(['', '', '', key]);
    }
  });

  it('tells http and https from all else', () => {
    expect(['http://a/', 'https://a/'].every(isHttp)).toBe(true);
    expect(['ftp://a/', 'httpx://a/', 'http:a', 'mailto:http://a'].some(isHttp)).toBe(false);
  });
});

describe('hostKeyOf', () => {
  it.each([
    ['http://example.com/', 'example.com'],
    ['https://example.com:8443/x', 'example.com'],
    ['https://example.com./x', 'example.com'],
    ['http://10.0.0.1:81/', '10.0.0.1'],
    ['http://[2001:db8::1]:81/', '[2001:db8::1]'],
    ['http://127.0.0.1:3000/', '127.0.0.1:3000'],
    ['http://127.9.0.1/', '127.9.0.1:80'],
    ['https://localhost/', 'localhost:443'],
    ['http://app.localhost:3000/a:b', 'app.localhost:3000'],
    ['http://[::1]/', '[::1]:80'],
    ['http://[::1]:9/', '[::1]:9'],
  ])('paces %s as %s', (url, key) => {
    expect(hostKeyOf(url)).toBe(key);
  });
});

it('knows loopback from its look-alikes', () => {
  const loopback = ['127.0.0.1', '127.255.255.255', '[::1]', '::1', 'localhost', 'localhost.', 'a.b.localhost'];
  const others = ['128.0.0.1', '127.0.0.1.example.com', '127.com', 'notlocalhost', 'localhost.com', '[::2]', '0.0.0.0'];
  expect(loopback.filter((name) => !isLoopbackHost(name))).toEqual([]);
  expect(others.filter(isLoopbackHost)).toEqual([]);
});

it('knows addresses from names', () => {
  expect(['10.0.0.1', '[::1]'].every(isIpHost)).toBe(true);
  expect(['1.example', 'a.b.c.d', 'example.com'].some(isIpHost)).toBe(false);
});

describe('hasBinaryExtension', () => {
  it('takes pictures, archives, sound, film, fonts, documents and programs for files without links', () => {
    for (const name of ['a.JPG', 'a.tar.gz', 'a.mp3', 'a.webm', 'a.woff2', 'a.pdf', 'a.docx', 'a.exe', 'a.iso']) {
      expect(hasBinaryExtension(`https://h.test/x/${name}`), name).toBe(true);
      expect(hasBinaryExtension(`https://h.test/x/${name}?v=1`), name).toBe(true);
    }
  });

  it('takes nothing for a file that may be a page', () => {
    const pages = [
      ...[
        '/',
        '/a',
        '/a.html',
        '/a.php',
        '/a.xml',
        '/v1.2',
        '/a.pdf/',
        '/get?f=a.zip',
        '/.zip/x',
        '/index.js',
        '/a.json',
      ],
      ...['/wiki/File:Map.png', '/wiki/Datei:Karte.svg', '/a.', '/a.zipzipzipzipzip'],
    ];
    expect(pages.filter((path) => hasBinaryExtension(`https://example.zip${path}`))).toEqual([]);
  });

  it('reads the extension of the last segment only', () => {
    expect(extensionOf('https://h.test/a.b/c?d.e')).toBe('');
    expect(extensionOf('https://h.test/a.b/c.Html?d.e/f.g')).toBe('html');
  });
});
