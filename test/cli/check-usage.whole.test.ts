import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DirectoryLock } from '../../src/store/lock.js';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { inProcess } from '../crawl/in-process.js';
import { type Run, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, redirect } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = temporaryFolder();
const KEPT = { url: 'http://a.test/old', verdict: 'moved', firstSeen: '2026-01-31' };
let web: WebInABox;
let seed: string;

/** The message, without the word before it. */
const said = ({ stderr }: Run): string =>
  stderr
    .trimEnd()
    .split('\n')
    .at(-1)!
    .replace(/^error: /, '');

const write = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return name;
};
const check = (args: readonly string[], env: Record<string, string> = {}): Promise<Run> =>
  inProcess(['check', ...args], { cwd: folder.path, env });

beforeAll(async () => {
  web = await openWeb();
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('Home', ['/old'])),
      '/old': redirect('/new', 301),
      '/new': html(linkPage('New', [])),
    }),
  );
  seed = `${web.origin}/`;
  for (const name of ['empty', 'site', 'other', 'md']) {
    mkdirSync(join(folder.path, name));
  }
  for (const name of ['site', 'other']) {
    write(`${name}/index.html`, linkPage('Home', []));
  }
  write('empty/photo.png', '');
  write('md/a.md', '# A');
  write('notes.txt', '# nothing but a comment\n');
  write('damaged.json', '{ "version": 1, "links": [');
  write('strange.json', '{ "version": 1, "links": [{ "url": "http://a.test/" }] }');
  write('known.json', JSON.stringify({ version: 1, links: [KEPT] }));
  await inProcess(['crawl', seed, '--data-dir', 'a-crawl', '--depth', '0', '-q'], { cwd: folder.path });
  await check([seed, '--data-dir', 'a-check', '--second-look-budget', '0', '-q']);
  web.log.length = 0;
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

type Case = readonly [line: string, code: number, message: string | RegExp];
/** `SEED` is a site that would answer. */
const CASES: readonly Case[] = [
  ['', 2, 'no URL given: `gossamer check <url>`, or --seeds-file FILE'],
  ['notes.txt', 2, /^no URL given/],
  ['empty', 2, 'empty: there is neither HTML nor Markdown nor other text in this folder'],
  ['SEED empty', 2, 'empty: there is neither HTML nor Markdown nor other text in this folder'],
  ['md/*.markdown', 2, 'md/*.markdown: no file matches'],
  ['SEED --base-url https://a.test/', 2, '--base-url is for one folder of HTML, and 0 are given'],
  ['site other --base-url https://a.test/', 2, '--base-url is for one folder of HTML, and 2 are given'],
  ['site --base-url a.test', 2, '--base-url must be a URL with http:// or https://, got a.test'],
  [
    'SEED --fail-on dead',
    2,
    '--fail-on must be verdicts with + or - before each, such as +soft_404,-timeout, got "dead"',
  ],
  ['SEED --fail-on +deda', 2, /^--fail-on must name one of dead, .*, got "deda"; did you mean dead\?$/],
  ['SEED --fail-on -deda', 2, /^--fail-on must name one of dead, .*, got "deda"; did you mean dead\?$/],
  ['SEED --accept fine', 2, '--accept must be status codes and ranges of them such as 200..299,403, got fine'],
  ['SEED --accept 299..200', 2, '--accept must not have a range that ends before it begins, got 299..200'],
  ['SEED --update-baseline', 2, '--update-baseline needs --baseline FILE'],
  ['SEED --baseline damaged.json', 3, /damaged\.json: line 1 is not JSON: it ends too early$/],
  ['SEED --baseline strange.json', 3, /strange\.json: link 1 has an unknown verdict: nothing$/],
  ['SEED --report csv=nowhere/links.csv', 3, /^cannot write .*nowhere\/links\.csv/],
  ['SEED --report csv=site', 3, /^cannot write .*site: it is a folder$/],
  ['SEED --cache nowhere/cache', 3, /^cannot write .*nowhere\/cache/],
  ['SEED --baseline nowhere/b.json --update-baseline', 3, /^cannot write .*nowhere\/b\.json/],
  ['SEED --format csv --output nowhere/links.csv', 3, /^cannot write .*nowhere\/links\.csv/],
  ['SEED --output links.csv', 2, '--output needs --format, which says what to write there'],
  ['SEED --format sitemap', 2, /^--format must be one of terminal, json, .*html, got sitemap$/],
  ['SEED --format pdf', 2, /^--format must be one of terminal, json, .*html, got pdf$/],
  [
    'SEED --report sitemap=x.xml',
    2,
    /^--report must be FORMAT=FILE with one of terminal, json, .*, got sitemap=x\.xml$/,
  ],
  ['--recheck nowhere', 3, /^there is no crawl in .*nowhere/],
  [
    '--recheck a-crawl',
    3,
    /a-crawl holds a crawl, not a check: `gossamer resume .*a-crawl` goes on with it, in a program resumeCrawl\(\)$/,
  ],
  ['SEED --recheck a-check', 2, /^--recheck uses the input of the kept check, so it does not take http:/],
  ['SEED --data-dir a-check', 3, /a-check holds a finished check: --fresh moves it aside and begins anew$/],
  ['SEED --resume', 2, '--resume needs --data-dir: without it nothing is kept of a check'],
  ['SEED --fresh', 2, '--fresh needs --data-dir: without it nothing is kept of a check'],
];

