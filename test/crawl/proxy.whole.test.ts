import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rawServer, response, tunnelTo } from '../fetch/support.js';
import { gossamer } from './support.js';

it('the built program reaches https pages through a proxy', async () => {
  const pages: Record<string, Buffer> = { '/': response('<a href="/next">next</a>'), '/next': response('the end') };
  const server = await rawServer(
    (socket, head) => {
      const path = /^GET (\S+)/.exec(head)?.[1] ?? '';
      socket.write(pages[path] ?? response('', [], '404 Not Found'));
    },
    { tls: true },
  );
  const proxy = await tunnelTo(server);
  const directory = join(mkdtempSync(join(tmpdir(), 'gossamer-proxy-')), 'crawl');
  onTestFinished(() => rmSync(join(directory, '..'), { recursive: true }));
  const args = ['--proxy', proxy.url, '--insecure', '--delay', '0', '--data-dir', directory];
  const run = await gossamer(['crawl', 'https://a.test/', ...args]);
  expect(run.code, run.stderr).toBe(0);
  expect(proxy.requests.every((head) => head.startsWith('CONNECT a.test:443 HTTP/1.1'))).toBe(true);
  expect(server.requests.map((head) => /^GET (\S+)/.exec(head)?.[1])).toEqual(
    expect.arrayContaining(['/robots.txt', '/', '/next']),
  );
});
