import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { box, type Crawled, fates } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { readPages } from '../crawl/support.js';
import { html, linkPage, pathSite } from '../web/site.js';

const own = box();
let modules = 0;

/** Most need no compiler, which costs more than the crawl. */
function hooks(source: string): string[] {
  const file = join(own.folder, `faults-${modules++}.mjs`);
  writeFileSync(file, source);
  return ['--hooks', file];
}

const PATHS = Array.from({ length: 30 }, (_, n) => `/page-${n}`);
const BAD = 'http://faults.test/page-7';
/** A hook that does what the text says at one page, and returns the path at all others. */
const badAt = (does: string): string =>
  `export default { page({ url }) { if (url === '${BAD}') { ${does} } return { path: new URL(url).pathname }; } };`;

beforeAll(() => {
  own.web.site(
    'faults.test',
    pathSite({
      '/': html(linkPage('Home', PATHS)),
      ...Object.fromEntries(PATHS.map((path) => [path, html(linkPage(path, ['/']))])),
    }),
  );
});

const SHORT = ['--hook-timeout', '1s'];
/** As a loop without an end does, and without its heat. */
const KEEPS_THREAD = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

type Fault = readonly [name: string, does: string, words: string];

/** Each at a page of its own, all in one crawl. */
const QUICK: readonly Fault[] = [
  ['throws', `throw new RangeError('too bad');`, 'the hook page threw: too bad'],
  ['throws nothing', 'throw undefined;', 'the hook page threw: undefined'],
  ['throws what has no text', `throw { toString() { throw 1; } };`, 'the hook page threw: something without a text'],
  ['rejects', `return Promise.reject(new Error('late'));`, 'the hook page threw: late'],
  ['returns a function', 'return { price: () => 1 };', 'the hook page returned a function in data.price'],
  ['returns a symbol', 'return { a: [Symbol()] };', 'returned a symbol in data.a[0]'],
  ['returns a BigInt', 'return { a: { b: 1n } };', 'returned a bigint in data.a.b'],
  ['returns NaN', 'return { price: NaN };', 'returned NaN in data.price'],
  ['returns a Map', 'return { price: new Map() };', 'returned a Map in data.price'],
  ['returns a Date', 'return new Date(0);', 'returns an object of data, got one that is something else in JSON'],
  ['returns what is nothing', 'return { toJSON: () => undefined };', 'returned undefined in data'],
  ['returns a getter that throws', 'return { get a() { throw null; } };', 'returned what cannot be read: null'],
  ['returns a function the second time', 'let n = 0; return { get a() { return () => n++; } };', 'function in data.a'],
  [
    'returns a proxy',
    `return new Proxy({}, { ownKeys() { throw new Error('no keys'); } });`,
    'cannot be read: no keys',
  ],
  ['returns itself', 'const a = {}; a.a = a; return a;', 'leads back to itself'],
  ['returns a list', 'return [1];', 'returns an object of data, got a list'],
  ['returns 100 MB', `return { all: 'x'.repeat(1e8) };`, 'returned more than 1 MiB of JSON'],
  ['returns 100 MB in pieces', `return { all: new Array(1e6).fill('x'.repeat(100)) };`, 'more than 1 MiB of JSON'],
];

describe('page hooks', () => {
  const places = new Map(QUICK.map(([name], place) => [name, `http://faults.test/page-${place}`]));
  let crawled: Crawled;
  beforeAll(async () => {
    const cases = QUICK.map(([name, does]) => `case '${places.get(name)}': { ${does} }`).join('\n');
    const source = `export default { page({ url }) { switch (url) { ${cases} } return { path: new URL(url).pathname }; } };`;
    crawled = await own.crawl(['http://faults.test/'], hooks(source));
  });

  it.each(QUICK)('one that %s fails its page by name', (name, _does, words) => {
    const page = crawled.pages.get(places.get(name)!);
    expect(page).toMatchObject({ state: 'failed', reason: 'hook' });
    expect(page!.message).toContain(words);
  });

  it('that fail their pages fail no other', () => {
    const bad = new Set(places.values());
    const others = [...crawled.pages.values()].filter(({ url }) => !bad.has(url));
    expect(others.map(({ state, data }) => `${state} ${data?.path}`).sort()).toEqual(
      ['/', ...PATHS.filter((path) => !bad.has(`http://faults.test${path}`))].map((path) => `done ${path}`).sort(),
    );
    expect(crawled.summary.failed).toBe(QUICK.length);
  });
});

