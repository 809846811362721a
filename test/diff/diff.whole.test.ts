import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diff as compare } from 'gossamer';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DiffCounts, FindingChange, PageChange } from '../../src/diff/result.js';
import { box, type Crawled } from '../crawl/box.js';
import { change, changingSite, HOST, ORIGIN } from '../crawl/changing-site.js';
import { inProcess } from '../crawl/in-process.js';
import { readLines } from '../crawl/support.js';
import { html, linkPage, pathSite, redirect } from '../web/site.js';

const web = box();
const diff = (before: Crawled, after: Crawled, ...args: string[]) =>
  inProcess(['diff', before.directory, after.directory, ...args]);
const json = async (before: Crawled, after: Crawled, ...args: string[]) =>
  JSON.parse((await diff(before, after, '--format', 'json', ...args)).stdout) as {
    pages: PageChange[];
    findings: FindingChange[];
    remarks: string[];
    counts: DiffCounts;
    differs: boolean;
  };

describe('diff of a site of 500 pages of which six have changed', () => {
  let before: Crawled;
  let after: Crawled;
  let planned: ReturnType<typeof change>;
  beforeAll(async () => {
    const site = changingSite();
    web.web.site(HOST, site);
    before = await web.crawl([`${ORIGIN}/`]);
    planned = change(site);
    after = await web.crawl([`${ORIGIN}/`], ['--since', before.directory]);
    expect(after.summary.carriedOver).toBe(site.pages.size - 5);
  });

  it('names exactly those', async () => {
    const { pages, counts, differs } = await json(before, after);
    const urlsOf = (sort: string): string[] => pages.filter((page) => page.change === sort).map(({ url }) => url);
    const wanted = (paths: readonly string[]): string[] => paths.map((path) => ORIGIN + path);
    expect(urlsOf('added')).toEqual(wanted(planned.added));
    expect(urlsOf('removed')).toEqual(wanted(planned.removed));
    expect(urlsOf('changed')).toEqual(wanted(planned.changed));
    expect(counts.unchanged).toBe(before.pages.size - 4);
    expect(differs).toBe(true);
    const differences = Object.fromEntries(
      pages.map(({ url, differences: own = {} }) => [url.slice(ORIGIN.length), own]),
    );
    expect(Object.keys(differences['/p10']!)).toEqual(['content']);
    expect(Object.keys(differences['/p20']!)).toEqual(['title', 'h1', 'content']);
    expect(differences['/p20']!.title).toEqual({ before: 'Page 20', after: 'Page twenty' });
    expect(differences['/p30']!.links).toEqual({
      ...{ added: [`${ORIGIN}/new1`, `${ORIGIN}/new2`], removed: [], addedCount: 2, removedCount: 0 },
    });
  });

  it('says it to people, with exit code 1', async () => {
    const { code, stdout } = await diff(before, after);
    expect(code).toBe(1);
    expect(stdout).toContain('added (2)\n  + http://news.test/new1 200 “New 1”\n');
    expect(stdout).toContain('removed (1)\n  - http://news.test/from-feed 200 “From a feed”\n');
    expect(stdout).toContain('title         “Page 20” → “Page twenty”');
    expect(stdout).toContain('2 added, 1 removed, 3 changed,');
    expect(stdout).not.toContain('note:');
  });

  it('is silent about a crawl and itself, with exit code 0', async () => {
    const { code, stdout } = await diff(after, after);
    expect(code).toBe(0);
    expect(stdout).toContain(`nothing differs: ${after.pages.size} pages are as before → exit 0`);
  });

  it('leaves out what is ignored, and says so', async () => {
    const { pages, counts } = await json(before, after, '--ignore', 'content,title,h1');
    expect(pages.filter((page) => page.change === 'changed').map(({ url }) => url)).toEqual([`${ORIGIN}/p30`]);
    expect(counts.changed).toBe(1);
    expect((await diff(before, after, '--ignore', 'content,title,h1')).stdout).toContain(
      'Not compared: title, h1, content.',
    );
  });

  it('writes lines of JSON, several reports at once, and one file of HTML that asks nobody', async () => {
    const page = join(web.folder, 'changes.html');
    const { stdout, stderr } = await diff(before, after, '--format', 'jsonl', '--report', `html=${page}`);
    const lines = readLines<{ type: string }>(stdout);
    expect(lines.map(({ type }) => type)).toEqual([
      ...[...Array(6).fill('page'), ...Array(7).fill('finding'), 'summary'],
    ]);
    expect(stderr).toContain('diff: 2 added, 1 removed, 3 changed');
    const text = readFileSync(page, 'utf8');
    expect(text).toContain('<title>6 pages differ: http://news.test/</title>');
    expect(text).not.toMatch(/<(?:link|img|iframe)\b|src=/);
  });

  it('is a function of the library', async () => {
    const difference = await compare(before.directory, after.directory, { ignore: ['content'] });
    expect(difference.counts).toMatchObject({ added: 2, removed: 1, changed: 2 });
    expect([...difference.changes('removed')].map(({ url }) => url)).toEqual([`${ORIGIN}/from-feed`]);
    expect([...difference.changes()]).toHaveLength(5);
    difference.close();
    await expect(compare(before.directory, after.directory, { ignore: ['nonsense' as never] })).rejects.toThrow(
      'ignore must name parts of status,',
    );
  });
});

