import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS, type Command } from '../../src/config/commands.js';
import { inProcess } from '../crawl/in-process.js';
import { gossamer, type Run, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, notFound, pathSite, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = temporaryFolder();
const prepared = join(folder.path, 'prepared');
let web: WebInABox;

/** `SITE` is the web in a box, `data` a crawl of one page of it, `corpus` its pages. */
const LINES: Readonly<Record<Command, { line: string; code: number }>> = {
  crawl: { line: 'crawl SITE --delay 0 --data-dir new --json -q', code: 0 },
  check: { line: 'check SITE --delay 0 --second-look-budget 0 --format json -q', code: 0 },
  docs: { line: 'docs SITE --delay 0 --data-dir new --output made --json -q', code: 0 },
  md: { line: 'md SITEa', code: 0 },
  resume: { line: 'resume data --max-urls 5 --delay 0 --json -q', code: 0 },
  add: { line: 'add data SITEa', code: 0 },
  preview: { line: 'preview SITE --delay 0 -q', code: 0 },
  export: { line: 'export data --format edges', code: 0 },
  graph: { line: 'graph data', code: 0 },
  diff: { line: 'diff data data', code: 0 },
  split: { line: 'split data --nodes 2', code: 2 },
  merge: { line: 'merge data -o whole', code: 3 },
  audit: { line: 'audit data', code: 0 },
  explain: { line: 'explain data SITE', code: 0 },
  robots: { line: 'robots SITEclosed', code: 1 },
  status: { line: 'status data --json', code: 0 },
  list: { line: 'list .', code: 0 },
  search: { line: 'search corpus words', code: 0 },
  show: { line: 'show corpus a', code: 0 },
  serve: { line: 'serve nowhere', code: 3 },
  mcp: { line: 'mcp nowhere', code: 3 },
  delete: { line: 'delete data corpus', code: 0 },
  // Both need a Redis: their own tests have one.
  join: { line: 'join --crawl-id c --data-dir new', code: 2 },
  cluster: { line: 'cluster status --crawl-id c', code: 2 },
  completions: { line: 'completions bash', code: 0 },
};

beforeAll(async () => {
  web = await openWeb();
  web.site(
    '127.0.0.1',
    pathSite({
      '/robots.txt': text('User-agent: *\nDisallow: /closed\n'),
      '/': html(linkPage('Home', ['/a', '/gone'], 'A word.')),
      '/a': html(linkPage('A page', ['/'], 'More words.')),
      '/gone': notFound,
    }),
  );
  mkdirSync(prepared);
  const site = [`${web.origin}/`, '--delay', '0'];
  await inProcess(['crawl', ...site, '--max-urls', '1', '--data-dir', 'data'], { cwd: prepared });
  await inProcess(['docs', ...site, '--data-dir', 'kept', '--output', 'corpus'], { cwd: prepared });
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

/** The command line in a folder of its own, and what it said there without times, figures and the name of the folder. */
async function said(play: typeof gossamer, command: Command): Promise<Pick<Run, 'code' | 'stdout' | 'stderr'>> {
  const cwd = join(folder.path, `${play.name}-${command}`);
  cpSync(prepared, cwd, { recursive: true });
  const { code, stdout, stderr } = await play(LINES[command].line.replace('SITE', `${web.origin}/`).split(' '), {
    cwd,
  });
  const bare = (output: string) => output.replaceAll(cwd, 'HERE').replace(/\d[\d.,]*( ?(ms|s|min|[KM]i?B|B)\b)?/g, 'N');
  return { code, stdout: bare(stdout), stderr: bare(stderr) };
}

describe('every command, started as its user does', () => {
  it.each(COMMANDS)('%s says what it says where tests play it without a process of its own', async (command) => {
    const started = await said(gossamer, command);
    expect(started.code, started.stderr).toBe(LINES[command].code);
    expect(started).toEqual(await said(inProcess, command));
  });
});

describe('a crawl that is kept', () => {
  it('is listed by itself, and what its name holds does nothing to a terminal', async () => {
    const directory = join(folder.path, 'ev\u001b[31mil\u009b');
    cpSync(join(prepared, 'data'), directory, { recursive: true });
    for (const args of [
      ['list', directory],
      ['list', folder.path],
      ['status', directory],
    ]) {
      const { code, stdout } = await inProcess(args);
      expect(code).toBe(0);
      expect(stdout).toContain('ev\ufffd[31mil\ufffd: ');
      expect(stdout).not.toMatch(/[\u001b\u009b]/);
    }
    for (const args of [
      ['list', directory, '--json'],
      ['status', directory, '--json'],
    ]) {
      const { stdout } = await inProcess(args);
      expect(stdout).not.toMatch(/[\u001b\u009b]/);
      expect([JSON.parse(stdout)].flat()).toMatchObject([{ directory }]);
    }
  });
});
