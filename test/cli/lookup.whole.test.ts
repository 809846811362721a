import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forTerminal } from '../../src/cli/show-command.js';
import { leaveCrashNote, takeCrashNote } from '../../src/store/directory.js';
import { DirectoryLock } from '../../src/store/lock.js';
import { ORIGIN, page, snapshot, temporaryFolder, write } from '../corpus/fixture.js';
import { inProcess } from '../crawl/in-process.js';
import { type Run, start } from '../crawl/support.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;
const root = temporaryFolder();
let web: WebInABox;

const run = (...args: string[]): Promise<Run> => inProcess(args, { cwd: root });
const answer = async (...args: string[]) => JSON.parse((await run(...args)).stdout);

beforeAll(async () => {
  await write(join(root, 'docs'), [
    page('/threads', {
      title: 'Threads',
      markdown: '# Threads\n\nA pool runs tasks.\n\n## [Executors](/x)\n\nAn executor.',
    }),
    page('/pool', {
      title: 'Swimming',
      markdown: '# Swimming\n\nThe pool is open. [Threads](https://docs.test/threads)',
    }),
    page('/guide/install', { title: 'Installing', description: 'How', markdown: '# Installing\n\nUnpack it.' }),
    page('/hostile', { title: 'Evil \x1b[31mtitle\u202e', markdown: '# x\n\nzebra \x1b]0;owned\x07 end\ttab' }),
  ]);
  web = await openWeb();
  web.site('127.0.0.1', pathSite({ '/': html(linkPage('Home', ['/a'])), '/a': html(linkPage('A page', [])) }));
  await run('crawl', `${web.origin}/`, '--data-dir', 'data/crawled', '-q');
  await run('docs', `${web.origin}/`, '--data-dir', 'data/made', '--output', 'made', '-q');
  mkdirSync(join(root, 'empty'));
  mkdirSync(join(root, 'foreign'));
  writeFileSync(join(root, 'foreign/index.json'), '{ "name": "somebody\'s" }');
}, 60_000);
afterAll(() => web.close());

describe('gossamer search', () => {
  it('gives title, path, URL and passage of each page, the best first', async () => {
    const { code, stdout, stderr } = await run('search', 'docs', 'pool', 'tasks', '--limit', '1');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `Threads\n  threads.md\n  ${ORIGIN}/threads\n  # Threads A pool runs tasks. ## Executors An executor.\n`,
    );
  });

  it('gives the same as JSON, as many as --limit says', async () => {
    const hits = await answer('search', 'docs', 'pool', '--json');
    expect(hits.map(({ path }: { path: string }) => path).sort()).toEqual(['pool.md', 'threads.md']);
    expect(hits[0]).toMatchObject({
      url: expect.stringContaining(ORIGIN),
      snippet: expect.any(String),
      tokens: expect.any(Number),
    });
    expect(await answer('search', 'docs', 'pool', '--json', '--limit', '1')).toHaveLength(1);
  });

  it.each([
    'AND',
    'a"b',
    '(',
    'title:pool',
    'pool*',
    'NEAR(a b)',
    '^pool',
    "'; DROP TABLE words",
    '{x}',
    'a - b',
    '日本',
  ])('takes %s for words', async (words) => {
    const { code, stderr } = await run('search', 'docs', '--', words);
    expect(code, stderr).toBe(words === '(' ? 2 : 0);
    expect(stderr).not.toContain('defect');
  });

  it('that finds nothing says so and is no failure', async () => {
    const { code, stdout, stderr } = await run('search', 'docs', 'xyzzy');
    expect([code, stdout, stderr]).toEqual([0, '', 'nothing in docs matches xyzzy\n']);
    expect(await answer('search', 'docs', 'xyzzy', '--json')).toEqual([]);
  });

  it('leaves out pages with a word behind a minus', async () => {
    const { stdout } = await run('search', 'docs', '--', 'pool', '-executor');
    expect(stdout).toContain('pool.md');
    expect(stdout).not.toContain('threads.md');
  });

  it('shows nothing that a terminal would obey', async () => {
    const { stdout } = await run('search', 'docs', 'zebra');
    expect(stdout).toContain('hostile.md');
    expect(stdout).not.toMatch(CONTROLS);
  });

  it('goes from the data directory of a docs run to its corpus', async () => {
    expect((await run('search', 'data/made', 'page')).stdout).toContain('a.md');
  });
});

