import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite.js';
import { inspect } from '../kill/killing.js';
import { star, tree } from '../web/plain.js';
import { notFound } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { inProcess } from './in-process.js';
import { readPages, readSummary, start, temporaryFolder } from './support.js';

const folder = temporaryFolder();
let web: WebInABox;
let directory: string;
let crawls = 0;

beforeAll(async () => {
  web = await openWeb();
  web.site('a.test', star(5));
});

beforeEach(() => {
  directory = join(folder.path, `crawl-${crawls++}`);
  web.clearLog();
});

afterAll(async () => {
  await web.close();
  folder.remove();
});

const connectTo = () => web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
const crawlArgs = (...more: string[]) => [
  'crawl',
  'http://a.test/',
  '--delay',
  '0',
  '--data-dir',
  directory,
  ...connectTo(),
  ...more,
];

/** One sentence on stderr, nothing on stdout, and the exit code; returns the sentence. */
async function refusal(args: readonly string[], code: number): Promise<string> {
  const run = await inProcess(args, { cwd: folder.path });
  expect([run.code, run.stdout], run.stderr).toEqual([code, '']);
  expect(run.stderr).toMatch(/^error: [^\n]+\n$/);
  expect(run.stderr).not.toMatch(/\bat .+:\d+:\d+|\bError:|undefined|\[object/);
  return run.stderr.slice('error: '.length, -1);
}

describe('a command line that makes no sense is refused with one sentence and exit code 2', () => {
  it.each([
    ['no URL', ['crawl'], 'no URL given: `gossamer crawl <url>`, or --seeds-file FILE'],
    [
      'a misspelt scheme',
      ['crawl', 'htp:/x'],
      'htp:/x: "htp:" is not a scheme Gossamer can crawl; use http:// or https://',
    ],
    [
      'ftp',
      ['crawl', 'ftp://a.test/'],
      'ftp://a.test/: "ftp:" is not a scheme Gossamer can crawl; use http:// or https://',
    ],
    ['no host', ['crawl', 'http://'], 'http://: this is not a valid URL'],
    ['a space', ['crawl', 'http://a.test/a b'], 'http://a.test/a b: a URL has no spaces in it; write them as %20'],
    ['an unknown option', ['crawl', 'a.test', '--wrkers', '3'], 'unknown option --wrkers; did you mean --workers?'],
    ['too few', ['crawl', 'a.test', '--workers', '0'], '--workers must be from 1 to 4096, got 0'],
    ['too many', ['crawl', 'a.test', '--workers', '1e9'], '--workers must be from 1 to 4096, got 1e9'],
    ['a negative time', ['crawl', 'a.test', '--delay', '-5'], '--delay must be from 0 ms to 1 h, got -5'],
    ['an absurd depth', ['crawl', 'a.test', '--depth', '1e99'], '--depth must be from 0 to 1,000,000, got 1e99'],
    ['a word for a size', ['crawl', 'a.test', '--max-body', 'lots'], /^--max-body must be /],
    ['two directories', ['resume', 'a', 'b'], '`gossamer resume` takes only <dir>, got also b'],
    ['an unknown command', ['crwl', 'a.test'], /crwl.*crawl/],
  ])('%s', async (_name, args, sentence) => {
    const said = await refusal(args, 2);
    if (typeof sentence === 'string') {
      expect(said).toBe(sentence);
    } else {
      expect(said).toMatch(sentence);
    }
    expect(existsSync(join(folder.path, 'gossamer-data'))).toBe(false);
  });
});

it.each([
  [['--cacert', 'nope.pem'], /^--cacert cannot be read: ENOENT/],
  [['--cacert', '/dev/null'], /holds no certificate/],
  [['-H', 'X-A: snow☃'], /^The value of header X-A has /],
])('what is refused once the options are put to use (%s) ends the process, too', async (args, sentence) => {
  const run = await start(['crawl', 'http://127.0.0.1:9/', ...args]).ended;
  expect([run.code, run.stderr.replace(/^error: /, '')]).toEqual([2, expect.stringMatching(sentence)]);
});

it('an empty argument is no directory, least of all one to delete', async () => {
  for (const command of ['delete', 'status', 'resume']) {
    expect(await refusal([command, ''], 2)).toBe('an argument is empty');
  }
});

describe('seeds', () => {
  it('that cannot be reached end the run with exit code 4, the cause in the last line', async () => {
    const run = await inProcess(['crawl', 'http://127.0.0.1:1/', '--retries', '0', '--data-dir', directory]);
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr).toMatch(/\nerror: http:\/\/127\.0\.0\.1:1\/ could not be reached: [^\n]*refused[^\n]*\n$/i);
    expect(readSummary(directory)).toMatchObject({ reason: 'complete', failed: 1 });
  });

  it('of a file with bad lines are crawled all the same, and each bad line is named', async () => {
    const file = join(folder.path, 'seeds.txt');
    writeFileSync(
      file,
      'http://a.test/p1\nhttp://\n# a comment\n\nftp://a.test/\nhttp://a.test/p2 depth=-1\nhttp://a.test/p3 depth=0\n',
    );
    const run = await inProcess([
      'crawl',
      '-i',
      file,
      '--depth',
      '0',
      '--delay',
      '0',
      '--data-dir',
      directory,
      ...connectTo(),
    ]);
    expect([run.code, run.stdout], run.stderr).toEqual([0, '']);
    const warnings = run.stderr.split('\n').filter((line) => line.startsWith('warning:'));
    expect(warnings.map((line) => /seeds\.txt:(\d+):/.exec(line)?.[1])).toEqual(['2', '5', '6']);
    const done = readPages(directory).filter(({ state }) => state === 'done');
    expect(done.map(({ url }) => url).sort()).toEqual(['http://a.test/p1', 'http://a.test/p3']);
  });

  it('of a file that has none, or is not there, are asked for', async () => {
    const file = join(folder.path, 'none.txt');
    writeFileSync(file, 'http://\n');
    expect(await refusal(['crawl', '-i', file, '--data-dir', directory], 2)).toContain(
      'none.txt:1: http://: this is not a valid URL',
    );
    expect(await refusal(['crawl', '-i', `${file}.gone`, '--data-dir', directory], 3)).toContain(
      'cannot read the seeds file',
    );
    expect(existsSync(directory)).toBe(false);
  });
});