describe('a page hook that', () => {
  it.each([
    ['never resolves', 'return new Promise(() => {});', 'the hook page took longer than 1 s'],
    ['loops for ever', 'for (;;) {}', 'the hook page took longer than 1 s'],
    ['keeps its thread', KEEPS_THREAD, 'the hook page took longer than 1 s'],
    ['keeps it after a wait', `return Promise.resolve().then(() => { ${KEEPS_THREAD} });`, 'took longer than 1 s'],
  ])('%s fails its page by name, and no other', async (_name, does, words) => {
    const { pages, summary } = await own.crawl(['http://faults.test/'], [...SHORT, ...hooks(badAt(does))]);
    expect(pages.get(BAD)).toMatchObject({ state: 'failed', reason: 'hook' });
    expect(pages.get(BAD)!.message).toContain(words);
    const others = [...pages.values()].filter(({ url }) => url !== BAD);
    expect(others.map(({ state, data }) => `${state} ${data?.path}`).sort()).toEqual(
      ['done /', ...PATHS.filter((path) => !BAD.endsWith(path)).map((path) => `done ${path}`)].sort(),
    );
    expect(summary.failed).toBe(1);
  });

  it('needs more memory than there is fails its page, and what the thread had is read by another', async () => {
    const does = 'const all = []; for (;;) all.push(new Array(1e6).fill(0.5));';
    const memory = ['--memory-limit', '512MB', '--hook-timeout', '60s'];
    const { pages, run } = await own.crawl(['http://faults.test/'], [...memory, ...hooks(badAt(does))]);
    expect(pages.get(BAD)).toMatchObject({ state: 'failed', reason: 'hook' });
    expect(pages.get(BAD)!.message).toContain('memory');
    expect([...pages.values()].filter(({ state }) => state === 'done')).toHaveLength(PATHS.length);
    expect(run.stderr).toContain('it has used up its 256 MiB of memory; do the hooks keep something of every page?');
  }, 120_000);

  it('leaks has its thread replaced, and every page is read', async () => {
    const leaks = `const kept = []; export default { page() { kept.push(new Array(1.5e6).fill(0.5)); return { n: 1 }; } };`;
    const { pages, run } = await own.crawl(['http://faults.test/'], ['--memory-limit', '512MB', ...hooks(leaks)]);
    const left = [...pages.values()].filter(({ state, data }) => state !== 'done' || data?.n !== 1);
    expect(left).toEqual([]);
    expect(run.stderr).toContain('do the hooks keep something of every page?');
  }, 120_000);
});

describe('a hook module that throws when none of its hooks is running', () => {
  it.each([
    ['in a timer', `setTimeout(() => { throw new Error('late'); }, 1); return { n: 1 };`],
    ['by a promise', `void Promise.resolve().then(() => { throw new Error('late'); }); return { n: 1 };`],
  ])('%s, at every page, loses no page and no thread', async (_name, does) => {
    const { pages, run, summary } = await own.crawl(
      ['http://faults.test/'],
      hooks(`export default { page() { ${does} } };`),
    );
    expect([...pages.values()].filter(({ state, data }) => state !== 'done' || data?.n !== 1)).toEqual([]);
    expect(pages.size).toBe(PATHS.length + 1);
    expect(summary.refetched).toBe(0);
    expect(run.stderr).toContain('the hook module threw outside its hooks');
    expect(run.stderr).toContain('nobody waits for: late');
    expect(run.stderr).not.toContain('a thread died');
  });
});

