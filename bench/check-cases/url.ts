import { type Case, group, notFound, onlyFor, onlyQuery, page } from './case.js';

const url = group('url');
const RESOLVE = 'RFC 3986 5.2, WHATWG URL 4.4';
const WHATWG = 'WHATWG URL 4.4';
const HOST = 'WHATWG URL 3.5';
const IPV4 = 'WHATWG URL 3.5, IPv4 parser';
const BASE = 'HTML 4.2.3, the base element';
const REFERENCE = 'HTML 13.2.5.72, character references in attributes';
const SYNTAX = 'HTML 13.1.2.3, attributes';

const a = (href: string): string => `<a href="${href}">a link</a>`;
const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
/** A page below {t}, however its path is escaped. */
const below = (rest: string) => ({ [`{t}/${rest}`]: page() });

/** Windows-1252 pages: each character of the markup is one byte. */
const latin = (markup: string) => (fill: (text: string) => string) =>
  Buffer.from(fill(`<!doctype html><title>Windows-1252</title><p>Some text on a page.</p>${markup}`), 'latin1');
const latinPage = (markup: string) => ({
  '/page/of-{name}.html': (asked: { method: string; fill: (text: string) => string }) => {
    const body = latin(markup)(asked.fill);
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=windows-1252\r\nContent-Length: ${body.length}\r\n\r\n`;
    return {
      bytes: Buffer.concat([Buffer.from(head), asked.method === 'HEAD' ? Buffer.alloc(0) : body]),
      after: 'keep' as const,
    };
  },
});

export const URL_CASES: readonly Case[] = [
  url('parent', 'fine', RESOLVE, a('../t/{name}'), page()),
  url('parent-gone', 'broken', RESOLVE, a('../t/{name}')),
  url('dots', 'fine', RESOLVE, a('./../t/./x/../{name}'), page()),
  url('beyond-root', 'fine', 'RFC 3986 5.4.2', a('/../../t/{name}'), page()),
  url('encoded-dots', 'fine', 'WHATWG URL 4.4, double-dot segment', a('/t/x/%2e%2E/{name}'), page()),
  url('no-scheme', 'fine', RESOLVE, a('//127.0.0.1:{port}{t}'), page()),
  url('three-slashes', 'fine', WHATWG, a('///127.0.0.1:{port}{t}'), page()),
  url('empty-segment', 'fine', WHATWG, a('/t//{name}'), null, { routes: { '/t//{name}': page() } }),
  url('empty-segment-gone', 'broken', WHATWG, a('/t//{name}'), page()),
  url('query-only', 'fine', RESOLVE, a('?{name}'), null, { alone: true }),
  url('query-only-gone', 'broken', RESOLVE, null, null, {
    routes: {
      '/page/of-{name}.html': (asked) => (asked.query === '' ? page(a('?{name}')) : notFound)(asked),
    },
  }),
  url('empty', 'fine', 'RFC 3986 4.4', null, null, {
    routes: { '/page/of-{name}.html': page(`${a('')}${a('/t/{name}')}`), '{t}': page(a('')) },
  }),
  url('base', 'fine', BASE, `<base href="/t/deep/">${a('{name}')}`, null, {
    alone: true,
    routes: { '/t/deep/{name}': page() },
  }),
  url('base-gone', 'broken', BASE, `<base href="/t/nowhere/">${a('{name}')}`, null, {
    alone: true,
    routes: { '/page/{name}': page() },
  }),
  url('base-relative', 'fine', BASE, `<base href="../t/deep/">${a('../{name}')}`, page(), { alone: true }),
  url('base-first-counts', 'fine', BASE, `<base href="/t/deep/"><base href="/t/other/">${a('{name}')}`, null, {
    alone: true,
    routes: { '/t/deep/{name}': page() },
  }),
  url('base-without-href', 'fine', BASE, `<base target="_top"><base href="/t/deep/">${a('{name}')}`, null, {
    alone: true,
    routes: { '/t/deep/{name}': page() },
  }),
  url('base-after-link', 'fine', BASE, `${a('{name}')}<base href="/t/deep/">`, null, {
    alone: true,
    routes: { '/t/deep/{name}': page() },
  }),
  url(
    'base-fragment',
    'broken',
    `${BASE}; HTML 7.4.6.4`,
    `<base href="{t}"><p id="here">Here</p>${a('#here')}`,
    page(),
    {
      alone: true,
    },
  ),
  url('backslashes', 'fine', WHATWG, a('\\t\\{name}'), page()),
  url('backslashes-host', 'fine', WHATWG, a('http:\\\\127.0.0.1:{port}\\t\\{name}'), page()),
  url('scheme-one-slash', 'fine', WHATWG, a('http:/t/{name}'), page()),
  url('scheme-upper-case', 'fine', 'RFC 3986 3.1', a('HTTP://127.0.0.1:{port}{t}'), page()),
  url('tab-inside', 'fine', WHATWG, a('/t&#9;/{name}'), page()),
  url('newline-inside', 'fine', WHATWG, a('/t\n/{name}'), page()),
  url('newline-inside-gone', 'broken', WHATWG, a('/t\n/{name}')),
  url('space-around', 'fine', 'HTML 2.4.1', a('  {t}  '), page()),
  url('newline-around', 'fine', 'HTML 2.4.1', a('\n    {t}\n  '), page()),
  url('control-before', 'fine', WHATWG, a('&#x1f;{t}'), page()),
  url('space-inside', 'fine', WHATWG, a('{t}/a b'), null, { routes: below('a%20b') }),
  url('utf-8-path', 'fine', WHATWG, a('{t}/größe'), null, { routes: below('gr%C3%B6%C3%9Fe') }),
  url('utf-8-path-gone', 'broken', WHATWG, a('{t}/größe'), null, { routes: below('gr%F6%DFe') }),
  url('lone-percent', 'fine', WHATWG, a('{t}/100%'), null, { routes: below('100%') }),
  url('encoded-slash', 'fine', 'RFC 3986 2.2', a('{t}/a%2Fb'), null, { routes: below('a%2Fb') }),
  url('encoded-slash-gone', 'broken', 'RFC 3986 2.2', a('{t}/a%2Fb'), null, { routes: below('a/b') }),
  url('encoded-percent', 'fine', 'RFC 3986 2.4', a('{t}/a%2520b'), null, { routes: below('a%2520b') }),
  url('encoded-question-mark', 'fine', 'RFC 3986 2.2', a('{t}/what%3F'), null, { routes: below('what%3F') }),
  url(
    'braces',
    'fine',
    WHATWG,
    a('{t}?v={a}|`b`'),
    onlyFor(({ query }) => decoded(query) === 'v={a}|`b`'),
  ),
  url(
    'apostrophe',
    'fine',
    WHATWG,
    a("{t}?v='a'"),
    onlyFor(({ query }) => decoded(query) === "v='a'"),
  ),
  url('plus', 'fine', 'RFC 3986 2.2', a('{t}?v=a+b'), onlyQuery('v=a+b')),
  url('semicolon', 'fine', 'RFC 3986 3.3', a('{t};v=1'), null, { routes: { '{t};v=1': page() } }),
  url('query-gone', 'broken', 'RFC 3986 3.4', a('{t}?v=2'), onlyQuery('')),
  url('query-question-mark', 'fine', 'RFC 3986 3.4', a('{t}?a=b?c/d'), onlyQuery('a=b?c/d')),
  url('empty-query', 'fine', 'RFC 3986 6.2.3', a('{t}?'), page()),
  url('amp', 'fine', REFERENCE, a('{t}?a=1&amp;b=2'), onlyQuery('a=1&b=2')),
  url('bare-ampersand', 'fine', REFERENCE, a('{t}?a=1&b=2'), onlyQuery('a=1&b=2')),
  url('copy-equals', 'fine', REFERENCE, a('{t}?a=1&copy=2'), onlyQuery('a=1&copy=2')),
  url('copy-at-the-end', 'fine', REFERENCE, a('{t}?a=&copy'), onlyQuery('a=%C2%A9')),
  url('numeric-references', 'fine', REFERENCE, a('&#47;t&#x2F;{name}'), page()),
  url('named-reference', 'fine', REFERENCE, a('&sol;t&sol;{name}'), page()),
  url('ipv4-hex', 'fine', IPV4, a('http://0x7f.0.0.0x1:{port}{t}'), page()),
  url('ipv4-number', 'fine', IPV4, a('http://2130706433:{port}{t}'), page()),
  url('ipv4-octal', 'fine', IPV4, a('http://0177.0.0.01:{port}{t}'), page()),
  url('ipv4-short', 'fine', IPV4, a('http://127.1:{port}{t}'), page()),
  url('ipv4-last-dot', 'fine', IPV4, a('http://127.0.0.1.:{port}{t}'), page()),
  url('ipv4-too-big', 'broken', IPV4, a('http://127.0.0.256:{port}{t}')),
  url('ipv4-five-parts', 'broken', IPV4, a('http://127.0.0.0.1:{port}{t}')),
  url('host-full-width', 'fine', `${HOST}, UTS 46`, a('http://１２７.０.０.１:{port}{t}'), page()),
  url('host-ideographic-stop', 'fine', `${HOST}, UTS 46`, a('http://127。0。0。1:{port}{t}'), page()),
  url('host-percent', 'fine', HOST, a('http://%31%32%37.0.0.1:{port}{t}'), page()),
  url('host-upper-case', 'fine', HOST, a('http://LocalHost:{port}{t}'), page()),
  url('host-idn', 'fine', `${HOST}, UTS 46`, a('http://ｌｏｃａｌｈｏｓｔ:{port}{t}'), page()),
  url('host-soft-hyphen', 'fine', `${HOST}, UTS 46`, a('http://local&shy;host:{port}{t}'), page()),
  url('host-space', 'broken', HOST, a('http://a b{t}')),
  url('host-bracket', 'broken', HOST, a('http://[::1{t}')),
  url('host-angle', 'broken', HOST, a('http://a&lt;b{t}')),
  url('host-empty', 'broken', WHATWG, a('http://?{name}')),
  url('host-only-port', 'broken', WHATWG, a('http://:{port}{t}')),
  url('port-zeros', 'fine', WHATWG, a('http://127.0.0.1:00{port}{t}'), page()),
  url('port-too-big', 'broken', WHATWG, a('http://127.0.0.1:99999{t}')),
  url('port-letters', 'broken', WHATWG, a('http://127.0.0.1:80a{t}')),
  url('user-info', 'fine', 'RFC 3986 3.2.1', a('http://user:secret@127.0.0.1:{port}{t}'), page()),
  url('path-case', 'broken', 'RFC 3986 6.2.2.1', a('/T/{name}'), page()),
  url('last-slash', 'broken', 'RFC 3986 6.2.3', a('{t}/'), page()),
  url('query-in-windows-1252', 'fine', 'WHATWG URL 4.4, query state', null, onlyQuery('v=%E9'), {
    routes: latinPage(a('{t}?v=\u00e9')),
  }),
  url('query-beyond-windows-1252', 'fine', 'WHATWG URL 4.4, query state', null, onlyQuery('v=%26%2326085%3B'), {
    routes: latinPage(a('{t}?v=&#26085;')),
  }),
  url('path-in-windows-1252', 'fine', 'WHATWG URL 4.4, path state', null, null, {
    routes: { ...latinPage(a('{t}/\u00e9')), ...below('%C3%A9') },
  }),
  url('long', 'fine', 'RFC 9110 4.1', a(`{t}?v=${'long'.repeat(700)}`), page()),
  url('unquoted', 'fine', SYNTAX, '<a href={t}>a link</a>', page()),
  url('single-quotes', 'fine', SYNTAX, "<a href='{t}'>a link</a>", page()),
  url('upper-case-names', 'fine', SYNTAX, '<A HREF = "{t}">a link</A>', page()),
  url('attribute-twice', 'fine', 'HTML 13.2.5.33', '<a href="{t}" href="{t}/second">a link</a>', page(), {
    never: ['{t}/second'],
  }),
  url('slash-before-attribute', 'broken', 'HTML 13.2.5.40', '<a/href="{t}">a link</a>'),
];
