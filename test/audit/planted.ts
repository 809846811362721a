import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import { urlset } from '../web/site.js';

/** A web in which each thing that an audit looks for is planted, beside a page that nearly has it. */

const ORIGIN = 'https://planted.test';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Words that no other page has, as many as wanted. */
export const prose = (seed: string, count = 150): string =>
  Array.from({ length: count }, (_, i) => `${seed.replace(/\W/g, '') || 'home'}${i}`).join(' ');

interface PageParts {
  title?: string | null;
  description?: string | null;
  h1?: string;
  head?: string;
  body?: string;
  words?: string;
}

function pageOf(path: string, parts: PageParts = {}): Answer {
  const { title = `About ${path}`, description = `What is at ${path}.`, h1 = `<h1>${path}</h1>`, head = '' } = parts;
  return {
    body: `<!doctype html><html lang="en"><head>${title === null ? '' : `<title>${title}</title>`}${
      description === null ? '' : `<meta name="description" content="${description}">`
    }${head}</head><body>${h1}<p>${parts.words ?? prose(path)}</p>${parts.body ?? ''}</body></html>`,
  };
}

const canonical = (to: string): PageParts => ({ head: `<link rel="canonical" href="${to}">` });
const languages = (...pairs: [code: string, path: string][]): PageParts => ({
  head: pairs.map(([code, path]) => `<link rel="alternate" hreflang="${code}" href="${path}">`).join(''),
});
const to = (location: string, status = 301): Answer => ({ status, headers: { location } });
const NOINDEX: PageParts = { head: '<meta name="robots" content="noindex">' };

const NEAR = Array.from({ length: 400 }, (_, i) => `near${i}`);
const SAME = { h1: '<h1>The same</h1>', words: prose('same') };

const PAGES: Record<string, PageParts | Answer> = {
  '/secret': { status: 403, body: 'no' },
  '/gone': { status: 404, body: 'no' },
  '/moved-gone': to('/gone-behind'),
  '/old': to('/new'),
  '/new': {},
  '/chain-1': to('/chain-2'),
  '/loop-1': to('/loop-2'),
  '/title-none': { title: null },
  '/title-empty': { title: ' ' },
  '/title-zero': { title: '0' },
  '/title-a': { title: 'A title for two' },
  '/title-b': { title: 'A title for two' },
  '/title-c': { title: 'A title for two!' },
  '/title-hidden': { title: 'A title for two', ...NOINDEX },
  '/title-61': { title: 'x'.repeat(61) },
  '/title-60': { title: 'y'.repeat(60) },
  '/description-none': { description: null },
  '/description-a': { description: 'One for two' },
  '/description-b': { description: 'One for two' },
  '/description-161': { description: 'x'.repeat(161) },
  '/description-160': { description: 'y'.repeat(160) },
  '/h1-none': { h1: '<h2>no</h2>' },
  '/h1-two': { h1: '<h1>one</h1><h1>two</h1>' },
  '/h1-template': { h1: '<h1>one</h1><template><h1>two</h1></template>' },
  '/canonical-self': canonical('/canonical-self'),
  '/canonical-elsewhere': canonical('/new'),
  '/canonical-broken': canonical('/gone'),
  '/canonical-file': canonical('file:///new'),
  '/canonical-redirect': canonical('/old'),
  '/canonical-chain': canonical('/canonical-elsewhere'),
  '/private/linked': {},
  '/privately': {},
  '/en': languages(['en', '/en'], ['de', '/de'], ['x-default', '/en']),
  '/de': languages(['en-GB', '/en'], ['de', '/de'], ['zh-Hans-CN', '/de'], ['es-419', '/de'], ['sr-Latn-RS', '/de']),
  '/fr': languages(['fr', '/fr'], ['en', '/en']),
  '/uk': languages(['en-UK', '/uk'], ['jp', '/uk'], ['en_US', '/uk'], ['eng', '/uk'], ['sr-YU', '/uk']),
  '/it': languages(['it', '/gone']),
  '/listed-and-linked': {},
  '/deep-1': { body: '<a href="/deep-2">next</a>' },
  '/heavy': { body: `<!--${'x'.repeat(525_000)}-->` },
  '/nearly-heavy': { body: `<!--${'x'.repeat(500_000)}-->` },
  '/mixed': {
    body: '<img alt="" src="http://planted.test/pic.png"><script src="http://elsewhere.test/x.js"></script>',
  },
  '/not-mixed': { body: '<img alt="" src="/pic.png"><a href="http://elsewhere.test/">x</a>' },
  '/http-link': { body: '<a href="http://planted.test/new">plain</a><a href="http://planted.test/new">again</a>' },
  '/thin': { h1: '<h1>thin</h1>', words: prose('thin', 98) },
  '/nearly-thin': { h1: '<h1>thin</h1>', words: prose('nearlythin', 99) },
  '/same-a': SAME,
  '/same-b': {
    ...SAME,
    words: `<b>${prose('same').replaceAll(' ', '</b>\n<i>x</i><b>').replaceAll('<i>x</i>', '')}</b>`,
  },
  '/near-a': { h1: '<h1>near</h1>', words: NEAR.join(' ') },
  '/near-b': { h1: '<h1>near</h1>', words: NEAR.with(200, 'other').join(' ') },
  '/half': { h1: '<h1>near</h1>', words: [...NEAR.slice(0, 200), prose('half', 200)].join(' ') },
  '/parameter?page=2': {},
  '/parameter%3Fpage=3': {},
  '/image': { body: '<img src="/a.png"><img src="/b.png"><img src="/c.png" alt="c">' },
  '/image-fine': { body: '<img src="/a.png" alt=""><img src="/b.png" role="presentation">' },
};

