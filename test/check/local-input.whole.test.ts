import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedLink } from '../../src/check/report/result.js';
import { inProcess } from '../crawl/in-process.js';
import { gossamer } from '../crawl/support.js';

let folder: string;
let elsewhere: Server;
let outside: string;
const asked: string[] = [];

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** The findings by what they are about, without those that are fine. */
async function check(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; bad: Record<string, CheckedLink>; all: CheckedLink[] }> {
  const { code, stdout, stderr } = await inProcess(['check', ...args, '--format', 'jsonl', '--quiet'], {
    cwd: folder,
    env,
  });
  const lines = stdout.trim().split('\n');
  if (lines.length === 1 && lines[0] === '') {
    throw new Error(stderr);
  }
  const all = lines.slice(1).map((line) => JSON.parse(line) as CheckedLink);
  const bad = all.filter(({ verdict }) => verdict !== 'ok' && verdict !== 'skipped');
  return {
    code,
    all,
    bad: Object.fromEntries(bad.map((link) => [link.url + (link.fragment === null ? '' : `#${link.fragment}`), link])),
  };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-local-'));
  elsewhere = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(request.url === '/gone' ? 404 : 200, { 'content-type': 'text/html' }).end('<p id="here">x</p>');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  outside = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  write({
    'public/index.html': `<title>Home</title>\n<p>\n  <a href="guide/">guide</a> <a href="/about">about</a> <a href="nowhere.html">nowhere</a>\n<a href="https://example.test/docs/old">old</a>`,
    'public/about.html': '<title>About</title><h2 id="team">Team</h2><a href="#team">ok</a> <a href="#teams">wrong</a>',
    'public/guide/index.html': `<title>Guide</title><a href="../about.html#team">team</a><img src="../logo.png" alt="x">`,
    'public/orphan.html': '<title>Orphan</title><a href="lost.html">lost</a>',
    'public/robots.txt': 'User-agent: *\nDisallow: /\n',
    'README.md': `# Read me\n\nA [guide](docs/guide.md#set-up), a [wrong one](docs/guide.md#setup), a [lost one](docs/lost.md),\n[a folder](docs/) and [here](#read-me).\n\n![picture](docs/no.png) [elsewhere](${outside}/page#here) [gone](${outside}/gone)\n\n[nothing][no-label]\n`,
    'docs/guide.md': '# Guide\n\n## Set up\n\n[back](../README.md) `[code](not-a-link.md)`\n',
  });
});

afterAll(() => {
  elsewhere.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a folder of HTML', () => {
  it('is checked file by file, found by links or not, whatever its robots.txt says', async () => {
    const { code, bad, all } = await check(['public', '--no-external']);
    expect(Object.fromEntries(Object.entries(bad).map(([url, { verdict }]) => [url, verdict]))).toEqual({
      'public/nowhere.html': 'dead',
      'public/logo.png': 'dead',
      'public/lost.html': 'dead',
      'public/about.html#teams': 'missing_fragment',
      'public/about#teams': 'missing_fragment',
    });
    expect(code).toBe(1);
    expect(bad['public/nowhere.html']!.sources).toEqual([
      {
        ...{ page: 'public/index.html', kind: 'a', href: 'nowhere.html', text: 'nowhere' },
        ...{ line: 3, column: 57, selector: 'a[href="nowhere.html"]' },
      },
    ]);
    expect(bad['public/lost.html']!.sources[0]).toMatchObject({ page: 'public/orphan.html', line: 1 });
    expect(all.find(({ url }) => url === 'https://example.test/docs/old')).toMatchObject({ verdict: 'skipped' });
  });

  it('with a base URL answers for that place, and for nothing beside it', async () => {
    const { bad, all } = await check(['public', '--base-url', 'https://example.test/docs', '--no-external']);
    expect(bad['https://example.test/docs/old']).toMatchObject({ verdict: 'dead', status: 404 });
    expect(bad['https://example.test/docs/old']!.sources[0]).toMatchObject({ page: 'public/index.html', line: 4 });
    // `/about` is beside it, at the root of the host.
    expect(all.find(({ url }) => url === 'https://example.test/about')).toMatchObject({ verdict: 'skipped' });
  });

  it('leaves nothing behind', async () => {
    // In a folder of its own: other tests make such things in the usual one meanwhile.
    const place = mkdtempSync(join(folder, 'tmp-'));
    const args = ['check', 'public', '--no-external', '--second-look-budget', '0'];
    expect((await gossamer(args, { cwd: folder, env: { TMPDIR: place } })).code).toBe(0);
    expect(readdirSync(place)).toEqual([]);
  });
});

describe('Markdown', () => {
  it('is read by itself: files, folders, anchors of headings, with line and column of each destination', async () => {
    const { code, bad } = await check(['README.md', 'docs/**/*.md']);
    expect(Object.fromEntries(Object.entries(bad).map(([url, { verdict }]) => [url, verdict]))).toEqual({
      'docs/lost.md': 'dead',
      'docs/no.png': 'dead',
      'docs/guide.md#setup': 'missing_fragment',
      [`${outside}/gone`]: 'unchecked',
      [`${outside}/page`]: 'unchecked',
      '[no-label]': 'invalid_url',
    });
    expect(bad['docs/guide.md#setup']!.sources).toEqual([
      {
        ...{ page: 'README.md', kind: 'a', href: 'docs/guide.md#setup', text: 'wrong one' },
        ...{ line: 3, column: 48, selector: null },
      },
    ]);
    expect(code).toBe(1);
  });

  it('asks for links that leave, once and with HEAD first, and reads a page elsewhere only where a link names a place on it', async () => {
    asked.length = 0;
    const { bad } = await check(['README.md', '--allow-network', '127.0.0.0/8']);
    expect(bad[`${outside}/gone`]).toMatchObject({ verdict: 'dead', external: true });
    expect(bad[`${outside}/page`]).toBeUndefined();
    const pages = asked.filter((line) => !line.includes('robots.txt'));
    expect(pages.filter((line) => line.endsWith('/page'))).toEqual(['HEAD /page', 'GET /page']);
    expect(pages.filter((line) => line.endsWith('/gone'))).toEqual(['HEAD /gone', 'GET /gone', 'GET /gone']);
  });

  it('of a folder without HTML is found below it', async () => {
    const { bad } = await check(['docs']);
    expect(bad).toEqual({});
  });
});
