import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { readLines, temporaryFolder } from '../crawl/support.js';
import { redirect } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { chapters, filesOf, inodeOf, Manual, type ManualOptions, readIndex, words } from './manual.js';

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

const output = () => join(folder.path, 'corpus');

async function docs(...more: string[]): Promise<string> {
  const run = await inProcess(['docs', `${web.origin}/docs/`, '--output', output(), ...more], { cwd: folder.path });
  expect(run.stderr).toContain('Saved ');
  expect(run.code).toBe(0);
  return run.stderr;
}

function install(count: number, options: ManualOptions): Manual {
  const manual = new Manual(chapters(count), options);
  web.site('127.0.0.1', manual);
  return manual;
}

/** Changes 3, adds 2, removes 1. */
function change(manual: Manual): void {
  for (const n of [10, 20, 30]) {
    manual.pages.get(`/docs/chapter-${n}.html`)!.body = `<p>${words(n + 50_000, 80)}</p>`;
  }
  for (const n of [1, 2]) {
    manual.pages.set(`/docs/new-${n}.html`, { title: `New ${n}`, body: `<p>${words(n + 90_000, 70)}</p>` });
  }
  manual.pages.delete('/docs/chapter-40.html');
}

const CHANGED = ['chapter-10', 'chapter-20', 'chapter-30'].map((name) => `/docs/${name}.html`);
const ADDED = ['/docs/new-1.html', '/docs/new-2.html'];
const transferred = () =>
  web.log.filter(({ status, path }) => status === 200 && path.startsWith('/docs/')).map(({ path }) => path);

