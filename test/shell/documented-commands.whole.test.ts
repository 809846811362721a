import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { BIN, temporaryFolder } from '../crawl/support.js';
import { CERTIFICATE, PRIVATE_KEY } from './example-certificate.js';
import { projectFiles, ROOT, read } from './repository.js';

/**
 * Every command that README, five-minute start and recipes show is run as it is written, in the order of the page. example.com and shop.example
 * are names of this machine here: GOSSAMER_CONNECT_TO and GOSSAMER_CACERT lead there, and the log of that server says that they were asked.
 */
const PAGES = ['README.md', 'docs/START.md', ...projectFiles().filter((path) => /^docs\/recipes\//.test(path))];

const COMMAND = /^(?:gossamer|npm|npx|pnpm|docker|mkdir|echo|sqlite3) /;
const hasSqlite = spawnSync('sqlite3', ['-version']).status === 0;

/** What is not run here, and why. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^npm ci && npm (?:start|test)$/, 'start.whole.test.ts runs it; the other is this run'],
  [/^npm install /, 'packed.whole.test.ts installs the package'],
  [/^npm start -- crawl/, 'the same as gossamer crawl, by scripts/start.js; start.whole.test.ts'],
  [/^docker /, 'there is no Docker here'],
  [/^sqlite3 /, hasSqlite ? '' : 'sqlite3 is not installed'],
];
/** Commands that answer a question by their exit code. */
const ANSWERS: Readonly<Record<string, number>> = { 'gossamer robots https://example.com/private': 1 };

/** Commands of a page; a transcript (`$ …`), what a program prints and other languages are none. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .filter(([, language]) => ['', 'bash', 'sh'].includes(language!))
    .map((match) => match[2]!.split('\n').filter((line) => line.trim() !== ''))
    .filter(([first]) => COMMAND.test(first ?? ''))
    .flat();
}

const body = (title: string, text: string, links: readonly string[]) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p class="price">${text}</p>${links
    .map((href) => `<a href="${href}">to ${href}</a> `)
    .join('')}</main></body></html>`;
const SITE: Readonly<Record<string, string>> = {
  '/': body('Home of bread', 'Bread from one oven.', ['/about', '/docs/', '/docs/guide/install', '/private']),
  '/about': body('About us', 'Who bakes the bread, and when.', ['/']),
  '/docs/': body('Manual', 'How to bake bread, step by step, with care.', ['/docs/guide/install', '/docs/limits']),
  '/docs/guide/install': body('Install', 'Put the oven where the bread is wanted.', ['/docs/']),
  '/docs/limits': body('Limits', 'The rate limit is ten loaves an hour.', ['/docs/guide/install']),
};

const folder = temporaryFolder();
const asked = new Set<string>();
let server: Server;
let environment: Record<string, string>;

beforeAll(async () => {
  server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    asked.add(`${request.headers.host}${request.url}`);
    const page = SITE[request.url ?? ''];
    if (request.url === '/robots.txt') {
      response.setHeader('content-type', 'text/plain').end('User-agent: *\nDisallow: /private\n');
    } else if (page === undefined) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Nothing here</title>');
    } else {
      response.setHeader('content-type', 'text/html').end(page);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'gossamer'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(bin, 'gossamer'), 0o755);
  writeFileSync(join(folder.path, 'certificate.pem'), CERTIFICATE);
  environment = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: folder.path,
    NO_COLOR: '1',
    GOSSAMER_CONNECT_TO: `::127.0.0.1:${(server.address() as AddressInfo).port}`,
    GOSSAMER_CACERT: join(folder.path, 'certificate.pem'),
    GOSSAMER_DELAY: '0',
  };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  folder.remove();
});

/** A folder as the pages assume it: a project with a site that was built, Markdown, and two crawls of earlier days. */
async function projectFor(page: string): Promise<string> {
  const cwd = join(folder.path, page.replaceAll('/', '-'));
  mkdirSync(join(cwd, 'public'), { recursive: true });
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'public', 'index.html'), body('Built', 'A page.', ['https://example.com/about']));
  writeFileSync(join(cwd, 'public', 'about.html'), body('About', 'Another.', ['/']));
  writeFileSync(
    join(cwd, 'README.md'),
    '# Project\n\nSee [the guide](docs/guide.md) and <https://example.com/about>.\n',
  );
  writeFileSync(join(cwd, 'docs', 'guide.md'), '# Guide\n\nBack to [the project](../README.md).\n');
  return cwd;
}

async function run(command: string, cwd: string): Promise<{ code: number | null; said: string }> {
  // A start of the program costs more than what most of these commands do; those that need a shell get one.
  const plain = command.replace(/\s+#\s.*$/, '').trim();
  if (/^gossamer /.test(plain) && !/[|&><$;~]/.test(plain) && !plain.startsWith('gossamer mcp')) {
    const words = [...plain.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
      word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
    );
    const { PATH: _, HOME: __, ...env } = environment;
    const { code, stdout, stderr } = await inProcess(words.slice(1), { cwd, env });
    return { code, said: stdout + stderr };
  }
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', command], { cwd, env: environment }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, said: stdout + stderr }),
    );
    child.stdin!.end();
  });
}

describe('each command runs as it is written', () => {
  it.each(PAGES)('in %s', async (page) => {
    const cwd = await projectFor(page);
    const commands = commandsOf(read(page));
    expect(commands.length).toBeGreaterThan(0);
    asked.clear();
    if (page === 'README.md') {
      // The README compares the crawls of two days and does not make them.
      for (const day of ['monday', 'tuesday']) {
        await run(`gossamer crawl https://example.com --data-dir ${day} -q`, cwd);
      }
    }
    for (const command of commands) {
      const reason = ELSEWHERE.find(([pattern]) => pattern.test(command))?.[1] ?? '';
      if (reason === '') {
        const bare = command.replace(/\s+#\s.*$/, '').trim();
        const { code, said } = await run(command, cwd);
        expect(code, `${command}\n${said}`).toBe(ANSWERS[bare] ?? 0);
      }
    }
    const isAsking = commands.some((command) => /^gossamer (?:crawl|check|docs)/.test(command));
    expect(asked.has('example.com/robots.txt'), 'the server of this test').toBe(isAsking);
  });

  it('and what is run is what the pages show: no command is lost on the way', () => {
    const found = PAGES.flatMap((page) => commandsOf(read(page)));
    expect(found.length).toBeGreaterThan(60);
    expect(
      commandsOf(
        '```\n$ gossamer crawl a\nit says\n```\n```ts\ngossamer x\n```\n```\ngossamer crawl a   # why\n\n```\n',
      ),
    ).toEqual(['gossamer crawl a   # why']);
  });
});

it('each program that they show compiles against the types of the package', () => {
  const inside = join(ROOT, 'test', 'shell');
  const programs = PAGES.flatMap((page) =>
    [...read(page).matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]!),
  );
  expect(programs.length).toBeGreaterThan(3);
  const sources = new Map(programs.map((text, i) => [join(inside, `documented-${i}.mts`), text]));
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'], target: ts.ScriptTarget.ES2023 },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...more) => {
    const text = sources.get(path);
    return text === undefined ? getSourceFile(path, version, ...more) : ts.createSourceFile(path, text, version);
  };
  const faults = ts.getPreEmitDiagnostics(ts.createProgram([...sources.keys()], options, host));
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});
