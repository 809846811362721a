import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { type PageLine, type Run, readLines, readPages, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, type SiteAnswer, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { exampleFile, startExample, startNode, VITEST } from './running.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  web = await openWeb();
  folder = temporaryFolder();
});
afterEach(async () => {
  await web.close();
  folder.remove();
});

/** The site that a client without --connect-to finds, a web of its own for each test. */
function site(answers: Parameters<typeof pathSite>[0]): string {
  web.site('127.0.0.1', pathSite(answers));
  return `${web.origin}/`;
}

const page = (title: string, links: string[], prose?: string): SiteAnswer => html(linkPage(title, links, prose));
const json = (value: unknown): SiteAnswer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** What the server was asked for, robots.txt and guesses at sitemaps aside, in the order in which it came. */
const asked = (of = web): string[] =>
  of.log.map(({ path }) => path).filter((path) => path !== '/robots.txt' && !/^\/sitemap\w*\.xml$/.test(path));

async function run(name: string, args: readonly string[]): Promise<Run> {
  const ended = await startExample(name, args, folder.path).ended;
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
}

/** The command line that the first comment of an example names. */
async function crawlWith(seed: string, args: readonly string[]) {
  const directory = join(folder.path, 'crawl');
  const ended = await inProcess(['crawl', seed, '--data-dir', directory, ...args], { cwd: folder.path });
  expect(ended.code, ended.stderr).toBe(0);
  return {
    ...ended,
    directory,
    pages: new Map(readPages(directory).map((each) => [new URL(each.url).pathname, each])),
  };
}

const dataOf = (pages: Map<string, PageLine>, path: string) => pages.get(path)?.data;
const lines = (output: string): string[] => output.trimEnd().split('\n').sort();

const product = (name: string, price: string, sku: string): SiteAnswer =>
  html(`<!doctype html><title>${name}</title><h1>${name}</h1><p class="price">${price} <abbr>EUR</abbr></p>
    <div class="photo"><img src="/img/${sku}.png"></div><ul class="tags"><li>kitchen</li><li>blue</li></ul>
    <script type="application/ld+json">{"@type": "Product", "sku": "${sku}"}</script><a href="/cart/add">Buy</a>`);
const SHOP = {
  '/': page('Shop', ['/p/cup', '/p/pot']),
  '/p/cup': product('Blue cup', '9.50', 'C-17'),
  '/p/pot': product('Tea pot', '24.00', 'P-2'),
};

it('basic-crawl prints a line for each page, and none for what is no page', async () => {
  const home = '<title>Home</title><h1>Welcome</h1><img src=/a.png><a href=/a>A</a><a href=/gone>Gone</a>';
  const seed = site({ '/': html(home), '/a': page('A', ['/']) });
  const { stdout, stderr } = await run('basic-crawl.ts', [seed]);
  expect(readLines<{ url: string }>(stdout).sort((a, b) => a.url.length - b.url.length)).toEqual([
    { url: seed, title: 'Home', heading: 'Welcome', images: 1 },
    { url: `${seed}a`, title: 'A', heading: 'A', images: 0 },
  ]);
  expect(stderr).toContain('failed');
  expect(asked()).toEqual(expect.arrayContaining(['/', '/a', '/gone']));
});

it('price-list makes a table without code', async () => {
  const { directory } = await crawlWith(site(SHOP), ['--config', exampleFile('price-list/gossamer.config.ts')]);
  const { stdout } = await inProcess(['export', directory, '--format', 'csv']);
  const [head, ...rows] = stdout.trimEnd().split(/\r?\n/);
  expect(head).toMatch(/,data\.image,data\.name,data\.price,data\.sku,data\.tags$/);
  expect(rows.find((row) => row.includes('/p/cup'))).toContain(
    '/img/C-17.png,Blue cup,9.50,C-17,"[""kitchen"",""blue""]"',
  );
  expect(asked().filter((path) => path.startsWith('/cart'))).toEqual([]);
});

