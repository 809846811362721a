import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { closedPort, type Run, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, notFound, pathSite, type Site, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());
beforeEach(() => {
  folder = temporaryFolder();
  web.site('127.0.0.1', twoPages());
});
afterEach(() => folder.remove());

const twoPages = (): Site =>
  pathSite({
    '/': html(linkPage('Home', ['/a'], 'Words of the home page.')),
    '/a': html(linkPage('A', [], 'Words of another page.')),
  });
const home = () => `${web.origin}/`;
const docs = (...args: string[]): Promise<Run> => inProcess(['docs', ...args], { cwd: folder.path });
const inFolder = (...names: string[]) => join(folder.path, ...names);
/** What was asked for while it ran. */
async function askedBy(run: () => Promise<Run>): Promise<Run & { asked: string[] }> {
  const before = web.log.length;
  const ran = await run();
  return { ...ran, asked: web.log.slice(before).map(({ path }) => path) };
}
const lastLine = ({ stderr }: Run): string => stderr.trimEnd().split('\n').at(-1)!;

describe('a command line that is wrong', () => {
  it.each([
    [[], 'no URL given: `gossamer docs <url>`, or --seeds-file FILE'],
    [['.'], '. is a folder; `gossamer docs` takes URLs, domains and files of them'],
    [['http://a.test/', '--chunk-token', '100'], 'unknown option --chunk-token; did you mean --chunk-tokens?'],
    [
      ['http://a.test/', '--external'],
      '--external is an option of `gossamer crawl`, `gossamer check`, not of `gossamer docs`',
    ],
    [['http://a.test/', '--chunk-tokens', '63'], '--chunk-tokens must be from 64 to 100,000, got 63'],
    [['http://a.test/', '--output', '-'], '--output of docs is a folder; a corpus cannot be written to stdout'],
    [
      ['http://a.test/', '--seeding-strategy', 'links'],
      '--seeding-strategy must be auto, sitemap-only, none, all, or any of sitemap, ct and commoncrawl',
    ],
    [['http://a.test/', '--output', 'x', '--data-dir', 'x/data'], 'would keep the crawl inside its corpus'],
  ])('%j', async (args, sentence) => {
    const run = await docs(...args);
    expect(lastLine(run)).toContain(sentence);
    expect(run.code).toBe(2);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('an output that cannot be', () => {
  const refused = async (sentence: string, ...args: string[]) => {
    const run = await askedBy(() => docs(home(), ...args));
    expect(lastLine(run)).toContain(sentence);
    expect([run.code, run.asked]).toEqual([3, []]);
    expect(existsSync(inFolder('gossamer-data'))).toBe(false);
  };

  it('is a folder with files of somebody else: nothing is asked for, nothing touched', async () => {
    mkdirSync(inFolder('mine'));
    writeFileSync(inFolder('mine', 'letter.txt'), 'Dear reader');
    await refused('mine holds files that are no corpus: name another folder with --output', '--output', 'mine');
    expect(readFileSync(inFolder('mine', 'letter.txt'), 'utf8')).toBe('Dear reader');
  });

  it('is a file, or below one', async () => {
    writeFileSync(inFolder('letter.txt'), 'Dear reader');
    await refused('letter.txt is a file: name a folder with --output', '--output', 'letter.txt');
    await refused('cannot write to ', '--output', 'letter.txt/corpus');
  });

  it('is the corpus of another site', async () => {
    expect((await docs(home(), '--output', 'corpus')).code).toBe(0);
    const run = await askedBy(() => docs(`${home()}a`, '--output', 'corpus'));
    expect(lastLine(run)).toContain(`corpus holds the corpus of ${home()}: name another folder with --output`);
    expect([run.code, run.asked]).toEqual([3, []]);
  });
});

describe('a --data-dir that holds something else', () => {
  it('a crawl', async () => {
    await inProcess(['crawl', home(), '--depth', '0', '--data-dir', 'data'], { cwd: folder.path });
    const run = await askedBy(() => docs(home(), '--data-dir', 'data'));
    expect(lastLine(run)).toContain(
      'data holds a crawl, not a corpus: name another --data-dir, or --fresh moves it aside',
    );
    expect([run.code, run.asked]).toEqual([3, []]);
  });

  it('a corpus of another seed, or of the same one chosen otherwise', async () => {
    expect((await docs(home(), '--data-dir', 'data')).code).toBe(0);
    for (const args of [[`${home()}a`], [home(), '--exclude', '**/a']]) {
      const run = await askedBy(() => docs(...args, '--output', 'other', '--data-dir', 'data'));
      expect(lastLine(run)).toContain('data holds a corpus of other seeds or options: name another --data-dir');
      expect([run.code, run.asked]).toEqual([3, []]);
    }
  });
});

describe('seeds that cannot be had', () => {
  it('none answers: exit 4, and the same command asks anew', async () => {
    const port = await closedPort();
    const seed = `http://127.0.0.1:${port}/`;
    for (const [args, code] of [
      [[], 4],
      [['--exit-simple'], 1],
    ] as const) {
      const run = await docs(seed, '--retries', '0', ...args);
      expect(lastLine(run)).toContain(`${seed} could not be reached: `);
      expect(run.code).toBe(code);
      expect(existsSync(inFolder('127.0.0.1-docs'))).toBe(false);
    }
  });

  it('forbidden by robots.txt: exit 4, the line is quoted, and once it is lifted the same command goes through', async () => {
    web.site('127.0.0.1', pathSite({ '/robots.txt': text('User-agent: *\nDisallow: /\n') }));
    const run = await askedBy(() => docs(home(), '--output', 'corpus'));
    expect(lastLine(run)).toContain(`${home()} is forbidden by robots.txt: `);
    expect(lastLine(run)).toContain('Disallow: /');
    expect([run.code, run.asked]).toEqual([4, ['/robots.txt']]);
    web.site('127.0.0.1', twoPages());
    expect((await docs(home(), '--output', 'corpus')).code).toBe(0);
    expect(existsSync(inFolder('corpus', 'a.md'))).toBe(true);
  });

  it('nothing on it is to be kept: exit 3, and the corpus that is there stays', async () => {
    expect((await docs(home(), '--output', 'corpus')).code).toBe(0);
    const before = readFileSync(inFolder('corpus', 'index.json'), 'utf8');
    const hidden = html('<!doctype html><title>Hidden</title><meta name=robots content=noindex><p>Words.');
    web.site('127.0.0.1', pathSite({ '/': hidden }));
    for (let runs = 0; runs < 2; runs++) {
      const run = await docs(home(), '--output', 'corpus');
      expect(lastLine(run)).toContain('there is no page to write to ');
      expect(run.code).toBe(3);
      expect(readFileSync(inFolder('corpus', 'index.json'), 'utf8')).toBe(before);
    }
  });

  it('one of several: the others are written, and a sentence says which is not', async () => {
    web.site('127.0.0.1', pathSite({ '/one/': html(linkPage('One', [], 'Words of one.')), '/two/': notFound }));
    const run = await docs(`${home()}one/`, `${home()}two/`, '--output', 'all');
    const two = inFolder('all', `127.0.0.1_${web.port}-two-docs`);
    expect(run.stderr).toContain(`warning: no page of ${home()}two/ could be fetched: ${two} stays as it was`);
    expect(run.stderr).toContain('Saved 1 page (');
    expect(run.code).toBe(0);
    expect(readdirSync(inFolder('all'))).toEqual([`127.0.0.1_${web.port}-one-docs`]);
  });
});

describe('what pages say', () => {
  it('reaches the terminal without control characters, and the files as text', async () => {
    const evil = 'A\u001b]0;owned\u0007\u001b[2Jb\u009bc';
    web.site(
      '127.0.0.1',
      pathSite({
        '/': html(linkPage(evil, ['/a%1b%5b2J', `/b?${evil}`, '/c'], `Words ${evil}.`)),
        '/c': html(linkPage(evil, [], `Other words ${evil}.`), 500),
      }),
    );
    const run = await docs(home(), '--output', 'corpus', '--verbose', '--retries', '0');
    expect(run.code).toBe(0);
    expect(run.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(run.stdout).toBe('');
  });
});
