import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isComplete } from '../../src/store/sqlite.js';
import { temporaryFolder } from '../crawl/support.js';
import { html } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { installPacked } from './pack.js';

const MB = 1_000_000;
const PNPM = fileURLToPath(new URL('../../node_modules/pnpm/bin/pnpm.cjs', import.meta.url));
const PAGE = html('<title>Guide</title><main><h1>Guide</h1><p>How to bake bread, step by step.</p></main>');

describe('the package as it is published, with no other beside it', () => {
  const folder = temporaryFolder();
  let installed: string;
  let web: WebInABox;
  beforeAll(async () => {
    installed = installPacked(folder.path, join(folder.path, 'project'));
    web = await openWeb();
    web.site('127.0.0.1', { handle: ({ path }) => (path === '/docs/' ? PAGE : html('', 404)) });
  });
  afterAll(async () => {
    await web.close();
    folder.remove();
  });

  const run = (args: readonly string[], variables: Record<string, string> = {}) =>
    new Promise<{ code: number; stderr: string }>((resolve) => {
      const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...variables };
      const child = execFile(
        process.execPath,
        [join(installed, 'bin', 'gossamer.js'), ...args],
        { cwd: folder.path, env },
        (_error, _stdout, stderr) => resolve({ code: child.exitCode ?? -1, stderr }),
      );
    });
  const files = (under: string) =>
    readdirSync(join(installed, under), { recursive: true, encoding: 'utf8' })
      .map((name) => join(installed, under, name))
      .filter((path) => statSync(path).isFile());
  const tarball = () => join(folder.path, readdirSync(folder.path).find((name) => name.endsWith('.tgz'))!);
  const size = (under: string) => files(under).reduce((sum, path) => sum + statSync(path).size, 0);

  it('crawls', async () => {
    const { code, stderr } = await run(['crawl', `${web.origin}/docs/`, '--data-dir', 'crawl']);
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(folder.path, 'crawl', 'pages.jsonl'), 'utf8')).toContain('"title":"Guide"');
  });

  it('estimates tokens, and says once what to type for exact ones', async () => {
    const { code, stderr } = await run(['docs', `${web.origin}/docs/`, '--data-dir', 'docs', '--output', 'corpus']);
    expect(code, stderr).toBe(0);
    expect(stderr.split('\n').filter((line) => line.includes('gpt-tokenizer'))).toEqual([
      'tokens are estimated, because gpt-tokenizer is not installed: type `npm install gpt-tokenizer`, with -g where gossamer is global',
    ]);
    expect(JSON.parse(readFileSync(join(folder.path, 'corpus', 'index.json'), 'utf8')).tokensEstimated).toBe(true);
  });

  it('refuses to render every page before anything is fetched, and names what is missing alone', async () => {
    web.clearLog();
    const args = ['docs', `${web.origin}/docs/`, '--render', 'always', '--data-dir', 'rendered', '--output', 'none'];
    const missing =
      'playwright-core is not installed: type `npm install playwright-core`, with -g where gossamer is global';
    const withBrowser = await run(args, { CHROME_PATH: process.execPath });
    expect([withBrowser.code, withBrowser.stderr]).toEqual([3, `error: pages cannot be rendered: ${missing}\n`]);
    const withNothing = await run([...args, '--fresh'], { CHROME_PATH: '/nowhere/chromium' });
    expect(withNothing.code).toBe(3);
    expect(withNothing.stderr).toContain(
      `there is no browser: install Chromium or Chrome, or name one in CHROME_PATH; ${missing}\n`,
    );
    expect(web.log).toEqual([]);
  });

  it('has the page of the dashboard, under 150 KB on its way, which names no other server', () => {
    const page = ['index.html', 'app.js', 'app.css', 'icon.svg'].map((name) =>
      readFileSync(join(installed, 'dist/dashboard', name)),
    );
    expect(page.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(150 * 1024);
    const addresses = page.flatMap((file) => file.toString().match(/\bhttps?:\/\/[\w.-]+/g) ?? []);
    // What draws a link graph is loaded by those who look at one, and is put into the file of `graph --format html`.
    const view = readFileSync(join(installed, 'dist/dashboard/graph-view.js'));
    expect(gzipSync(view).length).toBeLessThan(60 * 1024);
    expect(view.toString().match(/\bhttps?:\/\/[\w.-]+/g) ?? []).toEqual([]);
    // Names of XML, which nobody asks for.
    expect(addresses.filter((address) => !address.endsWith('//www.w3.org'))).toEqual([]);
  });

  it('is small, and smaller still without the SQLite that only an old Node needs', () => {
    expect(statSync(tarball()).size).toBeLessThan(10.7 * MB);
    expect(size('.')).toBeLessThan(22 * MB);
    expect(size('.') - size('dist/sqlite')).toBeLessThan(3.4 * MB);
    const lessSqlite = ['-C', installed, '--exclude=./dist/sqlite', '-c', '.'];
    const archive = spawnSync('tar', lessSqlite, { maxBuffer: 64 * MB }).stdout;
    expect(archive.length).toBeGreaterThan(MB);
    expect(gzipSync(archive, { level: 9 }).length).toBeLessThan(1.08 * MB);
  });

  it('has no more than a user needs: no tests, no pages of documentation, and the types in one file', () => {
    const names = files('.').map((path) => relative(installed, path).replaceAll(sep, '/'));
    const top = [...new Set(names.map((name) => name.split('/').slice(0, 2).join('/')))].sort();
    expect(top).toEqual([
      ...['LICENSE', 'README.md', 'bin/gossamer.js', 'dist/bundle', 'dist/config.schema.json'],
      ...['dist/dashboard', 'dist/man', 'dist/sqlite', 'dist/types', 'package.json'],
    ]);
    expect(names.filter((name) => name.endsWith('.d.ts'))).toEqual(['dist/types/index.d.ts']);
    // A global installation makes a link to the manual where `man` finds it, if the manifest has a list: npm passes over a text.
    const { man } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { man: unknown };
    expect(man).toEqual(['./dist/man/gossamer.1']);
  });

  it('is one that publint and attw have nothing to say against', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
    const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball())), {
      // They are threads: a bundler is told of them, and no program imports them.
      excludeEntrypoints: ['./store-worker', './lane-worker', './converter-worker', './module-hooks'],
    });
    const problems = checked.types === false ? [{ kind: 'NoTypes' }] : checked.problems;
    // It is made of ES modules. A CommonJS program on Node before 20.19, which we do not run on, could not require() them.
    expect(problems.filter(({ kind }) => kind !== 'CJSResolvesToESM')).toEqual([]);
  });

  it.each([
    { name: 'npm', install: ['npm', 'install', '--no-audit', '--no-fund'], run: ['npm', 'exec', '--'] },
    { name: 'pnpm', install: [process.execPath, PNPM, 'add'], run: [process.execPath, PNPM, 'exec'] },
  ])('goes into an empty folder with $name, and crawls from there', async ({ name, install, run: start }) => {
    const cwd = join(folder.path, `with ${name}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, NO_COLOR: '1' };
    const done = ([program, ...args]: readonly string[]) =>
      new Promise<{ code: number | null; said: string }>((resolve) => {
        const child = execFile(program!, args, { cwd, env }, (_error, stdout, stderr) =>
          resolve({ code: child.exitCode, said: stdout + stderr }),
        );
      });
    const installing = await done([...install, tarball()]);
    expect(installing.code, installing.said).toBe(0);
    const crawled = await done([...start, 'gossamer', 'crawl', `${web.origin}/docs/`, '--data-dir', 'crawl']);
    expect(crawled.code, crawled.said).toBe(0);
    expect(readFileSync(join(cwd, 'crawl', 'pages.jsonl'), 'utf8')).toContain('"title":"Guide"');
    const program = "const { VERSION } = await import('gossamer'); console.log(VERSION)";
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('has the terms of everything that is in it', () => {
    const terms = readFileSync(join(installed, 'dist/bundle/LICENSES.txt'), 'utf8').split(`\n${'-'.repeat(80)}\n\n`);
    const names = terms.map((text) => text.slice(0, text.indexOf(' ')));
    expect(names).toEqual([
      ...['@hono/node-server', '@ioredis/commands'],
      ...['bintrees', 'boolbase'],
      ...['cluster-key-slot', 'css-select', 'css-what', 'debug', 'denque', 'dom-serializer'],
      ...['domelementtype', 'domhandler', 'domutils', 'entities', 'hono', 'http-cache-semantics'],
      ...['hyparquet', 'hyparquet-writer', 'ioredis', 'ipaddr.js', 'ms', 'nth-check', 'picomatch'],
      ...['prom-client', 're2js', 'redis-errors', 'saxes', 'standard-as-callback', 'sucrase', 'tdigest'],
      ...['tldts', 'tough-cookie', 'undici', 'xmlchars'],
    ]);
    expect(terms.filter((text) => !/Copyright[\s\S]*(?:Permission|Redistribution)|Apache License/i.test(text))).toEqual(
      [],
    );
    const ofPage = readFileSync(join(installed, 'dist/dashboard/LICENSES.txt'), 'utf8');
    for (const name of ['events', 'graphology', 'graphology-utils', 'preact', 'sigma', 'uplot']) {
      expect(ofPage).toMatch(new RegExp(`(?:^|\\n)${name} [\\d.]+\\n[\\s\\S]*Copyright`));
    }
    expect(readFileSync(join(installed, 'dist/sqlite/LICENSES.txt'), 'utf8')).toMatch(
      /^@photostructure\/sqlite [\s\S]*Copyright[\s\S]*\nnode-addon-api [\s\S]*Copyright/,
    );
  });

  it('needs that SQLite where Node has none, and never otherwise', async () => {
    renameSync(join(installed, 'dist/sqlite'), join(folder.path, 'sqlite'));
    const { code, stderr } = await run(['crawl', `${web.origin}/docs/`, '--data-dir', 'without']);
    renameSync(join(folder.path, 'sqlite'), join(installed, 'dist/sqlite'));
    if (isBuiltin('node:sqlite') && isComplete(createRequire(import.meta.url)('node:sqlite'))) {
      expect(code, stderr).toBe(0);
    } else {
      expect(code).toBe(3);
      expect(stderr).toMatch(
        /^error: Node v[\d.]+ has no SQLite of its own that is recent enough, [^\n]*: use Node 22\.20, 24\.7 or later \([^\n]*\)\n$/,
      );
    }
  });
});