it('price-list makes the same table with hooks', async () => {
  const seed = site(SHOP);
  const { directory, pages } = await crawlWith(seed, ['--hooks', exampleFile('price-list/hooks.ts')]);
  expect(dataOf(pages, '/p/pot')).toEqual({
    ...{ name: 'Tea pot', price: 24, image: `${seed}img/P-2.png`, tags: ['kitchen', 'blue'] },
  });
  expect(dataOf(pages, '/')).toBeUndefined();
  const { stdout } = await inProcess(['export', directory, '--format', 'csv']);
  expect(stdout).toMatch(/,data\.image,data\.name,data\.price,data\.tags\r?\n/);
  expect(stdout).toContain(`Blue cup,9.5,`);
  expect(asked().filter((path) => path.startsWith('/cart'))).toEqual([]);
});

it('focused-crawl asks for the promising pages first and for machinery never', async () => {
  const seed = site({
    '/': page('Home', ['/news', '/contact', '/calendar/1', '/green-tea', '/drinks']),
    '/news': page('News', ['/weather', '/sports']),
    '/drinks': page('Drinks', ['/oolong'], 'Coffee and tea.'),
    '/green-tea': page('Green tea', ['/sencha'], 'Tea, tea, tea.'),
    ...Object.fromEntries(['/contact', '/weather', '/sports', '/oolong', '/sencha'].map((at) => [at, page(at, [])])),
  });
  const hooks = ['--hooks', exampleFile('focused-crawl/hooks.ts'), '--order', 'priority', '--anchor-text'];
  const { pages, stderr } = await crawlWith(seed, [...hooks, '--workers', '1', '--max-urls', '3']);
  expect(asked()).toEqual(['/', '/green-tea', '/sencha']);
  expect(dataOf(pages, '/green-tea')).toEqual({ mentions: 4 });
  expect(pages.get('/calendar/1')).toMatchObject({ state: 'skipped', reason: 'link_hook' });
  expect(stderr).toContain('machinery');
});

it('router takes from each kind of page what it has', async () => {
  const seed = site({
    '/': page('Shop', ['/product/cup', '/review/cup', '/about']),
    '/product/cup': product('Cup', '9.50', 'C-17'),
    '/review/cup': html('<title>Fine</title><i class="star">*</i><i class="star">*</i>'),
    '/about': page('About', []),
  });
  const { pages } = await crawlWith(seed, ['--hooks', exampleFile('router/hooks.ts')]);
  expect(dataOf(pages, '/product/cup')).toEqual({ kind: 'product', price: '9.50 EUR' });
  expect(dataOf(pages, '/review/cup')).toEqual({ kind: 'review', stars: 2 });
  expect([dataOf(pages, '/'), dataOf(pages, '/about')]).toEqual([undefined, undefined]);
});

it('sitemap-only asks for what the sitemap names and follows no link', async () => {
  const seed = `${web.origin}/`;
  site({
    '/sitemap.xml': xml(urlset([`${seed}a`, `${seed}b`])),
    '/': page('Home', ['/a', '/linked']),
    '/a': page('A', ['/linked-too']),
    '/b': page('B', []),
  });
  await crawlWith(seed, ['--hooks', exampleFile('sitemap-only/hooks.ts')]);
  expect(asked().sort()).toEqual(['/', '/a', '/b']);
});

