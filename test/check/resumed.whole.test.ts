import { join } from 'node:path';
import { checkLinks, resumeCheck } from 'gossamer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { hitsPerUrl } from '../web/judge.js';
import { star } from '../web/plain.js';
import { openWeb, type WebInABox } from '../web/web.js';

const PAGES = 12;
const folder = temporaryFolder();
let web: WebInABox;

beforeAll(async () => {
  web = await openWeb();
  web.site('127.0.0.1', star(PAGES));
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

const pagesAsked = () => web.log.filter(({ path }) => /^\/(p\d+)?$/.test(path));

it('a check that a limit had cut short looks at the rest once the limit is raised, and asks for nothing twice', async () => {
  const dataDir = join(folder.path, 'cut');
  const cut = await checkLinks(`${web.origin}/`, { dataDir, maxUrls: 5 });
  expect([cut.summary.truncated, hitsPerUrl(pagesAsked()).size]).toEqual(['max_urls', 5]);
  cut.close();
  const same = await resumeCheck(dataDir);
  expect([same.summary.truncated, hitsPerUrl(pagesAsked()).size]).toEqual(['max_urls', 5]);
  same.close();
  const whole = await resumeCheck(dataDir, { maxUrls: 1_000 });
  expect(whole.summary).toMatchObject({ truncated: null, verdicts: { ok: PAGES } });
  whole.close();
  expect([...hitsPerUrl(pagesAsked()).values()]).toEqual(Array.from({ length: PAGES }, () => 1));
});