it('a hook module that adds to Object.prototype is refused by name, or fails the page where it does', async () => {
  const early = await inProcess([
    ...['crawl', 'http://faults.test/', '--data-dir', join(own.folder, 'evil'), '--connect-to', own.web.connectTo[0]!],
    ...hooks('Object.prototype.evil = 1; export default { page() {} };'),
  ]);
  expect(early.code).toBe(3);
  expect(early.stderr).toMatch(/faults-\d+\.mjs: added evil to Object\.prototype/);
  // The page after that one tries it later, when other code of the thread runs in between.
  const late = await own.crawl(
    ['http://faults.test/'],
    hooks(`let step = 0; export default { page({ url }) {
      if (url === '${BAD}') { step = 1; Object.prototype.evil = 1; }
      else if (step === 1) { step = 2; return Promise.resolve().then(() => { Object.prototype.later = 1; }); }
      return { own: Object.keys({}), all: 'evil' in {}, compiled: typeof require !== 'undefined' };
    } };`),
  );
  const failed = [...late.pages.values()].filter(({ state }) => state === 'failed');
  expect(failed.find(({ url }) => url === BAD)!.message).toBe(
    'the hook page added evil to Object.prototype, and so to every object',
  );
  expect(failed.find(({ url }) => url !== BAD)!.message).toContain('the hook page threw: Cannot add property later');
  // Nor was a compiler loaded for a module that Node can load.
  const others = [...late.pages.values()].filter(({ state }) => state === 'done');
  expect(others.map(({ data }) => data)).toEqual(
    Array(PATHS.length - 1).fill({ own: [], all: false, compiled: false }),
  );
});

it('what a page hook returns is read once, whatever a getter says the second time', async () => {
  const does = 'let n = 0; return { get a() { return n++ === 0 ? 1 : () => 2; } };';
  const { pages } = await own.crawl(['http://faults.test/'], hooks(badAt(does)));
  expect(pages.get(BAD)).toMatchObject({ state: 'done', data: { a: 1 } });
});

describe('a hook that is open beside others', () => {
  it('is not blamed for one that keeps the thread: that one fails, in the end alone', async () => {
    // Most pages wait a moment; one keeps the thread after a wait, when others are open too.
    const source = `export default {
      async page({ url }) {
        await new Promise((resolve) => setImmediate(resolve));
        if (url === '${BAD}') ${KEEPS_THREAD}
        return { path: new URL(url).pathname };
      } };`;
    const { pages } = await own.crawl(['http://faults.test/'], ['--hook-timeout', '1s', ...hooks(source)]);
    const failed = Object.entries(fates(pages)).filter(([, fate]) => fate !== 'done');
    expect(failed).toEqual([[BAD, 'failed hook']]);
  }, 60_000);
});