describe('diff', () => {
  const two = async (
    name: string,
    answers: readonly [object, object],
    ...args: string[]
  ): Promise<[Crawled, Crawled]> => {
    const crawls: Crawled[] = [];
    for (const each of answers) {
      web.web.site(name, pathSite(each as Parameters<typeof pathSite>[0]));
      crawls.push(await web.crawl([`http://${name}/`], ['--seeding-strategy', 'none', '--retries', '0', ...args]));
    }
    return crawls as [Crawled, Crawled];
  };

  it('tells status, redirects, canonical, robots and assets, and which broken links came and went', async () => {
    const page = (head: string, ...links: string[]) =>
      html(`<!doctype html><title>T</title>${head}${links.map((to) => `<a href="${to}">x</a>`).join('')}`);
    const [before, after] = await two('aspects.test', [
      {
        '/': page('', '/moves', '/dies', '/heals', '/named', '/drawn'),
        ...{ '/moves': redirect('/named'), '/dies': page(''), '/heals': html('', 404) },
        ...{ '/named': page('<link rel=canonical href=/named>'), '/drawn': page('<img src=/a.png>') },
      },
      {
        '/': page('', '/moves', '/dies', '/heals', '/named', '/drawn'),
        ...{ '/moves': redirect('/drawn'), '/dies': html('', 410), '/heals': page('') },
        '/named': page('<link rel=canonical href=/drawn><meta name=robots content=noindex>'),
        '/drawn': page('<img src=/b.png>'),
      },
    ]);
    const { pages, findings } = await json(before, after, '--ignore', 'content');
    const at = (path: string) => pages.find(({ url }) => url === `http://aspects.test${path}`)?.differences;
    expect(at('/')).toBeUndefined();
    expect(at('/moves')).toEqual({
      redirect: { before: 'http://aspects.test/named', after: 'http://aspects.test/drawn' },
    });
    expect(at('/dies')).toEqual({ status: { before: '200', after: '410' } });
    expect(at('/heals')).toEqual({ status: { before: '404', after: '200' } });
    expect(at('/named')).toEqual({
      canonical: { before: 'http://aspects.test/named', after: 'http://aspects.test/drawn' },
      robots: { before: null, after: 'noindex' },
    });
    expect(at('/drawn')!.assets).toMatchObject({
      added: ['http://aspects.test/b.png'],
      removed: ['http://aspects.test/a.png'],
    });
    const broken = findings.filter(({ rule }) => rule === 'broken_link');
    expect(broken).toEqual([
      {
        ...{ change: 'came', rule: 'broken_link', severity: 'error', url: 'http://aspects.test/' },
        ...{ target: 'http://aspects.test/dies', detail: '410' },
      },
      {
        ...{ change: 'went', rule: 'broken_link', severity: 'error', url: 'http://aspects.test/' },
        ...{ target: 'http://aspects.test/heals', detail: '404' },
      },
    ]);
    const quiet = await json(before, after, '--ignore', 'content,status,redirect,canonical,robots,assets,findings');
    expect(quiet.differs).toBe(false);
  });

  it('tells which findings of the audit came and went, and not in which order they were found', async () => {
    const words = (from: number) => Array.from({ length: 150 }, (_, i) => `word${from + i}`).join(' ');
    const page = (title: string, text: string) =>
      html(`<title>${title}</title><meta name=description content="${title}"><h1>${title}</h1><p>${text}`);
    const twins = { '/a1': page('A1', `one ${words(0)}`), '/a2': page('A2', `two ${words(0)}`) };
    const others = { '/b1': page('B1', `one ${words(500)}`), '/b2': page('B2', `two ${words(500)}`) };
    const home = (...links: string[]) => html(`${linkPage('Home', links)}<p>${words(900)}`);
    const [before, after] = await two('audited.test', [
      {
        ...{ '/': home('/a1', '/a2', '/b1', '/b2', '/untitled', '/named'), ...twins, ...others },
        ...{ '/untitled': html(`<h1>x</h1>${words(2000)}`), '/named': page('Named', words(3000)) },
      },
      {
        ...{ '/': home('/b2', '/b1', '/named', '/untitled', '/a1', '/a2'), ...twins, ...others },
        ...{ '/untitled': page('Titled', words(2000)), '/named': html(words(3000)) },
      },
    ]);
    const { findings, counts } = await json(before, after);
    expect(
      findings.map(({ change: what, rule, url }) => `${what} ${rule} ${url.slice('http://audited.test'.length)}`),
    ).toEqual([
      'came title_missing /named',
      'came description_missing /named',
      'came h1_missing /named',
      'went title_missing /untitled',
      'went description_missing /untitled',
    ]);
    expect(counts.byRule).toMatchObject({ title_missing: { came: 1, went: 1 }, h1_missing: { came: 1, went: 0 } });
    const { stdout } = await diff(before, after);
    expect(stdout).toContain('findings that came (3: title_missing 1, description_missing 1, h1_missing 1)\n');
    expect(stdout).toContain('findings that went (2: title_missing 1, description_missing 1)\n  ✓ title_missing');
    const same = await json(before, before);
    expect(same.findings).toEqual([]);
    const config = join(web.folder, 'no-titles.json');
    writeFileSync(config, JSON.stringify({ audit: { rules: { title_missing: false, h1_missing: 'error' } } }));
    const edited = await json(before, after, '--config', config);
    expect(edited.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      'description_missing notice',
      'h1_missing error',
      'description_missing notice',
    ]);
  });

  it('leaves out the findings that only one of the crawls can know, and says so', async () => {
    const page = (...links: string[]) => html(linkPage('T', links));
    const sitemap =
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://maps.test/alone</loc></url></urlset>';
    web.web.site(
      'maps.test',
      pathSite({
        '/': page('/a'),
        '/a': page(),
        '/alone': page(),
        '/sitemap.xml': { body: sitemap, headers: { 'content-type': 'application/xml' } },
      }),
    );
    const with_ = await web.crawl(['http://maps.test/']);
    const without = await web.crawl(['http://maps.test/'], ['--seeding-strategy', 'none']);
    const { findings, remarks } = await json(with_, without);
    expect(findings.filter(({ rule }) => rule === 'orphan')).toEqual([]);
    expect(remarks).toContain(
      `Findings of sitemap_noindex, sitemap_blocked, sitemap_broken, sitemap_canonical, orphan are not compared: of the crawl in ${without.directory}, no sitemap was read.`,
    );
  });

  it('takes a host for another where it is told to, in links, redirects and canonical URLs too', async () => {
    const pages = (host: string) => ({
      '/': html(linkPage('Home', [`http://${host}/a`, '/moved'])),
      '/a': html(`<title>A</title><link rel=canonical href="http://${host}/a">`),
      '/moved': redirect(`http://${host}/a`),
    });
    web.web.site('staging.test', pathSite(pages('staging.test')));
    web.web.site('live.test', pathSite(pages('live.test')));
    const plain = ['--seeding-strategy', 'none'];
    const staging = await web.crawl(['http://staging.test/'], plain);
    const live = await web.crawl(['http://live.test/'], plain);
    const mapped = await json(staging, live, '--map-host', 'staging.test=live.test', '--ignore', 'content');
    expect(mapped).toMatchObject({ differs: false, remarks: [] });
    const plainly = await json(staging, live);
    expect(plainly.counts).toMatchObject({ added: 3, removed: 3, changed: 0 });
    expect(plainly.remarks).toEqual([
      'They began with other seeds: http://staging.test/ before, http://live.test/ now.',
    ]);
  });

  it('says where crawls are unfinished, cut, or made with other options', async () => {
    web.web.site('cut.test', pathSite({ '/': html(linkPage('Home', ['/a', '/b'])), '/a': html('a'), '/b': html('b') }));
    const whole = await web.crawl(['http://cut.test/']);
    const cut = await web.crawl(['http://cut.test/'], ['--max-urls', '1', '--depth', '3']);
    expect((await json(whole, cut)).remarks).toEqual([
      `The crawl in ${cut.directory} was cut by a limit (max_urls): it has not seen everything.`,
      'They had other options (--depth, --max-urls): what differs may come from that, not from the site.',
    ]);
    const added = { ...whole, directory: join(web.folder, 'added-to') };
    cpSync(whole.directory, added.directory, { recursive: true });
    await inProcess(['add', added.directory, 'http://cut.test/more']);
    expect((await json(whole, added)).remarks).toEqual([
      `The crawl in ${added.directory} is unfinished: what it had not asked for is missing here.`,
    ]);
  });

  it('refuses what is no crawl, and what it does not know', async () => {
    web.web.site('one.test', pathSite({ '/': html('x') }));
    const one = await web.crawl(['http://one.test/']);
    const nothing = await inProcess(['diff', one.directory, web.folder]);
    expect([nothing.code, nothing.stderr]).toEqual([3, expect.stringContaining('there is no crawl in')]);
    const unknown = await diff(one, one, '--ignore', 'titel');
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('--ignore must be some of status, redirect'),
    ]);
    const host = await diff(one, one, '--map-host', 'a.test');
    expect([host.code, host.stderr]).toEqual([2, expect.stringContaining('--map-host must be OLD=NEW')]);
    expect((await inProcess(['diff', one.directory])).code).toBe(2);
  });
});
