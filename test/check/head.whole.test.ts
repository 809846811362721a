import { afterAll, beforeAll, expect, it } from 'vitest';
import { html, linkPage, notFound, pathSite } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, check, HASTY, pathsOf } from './checking.js';

const png = { headers: { 'content-type': 'image/png' }, body: 'png' };
let web: WebInABox;
let checked: Checked;

beforeAll(async () => {
  web = await openWeb();
  const links = ['a', 'b', 'c'].flatMap((name) => [`http://honest.test/${name}`, `http://liar.test/${name}`]);
  links.push('http://mover.test/a', 'http://mover.test/b', 'http://denier.test/a', 'http://denier.test/b');
  web.site('site.test', pathSite({ '/': html(linkPage('Home', [...links, 'http://honest.test/x.png'])) }));
  web.site('honest.test', {
    handle: ({ path }) => (path === '/robots.txt' ? notFound : path.endsWith('.png') ? png : html('<p>Here')),
  });
  // To HEAD it says that all is there.
  web.site('liar.test', {
    handle: ({ path, method }) =>
      path === '/robots.txt' || (method === 'GET' && path !== '/c') ? notFound : html('<p>Here'),
  });
  // To HEAD it says of one that it is there, and sends whoever comes elsewhere; of another that it is not.
  web.site('mover.test', {
    handle: ({ path, method }) =>
      path === '/robots.txt' || (method === 'GET' && path === '/b')
        ? notFound
        : method === 'GET' && path === '/a'
          ? { status: 302, headers: { location: '/c' }, body: '' }
          : html('<p>Here'),
  });
  web.site('denier.test', {
    handle: ({ path, method }) =>
      path === '/robots.txt' || (method === 'HEAD') === (path === '/a') ? notFound : html('<p>Here'),
  });
  const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
  checked = await check(['http://site.test/', ...HASTY, ...connectTo], { code: 1 });
});
afterAll(() => web.close());

it('confirms one HEAD of each host and media type by a GET of its first byte', () => {
  const asked = pathsOf(web.log, 'honest.test').filter((each) => !each.endsWith('/robots.txt'));
  expect(asked.sort()).toEqual(['GET /a', 'GET /x.png', 'HEAD /a', 'HEAD /b', 'HEAD /c', 'HEAD /x.png']);
  const ranges = web.log.filter(
    ({ host, path, method }) => host === 'honest.test' && method === 'GET' && path !== '/robots.txt',
  );
  expect(ranges.map(({ headers }) => headers.range)).toEqual(['bytes=0-0', 'bytes=0-0']);
  expect(checked.byUrl.get('http://honest.test/a')).toMatchObject({ verdict: 'ok', status: 200 });
});

it('believes no HEAD of a host where a GET says otherwise', () => {
  const said = ['a', 'b', 'c'].map((name) => checked.byUrl.get(`http://liar.test/${name}`)!.verdict);
  expect(said).toEqual(['dead', 'dead', 'ok']);
  expect(pathsOf(web.log, 'liar.test').filter((each) => each === 'GET /c')).toHaveLength(1);
});

it('nor where the GET leads elsewhere, nor where it finds what the HEAD did not', () => {
  const said = ['mover', 'denier'].flatMap((host) =>
    ['a', 'b'].map((name) => checked.byUrl.get(`http://${host}.test/${name}`)!.verdict),
  );
  expect(said).toEqual(['redirected', 'dead', 'ok', 'dead']);
});
