import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBaseUrl } from '../../src/check/base-url.js';
import { type FolderServer, serveFolder } from '../../src/check/folder-server.js';

const LARGE = Buffer.alloc(3_000_000, 'abcdefgh');
let outside: string;
let site: string;
let server: FolderServer;

function write(path: string, content: string | Buffer = path): void {
  mkdirSync(join(site, path, '..'), { recursive: true });
  writeFileSync(join(site, path), content);
}

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), 'gossamer-folder-'));
  site = join(outside, 'site');
  writeFileSync(join(outside, 'secret.html'), 'secret');
  mkdirSync(join(outside, 'site-two'));
  writeFileSync(join(outside, 'site-two', 'index.html'), 'secret');
  for (const path of [
    'index.html',
    'about.html',
    'guide/index.html',
    'old/index.htm',
    'both.html',
    'both/index.html',
  ]) {
    write(path);
  }
  for (const path of ['style.css', 'a b.html', 'Füße/über.html', '100%.html', 'Case.html', 'bare/x.txt', 'no-type']) {
    write(path);
  }
  write('404.html', 'nothing here');
  write('large.bin', LARGE);
  write('empty.html', '');
  symlinkSync(join(outside, 'secret.html'), join(site, 'leak.html'));
  symlinkSync(join(outside, 'site-two'), join(site, 'leak'));
  symlinkSync(join(site, 'guide'), join(site, 'alias'));
  symlinkSync(join(site, 'loop'), join(site, 'loop'));
  server = await serveFolder(site);
});
afterAll(async () => {
  await server.close();
  rmSync(outside, { recursive: true, force: true });
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends the path as it is, which fetch would tidy up. */
function ask(path: string, options: { method?: string; headers?: Record<string, string>; at?: string } = {}) {
  const { hostname, port } = new URL(options.at ?? server.origin);
  return new Promise<Answer>((resolve, reject) => {
    const { method = 'GET', headers = {} } = options;
    request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const textOf = async (path: string) => {
  const { status, body } = await ask(path);
  return `${status} ${body.toString()}`;
};

describe('a folder is served as static hosts serve it', () => {
  it.each([
    ['/', '200 index.html'],
    ['/index.html', '200 index.html'],
    ['/about', '200 about.html'],
    ['/about.html?x=1', '200 about.html'],
    ['/about?x=/y/', '200 about.html'],
    ['/guide/', '200 guide/index.html'],
    ['/old/', '200 old/index.htm'],
    ['/both', '200 both.html'],
    ['/both/', '200 both/index.html'],
    ['/a%20b', '200 a b.html'],
    ['/F%C3%BC%C3%9Fe/%C3%BCber', '200 Füße/über.html'],
    ['/100%25', '200 100%.html'],
    ['/alias/', '200 guide/index.html'],
    ['/guide/../about', '200 about.html'],
  ])('%s gives %s', async (path, expected) => {
    expect(await textOf(path)).toBe(expected);
  });

  it.each([
    '/about/',
    '/nothing',
    '/bare',
    '/bare/',
    '/CASE.html',
    '/case',
    '/about.html/',
    '/guide//',
    '/x/./y',
    '/guide%2Findex.html',
    '/%',
  ])('%s is a 404 with the page of the folder as its body', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type'], body.toString()]).toEqual([404, 'text/html', 'nothing here']);
  });

  it('redirects to the slash that ends a folder, query kept', async () => {
    for (const [path, location] of [
      ['/guide', '/guide/'],
      ['/guide?a=b', '/guide/?a=b'],
    ] as const) {
      const { status, headers } = await ask(path);
      expect([status, headers.location]).toEqual([301, location]);
    }
  });

  it('says what a file is by its extension', async () => {
    const types = await Promise.all(
      ['/style.css', '/about', '/large.bin', '/no-type', '/bare/x.txt'].map(
        async (path) => (await ask(path, { method: 'HEAD' })).headers['content-type'],
      ),
    );
    const other = 'application/octet-stream';
    expect(types).toEqual(['text/css', 'text/html', other, other, 'text/plain']);
  });

  it('answers HEAD with the headers alone', async () => {
    const { status, headers, body } = await ask('/large.bin', { method: 'HEAD' });
    expect([status, headers['content-length'], body.length]).toEqual([200, String(LARGE.length), 0]);
    expect((await ask('/nothing', { method: 'HEAD' })).status).toBe(404);
    expect((await ask('/empty', { method: 'GET' })).headers['content-length']).toBe('0');
  });

  it('gives a range, and says when there is none', async () => {
    const first = await ask('/large.bin', { headers: { range: 'bytes=0-0' } });
    expect([first.status, first.headers['content-range'], first.body.toString()]).toEqual([
      206,
      `bytes 0-0/${LARGE.length}`,
      'a',
    ]);
    expect((await ask('/large.bin', { headers: { range: 'bytes=2999998-' } })).body.toString()).toBe('gh');
    expect((await ask('/empty', { headers: { range: 'bytes=0-0' } })).status).toBe(416);
    for (const range of ['bytes=5-2', 'bytes=0-0,2-3', 'lines=1-2', 'bytes=-5']) {
      expect([range, (await ask('/about', { headers: { range } })).status]).toEqual([range, 200]);
    }
    expect((await ask('/nothing', { headers: { range: 'bytes=0-0' } })).status).toBe(404);
  });

  it('sends large files whole, more of them at once than it reads at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('/large.bin')));
    expect(answers.every(({ status, body }) => status === 200 && body.equals(LARGE))).toBe(true);
  });

  it('knows no method but GET and HEAD', async () => {
    const { status, headers } = await ask('/', { method: 'POST' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('goes on when a client leaves in the middle', async () => {
    const { hostname, port, host } = new URL(server.origin);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET /large.bin HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      );
      socket.once('data', () => socket.destroy());
      socket.once('close', () => resolve());
    });
    expect(await textOf('/about')).toBe('200 about.html');
  });
});

describe('nothing outside of the folder is served', () => {
  it.each([
    '/../secret.html',
    '/..%2fsecret.html',
    '/%2e%2e/secret.html',
    '/%2e%2e%2fsecret.html',
    '/guide/..%2f..%2fsecret.html',
    '/..%5csecret.html',
    '/leak.html',
    '/leak',
    '/leak/',
    '/leak/index.html',
    '/..%00/secret.html',
    '/index.html%00',
    '/loop',
    '/../site-two/',
    '/%252e%252e/secret.html',
    '//secret.html',
    '/~root/',
  ])('%s', async (path) => {
    const { status, body } = await ask(path);
    expect([400, 404]).toContain(status);
    expect(body.toString()).not.toContain('secret');
  });

  it('a target that names another host is refused, and never redirected to', async () => {
    for (const path of ['//evil.test/guide', '//evil.test', 'http://evil.test/', '*']) {
      const { status, headers } = await ask(path);
      expect([path, status, headers.location]).toEqual([path, 400, undefined]);
    }
  });

  it('a request under another name is refused: it is a page of a browser that tries its luck', async () => {
    expect((await ask('/', { headers: { host: 'evil.test' } })).status).toBe(421);
    expect((await ask('/', { headers: { host: 'localhost' } })).status).toBe(421);
  });
});

describe('with a base URL', () => {
  let mapped: FolderServer;
  beforeAll(async () => {
    mapped = await serveFolder(site, { baseUrl: 'https://Example.test/docs' });
  });
  afterAll(() => mapped.close());

  it('begins at the base URL, and stands under its path', async () => {
    expect(mapped.seed).toBe('https://example.test/docs/');
    const at = mapped.origin;
    expect((await ask('/docs/about', { at })).body.toString()).toBe('about.html');
    expect((await ask('/docs', { at })).headers.location).toBe('/docs/');
    expect((await ask('/docs/guide', { at })).headers.location).toBe('/docs/guide/');
    expect((await ask('/about', { at })).status).toBe(404);
    expect((await ask('/docsabout', { at })).status).toBe(404);
    expect((await ask('/docs/', { at, headers: { host: 'example.test' } })).status).toBe(200);
  });

  it('maps what is below the base, and nothing else', () => {
    const there = (path: string) => `${mapped.origin}${path}`;
    for (const path of ['/docs/', '/docs', '/docs?a', '/docs/a%20b?x=1']) {
      expect(mapped.toLocal(`https://example.test${path}`)).toBe(there(path));
      expect(mapped.toPublic(there(path))).toBe(`https://example.test${path}`);
    }
    for (const url of [
      'http://example.test/docs/',
      'https://example.test/docsx',
      'https://example.test/',
      'mailto:a@b.c',
    ]) {
      expect([url, mapped.toLocal(url)]).toEqual([url, null]);
    }
    expect(mapped.toPublic(there('/other'))).toBeNull();
    expect(server.toLocal(server.seed)).toBeNull();
  });

  it('tells which file answers a URL', async () => {
    expect(await mapped.fileOf('https://example.test/docs/guide/?a')).toBe('guide/index.html');
    expect(await mapped.fileOf(`${mapped.origin}/docs/about`)).toBe('about.html');
    expect(await mapped.fileOf('https://example.test/docs/nothing')).toBeNull();
    expect(await mapped.fileOf('https://other.test/docs/')).toBeNull();
    expect(await server.fileOf(`${server.origin}/a%20b`)).toBe('a b.html');
  });

  it.each([
    ['example.test', '--base-url must be a URL with http:// or https://, got example.test'],
    ['ftp://x.test/', '--base-url must be a URL with http:// or https://, got ftp://x.test/'],
    ['https://x.test/?a', '--base-url must end with its path, without ? and #, got https://x.test/?a'],
    ['https://u:p@x.test/', '--base-url must not hold a name or a password'],
  ])('%s is none', (text, problem) => {
    expect(() => parseBaseUrl(text)).toThrow(problem);
  });
});

it('what is no folder is said to be none', async () => {
  await expect(serveFolder(join(site, 'none'))).rejects.toThrow('none: this folder cannot be read (ENOENT)');
  await expect(serveFolder(join(site, 'about.html'))).rejects.toThrow('about.html: this is not a folder');
});

it('a server that was closed takes no more requests', async () => {
  const short = await serveFolder(site);
  await short.close();
  await expect(ask('/', { at: short.origin })).rejects.toThrow('ECONNREFUSED');
});
