import { afterAll, beforeAll, expect, it } from 'vitest';
import { html, linkPage, pathSite, redirect } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, check, HASTY, nameOf, pathsOf } from './checking.js';
import { ok } from './planted.js';

const HOME = 'http://127.0.0.1';
const css = (body: string) => ({ headers: { 'content-type': 'text/css' }, body });
const png = { headers: { 'content-type': 'image/png' }, body: 'png' };
const LONG = 'x'.repeat(3_000);

let web: WebInABox;
let checked: Checked;
let site: string;

beforeAll(async () => {
  web = await openWeb();
  site = `${HOME}:${web.port}`;
  const page = `${linkPage('Home', ['/no-location', '/not-asked', '/choices', '/to-missing', '/over', '/to-there#nowhere', '/app#made', `/page#${LONG}`])}
<link rel="stylesheet" href="/s/main.css">
<style>/* url(/comment.png) */
@import "/imported.css"; p { background: url(/in-style.png) }</style>
<p style="background: url('/in-attribute.png')">Text</p>
<svg><image href="/svg-image.png"/><use xlink:href="#icon"/><use href="#no-icon"/><g id="icon"/><a href="/svg-a">x</a></svg>`;
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(page),
      '/s/main.css': css('@import "sub.css";\nb { c: url(img/deep.png), url(data:image/png,x), url("fine.png") }'),
      '/s/sub.css': css('@namespace url(http://www.w3.org/1999/xhtml);\n\n  x { y: url( sub.png ) }'),
      '/s/fine.png': png,
      '/imported.css': css(''),
      '/no-location': { status: 301 },
      '/not-asked': { status: 304 },
      '/choices': html('<a href="/page">one</a>', 300),
      '/to-missing': redirect('/page#gone', 302),
      '/over': redirect('/to-missing', 302),
      '/to-there': redirect('/page#there', 302),
      '/page': html('<h1 id="there">There</h1>'),
      '/app': html('<div id="root"></div><script src="/app.js"></script>'),
      '/app.js': { headers: { 'content-type': 'text/javascript' }, body: '' },
      '/svg-a': ok,
    }),
  );
  checked = await check([`${site}/`, ...HASTY], { code: 1 });
});
afterAll(() => web.close());

const bad = () =>
  Object.fromEntries(
    checked.links
      .filter(({ verdict }) => !['ok', 'redirected'].includes(verdict))
      .map((link) => [nameOf(link).slice(site.length), link.verdict]),
  );
const placeOf = (path: string) =>
  checked.links
    .find((link) => nameOf(link) === site + path)!
    .sources.map(({ page, line, column, kind }) => [page.slice(site.length), line, column, kind]);

it('finds what stylesheets, style attributes and SVG load, and nothing else', () => {
  expect(bad()).toEqual({
    '/s/img/deep.png': 'dead',
    '/s/sub.png': 'dead',
    '/in-style.png': 'dead',
    '/in-attribute.png': 'dead',
    '/svg-image.png': 'dead',
    '/#no-icon': 'missing_fragment',
    [`/page#${LONG}`]: 'missing_fragment',
    '/no-location': 'invalid_url',
    '/not-asked': 'invalid_url',
    '/to-missing#gone': 'missing_fragment',
    '/over#gone': 'missing_fragment',
    '/app#made': 'unverifiable',
  });
});

it('says where each stands', () => {
  expect(placeOf('/s/img/deep.png')).toEqual([['/s/main.css', 2, 8, 'css']]);
  expect(placeOf('/s/sub.png')).toEqual([['/s/sub.css', 3, 10, 'css']]);
  expect(placeOf('/in-style.png')).toEqual([['/', expect.any(Number), 42, 'css']]);
  expect(placeOf('/in-attribute.png')).toEqual([['/', expect.any(Number), 1, 'css']]);
  expect(placeOf('/over#gone')).toHaveLength(1);
});

it('reads stylesheets of the site, each once, and never what is in a comment, a name or a data: URL', () => {
  const asked = pathsOf(web.log, '127.0.0.1');
  for (const sheet of ['/s/main.css', '/s/sub.css', '/imported.css']) {
    expect(
      asked.filter((each) => each.endsWith(` ${sheet}`)),
      sheet,
    ).toEqual([`HEAD ${sheet}`, `GET ${sheet}`]);
  }
  expect(asked.filter((each) => /comment|xhtml|data/.test(each))).toEqual([]);
  expect(asked.filter((each) => each.endsWith('/s/fine.png'))).toEqual(['HEAD /s/fine.png', 'GET /s/fine.png']);
});
