import { describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { appSite, sentences } from './app.js';
import { docsBox, isAlive, renderings } from './docs-box.js';

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
});