describe('what a check refuses, in one sentence and before anybody is asked', () => {
  it.each(CASES)('gossamer check %s', async (line, code, message) => {
    const before = readdirSync(folder.path).sort();
    const run = await check(line === '' ? [] : line.split(' ').map((word) => (word === 'SEED' ? seed : word)));
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(said(run)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect([run.code, run.stdout, web.log.length]).toEqual([code, '', 0]);
    expect(readdirSync(folder.path).sort()).toEqual(before);
  });

  it('what is wrong in a variable is named by it', async () => {
    const run = await check([seed], { GOSSAMER_FAIL_ON: 'nonsense' });
    expect([run.code, said(run)]).toEqual([2, expect.stringMatching(/^GOSSAMER_FAIL_ON must be verdicts/)]);
  });

  it.each([
    [
      { failOn: 'nonsense' },
      'failOn must be verdicts with + or - before each, such as +soft_404,-timeout, got "nonsense"',
    ],
    [{ check: 5 }, 'check must be an object'],
    [{ check: { rule: [] } }, 'check has an unknown key rule; it has rules'],
    [{ check: { rules: {} } }, 'check.rules must be a list of rules'],
    [{ hosts: [{ match: 'a.test', delay: 'soon' }] }, /^hosts\[0\]\.delay must be a time such as/],
    [{ check: { rules: [{ match: 'a.test', delay: '1s' }] } }, /^check\.rules\[0\] has delay, which is a key of hosts/],
    [{ check: { rules: [{ match: 'a.test', delays: 5 }] } }, /^check\.rules\[0\] .*delays/],
    [{ hosts: [{ match: '*', headers: { a: 'hunter2' } }] }, /^hosts\[0\]\.headers may hold a secret/],
    [{ check: { rules: [{ match: 're:(', ignore: true }] } }, /^check\.rules\[0\]/],
  ])('a config file with %j', async (config, message) => {
    const file = write('bad.json', JSON.stringify(config));
    const run = await check([seed, '--config', file, '--data-dir', 'a-check', '--fresh']);
    const path = join(folder.path, file);
    expect(said(run).startsWith(`${path}: `), run.stderr).toBe(true);
    expect(said(run).slice(path.length + 2)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
    expect([run.code, web.log.length, run.stderr.includes('hunter2')]).toEqual([3, 0, false]);
    expect(readdirSync(folder.path).filter((name) => name.includes('.old-'))).toEqual([]);
  });

  it('a directory that is in use is left alone', async () => {
    const lock = DirectoryLock.take(join(folder.path, 'a-check'));
    try {
      for (const args of [
        ['check', '--recheck', 'a-check'],
        ['resume', 'a-check'],
      ]) {
        const run = await inProcess(args, { cwd: folder.path });
        expect([run.code, said(run)]).toEqual([3, expect.stringContaining('a-check')]);
      }
    } finally {
      lock.release();
    }
    expect(web.log).toHaveLength(0);
  });
});

describe('resume', () => {
  const resume = (...args: string[]) => inProcess(['resume', ...args], { cwd: folder.path });

  it.each([
    ['a-crawl', ['--fail-on', '+moved'], '--fail-on is no option of `gossamer crawl`'],
    ['a-crawl', ['--baseline', 'b.json'], '--baseline is no option of `gossamer crawl`'],
    ['a-crawl', ['--update-baseline'], '--update-baseline is no option of `gossamer crawl`'],
    ['a-check', ['--json'], '--json is no option of `gossamer check`'],
  ])('of %s with %j is refused', async (directory, args, message) => {
    const run = await resume(directory, ...args);
    const kept = directory.slice(2);
    expect([run.code, said(run)]).toEqual([2, `${join(folder.path, directory)} holds a ${kept}, and ${message}`]);
  });

  it('of either refuses reports of the other', async () => {
    const [crawl, checked] = [
      await resume('a-crawl', '--report', 'junit=x.xml'),
      await resume('a-check', '--report', 'edges=x.jsonl'),
    ];
    expect([crawl.code, said(crawl)]).toEqual([
      2,
      expect.stringMatching(/one of jsonl, sitemap, .*, got junit=x\.xml$/),
    ]);
    expect([checked.code, said(checked)]).toEqual([
      2,
      expect.stringMatching(/one of terminal, json.*, got edges=x\.jsonl$/),
    ]);
  });

  it('of a check refuses what the check itself would', async () => {
    const run = await resume('a-check', '--update-baseline');
    expect([run.code, said(run)]).toEqual([2, '--update-baseline needs --baseline FILE']);
  });

  it('check --resume keeps to the seeds it began with', async () => {
    const other = await inProcess(['check', `${seed}other`, '--resume', '--data-dir', 'a-check'], { cwd: folder.path });
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /has other seeds \(http.*\), and seeds cannot be changed on resume: `gossamer resume .*` goes on with that one/,
    );
  });

  it('crawl --resume does not go on with a check', async () => {
    const directory = join(folder.path, 'half-a-check');
    cpSync(join(folder.path, 'a-check'), directory, { recursive: true });
    const store = openStoreFile(storePath(directory), { create: false });
    store.exec("DELETE FROM meta WHERE key = 'ended'");
    store.close();
    const run = await inProcess(['crawl', seed, '--resume', '--data-dir', directory], { cwd: folder.path });
    expect([run.code, said(run)]).toEqual([
      3,
      `${directory} holds a check, not a crawl: \`gossamer resume ${directory}\` goes on with it, in a program resumeCheck()`,
    ]);
  });

  it('of a check takes other verdicts to fail for, baseline, accepted codes and a format', async () => {
    const plain = await resume('a-check', '--second-look-budget', '0');
    const failing = await resume('a-check', '--fail-on', '+moved', '--second-look-budget', '0', '--format', 'csv');
    expect([plain.code, failing.code]).toEqual([0, 1]);
    expect(failing.stdout).toMatch(/^url,fragment,verdict.*\r?\n.*\/old,,moved,true/);
    const known = write('now.json', JSON.stringify({ version: 1, links: [{ ...KEPT, url: `${web.origin}/old` }] }));
    const acquitted = await resume('a-check', '--fail-on', '+moved', '--second-look-budget', '0', '--baseline', known);
    expect(acquitted.code).toBe(0);
    expect(readFileSync(join(folder.path, known), 'utf8')).toContain('2026-01-31');
  });
});

it('explain, status and export know a check as they know a crawl', async () => {
  const explained = await inProcess(['explain', 'a-check', `${web.origin}/old`], { cwd: folder.path });
  const shown = await inProcess(['status', 'a-check'], { cwd: folder.path });
  const exported = await inProcess(['export', 'a-check', '--format', 'csv'], { cwd: folder.path });
  expect([explained, shown, exported].map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ]);
  expect(explained.stdout).toContain(`${web.origin}/old`);
  expect(exported.stdout).toContain(`${web.origin}/old,done,,301`);
});

it('export and crawl refuse formats of checks', async () => {
  const exported = await inProcess(['export', 'a-crawl', '--format', 'junit'], { cwd: folder.path });
  const crawled = await inProcess(['crawl', seed, '--report', 'html=x.html'], { cwd: folder.path });
  expect([exported.code, said(exported)]).toEqual([
    2,
    '--format must be one of jsonl, sitemap, csv, parquet, edges, hosts, seeds, warc, wacz, cdxj, got junit',
  ]);
  expect([crawled.code, said(crawled)]).toEqual([
    2,
    '--report must be FORMAT=FILE with one of jsonl, sitemap, csv, parquet, edges, hosts, seeds, warc, wacz, cdxj, got html=x.html',
  ]);
});
