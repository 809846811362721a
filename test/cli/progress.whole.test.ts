import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSnapshot } from '../../src/watch/live.js';
import { gossamer, type Run, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, notFound, pathSite } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const folder = temporaryFolder();
let web: WebInABox;
let runs = 0;

beforeAll(async () => {
  web = await openWeb();
  // The first page takes more than a second, so that there is a moment to show.
  web.site(
    '127.0.0.1',
    pathSite({
      '/': { ...html(linkPage('Home \u001b]0;owned\u0007', ['/gone\u001b[31m', '/日本語'])), afterMs: 1_500 },
      '/gone%1B[31m': notFound,
      '/%E6%97%A5%E6%9C%AC%E8%AA%9E': html(linkPage('日本語', [])),
    }),
  );
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

const WALKS: Readonly<Record<string, readonly string[]>> = {
  crawl: ['crawl', '--json'],
  check: ['check', '--second-look-budget', '0', '--format', 'json'],
  docs: ['docs', '--json'],
};

function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const data = join(folder.path, `data-${++runs}`);
  const output = command === 'docs' ? ['--output', join(folder.path, `corpus-${runs}`)] : [];
  const [name, ...own] = WALKS[command]!;
  return gossamer(
    [
      name!,
      `${web.origin}/`,
      ...own,
      ...output,
      '--delay',
      '0',
      '--seeding-strategy',
      'none',
      '--data-dir',
      data,
      ...args,
    ],
    { env },
  );
}

const momentsIn = ({ stderr }: Run): LiveSnapshot[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LiveSnapshot);

const PLAIN_LINE = /^\d+ done, \d+ failed, \d+ queued, .* pages\/s, /m;
/** All that a terminal might obey, but for line ends. */
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

it.concurrent.each<[string, Record<string, string>]>([
  ['TERM=dumb', { TERM: 'dumb' }],
  ['CI', { CI: 'true', TERM: 'xterm-256color', NO_COLOR: '' }],
])('progress is a plain line with %s, too', async (_how, env) => {
  const { stderr } = await run('crawl', [], env);
  expect(stderr).toMatch(PLAIN_LINE);
  expect(stderr).not.toMatch(CONTROLS);
});

describe.concurrent.each(Object.keys(WALKS))('progress of %s where there is no terminal', (command) => {
  it('is a plain line, and stdout has data alone', async () => {
    const { stdout, stderr } = await run(command, []);
    expect(stderr).toMatch(PLAIN_LINE);
    expect(stderr).not.toMatch(CONTROLS);
    expect(() => JSON.parse(stdout)).not.toThrow();
  });

  it('with --progress json is a moment of the run on each line that begins with a brace, the last of them at its end', async () => {
    const done = await run(command, ['--progress', 'json']);
    const moments = momentsIn(done);
    expect(moments.length).toBeGreaterThan(1);
    expect(new Set(moments.map((moment) => moment.command))).toEqual(new Set([command]));
    expect(moments[0]).toMatchObject({ state: 'running', endReason: null });
    expect(moments.at(-1)).toMatchObject({ state: 'ended', urls: { done: 2, failed: 1 } });
    expect(done.stderr).not.toMatch(CONTROLS);
    expect(done.stderr).not.toMatch(PLAIN_LINE);
    expect(() => JSON.parse(done.stdout)).not.toThrow();
  });

  it('is nothing with --progress none, and nothing at all is said with --quiet', async () => {
    const none = await run(command, ['--progress', 'none']);
    expect(none.stderr).toContain('1 host');
    expect(none.stderr).not.toMatch(PLAIN_LINE);
    expect(momentsIn(none)).toEqual([]);
    expect((await run(command, ['--progress', 'json', '--quiet'])).stderr).toBe('');
  });
});