describe('other hooks', () => {
  it('a request that keeps its thread for ever fails its page, which is not asked for', async () => {
    own.web.clearLog();
    const source = `export default { request({ url }) { if (url === '${BAD}') ${KEEPS_THREAD} } };`;
    const { pages } = await own.crawl(['http://faults.test/'], [...SHORT, ...hooks(source)]);
    expect(pages.get(BAD)!.message).toBe('the hook request took longer than 1 s');
    expect(own.web.log.map(({ path }) => path)).not.toContain('/page-7');
  });

  it.each([
    ['{ get skip() { throw null; } }', 'the hook link returned what cannot be read: null'],
    ['new Proxy({}, { get() { throw undefined; } })', 'the hook link returned what cannot be read: undefined'],
  ])('a link hook that returns %s fails the page, and what was judged before is followed', async (answer, words) => {
    const source = `export default { link: ({ url }) => (url === '${BAD}' ? ${answer} : undefined) };`;
    const home = html(linkPage('Home', ['/page-1', '/page-7']));
    own.web.site('one.test', pathSite({ '/': html(linkPage('One', ['/home'])), '/home': home, '/page-1': home }));
    const { pages } = await own.crawl(['http://one.test/'], hooks(source.replace('faults.test', 'one.test')));
    expect(pages.get('http://one.test/home')).toMatchObject({ state: 'failed', reason: 'hook', message: words });
    expect(fates(pages)['http://one.test/page-7']).toBe('skipped link_hook');
  });

  it.each([
    [`{ ['__proto__']: 'x', constructor: 'y' }`, null],
    [`{ 'X-A': 'x'.repeat(70_000) }`, 'the hook request gave more than 64 KiB of headers'],
    [`{ 'X-A': 'a\\r\\nX-B: c' }`, 'the hook request gave a header that cannot be sent: The value of header X-A'],
  ])('a request that gives the headers %s', async (headers, words) => {
    const source = `export default { request: ({ url }) => (url === '${BAD}' ? { headers: ${headers} } : undefined) };`;
    own.web.clearLog();
    const { pages } = await own.crawl(['http://faults.test/'], hooks(source));
    expect(pages.get(BAD)?.message ?? null).toEqual(words === null ? null : expect.stringContaining(words));
    expect(own.web.log.filter(({ path }) => path === '/page-7')).toHaveLength(words === null ? 1 : 0);
  });

  it('a link hook that keeps its thread fails the page that it was called for', async () => {
    const source = `export default { link(link, page) { if (page.url === '${BAD}') ${KEEPS_THREAD} } };`;
    const { pages } = await own.crawl(['http://faults.test/'], [...SHORT, ...hooks(source)]);
    expect(pages.get(BAD)!.message).toBe('the hook link took longer than 1 s');
    expect([...pages.values()].filter(({ state }) => state === 'done')).toHaveLength(PATHS.length);
  });

  it.each([
    [`start() { throw new Error('no login'); }`, 'the hook start threw: no login'],
    [`start() { ${KEEPS_THREAD} }`, 'the hook start took longer than 1 s'],
    ['start: () => new Promise(() => {})', 'the hook start took longer than 1 s'],
    ['start: () => ({ token: () => 1 })', 'the hook start returned a function in its answer.token'],
    ['page: 1', 'the hook page must be a function'],
    ['pages() {}', 'there is no hook pages; the hooks are start, request, page, link, end'],
  ])('%s ends the run before anything is asked for', async (hook, words) => {
    own.web.clearLog();
    const directory = join(own.folder, `refused-${modules}`);
    const connect = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const args = ['crawl', 'http://faults.test/', '--data-dir', directory, ...connect, ...SHORT];
    const run = await inProcess([...args, ...hooks(`export default { ${hook} };`)]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(words);
    expect(own.web.log).toEqual([]);
  });

  it.each([
    ['throw new Error("not now")', 'faults-', ': not now'],
    [KEEPS_THREAD, 'faults-', ' takes too long to be loaded'],
    ['export default { page( }', 'faults-', ''],
  ])('a module that cannot be loaded (%s) ends the run with its name', async (source, ...words) => {
    const directory = join(own.folder, `refused-${modules}`);
    const run = await inProcess(['crawl', 'http://faults.test/', '--data-dir', directory, ...SHORT, ...hooks(source)]);
    expect(run.code).toBe(3);
    for (const each of words) {
      expect(run.stderr).toContain(each);
    }
  });

  it('a file that is not there, or is no module, is refused as the command line is', async () => {
    const missing = await inProcess(['crawl', 'http://faults.test/', '--hooks', 'none.ts']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('none.ts: there is no such file')]);
    const odd = await inProcess(['crawl', 'http://faults.test/', '--hooks', 'hooks.py']);
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('ends in .ts, .mts, .js or .mjs')]);
    const types = await inProcess(['crawl', 'http://faults.test/', '--content-types', 'text/plain']);
    expect([types.code, types.stderr]).toEqual([2, expect.stringContaining('give --hooks too')]);
  });

  it('an end that throws says so when all is written', async () => {
    const crawled = await own.crawl(
      ['http://faults.test/'],
      hooks(`export default { end({ done }) { throw new Error('I saw ' + done); } };`),
      { code: 3 },
    );
    expect(crawled.run.stderr).toContain(
      'the hook end threw: I saw 31; the crawl has ended and its outputs are written',
    );
    expect(crawled.summary.done).toBe(31);
  });
});

describe('--on-hook-error stop', () => {
  it.each([
    ['throws', `throw new Error('stop here');`, 'the hook page threw: stop here'],
    ['keeps its thread', KEEPS_THREAD, 'the hook page took longer than 1 s'],
  ])('a hook that %s stops the run with its URL, and resume asks for the page again', async (_name, does, words) => {
    const given = hooks(badAt(does));
    const crawled = await own.crawl(['http://faults.test/'], [...SHORT, '--on-hook-error', 'stop', ...given], {
      code: 3,
    });
    expect(crawled.run.stderr).toContain(`${words}, at ${BAD}; the state is kept`);
    const { code, stderr } = await inProcess(['resume', crawled.directory, ...hooks(badAt(''))]);
    expect(code, stderr).toBe(0);
    const pages = readPages(crawled.directory);
    expect(pages.find(({ url }) => url === BAD)).toMatchObject({ state: 'done', data: { path: '/page-7' } });
    expect(pages.every(({ state, data }) => state === 'done' && data?.path !== undefined)).toBe(true);
  });
});
