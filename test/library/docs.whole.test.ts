import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDocs, resumeCheck, resumeDocs } from 'gossamer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readLines, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, type SiteAnswer } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  web = await openWeb();
  folder = temporaryFolder();
});
afterAll(async () => {
  await web.close();
  folder.remove();
});
beforeEach(() => web.clearLog());

const inFolder = (...names: string[]) => join(folder.path, ...names);
const serve = (guide: SiteAnswer | (() => SiteAnswer)) =>
  web.site(
    '127.0.0.1',
    pathSite({ '/docs/': html(linkPage('Manual', ['guide'], 'Words of it.')), '/docs/guide': guide }),
  );
const guide = (text: string) => html(linkPage('Guide', [], text));

describe('a corpus made by a program', () => {
  it('is written, and brought up to date by the same call; the changes name the chunks', async () => {
    const options = { output: inFolder('corpus'), dataDir: inFolder('data'), scope: 'prefix' } as const;
    serve(guide('Press the button.'));
    const first = await makeDocs(`${web.origin}/docs/`, options);
    expect(first).toMatchObject({
      reason: 'complete',
      truncated: null,
      directory: inFolder('data'),
      corpora: [{ output: inFolder('corpus'), failed: 0, report: { pages: 2, changes: { added: 2 } } }],
    });
    serve(guide('Pull the lever.'));
    const second = await makeDocs(`${web.origin}/docs/`, options);
    expect(second.corpora[0]?.report?.changes).toMatchObject({ added: 0, changed: 1, removed: 0, unchanged: 1 });
    expect(readLines(readFileSync(inFolder('corpus', 'changes.jsonl'), 'utf8'))).toEqual([
      expect.objectContaining({ change: 'changed', upsert: [expect.any(String)], delete: [expect.any(String)] }),
    ]);
  });

  it('is stopped by a signal, kept, and gone on with', async () => {
    const stop = new AbortController();
    serve(() => {
      stop.abort();
      return { ...guide('Press the button.'), afterMs: 60_000 };
    });
    const options = { output: inFolder('stopped'), dataDir: inFolder('stopped-data'), signal: stop.signal, graceMs: 0 };
    const stopped = await makeDocs(`${web.origin}/docs/`, options);
    expect(stopped.reason).toBe('stopped');
    expect([existsSync(inFolder('stopped')), existsSync(inFolder('stopped.partial'))]).toEqual([false, true]);
    serve(guide('Press the button.'));
    const gone = await resumeDocs(inFolder('stopped-data'));
    expect(gone.corpora[0]?.report?.pages).toBe(2);
    expect([existsSync(inFolder('stopped')), existsSync(inFolder('stopped.partial'))]).toEqual([true, false]);
    await expect(resumeDocs(inFolder('nothing'))).rejects.toMatchObject({ code: 'no_store', exitCode: 3 });
  });

  it('is left alone with resume once it is finished, unless a limit that cut it is raised', async () => {
    const options = { output: inFolder('cut'), dataDir: inFolder('cut-data'), resume: true, maxUrls: 1 };
    serve(guide('Press the button.'));
    expect(await makeDocs(`${web.origin}/docs/`, options)).toMatchObject({ truncated: 'max_urls' });
    const requests = web.log.length;
    expect((await makeDocs(`${web.origin}/docs/`, options)).corpora).toEqual([]);
    expect(web.log).toHaveLength(requests);
    const whole = await makeDocs(`${web.origin}/docs/`, { ...options, maxUrls: 10 });
    expect(whole).toMatchObject({ truncated: null, corpora: [{ report: { pages: 2 } }] });
    await expect(resumeCheck(inFolder('cut-data'))).rejects.toMatchObject({
      code: 'other_command',
      message: expect.stringMatching(/holds a corpus, not a check: .*resumeDocs\(\)$/),
    });
  });

  it('refuses what is wrong at once, by the name of the option', async () => {
    await expect(makeDocs(`${web.origin}/`, { chunkTokens: 3 })).rejects.toThrow('chunkTokens must be from 64');
    await expect(makeDocs([])).rejects.toThrow('no URL given');
    // @ts-expect-error a program has no terminal
    await expect(makeDocs(`${web.origin}/`, { json: true })).rejects.toThrow('json is an option of the command line');
    expect(web.log).toEqual([]);
  });
});
