import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { gossamer, readPages, start, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, type Site } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = temporaryFolder();
let web: WebInABox;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(async () => {
  await web.close();
  folder.remove();
});
beforeEach(() => web.clearLog());

const network = (): string[] => [...web.connectTo.flatMap((mapping) => ['--connect-to', mapping]), '--delay', '0'];
const plain = (): string[] => [...network(), '--seeding-strategy', 'none', '-q'];
const page = (...links: string[]) => html(linkPage('A page', links, 'words'));
const asked = (): string[] => web.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');

/** A crawl of one page that has ended. */
async function ended(name: string, args: readonly string[] = []): Promise<string> {
  web.site('add.test', pathSite({ '/': page(), '/x': page('/y'), '/y': page('/z'), '/z': page() }));
  const directory = join(folder.path, name);
  expect((await inProcess(['crawl', 'http://add.test/', '--data-dir', directory, ...plain(), ...args])).code).toBe(0);
  web.clearLog();
  return directory;
}

const mailIn = (directory: string): string[] =>
  readdirSync(directory).includes('added') ? readdirSync(join(directory, 'added')) : [];

describe('gossamer add', () => {
  it('adds to a kept crawl, which goes on with it, and says what to type', async () => {
    const directory = await ended('kept', ['--depth', '2']);
    const added = await inProcess(['add', directory, 'http://add.test/x', '--at-depth', '1', '--data', '{"id":7}']);
    expect(added).toMatchObject({ code: 0, stdout: '' });
    expect(added.stderr).toBe(`added http://add.test/x: \`gossamer resume ${directory}\` goes on with it\n`);
    expect((await inProcess(['status', directory])).stdout).toContain('unfinished');
    expect((await inProcess(['resume', directory, ...network(), '-q'])).code).toBe(0);
    expect(asked()).toEqual(['/x', '/y']);
    const pages = new Map(readPages(directory).map((each) => [each.url, each]));
    expect(pages.get('http://add.test/x')).toMatchObject({ depth: 1, data: { id: 7 } });
    expect(pages.get('http://add.test/z')).toMatchObject({ state: 'skipped', reason: 'depth' });
    expect((await inProcess(['export', directory, '--format', 'csv'])).stdout.split('\n')[0]).toContain('data.id');
    const why = (await inProcess(['explain', directory, 'http://add.test/x'])).stdout;
    expect(why).toContain('http://add.test/x');
  });

  it('reads lists from files and stdin, with --json', async () => {
    const directory = await ended('lists');
    const list = join(folder.path, 'list.txt');
    writeFileSync(list, '# two of them\nhttp://add.test/y\nhttp://add.test/z depth=5\n');
    const { code, stdout } = await gossamer(['add', directory, '-', '-i', list, '--json'], {
      input: 'http://add.test/x\nhttp://add.test/y\n',
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      directory,
      urls: ['http://add.test/x', 'http://add.test/y', 'http://add.test/z'],
      running: false,
    });
    await inProcess(['resume', directory, ...network(), '-q']);
    expect(asked().sort()).toEqual(['/x', '/y', '/z']);
  });

  it('refuses what is no URL, a sentence each, and then adds nothing', async () => {
    const directory = await ended('refused');
    const run = await inProcess(['add', directory, 'ftp://add.test/x', 'http://add.test/x', 'add.test']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('nothing was added');
    expect(run.stderr).toContain('ftp://add.test/x: "ftp:" is not a scheme Gossamer can crawl');
    expect(run.stderr).toContain('add.test: give a whole URL, such as https://add.test/');
    expect(mailIn(directory)).toEqual([]);
    for (const [args, code, words] of [
      [['add', directory], 2, 'no URL given'],
      [['add', directory, 'http://add.test/x', '--rank', '3'], 2, "rank works only in a crawl with order 'priority'"],
      [['add', directory, 'http://add.test/x', '--data', '[1]'], 2, '--data must be an object of JSON'],
      [['add', join(folder.path, 'nowhere'), 'http://add.test/x'], 3, 'there is no crawl in'],
    ] as const) {
      const refused = await inProcess(args);
      expect(refused).toMatchObject({ code });
      expect(refused.stderr).toContain(words);
    }
    const check = join(folder.path, 'check');
    await inProcess(['check', 'http://add.test/', '--data-dir', check, ...network(), '-q']);
    expect(await inProcess(['add', check, 'http://add.test/x'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('holds a check, and URLs can only be added to a crawl'),
    });
  });

  it('goes with its crawl when that is deleted before it was taken up', async () => {
    const directory = await ended('deleted');
    await inProcess(['add', directory, 'http://add.test/x']);
    expect(mailIn(directory)).toHaveLength(1);
    expect(await inProcess(['delete', directory])).toMatchObject({ code: 0, stderr: `deleted ${directory}\n` });
  });
});

/** Never answers for `/held`, and tells when it is asked for; `/after` is told of too. */
function holding(): { site: Site; was(path: string): Promise<void> } {
  const told = new Map<string, () => void>();
  const waits = new Map<string, Promise<void>>();
  const was = (path: string): Promise<void> => {
    let wait = waits.get(path);
    if (wait === undefined) {
      wait = new Promise((resolve) => {
        told.set(path, resolve);
      });
      waits.set(path, wait);
    }
    return wait;
  };
  const answers = pathSite({ '/': page('/held'), '/after': page(), '/killed': page() });
  return {
    site: {
      handle(request) {
        void was(request.path);
        told.get(request.path)?.();
        return request.path === '/held' ? new Promise(() => {}) : answers.handle(request);
      },
    },
    was,
  };
}

describe('gossamer add beside a run', () => {
  it('is taken up at once, without a restart; and what the run was killed over is taken up by the next', async () => {
    const { site, was } = holding();
    web.site('beside.test', site);
    const directory = join(folder.path, 'beside');
    const run = start(['crawl', 'http://beside.test/', '--data-dir', directory, ...plain()]);
    await was('/held');
    const added = await inProcess(['add', directory, 'http://beside.test/after', '--data', '{"n":1}', '--json']);
    expect(JSON.parse(added.stdout)).toMatchObject({ running: true });
    await was('/after');
    run.child.kill('SIGSTOP');
    // It cannot take this one up: whether it is killed before or after it has read the list is the same.
    const late = await inProcess(['add', directory, 'http://beside.test/killed', '--data', '{"n":2}']);
    expect(late).toMatchObject({ code: 0 });
    run.child.kill('SIGKILL');
    await run.ended;
    expect(web.log.some(({ path }) => path === '/killed')).toBe(false);
    web.site('beside.test', pathSite({ '/': page('/held'), '/held': page(), '/after': page(), '/killed': page() }));
    expect((await inProcess(['resume', directory, ...network(), '-q'])).code).toBe(0);
    const pages = new Map(readPages(directory).map((each) => [each.url, each]));
    expect(pages.get('http://beside.test/after')).toMatchObject({ state: 'done', data: { n: 1 } });
    expect(pages.get('http://beside.test/killed')).toMatchObject({ state: 'done', data: { n: 2 } });
    expect(mailIn(directory)).toEqual([]);
  });

  it('loses none of many lists, whenever the run is killed', async () => {
    const { site, was } = holding();
    let tell = (): void => {};
    const nextRequest = (): Promise<void> =>
      new Promise((resolve) => {
        tell = resolve;
      });
    web.site('many.test', {
      handle(request) {
        tell();
        return /^\/m\d+$/.test(request.path) ? page() : site.handle(request);
      },
    });
    const directory = join(folder.path, 'many');
    const runs = [start(['crawl', 'http://many.test/', '--data-dir', directory, ...plain(), '--workers', '4'])];
    await was('/held');
    let number = 0;
    for (const round of [0, 1, 2, 3]) {
      for (let i = 0; i < 5; i++) {
        const url = `http://many.test/m${number}`;
        expect((await inProcess(['add', directory, url, '--data', `{"n":${number++}}`])).code).toBe(0);
      }
      const run = runs.at(-1)!;
      run.child.kill('SIGKILL');
      await run.ended;
      if (round < 3) {
        const isAsked = nextRequest();
        const next = start(['resume', directory, ...network(), '-q']);
        runs.push(next);
        await Promise.race([next.ended, isAsked]);
      }
    }
    web.site('many.test', { handle: ({ path }) => (path === '/robots.txt' ? html('', 404) : page()) });
    expect((await inProcess(['resume', directory, ...network(), '-q'])).code).toBe(0);
    const pages = new Map(readPages(directory).map((each) => [each.url, each]));
    for (let n = 0; n < number; n++) {
      expect(pages.get(`http://many.test/m${n}`)).toMatchObject({ state: 'done', data: { n } });
    }
    expect(mailIn(directory)).toEqual([]);
  });
});