describe('gossamer list', () => {
  it('lists crawls and corpora of a folder', async () => {
    const crawls = await run('list', 'data');
    expect(crawls.stdout).toMatch(/crawled: finished \(complete\); 2 done/);
    const { stdout, code } = await run('list', '.');
    expect(code).toBe(0);
    expect(stdout).toMatch(/docs: corpus, .* old; 4 pages, ~\d+ tokens; Docs\n/);
    expect(stdout).not.toContain('foreign');
    const found: { kind?: string; directory: string; pages: number }[] = await answer('list', '.', '--json');
    expect(found.map(({ kind, directory, pages }) => [kind, directory, pages]).sort()).toEqual([
      ['corpus', join(root, 'docs'), 4],
      ['corpus', join(root, 'made'), 2],
    ]);
  });

  it('without a folder lists the crawls in gossamer-data and the corpora here', async () => {
    const cwd = join(root, 'home');
    mkdirSync(cwd);
    cpSync(join(root, 'docs'), join(cwd, 'kept-docs'), { recursive: true });
    cpSync(join(root, 'data'), join(cwd, 'gossamer-data'), { recursive: true });
    const { stdout } = await inProcess(['list'], { cwd });
    expect(stdout.match(/^.*?(?=: )/gm)?.map((directory) => directory.slice(cwd.length + 1))).toEqual([
      'gossamer-data/crawled',
      'gossamer-data/made',
      'kept-docs',
    ]);
  });

  it('lists the pages of a corpus in its order', async () => {
    const { stdout, code } = await run('list', 'docs');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.replace(/^ +\d+ {2}/, ''))).toEqual([
      'threads.md  Threads',
      'pool.md  Swimming',
      'guide/install.md  Installing',
      'hostile.md  Evil \ufffd[31mtitle\ufffd',
      '',
    ]);
    const pages = await answer('list', 'docs', '--json');
    expect(pages[2]).toMatchObject({ path: 'guide/install.md', url: `${ORIGIN}/guide/install`, description: 'How' });
    expect((await run('list', 'data/made')).stdout).toContain('a.md  A page');
  });

  it('finds a corpus that a kill left between two names, under its own', async () => {
    const place = join(root, 'between');
    cpSync(join(root, 'docs'), join(place, 'moving'), { recursive: true });
    renameSync(join(place, 'moving'), join(place, 'moving.replaced'));
    expect(await answer('list', place, '--json')).toMatchObject([{ directory: join(place, 'moving'), pages: 4 }]);
  });

  it('says so where there is nothing', async () => {
    expect(await run('list', 'empty')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `there is no crawl and no corpus in ${join(root, 'empty')}\n`,
    });
    expect(await run('list', 'nowhere')).toMatchObject({
      code: 3,
      stderr: `error: there is no folder ${join(root, 'nowhere')}\n`,
    });
    const file = join(root, 'foreign/index.json');
    expect(await run('list', file)).toMatchObject({ code: 3, stdout: '', stderr: `error: ${file} is no folder\n` });
  });
});

