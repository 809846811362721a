import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckReport } from '../../src/check/report/result.js';
import { Chromium } from './chromium.js';
import { exampleReport } from './example.js';
import { linkOf, reportOf, sourceOf, textOf } from './fixture.js';
import { HOSTILE, hostileReport } from './hostile.js';

let browser: Chromium;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-html-'));
  browser = await Chromium.start();
});
afterAll(async () => {
  await browser?.end();
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'report.html');
const address = (): string => pathToFileURL(file()).href;

async function show(report: CheckReport, hash = ''): Promise<void> {
  writeFileSync(file(), textOf('html', report));
  await browser.open(`${address()}${hash}`);
}

const all = (selector: string): Promise<string[]> =>
  browser.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent)`);
const listed = (): Promise<string[]> => all('#list .url');
const click = (selector: string): Promise<void> =>
  browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
const choose = (id: string, value: string): Promise<void> =>
  browser.evaluate(
    `{ const box = document.getElementById('${id}'); box.value = ${JSON.stringify(value)}; box.dispatchEvent(new Event('${id === 'search' ? 'input' : 'change'}')); }`,
  );
const chip = (name: string): Promise<void> =>
  browser.evaluate(
    `[...document.querySelectorAll('#verdicts button')].find((each) => each.firstChild.data === '${name}').click()`,
  );
/** Opens everything; what is in an entry is made when it is opened, and the browser says so a little later. */
async function openAll(): Promise<void> {
  await browser.evaluate(
    `Promise.all([...document.querySelectorAll('#list details')].map((each) => new Promise((resolve) => {
       each.addEventListener('toggle', resolve, { once: true }); each.open = true; })))`,
  );
}

describe('the HTML report', () => {
  it('shows what to look at first, asks nobody for anything, and breaks no rule of its own policy', async () => {
    await show(exampleReport());
    expect(await all('h1')).toEqual(['5 links fail']);
    expect(await all('#count')).toEqual(['9 links']);
    expect((await listed()).slice(0, 3)).toEqual([
      'https://docs.example.com/guide/getting-started',
      'https://docs.example.com/img/overview.svg',
      'https://github.com/example/plugin-old',
    ]);
    await openAll();
    expect(browser.requests).toEqual([address()]);
    expect(browser.complaints).toEqual([]);
  });

  it('opens a link to why, what it means, and where it stands', async () => {
    await show(exampleReport());
    await openAll();
    const [body] = await all('#list .body');
    for (const part of [
      'there is no such page',
      '404 on both looks',
      'Getting started',
      '../guide/getting-started',
      '40:9',
    ]) {
      expect(body).toContain(part);
    }
  });

  it('filters by verdict, by scope and by words', async () => {
    await show(exampleReport());
    await chip('blocked');
    await chip('dns');
    expect(await listed()).toEqual(['https://community.exmaple.com/', 'https://shop.example.net/book']);
    await click('#scope button:last-child');
    expect(await all('#count')).toEqual(['15 links']);
    await click('#scope button:first-child');
    expect(await all('#count')).toEqual(['5 links']);
    await choose('search', 'PLUG-IN github');
    expect(await listed()).toEqual(['https://github.com/example/plugin-old']);
    await choose('search', 'no such thing');
    expect(await all('#count')).toEqual(['Nothing matches.']);
  });

  it('sorts, and groups by page', async () => {
    await show(exampleReport());
    await choose('sort', 'places');
    expect((await all('#list .meta')).slice(0, 2)).toEqual(['404 · 14 places', '200 · 3 places']);
    await choose('by', 'page');
    expect(await all('#count')).toEqual(['9 links on 15 pages']);
    expect((await listed())[0]).toBe('https://docs.example.com/guide/install');
    expect((await all('#list .badge'))[0]).toBe('4 failing');
    await choose('sort', 'url');
    const pages = await listed();
    expect(pages).toEqual([...pages].sort());
  });

  it('is used by keys alone', async () => {
    await show(exampleReport());
    const focused = (): Promise<string> =>
      browser.evaluate('document.activeElement.textContent || document.activeElement.id');
    await browser.press('j');
    await browser.press('j');
    expect(await focused()).toContain('overview.svg');
    await browser.press('k');
    expect(await focused()).toContain('getting-started');
    await browser.press('Enter');
    expect(await browser.evaluate('document.querySelector("#list details").open')).toBe(true);
    await browser.press('g');
    expect(await all('#count')).toEqual(['9 links on 15 pages']);
    await browser.press('g');
    await browser.press('/');
    expect(await focused()).toBe('search');
    for (const letter of 'book') {
      await browser.press(letter);
    }
    expect(await listed()).toEqual(['https://shop.example.net/book']);
    await browser.press('Escape');
    expect(await all('#count')).toEqual(['9 links']);
  });

  it('keeps what is looked at in its address', async () => {
    await show(exampleReport());
    await chip('dead');
    await choose('sort', 'url');
    const hash: string = await browser.evaluate('location.hash');
    const before = await listed();
    await show(exampleReport(), hash);
    expect(await listed()).toEqual(before);
    expect(await all('#verdicts [aria-pressed=true]')).toEqual(['dead3']);
    await show(exampleReport(), '#scope=__proto__&by=constructor&sort=x&page=-5&verdicts=%3Cb%3E');
    expect(await all('#count')).toEqual(['9 links']);
    expect(browser.complaints).toEqual([]);
  });

  it('holds ten thousand findings: a hundred are elements, all can be found', async () => {
    const links = Array.from({ length: 10_000 }, (_, number) =>
      linkOf('dead', {
        url: `https://a.test/${String(number).padStart(5, '0')}`,
        sources: [sourceOf({ page: `https://a.test/page-${number % 700}` }), sourceOf()],
      }),
    );
    await show(reportOf(links));
    expect(await listed()).toHaveLength(100);
    expect(await all('#pager span')).toEqual(['1–100 of 10,000']);
    await browser.press('n');
    expect((await listed())[0]).toBe('https://a.test/00100');
    await click('#pager button:last-child');
    expect((await listed()).at(-1)).toBe('https://a.test/09999');
    expect(await browser.evaluate('document.querySelector("#pager button:last-child").disabled')).toBe(true);
    await choose('search', 'page-699');
    expect(await all('#count')).toEqual(['14 links']);
    await browser.press('Escape');
    await choose('by', 'page');
    expect(await all('#count')).toEqual(['10,000 links on 701 pages']);
    expect(await listed()).toHaveLength(100);
  });

  it('prints all that is listed, opened, and is as before afterwards', async () => {
    const links = Array.from({ length: 150 }, (_, number) => linkOf('dead', { url: `https://a.test/${number}` }));
    await show(reportOf(links));
    await browser.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await listed()).toHaveLength(150);
    expect(await all('#list .body')).toHaveLength(150);
    await browser.evaluate(`dispatchEvent(new Event('afterprint'))`);
    expect(await listed()).toHaveLength(100);
    expect(await all('#list .body')).toEqual([]);
  });

  it('says when nothing fails, and when there is nothing to list', async () => {
    await show(reportOf([linkOf('ok', { sources: [], sourceCount: 2 })], { truncated: '--duration 10m' }));
    expect(await all('h1')).toEqual(['Nothing fails']);
    expect(await all('#count')).toEqual(['There is nothing to report.']);
    expect(await all('.remark')).toContain('cut short by --duration 10m: not every link was looked at');
  });
});

