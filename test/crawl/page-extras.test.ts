import { expect, it } from 'vitest';
import { ResponseHeaders } from '../../src/fetch/response-headers.js';
import { pageExtras } from '../../src/lane/page-extras.js';
import { scanPage } from '../../src/parse/scan.js';

const extrasOf = (html: string, headers: string[] = []) => {
  const { extras, links } = scanPage(Buffer.from(html), 'utf-8', { extras: true });
  const url = 'https://www.shop.test/page';
  const json = pageExtras(extras!, links, new ResponseHeaders(headers), url, (href) => new URL(href, url).href);
  return json === null ? null : JSON.parse(json);
};

it('keeps what a page says of itself', () => {
  const extras = extrasOf(
    `<meta property="og:title" content="T"><meta property="og:type" content="article"><meta name=author content="A. B.">
     <meta property="article:published_time" content="2024-05-01"><meta name=keywords content="a, b,,a"><meta name=generator content="Hugo 0.1">
     <script type="application/ld+json">{"@graph":[{"@type":["Article","X"],"dateModified":"2024-06-01"},{"@type":"Person"}]}</script>
     <script type="application/ld+json">no JSON</script>
     <script src="https://cdn.other.test/jquery.min.js"></script><img src="https://img.shop.test/a.png"><a href="https://third.test/">x</a>`,
    ['server', 'nginx/1.2', 'set-cookie', 'PHPSESSID=secret; Path=/', 'set-cookie', 'b=alsosecret'],
  );
  expect(extras).toEqual({
    openGraph: { title: 'T', type: 'article' },
    jsonLd: ['Article', 'X', 'Person'],
    author: 'A. B.',
    published: '2024-05-01',
    modified: '2024-06-01',
    keywords: ['a', 'b'],
    cookies: ['PHPSESSID', 'b'],
    thirdParties: ['cdn.other.test'],
    technology: ['nginx', 'PHP', 'Hugo', 'jQuery'],
  });
  expect(JSON.stringify(extras)).not.toContain('secret');
});

it('keeps nothing where nothing is said', () => {
  expect(extrasOf('<p>hello</p><a href="https://x.test/wp-content/">x</a>')).toBeNull();
});

it('takes an author that JSON-LD alone names, and bears any JSON', () => {
  expect(extrasOf('<script type="application/ld+json">{"@type":1,"author":[{"name":"Z"}]}</script>')).toEqual({
    author: 'Z',
  });
  expect(extrasOf('<script type="application/ld+json">[[[[[{"@type":"Deep"}]]]]]</script>')).toBeNull();
  expect(extrasOf('<script type="application/ld+json">null</script>')).toBeNull();
});