describe('gossamer show', () => {
  it.each([
    'guide/install.md',
    'guide/install',
    '/guide/install',
    './guide/install.md',
    `${ORIGIN}/guide/install`,
    'docs/guide/install.md',
  ])('prints the page that %s names', async (asked) => {
    expect(await run('show', 'docs', asked)).toMatchObject({
      code: 0,
      stdout: '# Installing\n\nUnpack it.\n',
      stderr: '',
    });
  });

  it('gives front matter and Markdown as JSON', async () => {
    expect(await answer('show', 'docs', 'pool', '--json')).toEqual({
      path: 'pool.md',
      source: `${ORIGIN}/pool`,
      title: 'Swimming',
      description: null,
      crawled: '2026-01-01T00:00:00.000Z',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      tokens: expect.any(Number),
      tokensEstimated: true,
      lang: 'en',
      markdown: '# Swimming\n\nThe pool is open. [Threads](threads.md)\n',
    });
  });

  it('names the nearest pages where there is none of that name', async () => {
    expect(await run('show', 'docs', 'guide/instal.md')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `error: there is no page guide/instal.md in ${join(root, 'docs')}; did you mean guide/install.md?\n`,
    });
  });

  it.each(['../foreign/index.json', '/etc/passwd', 'index.json', '../docs/../foreign/index.json', '..', '.'])(
    'reads nothing but pages: not %s',
    async (asked) => {
      const { code, stdout, stderr } = await run('show', 'docs', asked);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('there is no page');
    },
  );

  it('keeps lines and tabs on a terminal, and nothing that it would obey', () => {
    expect(forTerminal('# A\n\n\tcode \x1b[2J\x07\r\n\u202eend\n')).toBe(
      '# A\n\n\tcode \ufffd[2J\ufffd\ufffd\n\ufffdend\n',
    );
  });

  it.each(['data/made', 'made'])('--why names each block of a page of %s, and the reason', async (directory) => {
    if (directory === 'made') {
      cpSync(join(root, 'data/made'), join(root, 'gossamer-data/made'), { recursive: true });
    }
    const { code, stdout, stderr } = await run('show', directory, `${web.origin}/a`, '--why');
    expect([code, stderr]).toEqual([0, '']);
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head).toMatch(new RegExp(`^${web.origin}/a: \\d of \\d blocks? kept$`));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/^(?:kept {4}|left out) {2}.+ \| .+ \| .+$/);
    }
    const { url, blocks } = await answer('show', directory, `${web.origin}/a`, '--why', '--json');
    expect([url, blocks.length]).toEqual([`${web.origin}/a`, lines.length]);
    const [first] = blocks;
    expect(Object.keys(first).sort()).toEqual(
      ['by', 'enough', 'features', 'kept', 'path', 'reason', 'score', 'text'].sort(),
    );
  });

  it('--why says what to do where the crawl is not at hand, or has nothing of the page', async () => {
    expect(await run('show', 'docs', 'pool', '--why')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `error: the crawl that ${join(root, 'docs')} was made of is not here, so the page cannot be read again: name its data directory in the place of the corpus, or make the corpus again with \`gossamer docs\`\n`,
    });
    expect(await run('show', 'data/made', `${web.origin}/none`, '--why')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('there is no page'),
    });
  });

  it('ends quietly when whoever reads has seen enough', async () => {
    await write(join(root, 'long'), [page('/long', { markdown: `# Long\n\n${'word '.repeat(200_000)}` })]);
    for (const more of [[], ['--json']]) {
      const { child, ended } = start(['show', 'long', 'long', ...more], { cwd: root });
      child.stdout.once('data', () => child.stdout.destroy());
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('gossamer delete', () => {
  const copy = (name: string): string => {
    cpSync(join(root, 'docs'), join(root, name), { recursive: true });
    return join(root, name);
  };

  it('deletes a corpus, what is begun of it and what is left of it', async () => {
    const dir = copy('gone');
    cpSync(dir, `${dir}.replaced`, { recursive: true });
    cpSync(dir, `${dir}.partial`, { recursive: true });
    expect(await run('delete', 'gone')).toMatchObject({ code: 0, stderr: `deleted ${dir}\n` });
    expect(readdirSync(root).filter((name) => name.startsWith('gone'))).toEqual([]);
  });

  it('leaves files of others where they are', async () => {
    const dir = copy('shared');
    writeFileSync(join(dir, 'guide/notes.md'), 'mine');
    expect((await run('delete', 'shared')).stderr).toBe(`deleted the corpus in ${dir}; 1 other file was left there\n`);
    expect(snapshot(dir)).toEqual({ 'guide/notes.md': 'mine' });
    expect(await run('delete', 'shared')).toMatchObject({ code: 3 });
  });

  it.each(['foreign', 'empty', 'nowhere', '.'])('deletes nothing of %s', async (name) => {
    const before = existsSync(join(root, name)) ? readdirSync(join(root, name)) : null;
    const { code, stderr } = await run('delete', name);
    expect([code, stderr]).toEqual([3, expect.stringContaining('(no crawl.sqlite), and no corpus')]);
    expect(existsSync(join(root, name)) ? readdirSync(join(root, name)) : null).toEqual(before);
  });

  it.each([
    ['a corpus', 'docs', 'link-to-corpus'],
    ['a crawl', 'data/crawled', 'link-to-crawl'],
  ])('deletes nothing by way of a link to %s, and says so', async (_what, target, name) => {
    symlinkSync(join(root, target), join(root, name));
    const before = readdirSync(join(root, target));
    const { code, stderr } = await run('delete', name);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`is a link to ${join(root, target)}: nothing was deleted`),
    ]);
    expect(readdirSync(join(root, target))).toEqual(before);
    expect(readdirSync(join(root, name))).toEqual(before);
    expect(readdirSync(root).filter((each) => each.startsWith(name))).toEqual([name]);
  });

  it('deletes nothing by way of a link beside a corpus either', async () => {
    const dir = copy('linked');
    const other = copy('another');
    symlinkSync(other, `${dir}.replaced`);
    const before = snapshot(other);
    expect(await run('delete', 'linked')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nothing was deleted'),
    });
    expect(snapshot(other)).toEqual(before);
    expect(snapshot(dir)).toEqual(before);
  });

  it('deletes nothing while it is written', async () => {
    const dir = copy('busy');
    mkdirSync(`${dir}.partial`);
    const lock = DirectoryLock.take(`${dir}.partial`);
    const before = snapshot(dir);
    expect(await run('delete', 'busy')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('another gossamer is at work'),
    });
    lock.release();
    expect(snapshot(dir)).toEqual(before);
    expect(await run('delete', 'busy')).toMatchObject({ code: 0 });
  });

  it('does not take a folder beside it for ours', async () => {
    const dir = copy('beside');
    mkdirSync(`${dir}.partial`);
    writeFileSync(join(`${dir}.partial`, 'state.db'), 'not ours');
    expect(await run('delete', 'beside')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('beside.partial is in the way'),
    });
    expect(readFileSync(join(`${dir}.partial`, 'state.db'), 'utf8')).toBe('not ours');
    expect(existsSync(join(dir, 'index.json'))).toBe(true);
  });

  it('deletes the note that a crash has left beside the store, even one that was cut off', async () => {
    for (const [name, note] of [
      ['crashed', '[1,2]'],
      ['cut-off', '[1,'],
    ] as const) {
      const dir = join(root, 'data', name);
      cpSync(join(root, 'data/crawled'), dir, { recursive: true });
      writeFileSync(join(dir, 'crashed.json'), note);
      expect(await run('delete', join('data', name))).toMatchObject({ code: 0, stderr: `deleted ${dir}\n` });
      expect(existsSync(dir)).toBe(false);
    }
  });

  it('counts the note of a crash with the crawl and not with files of others', async () => {
    const dir = join(root, 'data/crashed-and-shared');
    cpSync(join(root, 'data/crawled'), dir, { recursive: true });
    leaveCrashNote(dir, [1, 2]);
    writeFileSync(join(dir, 'notes.txt'), 'mine');
    const { stderr } = await run('delete', 'data/crashed-and-shared');
    expect(stderr).toBe(`deleted the crawl in ${dir}; 1 other file was left there\n`);
    expect(readdirSync(dir)).toEqual(['notes.txt']);
  });

  it('leaves the note of a crash where it refuses to delete', async () => {
    const dir = join(root, 'data/crashed-and-busy');
    cpSync(join(root, 'data/crawled'), dir, { recursive: true });
    leaveCrashNote(dir, [1, 2]);
    const lock = DirectoryLock.take(dir);
    expect(await run('delete', 'data/crashed-and-busy')).toMatchObject({ code: 3 });
    lock.release();
    expect(takeCrashNote(dir)).toEqual([1, 2]);
  });

  it('of a docs run deletes the crawl and names the corpus that is kept', async () => {
    cpSync(join(root, 'data/made'), join(root, 'data/old'), { recursive: true });
    const { code, stderr } = await run('delete', 'data/old');
    expect([code, stderr]).toEqual([
      0,
      `deleted ${join(root, 'data/old')}\nits corpus is kept: \`gossamer delete ${join(root, 'made')}\` deletes that too\n`,
    ]);
    expect(existsSync(join(root, 'made/index.json'))).toBe(true);
  });
});

