import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { box, type Crawled } from './box.js';

const PRIVET = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
/** A page whose title is in these bytes. */
const page = (type: string, title: Buffer | string, head = '') => ({
  headers: { 'content-type': type },
  body: Buffer.concat([
    Buffer.from(`<html><head>${head}<title>`),
    Buffer.from(title),
    Buffer.from('</title><a href="/end">'),
  ]),
});

describe('pages whose charset is not what is said', () => {
  const own = box();
  let crawled: Crawled;
  const PAGES = {
    '/late-meta': page('text/html', PRIVET, `<!--${' '.repeat(2_000)}--><meta charset="windows-1251">`),
    '/wrong-header': page('text/html; charset=utf-8', PRIVET, '<meta charset="windows-1251">'),
    '/ascii-header': page('text/html; charset=us-ascii', 'Café'),
    '/wide-header': page('text/html; charset=utf-16', 'Café'),
    '/one-byte': page('text/html; charset=utf-8', Buffer.concat([Buffer.from('Café '), Buffer.from([0xff])])),
    '/plain': { headers: { 'content-type': 'text/html' }, body: 'no tag in it' },
    '/pdf': { headers: { 'content-type': 'text/html' }, body: Buffer.from('%PDF-1.4\n%\xe2\xe3\0', 'latin1') },
    '/query': {
      headers: { 'content-type': 'text/html; charset=windows-1251' },
      body: Buffer.concat([
        ...[Buffer.from('<a href="/find?q='), PRIVET, Buffer.from('"></a><a href="/find?q=&#23383;"></a>')],
        ...[Buffer.from('<a href="/path-'), PRIVET, Buffer.from('"></a><a href="?plain">')],
      ]),
    },
    '/query-utf-8': html('<a href="/find?q=Привет">'),
  };

  beforeAll(async () => {
    const home = html(linkPage('Home', Object.keys(PAGES)));
    own.web.site('labels.test', pathSite({ '/': home, '/end': html(linkPage('End', [])), ...PAGES }));
    crawled = await own.crawl(['http://labels.test/'], ['--seeding-strategy', 'none']);
  });

  it.each([
    ['/late-meta', 'Привет', undefined],
    ['/wrong-header', 'Привет', 'wrong_charset'],
    ['/ascii-header', 'Café', 'wrong_charset'],
    ['/wide-header', 'Café', 'wrong_charset'],
    ['/one-byte', 'Café \ufffd', 'undecodable_bytes'],
    ['/plain', null, undefined],
  ])('%s is a page with the title %s and the note %s', (path, title, note) => {
    const line = crawled.pages.get(`http://labels.test${path}`);
    expect(line).toMatchObject({ state: 'done', reason: null, title, links: path === '/plain' ? 0 : 1 });
    expect((line as unknown as { note?: string }).note).toBe(note);
  });

  it('what is no text at all is malformed', () => {
    expect(crawled.pages.get('http://labels.test/pdf')).toMatchObject({ state: 'failed', reason: 'malformed_html' });
  });

  it('the query of a link is asked for in the encoding of its page, its path in UTF-8', () => {
    const asked = requestsTo(own.web.log, 'labels.test').map(({ path }) => path);
    const privet = '%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82';
    expect(asked.filter((path) => /find|path-|plain$/.test(path)).sort()).toEqual([
      '/find?q=%26%2323383%3B',
      '/find?q=%CF%F0%E8%E2%E5%F2',
      `/find?q=${privet}`,
      `/path-${privet}`,
      '/plain',
      '/query?plain',
    ]);
  });
});
