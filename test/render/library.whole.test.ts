import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { html } from '../web/site.js';
import { appSite } from './app.js';
import { docsBox } from './docs-box.js';

const box = docsBox();
const DIST = pathToFileURL(join(import.meta.dirname, '../../dist/bundle/index.js')).href;

/** Runs a program of a user's; what drives a browser changes its process for good. Gives what it writes, as JSON. */
async function run(program: string): Promise<unknown> {
  const file = join(box.folder, `program-${Math.random()}.mjs`);
  writeFileSync(
    file,
    `import { crawl } from '${DIST}';\nconst connectTo = ${JSON.stringify(box.web.connectTo)};\n${program}`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  return JSON.parse(stdout);
}

it('a program is given each page once, as the browser drew it, and its edges with it', async () => {
  const pages = { '/': { title: 'Start', links: ['/a'] }, '/a': { title: 'A' } };
  const app = appSite({ pages, others: { '/thin': html('<title>Thin</title><p>Short<script></script>') } });
  box.web.site('program.test', app);
  const { told, edges } = (await run(`
    const told = [];
    const edges = [];
    const run = crawl({
      seeds: ['http://program.test/', 'http://program.test/thin'], connectTo, delayMs: 0, render: 'auto', seedingStrategy: 'none',
      onEdge: (from, to, { kind }) => { edges.push([from, to, kind]); },
    });
    for await (const { url, title, h1, state, attempts } of run) told.push({ url, title, h1, state, attempts });
    console.log(JSON.stringify({ told, edges }));
  `)) as { told: { url: string }[]; edges: string[][] };
  expect(told.toSorted((a, b) => a.url.localeCompare(b.url))).toEqual([
    { url: 'http://program.test/', title: 'Start', h1: 'Start', state: 'done', attempts: 1 },
    { url: 'http://program.test/a', title: 'A', h1: 'A', state: 'done', attempts: 1 },
    { url: 'http://program.test/thin', title: 'Thin', h1: null, state: 'done', attempts: 1 },
  ]);
  expect(edges.filter(([, , kind]) => kind === 'a')).toEqual([['http://program.test/', 'http://program.test/a', 'a']]);
});

it('onPage sees each page once, with the HTML that the browser drew, or that came where it stays so', async () => {
  const pages = { '/': { title: 'Start', links: ['/a'] }, '/a': { title: 'A' } };
  const app = appSite({ pages, others: { '/thin': html('<title>Thin</title><p>Short<script></script>') } });
  box.web.site('seen.test', app);
  const seen = (await run(`
    const seen = [];
    await crawl({
      seeds: ['http://seen.test/', 'http://seen.test/thin'], connectTo, delayMs: 0, render: 'auto', seedingStrategy: 'none',
      onPage: ({ url }, { html, select }) => { seen.push([url, select('h1')?.text ?? null, html?.includes('Short') ?? null]); },
    }).finished;
    console.log(JSON.stringify(seen));
  `)) as string[][];
  expect(seen.toSorted()).toEqual([
    ['http://seen.test/', 'Start', false],
    ['http://seen.test/a', 'A', false],
    ['http://seen.test/thin', null, true],
  ]);
});

it('a resolve of the user’s own is refused together with render', async () => {
  const message = await run(`
    const run = crawl({ seeds: ['key'], render: 'always', fetch: async () => ({ status: 200, links: [] }), resolve: (href) => href });
    console.log(JSON.stringify(await run.finished.then(() => 'fine', ({ message }) => message)));
  `);
  expect(message).toContain('render cannot be used with a resolve of your own');
});