describe('a second run', () => {
  it('of 150 pages, of which 3 changed, 2 came and 1 went, transfers and writes those', async () => {
    const manual = install(149, { sitemap: () => null });
    expect(await docs()).toMatch(/Saved 150 pages \(.*tokens\), 0 failed/);
    const before = filesOf(output());
    const stamps = new Map([...before.keys()].map((path) => [path, inodeOf(join(output(), path))]));
    web.clearLog();
    change(manual);

    const said = await docs();
    expect(said).toMatch(/2 added, 3 changed, 1 removed, 146 unchanged/);
    // Those that did not change have the same navigation but for the new entries: their ETag is of title and text.
    expect(transferred().sort()).toEqual([...CHANGED, ...ADDED].sort());
    const after = filesOf(output());
    const written = [...after.keys()].filter(
      (path) => path.endsWith('.md') && stamps.get(path) !== inodeOf(join(output(), path)),
    );
    const neighbours = ['docs/chapter-39.md'];
    expect(written.sort()).toEqual(
      [...CHANGED, ...ADDED]
        .map((path) => path.slice(1).replace('.html', '.md'))
        .concat(neighbours)
        .sort(),
    );
    for (const [path, bytes] of after) {
      if (path.endsWith('.md') && !written.includes(path)) {
        expect(bytes.equals(before.get(path)!)).toBe(true);
      }
    }
    expect(after.has('docs/chapter-40.md')).toBe(false);
    const { removed } = readIndex(output());
    expect(removed.map(({ url }: { url: string }) => url)).toEqual([`${web.origin}/docs/chapter-40.html`]);
    const changes = readLines<{ change: string; url: string }>(readFileSync(join(output(), 'changes.jsonl'), 'utf8'));
    expect(changes.length).toBeGreaterThan(0);
  });

  it('by links alone finds what came and what went too', async () => {
    const manual = install(60, {});
    expect(await docs()).toMatch(/Saved 61 pages/);
    web.clearLog();
    change(manual);
    // The home page has to say so: it is what the rest is reached by.
    manual.pages.get('/docs/')!.body = `<p>${words(5, 50)}</p>`;
    expect(await docs()).toMatch(/2 added, 4 changed, 1 removed, 56 unchanged/);
    expect(transferred().sort()).toEqual(['/docs/', ...CHANGED, ...ADDED].sort());
  });

  it('asks with Last-Modified where there is no ETag', async () => {
    install(12, { sitemap: () => null, validators: 'last-modified' });
    await docs();
    web.clearLog();
    expect(await docs()).toMatch(/0 added, 0 changed, 0 removed, 13 unchanged/);
    expect(transferred()).toEqual([]);
    expect(web.log.filter(({ status }) => status === 304)).toHaveLength(13);
  });

  it('does not ask for what its sitemap says is older, where there is nothing to ask with', async () => {
    const lastmods = new Map<string, string>();
    const manual = install(12, { sitemap: (path) => lastmods.get(path) ?? '2020-05-01', validators: 'none' });
    await docs();
    web.clearLog();
    manual.pages.get('/docs/chapter-3.html')!.body = `<p>${words(77_000, 60)}</p>`;
    lastmods.set('/docs/chapter-3.html', '2100-01-01T00:00:00Z');
    expect(await docs()).toMatch(/0 added, 1 changed, 0 removed, 12 unchanged/);
    // The seed is always asked for.
    expect(transferred().sort()).toEqual(['/docs/', '/docs/chapter-3.html']);
  });

  it('asks for all of them where nothing says anything', async () => {
    install(12, { sitemap: () => null, validators: 'none' });
    await docs();
    web.clearLog();
    expect(await docs()).toMatch(/13 unchanged/);
    expect(transferred()).toHaveLength(13);
  });

  it('keeps a page that could not be had, and takes out one that is gone', async () => {
    const manual = install(12, { sitemap: () => null });
    await docs();
    web.site('127.0.0.1', {
      handle: (request) =>
        request.path === '/docs/chapter-5.html'
          ? { status: 500 }
          : request.path === '/docs/chapter-6.html'
            ? { status: 410 }
            : manual.handle(request),
    });
    expect(await docs('--retries', '0')).toMatch(/0 added, 0 changed, 1 removed, 12 unchanged[\s\S]*, 2 failed/);
    expect(filesOf(output()).has('docs/chapter-5.md')).toBe(true);
    expect(filesOf(output()).has('docs/chapter-6.md')).toBe(false);
  });

  it('keeps a page whose redirects end nowhere, and takes out one that leads to another or to nothing', async () => {
    const manual = install(12, { sitemap: () => null });
    await docs();
    const to: Record<string, string> = {
      'chapter-5': 'round',
      round: 'chapter-5',
      'chapter-6': 'broken',
      'chapter-7': 'chapter-8',
      'chapter-9': 'gone',
    };
    web.site('127.0.0.1', {
      handle: (request) => {
        const name = /^\/docs\/(\S+)\.html$/.exec(request.path)?.[1] ?? '';
        if (name === 'broken') {
          return { status: 500 };
        }
        if (name === 'gone') {
          return { status: 404 };
        }
        if (name === 'chapter-10') {
          return { status: 302, headers: { location: 'chapter-10.html', 'set-cookie': `a=${web.log.length}` } };
        }
        return to[name] === undefined ? manual.handle(request) : redirect(`${to[name]}.html`);
      },
    });
    // Failed are 5, round, 6, broken, gone and 10, whose gate never opens.
    expect(await docs('--retries', '0')).toMatch(/0 added, 0 changed, 2 removed, 11 unchanged[\s\S]*, 6 failed/);
    const files = filesOf(output());
    expect([5, 6, 7, 9, 10].filter((n) => files.has(`docs/chapter-${n}.md`))).toEqual([5, 6, 10]);
  });

  it('asks again after one to which nobody answered', async () => {
    const manual = install(5, {});
    await docs();
    const origin = web.origin;
    await web.close();
    const again = ['docs', `${origin}/docs/`, '--output', output(), '--retries', '0'];
    expect((await inProcess(again, { cwd: folder.path })).code).toBe(4);
    web = await openWeb({ port: Number(new URL(origin).port) });
    web.site('127.0.0.1', manual);
    expect(await docs()).toMatch(/0 added, 0 changed, 0 removed, 6 unchanged/);
    expect(web.log.filter(({ path }) => path === '/docs/')).toHaveLength(1);
  });

  it('goes on where not even the first was answered', async () => {
    const origin = web.origin;
    await web.close();
    const data = join(folder.path, 'data');
    const first = ['docs', `${origin}/docs/`, '--output', output(), '--data-dir', data, '--retries', '0'];
    for (const args of [first, ['resume', data]]) {
      expect((await inProcess(args, { cwd: folder.path })).code).toBe(4);
    }
    web = await openWeb({ port: Number(new URL(origin).port) });
    install(5, {});
    const run = await inProcess(['resume', data], { cwd: folder.path });
    expect(run.stderr).toMatch(/Saved 6 pages/);
    expect(web.log.filter(({ path }) => path === '/docs/')).toHaveLength(1);
  });

  it('leaves the corpus as it was when nobody answers', async () => {
    install(5, {});
    await docs();
    const before = filesOf(output());
    web.site('127.0.0.1', { handle: () => ({ status: 503 }) });
    const run = await inProcess(
      ['docs', `${web.origin}/docs/`, '--output', output(), '--retries', '0', '--max-wait', '1s'],
      {
        cwd: folder.path,
      },
    );
    expect(run.stderr).toMatch(/URLs deferred[\s\S]*0 added, 0 changed, 0 removed, 6 unchanged/);
    expect(run.code).toBe(0);
    const texts = (files: Map<string, Buffer>) => [...files].filter(([path]) => path.endsWith('.md'));
    expect(texts(filesOf(output()))).toEqual(texts(before));
  });

  it('believes what the sitemap said, where it cannot be had', async () => {
    const manual = install(6, { sitemap: () => null });
    manual.pages.get('/docs/')!.body += '<a href="/docs/unnamed.html">not in the sitemap</a>';
    await docs();
    for (const status of [500, 403]) {
      web.site('127.0.0.1', {
        handle: (request) => (request.path === '/sitemap.xml' ? { status } : manual.handle(request)),
      });
      expect(await docs('--retries', '0')).toMatch(/0 added, 0 changed, 0 removed, 7 unchanged/);
    }
    expect(web.log.some(({ path }) => path === '/docs/unnamed.html')).toBe(false);
  });

  it('follows links from the day on which the sitemap is gone, and back', async () => {
    const manual = install(6, { sitemap: () => null });
    manual.pages.set('/docs/unnamed.html', { title: 'Unnamed', body: `<p>${words(4, 40)}</p>` });
    let named = true;
    web.site('127.0.0.1', {
      handle: (request) => {
        if (request.path !== '/sitemap.xml') {
          return manual.handle(request);
        }
        if (!named) {
          return { status: 404 };
        }
        const answer = manual.handle(request) as { body: string };
        return { ...answer, body: answer.body.replace(/<url><loc>[^<]*unnamed[^<]*<\/loc><\/url>/, '') };
      },
    });
    expect(await docs()).toMatch(/Saved 7 pages/);
    named = false;
    expect(await docs()).toMatch(/1 added, 0 changed, 0 removed, 7 unchanged/);
    named = true;
    expect(await docs()).toMatch(/0 added, 0 changed, 1 removed, 7 unchanged/);
  });
});