it('json-api follows the pages of an API and keeps its items', async () => {
  const answers = [1, 2, 3].map((n) => [
    `/items?page=${n}`,
    json({ items: [{ id: n, name: `thing ${n}` }], ...(n < 3 ? { next: `?page=${n + 1}` } : {}) }),
  ]);
  const seed = `${site(Object.fromEntries(answers))}items?page=1`;
  const args = ['--hooks', exampleFile('json-api/hooks.ts'), '--content-types', 'application/json'];
  const { directory } = await crawlWith(seed, args);
  const items = readPages(directory).flatMap(({ data }) => (data?.items as { id: number }[] | undefined) ?? []);
  expect(items.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  expect(asked()).toEqual(['/items?page=1', '/items?page=2', '/items?page=3']);
  expect(web.log.find(({ path }) => path.endsWith('page=2'))!.headers.accept).toBe('application/json');
});

it('failed-pages lists what failed and retries what may come back', async () => {
  let looks = 0;
  const seed = site({
    '/': page('Home', ['/gone', '/shaky']),
    '/shaky': () => (looks++ === 0 ? html('', 503) : page('Back again', [])),
  });
  const { stdout, stderr } = await run('failed-pages.ts', [seed, 'kept', '1']);
  expect(lines(stdout)).toEqual([`404 ${seed}gone (attempts: 1) on ${seed}`]);
  expect(stderr).toContain(`${seed}shaky`);
  expect(asked().filter((path) => path === '/shaky')).toHaveLength(2);
});

it('add-urls asks another place about each product and gives both together', async () => {
  const stock = { '/of?product=Blue%20cup': json(3), '/of?product=Tea%20pot': json({ left: 0 }) };
  const seed = site({ ...SHOP, ...stock });
  const { stdout } = await run('add-urls.ts', [seed, `${seed}of?product=`]);
  expect(readLines<{ name: string }>(stdout).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'Blue cup', url: `${seed}p/cup`, stock: 3 },
    { name: 'Tea pot', url: `${seed}p/pot`, stock: { left: 0 } },
  ]);
  expect(
    asked()
      .filter((path) => path.startsWith('/of'))
      .sort(),
  ).toEqual(Object.keys(stock));
});

it('host-policies asks one host slowly and not beyond its budget, the other in its language', async () => {
  const docs = await openWeb();
  try {
    const pages = Object.fromEntries(['/1', '/2', '/3', '/4'].map((path) => [path, page(path, [])]));
    const slow = site({ '/': page('Slow', Object.keys(pages)), ...pages });
    docs.site('127.0.0.1', pathSite({ '/': page('Docs', [...Object.keys(pages), '/print/1']), ...pages }));
    const { stdout } = await run('host-policies.ts', [slow, `${docs.origin}/`]);
    expect(lines(stdout)).toEqual([`127.0.0.1:${web.port}: 3 pages`, `127.0.0.1:${docs.port}: 5 pages`].sort());
    expect(asked()).toHaveLength(3);
    expect(asked(docs).sort()).toEqual(['/', '/1', '/2', '/3', '/4']);
    expect(web.peakInFlight()).toBe(1);
    const [languages, others] = [docs, web].map(
      ({ log }) => new Set(log.map(({ headers }) => headers['accept-language'])),
    );
    expect([...languages!]).toEqual(['de']);
    expect([...others!]).not.toContain('de');
  } finally {
    await docs.close();
  }
});

it('sitemap-diff says what came, went and changed between two crawls', async () => {
  const seed = site({
    '/': page('Home', ['/a', '/b', '/c']),
    '/a': page('A', []),
    '/b': page('B', []),
    '/c': page('C', []),
  });
  expect((await run('sitemap-diff.ts', [seed, 'watched'])).stdout).toContain('4 pages kept');
  site({ '/': page('Home', ['/a', '/b', '/c']), '/a': page('A', ['/d']), '/b': page('B', []), '/d': page('D', []) });
  const { stdout } = await run('sitemap-diff.ts', [seed, 'watched']);
  expect(stdout.trimEnd().split('\n')).toEqual([`~ ${seed}a`, `+ ${seed}d`, `- ${seed}c`]);
  expect(readdirSync(join(folder.path, 'watched'))).toEqual(['last']);
});

it.each([
  ['fails where a link is dead, and names it', ['/gone'], 1],
  ['passes where all links are fine', ['/a'], 0],
])('link-check %s', async (_name, links, code) => {
  const seed = site({ '/': page('Home', links), '/a': page('A', []) });
  const config = fileURLToPath(new URL('./vitest.config.ts', import.meta.url));
  const args = [VITEST, 'run', '--root', exampleFile('link-check'), '--config', config];
  const { code: ended, stdout, stderr } = await startNode(args, folder.path, { SITE: seed }).ended;
  expect(ended, stdout + stderr).toBe(code);
  expect(stdout + stderr).toContain(code === 0 ? '1 passed' : `dead ${seed}gone (404`);
});