describe('a directory that cannot be used ends with one sentence and exit code 3', () => {
  it('because it is a file, lies under one, or is where nothing can be made', async () => {
    writeFileSync(directory, 'precious');
    expect(await refusal(crawlArgs(), 3)).toContain(`cannot make the directory ${directory}`);
    expect(await refusal(['crawl', 'http://a.test/', '--data-dir', join(directory, 'sub')], 3)).toContain(
      'cannot make the directory',
    );
    expect(readFileSync(directory, 'utf8')).toBe('precious');
    expect(await refusal(['crawl', 'http://a.test/', '--data-dir', '/proc/nowhere/deep'], 3)).toContain(
      'cannot make the directory /proc/nowhere',
    );
    expect(await refusal(['crawl', 'http://a.test/', '--data-dir', '/proc/self'], 3)).toContain(
      'cannot write to /proc/self',
    );
    expect(web.log).toEqual([]);
  });

  it('because there is no crawl in it', async () => {
    mkdirSync(directory);
    for (const command of [
      ['resume', directory],
      ['status', directory],
      ['export', directory, '--format', 'jsonl'],
    ]) {
      expect(await refusal(command, 3)).toBe(`there is no crawl in ${directory} (no crawl.sqlite)`);
    }
    expect(await refusal(['delete', directory], 3)).toBe(
      `there is no crawl in ${directory} (no crawl.sqlite), and no corpus`,
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  it('because it holds a crawl already: the line to type is named, and --fresh moves the old one aside', async () => {
    expect((await inProcess(crawlArgs())).code).toBe(0);
    expect(await refusal(crawlArgs(), 3)).toBe(
      `${directory} holds a finished crawl: --fresh moves it aside and begins anew`,
    );
    const before = readFileSync(join(directory, 'pages.jsonl'), 'utf8');
    expect((await inProcess(crawlArgs('--fresh'))).code).toBe(0);
    expect(readFileSync(join(`${directory}.old-1`, 'pages.jsonl'), 'utf8')).toBe(before);
  });

  it.each([
    [
      'random bytes',
      (path: string) => writeFileSync(path, Buffer.from('neither this nor that '.repeat(400))),
      'is not a readable store',
    ],
    ['a database of someone else', makeForeign, "not one of Gossamer's; it was left as it is"],
    [
      'a store of another version',
      (path: string) => withDatabase(path, 'PRAGMA user_version = 7'),
      'has store version 7',
    ],
    ['a store cut short', (path: string) => truncateSync(path, 20_000), /is damaged|is not a readable store/],
    ['a store with a page of zeros', zeroPage, /is damaged|is not a readable store/],
  ])(
    'because what is in it is %s: nothing is written to it',
    async (_name, spoil, sentence) => {
      expect((await inProcess(crawlArgs())).code).toBe(0);
      const path = join(directory, 'crawl.sqlite');
      spoil(path);
      const before = readFileSync(path);
      const pages = readFileSync(join(directory, 'pages.jsonl'));
      for (const args of [
        crawlArgs(),
        crawlArgs('--resume'),
        ['resume', directory],
        ['status', directory],
        ['export', directory, '--format', 'jsonl'],
      ]) {
        const said = await refusal(args, 3);
        if (typeof sentence === 'string') {
          expect(said).toContain(sentence);
        } else {
          expect(said).toMatch(sentence);
        }
      }
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readFileSync(join(directory, 'pages.jsonl')).equals(pages)).toBe(true);
    },
    120_000,
  );

  it('though not because its write-ahead log is gone: what had left the log is gone on with', async () => {
    web.site('big.test', {
      handle: ({ path }) =>
        path === '/p40'
          ? new Promise(() => {})
          : path === '/robots.txt'
            ? notFound
            : star(50).handle({ path } as never),
    });
    const run = start(['crawl', 'http://big.test/', '--delay', '0', '--data-dir', directory, ...connectTo()]);
    await requestFor('/p40', run.stderr);
    run.child.kill('SIGKILL');
    await run.ended;
    for (const suffix of ['-wal', '-shm']) {
      rmSync(join(directory, `crawl.sqlite${suffix}`), { force: true });
    }
    web.site('big.test', star(50));
    const resumed = await inProcess(['resume', directory]);
    // Either enough had been moved into the file to go on, or one sentence says that it had not.
    if (resumed.code === 0) {
      expect(inspect(directory).integrity).toBe('ok');
    } else {
      expect([resumed.code, resumed.stderr]).toEqual([3, expect.stringMatching(/^error: [^\n]+\n$/)]);
    }
  });
});

describe('--fresh', () => {
  const spoilt: [string, (path: string) => void][] = [
    ['random bytes', (path) => writeFileSync(path, Buffer.from('neither this nor that '.repeat(400)))],
    ['a store of another version', (path) => withDatabase(path, 'PRAGMA user_version = 7')],
    ['a store cut short', (path) => truncateSync(path, 20_000)],
    ['a store with a page of zeros', zeroPage],
  ];

  it.each(spoilt)('moves %s aside like any other crawl, as it is, and begins anew', async (_name, spoil) => {
    expect((await inProcess(crawlArgs())).code).toBe(0);
    const path = join(directory, 'crawl.sqlite');
    spoil(path);
    const before = readFileSync(path);
    const run = await inProcess(crawlArgs('--fresh'));
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain(`moved the old crawl to ${directory}.old-1`);
    expect(readFileSync(join(`${directory}.old-1`, 'crawl.sqlite')).equals(before)).toBe(true);
    expect(readSummary(directory)).toMatchObject({ reason: 'complete', done: 5 });
  });

  it('leaves a database of someone else where it is', async () => {
    mkdirSync(directory);
    makeForeign(join(directory, 'crawl.sqlite'));
    expect(await refusal(crawlArgs('--fresh'), 3)).toContain("not one of Gossamer's; it was left as it is");
    expect(existsSync(`${directory}.old-1`)).toBe(false);
    expect(web.log).toEqual([]);
  });
});

describe('an output that cannot be written', () => {
  const report = (path: string) => crawlArgs('--report', `csv=${path}`);

  it('is refused before anything is fetched, and the directory is as free as before', async () => {
    const file = join(folder.path, 'a-file');
    writeFileSync(file, 'precious');
    const nowhere = join(folder.path, 'nowhere');
    for (const [path, why] of [
      [join(nowhere, 'pages.csv'), `there is no folder ${nowhere}`],
      [join(file, 'pages.csv'), `there is no folder ${file}`],
      [folder.path, 'it is a folder'],
      ['/proc/pages.csv', ''],
    ] as const) {
      expect(await refusal(report(path), 3)).toContain(`cannot write ${path}: ${why}`);
    }
    expect(web.log).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect((await inProcess(crawlArgs())).code).toBe(0);
  });

  it('is refused on resume too, and what was there stays as it is', async () => {
    expect((await inProcess(crawlArgs())).code).toBe(0);
    const before = readFileSync(join(directory, 'pages.jsonl'), 'utf8');
    const path = join(folder.path, 'nowhere', 'pages.csv');
    expect(await refusal(['resume', directory, '--report', `csv=${path}`], 3)).toContain(`cannot write ${path}`);
    expect(readFileSync(join(directory, 'pages.jsonl'), 'utf8')).toBe(before);
  });

  it('is not one that goes into the directory of the crawl, or to a device', async () => {
    const path = join(directory, 'pages.csv');
    const run = await inProcess([...report(path), '--report', 'edges=/dev/null']);
    expect(run.code, run.stderr).toBe(0);
    expect(readFileSync(path, 'utf8').split('\n').length).toBeGreaterThan(5);
  });
});

describe('two processes on one directory', () => {
  it('are one too many: the second is refused, whatever it wants, and the first ends as if nothing had been', async () => {
    let answer = () => {};
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const site = star(20);
    web.site('gate.test', {
      handle: (request) => (request.path === '/p7' ? gate.then(() => site.handle(request)) : site.handle(request)),
    });
    const args = ['crawl', 'http://gate.test/', '--delay', '0', '--data-dir', directory, ...connectTo()];
    const first = start(args);
    await requestFor('/p7', first.stderr);
    const sentence = `another gossamer (process ${first.child.pid}) is at work in ${directory}`;
    for (const second of [
      args,
      [...args, '--fresh'],
      [...args, '--resume'],
      ['resume', directory],
      ['delete', directory],
    ]) {
      expect(await refusal(second, 3)).toBe(sentence);
    }
    expect((await inProcess(['status', directory, '--json'])).stdout).toContain('"running"');
    answer();
    const ended = await first.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(readPages(directory).filter(({ state }) => state === 'done')).toHaveLength(20);
    expect(inspect(directory).integrity).toBe('ok');
  });
});

describe.runIf(canMount())('a full disk', () => {
  const mount = join(folder.path, 'tiny');
  const size = (megabytes: number) => execFileSync('mount', ['-o', `remount,size=${megabytes}m`, mount]);

  beforeAll(() => {
    mkdirSync(mount);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount]);
    web.site('tree.test', tree({ pages: 1_500, links: 40 }));
  });

  afterAll(() => {
    execFileSync('umount', [mount]);
  });

  it('is seen before the crawl begins', async () => {
    const args = ['crawl', 'http://tree.test/', '--delay', '0', '--data-dir', join(mount, 'early'), ...connectTo()];
    expect(await refusal(args, 3)).toMatch(
      /^only \d+ MiB are free on the disk, and --min-free-disk is 1024 MiB; the state is kept; `gossamer resume \S+early` goes on$/,
    );
    expect(web.log).toEqual([]);
  });

  it('in the middle of a crawl ends it with exit code 3; what was committed is kept, and resume completes it', async () => {
    size(4);
    const target = join(mount, 'middle');
    const args = [
      'crawl',
      'http://tree.test/',
      '--delay',
      '0',
      '--min-free-disk',
      '0',
      '--data-dir',
      target,
      ...connectTo(),
    ];
    const run = await inProcess(args);
    expect([run.code, run.stdout], run.stderr).toEqual([3, '']);
    const errors = run.stderr.split('\n').filter((line) => line.startsWith('error:'));
    expect(errors).toEqual([expect.stringMatching(/the disk is full.*; `gossamer resume \S+middle` goes on$/)]);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(inspect(target).integrity).toBe('ok');
    size(200);
    const resumed = await inProcess(['resume', target]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(readPages(target).filter(({ state }) => state === 'done')).toHaveLength(1_500);
  });
});

async function requestFor(path: string, what: () => string): Promise<void> {
  for (const endsAt = Date.now() + 40_000; !web.log.some((request) => request.path === path); ) {
    if (Date.now() > endsAt) {
      throw new Error(`nobody asks for ${path}: ${what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function withDatabase(path: string, sql: string): void {
  const database = openDatabase(path);
  database.exec(sql);
  database.close();
}

function makeForeign(path: string): void {
  rmSync(path, { force: true });
  withDatabase(path, 'CREATE TABLE photos (id INTEGER PRIMARY KEY, name TEXT)');
}

function zeroPage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0, 4096, 3 * 4096);
  writeFileSync(path, bytes);
}

/** Only root may; elsewhere the disk of the test's machine would have to be filled. */
function canMount(): boolean {
  try {
    const at = join(folder.path, 'try');
    mkdirSync(at);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at], { stdio: 'ignore' });
    execFileSync('umount', [at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