describe('a corpus that is brought up to date again and again', () => {
  /** What a run says of itself aside. */
  const contents = (folderOf: string) => {
    const files = filesOf(folderOf);
    const { documents, duplicates, pages, bytes, tokens, chunks } = readIndex(folderOf);
    files.delete('index.json');
    files.delete('changes.jsonl');
    // Its pages stand in it as they were written, which depends on the machine's SQLite.
    files.delete('search.db');
    const texts = [...files].map(([path, each]) => [path, each.toString('latin1')]);
    return { texts, documents, duplicates, pages, bytes, tokens, chunks };
  };

  it('has the bytes of one that is made afresh, whatever changed meanwhile', async () => {
    const manual = install(8, { sitemap: () => null });
    const banner = (n: number) => {
      const path = `/docs/chapter-${n}.html`;
      const page = manual.pages.get(path)!;
      manual.pages.set(path, { ...page, body: `<p>Written by the friends of this manual.</p>${page.body}` });
    };
    const steps = [
      () => {},
      () => {},
      // One page after the other gets a line that all of them have in the end.
      () => [1, 2, 3, 4].forEach(banner),
      () => [5, 6, 7, 8].forEach(banner),
      () => manual.pages.delete('/docs/chapter-3.html'),
      () => {
        const page = manual.pages.get('/docs/chapter-5.html')!;
        page.body += '<p>See <a href="chapter-6.html#more">there</a>.</p>';
        manual.pages.get('/docs/chapter-6.html')!.body += '<h2 id="more">More</h2><p>And so on.</p>';
      },
      () => {},
    ];
    for (const [n, step] of steps.entries()) {
      step();
      await docs();
      const fresh = join(folder.path, `fresh-${n}`);
      const args = ['docs', `${web.origin}/docs/`, '--output', fresh, '--data-dir', `${fresh}-data`];
      expect((await inProcess(args, { cwd: folder.path })).code).toBe(0);
      expect(contents(output()), `after step ${n}`).toEqual(contents(fresh));
    }
  });

  it('is left alone where nothing changed, but for what it says of the run; a file that somebody changed is mended', async () => {
    const manual = install(6, { sitemap: () => null });
    await docs();
    manual.pages.delete('/docs/chapter-6.html');
    await docs();
    const stamps = () =>
      [...filesOf(output()).keys()]
        .filter((path) => !['index.json', 'changes.jsonl'].includes(path))
        .map((path) => `${path} ${inodeOf(join(output(), path))}`);
    await docs();
    const [before, first] = [stamps(), readIndex(output())];
    web.clearLog();
    expect(await docs()).toMatch(/0 added, 0 changed, 0 removed, 6 unchanged/);
    expect(transferred()).toEqual([]);
    expect(stamps()).toEqual(before);
    const tombs = (index: { removed: { runsLeft: number }[] }) => index.removed.map(({ runsLeft }) => runsLeft);
    expect(tombs(readIndex(output()))).toEqual(tombs(first).map((left) => left - 1));
    expect({ ...readIndex(output()), removed: [] }).toEqual({ ...first, run: first.run + 1, removed: [] });
    expect(readFileSync(join(output(), 'changes.jsonl'), 'utf8')).toBe('');

    const file = join(output(), 'docs/chapter-2.md');
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    writeFileSync(file, 'by hand');
    await docs();
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