it('server streams the pages of a crawl, stops it when its reader hangs up, and refuses other hosts', async () => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const plain = pathSite({
    '/': page('Home', ['/a', '/held', '/never']),
    '/a': page('A', []),
    '/held': page('Held', ['/later']),
  });
  web.site('127.0.0.1', {
    async handle(request) {
      if (request.path === '/held') {
        await held;
      }
      return plain.handle(request);
    },
  });
  const { child, ended } = startExample('server.ts', ['0', `127.0.0.1:${web.port}`], folder.path);
  const said = linesOf(child.stdout!);
  const { port } = JSON.parse((await said()).slice('listening on '.length)) as { port: number };
  const crawlOf = (url: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}/crawl?url=${encodeURIComponent(url)}`, signal ? { signal } : {});
  try {
    expect((await crawlOf('http://127.0.0.1:1/')).status).toBe(403);
    expect((await crawlOf(`ftp://127.0.0.1:${web.port}/`)).status).toBe(400);
    const leaving = new AbortController();
    const answer = await crawlOf(`${web.origin}/`, leaving.signal);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect(JSON.parse((await reader.read()).value!.split('\n')[0]!)).toMatchObject({
      url: `${web.origin}/`,
      title: 'Home',
    });
    leaving.abort();
    letGo();
    expect(await said()).toContain('stopped');
    expect(asked()).not.toContain('/later');
    const whole = readLines<{ url: string; state: string }>(await (await crawlOf(`${web.origin}/`)).text());
    expect(whole.map(({ url, state }) => `${new URL(url).pathname} ${state}`).sort()).toEqual(
      ['/ done', '/a done', '/held done', '/later failed', '/never failed'].sort(),
    );
  } finally {
    child.kill('SIGTERM');
  }
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

it('vector-store finds the chunk that answers a question, and what is new on the site in a second run', async () => {
  const prose =
    'A paragraph with enough words to be the content of a page and not a mere line of its navigation. '.repeat(3);
  const doc = (title: string, body: string) =>
    html(`<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><p>${prose}</p><p>${body}</p>
      <a href="/docs/install">Install</a> <a href="/docs/usage">Usage</a></main>`);
  const pages = {
    '/docs/': doc('Manual', 'What this program is for.'),
    '/docs/install': doc('Installing the program', 'Type npm install and wait until the installer is done.'),
    '/docs/usage': doc('Usage', 'Call the command with a file.'),
  };
  const seed = site(pages);
  const best = async (question: string) =>
    (await run('vector-store.ts', [`${seed}docs/`, 'corpus', question])).stdout.split('\n')[0];
  expect(await best('installing with npm')).toMatch(/^0\.\d\d http:\S+\/docs\/install /);
  site({ ...pages, '/docs/usage': doc('Usage', 'Uninstalling: zebra, zebra and zebra once more.') });
  expect(await best('zebra')).toMatch(/^0\.\d\d http:\S+\/docs\/usage /);
});

it('every example has a test here, or in login.whole.test.ts', () => {
  const here = ['examples.whole.test.ts', 'login.whole.test.ts']
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
    .join('');
  const files = readdirSync(exampleFile(''), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThanOrEqual(13);
  expect(files.filter((name) => !here.includes(name) && !name.startsWith('link-check/'))).toEqual([]);
  // Who reads one finds what to type in it.
  const comments = files.map((name) => [
    name,
    /^\/\*\*.*?\*\//s.exec(readFileSync(exampleFile(name), 'utf8'))?.[0] ?? '',
  ]);
  expect(comments.filter(([, comment]) => !/^ \* {5}.*\b(?:gossamer|node|vitest) /m.test(comment!))).toEqual([]);
});

/** The next line of a stream, each time it is called. */
function linesOf(stream: NodeJS.ReadableStream): () => Promise<string> {
  const waiting: ((line: string) => void)[] = [];
  const come: string[] = [];
  let rest = '';
  stream.on('data', (piece: string) => {
    const pieces = (rest + piece).split('\n');
    rest = pieces.pop()!;
    for (const line of pieces) {
      const next = waiting.shift();
      if (next) {
        next(line);
      } else {
        come.push(line);
      }
    }
  });
  return () => (come.length > 0 ? Promise.resolve(come.shift()!) : new Promise((resolve) => waiting.push(resolve)));
}
