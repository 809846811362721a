import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { type Run, readLines, start, temporaryFolder } from '../crawl/support.js';
import { hang, html, linkPage, pathSite, type SiteAnswer } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

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

const PART = '<h2>Part</h2><p>A part has so many words that two of them are too many for a small piece of text. </p>';
const site = (last: SiteAnswer | (() => SiteAnswer)) =>
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('Home', ['/a', '/b'], 'Words of it.')),
      '/a': html(`<title>A</title>${PART.repeat(6)}`),
      '/b': last,
    }),
  );
const run = (...args: string[]): Promise<Run> => inProcess(args, { cwd: folder.path });
const inFolder = (...names: string[]) => join(folder.path, ...names);

/** Ctrl+C while the last page is under way. */
async function interrupted(): Promise<Run> {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  site(() => {
    begin();
    return hang;
  });
  const args = ['docs', `${web.origin}/`, '--output', 'corpus', '--data-dir', 'data', '--workers', '1', '--grace', '0'];
  const program = start(args, { cwd: folder.path });
  await begun;
  program.child.kill('SIGINT');
  return program.ended;
}

describe('a corpus that was interrupted', () => {
  it('is kept, is not begun a second time, and is resumed with what may be changed', async () => {
    const stopped = await interrupted();
    const data = inFolder('data');
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain(`what is done stands in ${inFolder('corpus')}.partial`);
    expect(stopped.stderr).toContain(`stopped; \`gossamer resume ${data}\` goes on`);
    expect([existsSync(inFolder('corpus')), existsSync(inFolder('corpus.partial', 'index.md'))]).toEqual([false, true]);

    site(html(linkPage('B', [], 'Words of B.')));
    const asked = web.log.length;
    const again = await run('docs', `${web.origin}/`, '--output', 'corpus', '--data-dir', 'data');
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(
      `${data} holds an unfinished corpus: \`gossamer resume ${data}\` goes on with it, --fresh moves it aside and begins anew`,
    );
    for (const [args, sentence] of [
      [['--scope', 'host'], '--scope cannot be changed on resume'],
      [['--seeding-strategy', 'none'], '--seeding-strategy cannot be changed on resume'],
      [['--nofollow', 'ignore'], '--nofollow cannot be changed on resume'],
      [['--cache-age', '1h'], `${data} holds a corpus, and --cache-age is no option of \`gossamer docs\``],
    ] as const) {
      const refused = await run('resume', 'data', ...args);
      expect(refused.stderr).toContain(sentence);
      expect(refused.code).toBe(2);
    }
    expect(web.log.length).toBe(asked);

    const resumed = await run('resume', 'data', '--output', 'other', '--chunk-tokens', '64', '--delay', '1');
    expect(resumed.stderr).toContain('Saved 3 pages');
    expect(resumed.code).toBe(0);
    // What was done is not asked for again.
    expect(web.log.slice(asked).map(({ path }) => path)).toEqual(['/b']);
    expect(readLines(readFileSync(inFolder('other', 'chunks.jsonl'), 'utf8')).length).toBeGreaterThan(3);

    const over = await run('resume', 'data');
    expect([over.code, over.stderr]).toEqual([0, `${data} is finished; \`gossamer docs\` brings it up to date\n`]);
    expect(web.log.length).toBe(asked + 1);
  });
});