describe('a folder that is no corpus', () => {
  it.each([
    ['data/crawled', 'data/crawled holds a crawl, not a corpus: `gossamer docs` makes one'],
    ['foreign', 'there is no corpus in ROOT/foreign (no index.json of one)'],
    ['empty', 'there is no corpus in ROOT/empty (no index.json of one)'],
    ['nowhere', 'there is no folder ROOT/nowhere'],
  ])('is refused in one sentence: %s', async (dir, sentence) => {
    for (const args of [
      ['search', dir, 'x'],
      ['show', dir, 'x'],
      ['mcp', dir],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout]).toEqual([3, '']);
      // A crawl can be searched by itself, where it has kept its pages.
      const isSearched = args[0] === 'search' && dir === 'data/crawled';
      const said = isSearched ? 'data/crawled kept none of its pages, so there is nothing to search' : sentence;
      expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(said.replace('ROOT', root))]);
    }
  });

  it('is not taken for one by docs', async () => {
    const { code, stderr } = await run('docs', `${web.origin}/`, '--data-dir', 'data/third', '--output', 'foreign');
    expect([code, stderr]).toEqual([3, expect.stringContaining('foreign holds files that are no corpus')]);
    expect(readdirSync(join(root, 'foreign'))).toEqual(['index.json']);
  });
});