/** In the sitemap, besides what is linked. */
const LISTED: Record<string, PageParts | Answer> = {
  '/orphan': {},
  '/noindex-listed': NOINDEX,
  '/private/listed': {},
  '/gone-listed': { status: 404, body: 'no' },
  '/old-listed': to('/new'),
  '/canonical-listed': canonical('/new'),
};

const OTHERS: Record<string, PageParts | Answer> = {
  '/loop-2': to('/loop-1'),
  '/chain-3': {},
  '/chain-2': to('/chain-3', 302),
  '/gone-behind': { status: 410, body: 'no' },
  '/deep-2': { body: '<a href="/deep-3">next</a>' },
  '/deep-3': { body: '<a href="/deep-4">next</a>' },
  '/deep-4': { body: '<a href="/deep-5">next</a>' },
  '/deep-5': {},
  '/noindex-linked': NOINDEX,
};

const GOOD_HEADERS = {
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const isAnswer = (parts: PageParts | Answer): parts is Answer => 'status' in parts;

function answerOf(host: string, path: string): Answer | null {
  if (host === 'bare.test') {
    return path === '/' ? pageOf('bare') : { status: 404, body: 'no' };
  }
  if (path === '/robots.txt') {
    return {
      headers: { 'content-type': 'text/plain' },
      body: `User-agent: *\nDisallow: /private/\nSitemap: ${ORIGIN}/sitemap.xml\n`,
    };
  }
  if (path === '/sitemap.xml') {
    const paths = [...Object.keys(LISTED), '/listed-and-linked', '/'];
    return { headers: { 'content-type': 'application/xml' }, body: urlset(paths.map((each) => ORIGIN + each)) };
  }
  if (path === '/') {
    const links = [...Object.keys(PAGES), '/noindex-linked', '/reset'].map(
      (each) => `<a href="${each}">to ${each}</a>`,
    );
    return pageOf('/', { body: links.join(' ') });
  }
  if (path === '/reset') {
    return null;
  }
  const parts = { ...PAGES, ...LISTED, ...OTHERS }[path];
  return parts === undefined ? { status: 404, body: 'no' } : isAnswer(parts) ? parts : pageOf(path, parts);
}

export interface PlantedWeb {
  /** For a command line. */
  args: string[];
  close(): Promise<void>;
}

/** Serves it over https, and redirects there from http. */
export async function openPlanted(): Promise<PlantedWeb> {
  const secure = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    const host = (request.headers.host ?? '').split(':')[0]!;
    const answer = answerOf(host, request.url ?? '/');
    if (answer === null) {
      request.socket.destroy();
      return;
    }
    const own = host === 'bare.test' ? {} : GOOD_HEADERS;
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...own, ...answer.headers });
    response.end(answer.body ?? '');
  });
  const plain = createHttpServer((request, response) => {
    response.writeHead(301, { location: `https://${(request.headers.host ?? '').split(':')[0]}${request.url}` }).end();
  });
  const servers = [secure, plain];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const portOf = (server: (typeof servers)[number]): number => (server.address() as AddressInfo).port;
  return {
    args: [
      ...['--connect-to', `:443:127.0.0.1:${portOf(secure)}`, '--connect-to', `:80:127.0.0.1:${portOf(plain)}`],
      ...['--insecure', '--delay', '0', '--retries', '0', '--anchor-text', '-q'],
    ],
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
