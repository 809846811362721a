import { type Answer, APART, type Case, group, HERE, image, notFound, onlyFor, page, rawPage, to } from './case.js';

const redirect = group('redirect');
const LOCATION = 'RFC 9110 10.2.2';
const FETCH = 'Fetch 4.4, HTTP-redirect fetch';
const COOKIES = 'RFC 6265 5.4';
const END = { '{t}/end': page('<p id="place">A place</p>') };

/** {t} goes to {t}/2, that to {t}/3 and so on, until so many redirects are over. */
function chain(redirects: number): Record<string, Answer> {
  const step = (i: number): string => (i === 0 ? '{t}' : `{t}/${i}`);
  const hops = Array.from({ length: redirects }, (_, i) => [step(i), to(step(i + 1))] as const);
  return { ...Object.fromEntries(hops), [step(redirects)]: page() };
}

const withCookie =
  (then: Answer, otherwise: Answer): Answer =>
  (asked) =>
    ((asked.headers.cookie ?? '').includes('gate=open') ? then : otherwise)(asked);
const gate = { 'Set-Cookie': 'gate=open; Path=/' };

export const REDIRECT_CASES: readonly Case[] = [
  ...[301, 302, 303, 307, 308].map((code) =>
    redirect(String(code), 'fine', 'RFC 9110 15.4', HERE, to('{t}/end', code), { routes: END }),
  ),
  redirect('to-gone', 'broken', LOCATION, HERE, to('{t}/end')),
  redirect('permanent-to-gone', 'broken', LOCATION, HERE, to('{t}/end', 308)),
  redirect('two-to-gone', 'broken', LOCATION, HERE, to('{t}/2'), { routes: { '{t}/2': to('{t}/end', 301) } }),
  redirect('absolute', 'fine', LOCATION, HERE, to('{main}{t}/end'), { routes: END }),
  redirect('elsewhere', 'fine', LOCATION, HERE, to('{own}{t}/end'), { routes: END, apart: true }),
  redirect('elsewhere-gone', 'broken', LOCATION, HERE, to('{own}{t}/end'), { apart: true }),
  redirect('to-refused', 'broken', LOCATION, HERE, to('{closed}{t}/end')),
  redirect('relative', 'fine', LOCATION, HERE, to('{name}/end'), { routes: END }),
  redirect('relative-gone', 'broken', LOCATION, HERE, to('end'), { routes: END }),
  redirect('no-scheme', 'fine', LOCATION, HERE, to('//127.0.0.1:{port}{t}/end'), { routes: END }),
  redirect(
    'query',
    'fine',
    LOCATION,
    HERE,
    onlyFor(({ query }) => query === 'x=1', page()),
    {
      routes: { '{t}': (asked) => (asked.query === 'x=1' ? page() : to('?x=1'))(asked) },
    },
  ),
  redirect('backslash', 'fine', 'WHATWG URL 4.4', HERE, to('\\t\\{name}\\end'), { routes: END }),
  redirect('space', 'fine', 'WHATWG URL 4.4', HERE, to('{t}/the end'), { routes: { '{t}/the%20end': page() } }),
  redirect('raw-utf-8', 'fine', `${LOCATION}; Fetch 2.2.6`, HERE, to('{t}/größe'), {
    routes: { '{t}/gr%C3%B6%C3%9Fe': page() },
  }),
  redirect('encoded-utf-8', 'fine', LOCATION, HERE, to('{t}/gr%C3%B6%C3%9Fe'), {
    routes: { '{t}/gr%C3%B6%C3%9Fe': page() },
  }),
  redirect(
    'white-space-around',
    'fine',
    'RFC 9110 5.5',
    HERE,
    rawPage('HTTP/1.1 302 Found\r\nlocation:   {t}/end \t\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    { routes: END },
  ),
  redirect('keeps-fragment', 'fine', LOCATION, '<a href="{t}#place">a link</a>', to('{t}/end'), { routes: END }),
  redirect('keeps-missing-fragment', 'broken', LOCATION, '<a href="{t}#nowhere">a link</a>', to('{t}/end'), {
    routes: END,
  }),
  redirect('own-fragment', 'fine', LOCATION, '<a href="{t}#nowhere">a link</a>', to('{t}/end#place'), { routes: END }),
  redirect('own-fragment-missing', 'broken', LOCATION, HERE, to('{t}/end#nowhere'), { routes: END }),
  redirect('to-itself', 'broken', FETCH, HERE, to('{t}')),
  redirect('in-a-circle', 'broken', FETCH, HERE, to('{t}/2'), { routes: { '{t}/2': to('{t}/3'), '{t}/3': to('{t}') } }),
  redirect('circle-elsewhere', 'broken', FETCH, APART, to('{t}/2'), { routes: { '{t}/2': to('{t}') } }),
  redirect('20-times', 'fine', FETCH, HERE, null, { routes: chain(20) }),
  redirect('21-times', 'broken', FETCH, HERE, null, { routes: chain(21) }),
  redirect('40-times', 'broken', FETCH, APART, null, { routes: chain(40) }),
  redirect('cookie-gate', 'fine', COOKIES, HERE, withCookie(page(), to('{t}', 302, gate))),
  redirect('cookie-gate-between', 'fine', COOKIES, HERE, withCookie(page(), to('{t}/gate')), {
    routes: { '{t}/gate': to('{t}', 302, gate) },
  }),
  redirect('cookie-gate-elsewhere', 'fine', COOKIES, APART, withCookie(page(), to('{t}', 307, gate))),
  redirect('cookie-gate-to-gone', 'broken', COOKIES, HERE, withCookie(notFound, to('{t}', 302, gate))),
  redirect('cookie-and-still-a-circle', 'broken', FETCH, HERE, to('{t}', 302, gate)),
  redirect(
    'cookie-of-other-path',
    'broken',
    'RFC 6265 5.1.4',
    HERE,
    withCookie(page(), to('{t}', 302, { 'Set-Cookie': 'gate=open; Path=/elsewhere' })),
  ),
  redirect('to-script', 'broken', FETCH, HERE, to('javascript:alert(1)')),
  redirect('to-file', 'broken', FETCH, HERE, to('file:///etc/hostname')),
  redirect('to-data', 'broken', FETCH, HERE, to('data:text/html,<p>data')),
  redirect('to-no-url', 'broken', FETCH, HERE, to('http://a b/')),
  redirect('to-no-port', 'broken', FETCH, HERE, to('http://127.0.0.1:99999/')),
  redirect(
    'body-never-comes',
    'fine',
    'RFC 9110 15.4',
    HERE,
    rawPage('HTTP/1.1 302 Found\r\nLocation: {t}/end\r\nContent-Length: 5000\r\n\r\n', 'hold'),
    { routes: END },
  ),
  redirect(
    'body-cut-short',
    'fine',
    'RFC 9110 15.4',
    HERE,
    rawPage('HTTP/1.1 301 Moved\r\nLocation: {t}/end\r\nTransfer-Encoding: chunked\r\n\r\n40\r\nabc'),
    { routes: END },
  ),
  redirect('image', 'fine', LOCATION, '<img src="{t}" alt="">', to('{t}/end'), { routes: { '{t}/end': image } }),
  redirect('image-gone', 'broken', LOCATION, '<img src="{t}" alt="">', to('{t}/end')),
];
