import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, text, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = mkdtempSync(join(tmpdir(), 'gossamer-unread-'));
const NOT_FOUND = text('gone', 404);

describe('a page in scope that could not be read', () => {
  let web: WebInABox;
  beforeAll(async () => {
    web = await openWeb();
  });
  afterAll(() => web.close());

  const check = (seed: string, ...args: string[]) =>
    inProcess([
      ...['check', seed, '--delay', '0', '--retries', '0', '--second-look-budget', '1s'],
      ...web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
      ...args,
    ]);

  it('is no "all fine" where the seed redirects to a URL that is too long', async () => {
    web.site('long.test', pathSite({ '/': redirect(`/${'x'.repeat(5_000)}`) }));
    const { code, stdout } = await check('http://long.test/', '--fail-on', 'unchecked');
    expect([code, stdout]).toEqual([1, expect.stringContaining('0 links fine, 1 not looked at: 1 too long')]);
  });

  it('is not looked at where it is larger than --max-body', async () => {
    const large = html(`${linkPage('Large', ['/dead'])}${'x'.repeat(100_000)}`);
    web.site('big.test', pathSite({ '/': html(linkPage('Home', ['/large'])), '/large': large, '/dead': NOT_FOUND }));
    const { code, stdout } = await check('http://big.test/', '--max-body', '50KiB', '--fail-on', 'unchecked');
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 not looked at: 1 beyond a limit')]);
  });

  it('nor is a part of a URL in a sitemap on disk taken for one of this machine', async () => {
    const file = join(folder, 'part.xml');
    web.site('whole.test', pathSite({ '/a': html(linkPage('A', [])) }));
    writeFileSync(file, (xml(urlset(['/admin', 'http://whole.test/a'])) as { body: string }).body);
    web.clearLog();
    const { stderr } = await check(file, '--scope', 'page');
    expect(stderr).toContain('must name whole URLs (/admin)');
    expect(requestsTo(web.log, 'whole.test', '/a').length).toBeGreaterThan(0);
    expect(web.log.some(({ path }) => path === '/admin')).toBe(false);
  });
});
