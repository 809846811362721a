import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gossamer } from '../crawl/support.js';
import { html } from '../web/site.js';
import { appSite, plainPage } from './app.js';
import { docsBox, keptBytes, pagesOf, renderings } from './docs-box.js';

const box = docsBox();
const PAGES = {
  '/': { title: 'Start', links: ['/one', '/two', '/plain', '/thin/x'] },
  '/one': { title: 'One' },
  '/two': { title: 'Two' },
};
const THIN = html('<!doctype html><title>Thin</title><p>Short</p><script>document.title = "Still thin";</script>');

/** Hooks that count their calls in a file, and the path of that file. */
function hooksOf(name: string, source: string): { file: string; calls(): string[] } {
  const [file, log] = [`${box.folder}/${name}.mjs`, `${box.folder}/${name}.log`];
  rmSync(log, { force: true });
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs';
     const count = ({ url, status, select }, page) => appendFileSync('${log}', new URL(url).pathname + ' ' + page.select('title').text + '\\n');
     export default { ${source} };`,
  );
  return {
    file,
    calls: () => readFileSync(log, 'utf8').trimEnd().split('\n').toSorted(),
  };
}

describe('the page hook in a crawl that renders', () => {
  it.each(['auto', 'always'])('sees each page once: as the browser left it, or as it came (%s)', async (render) => {
    box.web.site(
      'once.test',
      appSite({ pages: PAGES, others: { '/plain': plainPage('/plain'), '/thin/x': THIN, '/thin/y': THIN } }),
    );
    const { file, calls } = hooksOf(
      `once-${render}`,
      `page(page, { add }) {
         count(page, page);
         if (page.url.endsWith('/x')) add('/thin/y');
         return { h1: page.select('h1')?.text ?? null, status: page.status };
       }`,
    );
    const run = await box.crawl(['http://once.test/'], ['--render', render, '--hooks', file]);
    expect(run.code, run.stderr).toBe(0);
    const thin = render === 'auto' ? 'Thin' : 'Still thin';
    expect(calls()).toEqual(
      ['/ Start', '/one One', '/two Two', '/plain /plain', `/thin/x ${thin}`, `/thin/y ${thin}`].toSorted(),
    );
    const pages = pagesOf(run.directory);
    expect(pages['http://once.test/one']).toMatchObject({ state: 'done', data: { h1: 'One', status: 200 } });
    expect(pages['http://once.test/plain']).toMatchObject({ data: { h1: '/plain', status: 200 } });
    // What only a hook adds comes with the page, however it stays.
    expect(pages['http://once.test/thin/y']).toMatchObject({
      state: 'done',
      depth: 2,
      data: { h1: null, status: 200 },
    });
    expect(keptBytes(run.directory)).toBe(0);
    if (render === 'auto') {
      expect(['futile', 'untried']).toContain(renderings(run.directory)['/thin/x']);
    }
  });

  it('fails the page where it throws at what the browser drew, and its links are followed', async () => {
    box.web.site('throws.test', appSite({ pages: PAGES }));
    const { file } = hooksOf(
      'throws',
      "page(page) { if (page.select('h1')?.text === 'Start') throw new Error('no Start'); }",
    );
    const run = await box.crawl(['http://throws.test/'], ['--render', 'auto', '--hooks', file]);
    expect(run.code, run.stderr).toBe(0);
    const pages = pagesOf(run.directory);
    expect(pages['http://throws.test/']).toMatchObject({
      ...{ state: 'failed', reason: 'hook', message: 'the hook page threw: no Start', title: 'Start', status: 200 },
    });
    expect(pages['http://throws.test/one']).toMatchObject({ state: 'done', title: 'One' });
    const { stdout } = await gossamer(['status', run.directory, '--json']);
    expect(JSON.parse(stdout).counts).toMatchObject({ failed: 3, done: 2 });
    expect(keptBytes(run.directory)).toBe(0);
  });

  it.each([
    ['loops for ever', 'for (;;) {}'],
    ['never comes back', 'return new Promise(() => {})'],
  ])('fails the page where it %s there, and the others are read by another thread', async (name, body) => {
    box.web.site('hangs.test', appSite({ pages: PAGES }));
    const { file } = hooksOf(
      `hangs-${name.length}`,
      `page(page) { if (page.select('h1')?.text === 'One') { ${body} } }`,
    );
    const bounds = ['--hook-timeout', '500ms', '--parse-workers', '1'];
    const run = await box.crawl(['http://hangs.test/'], ['--render', 'always', '--hooks', file, ...bounds]);
    expect(run.code, run.stderr).toBe(0);
    const pages = pagesOf(run.directory);
    const message = 'the hook page took longer than 0.5 s';
    expect(pages['http://hangs.test/one']).toMatchObject({ state: 'failed', reason: 'hook', message });
    expect(pages['http://hangs.test/two']).toMatchObject({ state: 'done', title: 'Two' });
  });

  it('stops the run where that is wanted; resume has the page rendered, and seen, without fetching it again', async () => {
    box.web.site('stops.test', appSite({ pages: PAGES }));
    const bad = hooksOf('stops', "page(page) { if (page.select('h1')?.text === 'Start') throw new Error('not yet'); }");
    const stop = ['--on-hook-error', 'stop', '--render', 'auto', '--hooks', bad.file];
    const run = await box.crawl(['http://stops.test/'], stop);
    expect(run.code, run.stderr).toBe(3);
    expect(run.stderr).toContain('the hook page threw: not yet, at http://stops.test/');
    const good = hooksOf('stops', 'page(page) { count(page, page); return { mended: true }; }');
    expect(good.file).toBe(bad.file);
    const again = await gossamer([
      'resume',
      run.directory,
      ...box.web.connectTo.flatMap((each) => ['--connect-to', each]),
    ]);
    expect(again.code, again.stderr).toBe(0);
    expect(pagesOf(run.directory)['http://stops.test/']).toMatchObject({ state: 'done', data: { mended: true } });
    expect(good.calls()).toEqual(['/ Start', '/one One', '/two Two']);
    expect(box.web.log.filter(({ host, path }) => host === 'stops.test' && path === '/')).toHaveLength(1);
  });
});
