import { describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { appSite, sentences } from './app.js';
import { docsBox, isAlive, keptBytes, pagesOf, renderings } from './docs-box.js';

const box = docsBox();
const PAGES = {
  '/docs/': { title: 'Start', links: ['/docs/a', '/docs/b', '/docs/c', '/docs/d'] },
  '/docs/a': { title: 'A' },
  '/docs/b': { title: 'B' },
  '/docs/c': { title: 'C' },
  '/docs/d': { title: 'D' },
};
const pathsOf = (host: string): string[] => requestsTo(box.web.log, host).map(({ path }) => path);

/** The app, but a request for its JSON tells `asked`, and is answered when that resolves. */
function site(host: string, asked: (path: string) => Promise<unknown> | undefined): void {
  const app = appSite({ pages: PAGES });
  box.web.site(host, {
    async handle(request) {
      if (request.path.startsWith('/data')) {
        await asked(request.path);
      }
      return app.handle(request);
    },
  });
}

describe('what was fetched and not rendered yet', () => {
  it('is rendered after a kill -9, and no page is fetched again', async () => {
    let held = true;
    let reached = (): void => {};
    const fetched = new Promise<void>((resolve) => {
      reached = resolve;
    });
    site('killed.test', () => {
      reached();
      return held ? new Promise(() => {}) : undefined;
    });
    const killed = box.begin(['http://killed.test/docs/'], [], { name: 'killed' });
    await fetched;
    killed.child.kill('SIGKILL');
    expect((await killed.ended).signal).toBe('SIGKILL');
    expect(renderings(killed.directory)).toEqual({ '/docs/': 'wanted' });
    held = false;
    box.web.clearLog();
    const run = await box.docs(['http://killed.test/docs/'], ['--resume'], { name: 'killed' });
    expect(run.code, run.stderr).toBe(0);
    expect(Object.values(renderings(run.directory))).toEqual(Object.keys(PAGES).map(() => 'rendered'));
    expect(run.page('docs/d.md')).toContain(sentences('/docs/d')[0]);
    const asked = pathsOf('killed.test');
    expect(asked).not.toContain('/docs/');
    expect(asked).not.toContain('/app.js');
    expect(asked.filter((path) => path === '/docs/a')).toHaveLength(1);
    // The browser of the process that was killed went with it.
    expect(killed.browsers().filter(isAlive)).toEqual([]);
  });

  it('is rendered by another browser where one dies, and none is left behind', async () => {
    let kills = 0;
    const begun: { browsers(): number[] }[] = [];
    site('dies.test', async (path) => {
      if (path === '/data/docs/b.json' && kills === 0) {
        kills++;
        process.kill(begun[0]!.browsers().at(-1)!, 'SIGKILL');
      }
    });
    const running = box.begin(['http://dies.test/docs/']);
    begun.push(running);
    const run = await running.ended;
    expect(run.code, run.stderr).toBe(0);
    expect(kills).toBe(1);
    expect(run.browsers).toBe(2);
    expect(Object.values(renderings(run.directory))).toEqual(Object.keys(PAGES).map(() => 'rendered'));
    expect(running.browsers().filter(isAlive)).toEqual([]);
  });

  it('waits for the next run when the program is told to stop', async () => {
    let reached = (): void => {};
    let held = true;
    const fetched = new Promise<void>((resolve) => {
      reached = resolve;
    });
    site('stopped.test', () => {
      reached();
      return held ? new Promise(() => {}) : undefined;
    });
    const stopped = box.begin(['http://stopped.test/docs/'], ['--grace', '0'], { name: 'stopped' });
    await fetched;
    stopped.child.kill('SIGTERM');
    expect((await stopped.ended).code).toBe(143);
    expect(stopped.browsers().filter(isAlive)).toEqual([]);
    held = false;
    const run = await box.docs(['http://stopped.test/docs/'], ['--resume'], { name: 'stopped' });
    expect(run.code, run.stderr).toBe(0);
    expect(Object.values(renderings(run.directory))).toEqual(Object.keys(PAGES).map(() => 'rendered'));
  });

  it('of a crawl is rendered after a kill -9: each page is told of once, as it was drawn, and no body is left', async () => {
    let held = true;
    let reached = (): void => {};
    const fetched = new Promise<void>((resolve) => {
      reached = resolve;
    });
    site('crawl-killed.test', (path) => {
      if (path !== '/data/docs/c.json') {
        return undefined;
      }
      reached();
      return held ? new Promise(() => {}) : undefined;
    });
    const url = 'http://crawl-killed.test/docs/';
    const args = ['--render', 'auto', '--seeding-strategy', 'none'];
    const killed = box.begin([url], args, { name: 'crawl-killed', command: 'crawl' });
    await fetched;
    killed.child.kill('SIGKILL');
    expect((await killed.ended).signal).toBe('SIGKILL');
    expect(renderings(killed.directory)['/docs/c']).toBe('wanted');
    // Nothing is told of a page that waits.
    expect(Object.keys(pagesOf(killed.directory))).not.toContain(`${url}c`);
    expect(keptBytes(killed.directory)).toBeGreaterThan(0);
    held = false;
    box.web.clearLog();
    const run = await box.crawl([url], ['--resume'], { name: 'crawl-killed' });
    expect(run.code, run.stderr).toBe(0);
    expect(Object.values(renderings(run.directory))).toEqual(Object.keys(PAGES).map(() => 'rendered'));
    const titles = Object.values(pagesOf(run.directory)).map(({ title }) => title);
    expect(titles.toSorted()).toEqual(['A', 'B', 'C', 'D', 'Start']);
    expect(keptBytes(run.directory)).toBe(0);
    // A page that waited for a browser is not fetched again.
    expect(pathsOf('crawl-killed.test')).not.toContain('/docs/c');
    expect(pathsOf('crawl-killed.test')).not.toContain('/docs/');
    expect(killed.browsers().filter(isAlive)).toEqual([]);
  });

  it('of a check is rendered after a kill -9, and its links are checked', async () => {
    let held = true;
    let reached = (): void => {};
    const fetched = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const app = appSite({ pages: { '/': { title: 'Start', links: ['/dead'] } } });
    box.web.site('check-killed.test', {
      async handle(request) {
        if (request.path.startsWith('/data') && held) {
          reached();
          await new Promise(() => {});
        }
        return app.handle(request);
      },
    });
    const args = ['--render', 'always', '--seeding-strategy', 'none', '--format', 'json'];
    const killed = box.begin(['http://check-killed.test/'], args, { name: 'check-killed', command: 'check' });
    await fetched;
    killed.child.kill('SIGKILL');
    await killed.ended;
    held = false;
    const run = await box.check(['http://check-killed.test/'], ['--resume', '--format', 'json'], {
      name: 'check-killed',
    });
    expect(run.code, run.stderr).toBe(1);
    const { links } = JSON.parse(run.stdout) as { links: { url: string; verdict: string }[] };
    expect(links.find(({ url }) => url === 'http://check-killed.test/dead')).toMatchObject({ verdict: 'dead' });
    expect(keptBytes(run.directory)).toBe(0);
  });
});