describe('hostile text in the HTML report', () => {
  const shape = (): Promise<string[]> =>
    browser.evaluate(
      `[...new Set([...document.querySelectorAll('*')].flatMap((each) => [each.tagName, ...[...each.attributes].map(({ name }) => each.tagName + ' ' + name)]))].sort()`,
    );

  it.each(['target', 'page'])('runs no script and makes no element or attribute, by %s', async (by) => {
    await show(exampleReport(), `#scope=all&by=${by}`);
    await openAll();
    const usual = await shape();
    await show(hostileReport(), `#scope=all&by=${by}`);
    await openAll();
    expect((await shape()).filter((part) => !usual.includes(part) && !/^P( class)?$/.test(part))).toEqual([]);
    expect(await browser.evaluate('typeof window.pwned')).toBe('undefined');
    expect(browser.requests).toEqual([address()]);
    expect(browser.complaints).toEqual([]);
  });

  it('is shown as text, with what cannot be seen made visible', async () => {
    await show(hostileReport(), '#scope=all');
    await openAll();
    const text = (await all('#list')).join('');
    expect(text).toContain(HOSTILE[0]);
    expect(text).toContain(HOSTILE[22]);
    expect(text).toContain('\ufffdgnp.exe');
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/);
  });

  it('becomes a link only by http or https, and none tells where it was followed', async () => {
    await show(hostileReport(), '#scope=all');
    await openAll();
    const links: { protocol: string; rel: string }[] = await browser.evaluate(
      `[...document.querySelectorAll('a')].map(({ protocol, rel }) => ({ protocol, rel }))`,
    );
    expect(links.length).toBeGreaterThan(20);
    expect(new Set(links.map(({ protocol }) => protocol))).toEqual(new Set(['https:']));
    expect(new Set(links.map(({ rel }) => rel))).toEqual(new Set(['noreferrer noopener']));
  });

  it('would run into the policy even if it became markup', async () => {
    await show(exampleReport());
    await browser.evaluate(
      `{ const made = document.createElement('script'); try { made.text = 'window.pwned = 1'; } catch {}
         document.body.append(made); }`,
    );
    expect(await browser.evaluate('typeof window.pwned')).toBe('undefined');
    expect(
      await browser.evaluate(
        `(() => { try { document.body.innerHTML = '<b>'; return 'made'; } catch (error) { return error.name; } })()`,
      ),
    ).toBe('TypeError');
    expect(await browser.evaluate(`fetch('https://a.test/').then(() => 'sent', (error) => error.name)`)).toBe(
      'TypeError',
    );
    expect(browser.complaints.join()).toContain('Content Security Policy');
  });
});
