import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { socketBudget } from '../../src/crawl/settings.js';
import { html, linkPage, type Site, text } from '../web/site.js';
import { box } from './box.js';
import { BIN, readPages } from './support.js';

const HOSTS = 40;
const PAGES = 4;

describe('open sockets', () => {
  const own = box();
  beforeEach(() => {
    const names = Array.from({ length: HOSTS }, (_, n) => `http://h${n}.test/`);
    const paths = Array.from({ length: PAGES - 1 }, (_, n) => `/${n}`);
    const site = (links: readonly string[]): Site => ({
      handle: ({ path }) => (path === '/robots.txt' ? text('', 404) : html(linkPage(path, path === '/' ? links : []))),
    });
    own.web.site('start.test', site(names));
    own.web.site('*', site(paths));
    own.web.clearLog();
  });
  const args = ['--scope', 'any', '--seeding-strategy', 'none'];

  it.each([
    ['1', []],
    ['3', []],
    ['5', ['--parse-workers', '2', '--workers', '4000']],
  ])('are never more than --max-sockets %s %j, and every page is had', async (limit, more) => {
    const { pages } = await own.crawl(['http://start.test/'], [...args, '--max-sockets', limit, ...more]);
    expect([...pages.values()].filter(({ state }) => state === 'done')).toHaveLength(1 + HOSTS * PAGES);
    expect(own.web.peakConnections()).toBeLessThanOrEqual(Number(limit));
    expect(own.web.log.length).toBe(2 + HOSTS * (PAGES + 1));
  });

  it('wait for descriptors: with 64 of them a crawl is slow, and nothing fails', async () => {
    const directory = join(own.folder, 'few');
    const line = ['crawl', 'http://start.test/', '--data-dir', directory, '--delay', '0', ...args];
    const mapping = own.web.connectTo.flatMap((each) => ['--connect-to', each]);
    const shell = `ulimit -n 64; exec "$0" "$@"`;
    const child = spawn('bash', ['-c', shell, process.execPath, BIN, ...line, ...mapping, '--max-sockets', '1000'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (piece) => {
      stderr += piece;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('--max-sockets 1000 is more than 64 open files leave room for: lowered to 12');
    expect(readPages(directory).filter(({ state }) => state === 'done')).toHaveLength(1 + HOSTS * PAGES);
    expect(own.web.peakConnections()).toBeLessThanOrEqual(12);
  });
});

describe('the budget', () => {
  it('of third parties comes out of the same sockets', () => {
    expect(socketBudget(100, true)).toEqual({ pages: 98, thirdParties: 2, notice: null });
    expect(socketBudget(2, true)).toEqual({ pages: 1, thirdParties: 1, notice: null });
    expect(socketBudget(2, false)).toEqual({ pages: 2, thirdParties: 0, notice: null });
  });
});
