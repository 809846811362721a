import { afterAll, beforeAll, expect, it } from 'vitest';
import { html, pathSite } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, check, HASTY, nameOf } from './checking.js';

const svg = (body: string) => ({
  headers: { 'content-type': 'image/svg+xml' },
  body: `<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`,
});
const SPRITE = svg(`<!-- ${'x'.repeat(70_000)} --><symbol id="icon"/><view id='a&amp;b'/><g xml:id="old"/>`);

let web: WebInABox;
let checked: Checked;
let site: string;
let elsewhere: string;

beforeAll(async () => {
  web = await openWeb();
  site = `http://127.0.0.1:${web.port}`;
  elsewhere = `http://localhost:${web.port}`;
  const page = `
<svg><use href="/sprite.svg#icon"/><use xlink:href="/sprite.svg#use-gone"/></svg>
<img src="/image.svg#icon"><img src="/image.svg#img-gone"><img src="/image.svg#svgView(viewBox(0,0,1,1))">
<img src="/image.svg#xywh=0,0,1,1"><img src="/image.svg#icon&amp;t=2"><img src="/image.svg#a&amp;b"><img src="/image.svg#old">
<a href="/linked.svg#icon">x</a><a href="/linked.svg#a-gone">x</a><a href="/scripted.svg#made">x</a>
<p style="background: url(/style.svg#css-gone)">x</p>
<a href="${elsewhere}/out.svg#icon">x</a><img src="${elsewhere}/out.svg#out-gone">
<a href="/film.mp4#t=10">x</a><a href="/paper.pdf#page=3">x</a><a href="/page#t=10">x</a><img src="/photo.png#any">`;
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(page),
      ...Object.fromEntries(['sprite', 'image', 'linked', 'style'].map((name) => [`/${name}.svg`, SPRITE])),
      '/scripted.svg': svg('<g id="x"/><script>make()</script>'),
      '/film.mp4': { headers: { 'content-type': 'video/mp4' }, body: 'x' },
      '/paper.pdf': { headers: { 'content-type': 'application/pdf' }, body: 'x' },
      '/photo.png': { headers: { 'content-type': 'image/png' }, body: 'x' },
      '/page': html('<p id="x">x'),
    }),
  );
  web.site('localhost', pathSite({ '/out.svg': SPRITE }));
  checked = await check([`${site}/`, '--allow-private', ...HASTY], { code: 1 });
});
afterAll(() => web.close());

it('ids of SVG are looked for, whatever leads there, and nothing else is taken for one', () => {
  const bad = checked.links.filter(({ verdict }) => verdict !== 'ok').map((link) => `${link.verdict} ${nameOf(link)}`);
  expect(bad).toEqual([
    `missing_fragment ${site}/image.svg#img-gone`,
    `missing_fragment ${site}/linked.svg#a-gone`,
    `missing_fragment ${site}/sprite.svg#use-gone`,
    `missing_fragment ${site}/style.svg#css-gone`,
    `missing_fragment ${elsewhere}/out.svg#out-gone`,
    `unverifiable ${site}/scripted.svg#made`,
  ]);
});

it('an SVG is no page that was read for links', () => {
  expect(checked.summary.pages).toBe(2);
});
