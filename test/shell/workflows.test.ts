import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectFiles, ROOT, read } from './repository.js';

interface Job {
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix: Record<string, unknown[]> };
  steps: { uses?: string; run?: string; env?: Record<string, string> }[];
}
interface Workflow {
  permissions: unknown;
  jobs: Record<string, Job>;
}

/** Nobody but the machines of the repository's host can run these. What can be said of them without running them is said here. */
describe('the workflows', () => {
  const names = readdirSync(join(ROOT, '.github/workflows'));
  const workflows = names.map((name) => ({ name, workflow: parse(read(`.github/workflows/${name}`)) as Workflow }));
  const jobs = workflows.flatMap(({ name, workflow }) =>
    Object.entries(workflow.jobs).map(([job, content]) => ({ name: `${name}: ${job}`, content })),
  );
  const commands = jobs.flatMap(({ content }) => content.steps.flatMap(({ run }) => (run === undefined ? [] : [run])));

  it('call scripts of package.json and files of the project that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const called = commands.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1]!));
    expect(called.length).toBeGreaterThan(3);
    expect(called.filter((script) => scripts[script] === undefined)).toEqual([]);
    const files = commands.flatMap((run) => run.match(/(?<!\/)(?:\.ci|bin|scripts|test)\/[\w./-]+/g) ?? []);
    const isThere = (path: string) =>
      existsSync(join(ROOT, path)) ||
      readdirSync(join(ROOT, path, '..')).some((each) => each.startsWith(`${path.split('/').at(-1)}.`));
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((path) => !isThere(path))).toEqual([]);
  });

  it('put no text of an event into a command, end by themselves, and have no more rights than they say', () => {
    expect(commands.filter((run) => run.includes('${{'))).toEqual([]);
    expect(jobs.filter(({ content }) => content['timeout-minutes'] === undefined).map(({ name }) => name)).toEqual([]);
    for (const { name, workflow } of workflows) {
      expect(workflow.permissions, name).toBeDefined();
    }
    const writing = jobs.filter(({ content }) => Object.values(content.permissions ?? {}).includes('write'));
    expect(writing.map(({ name }) => name)).toEqual(['release.yml: npm', 'release.yml: image', 'release.yml: site']);
  });

  it('test the Nodes that the package is for, on three systems, with four package managers', () => {
    const { jobs: tests } = parse(read('.github/workflows/test.yml')) as Workflow;
    expect(tests.all!.strategy!.matrix.node).toEqual([20, 22, 24, 26]);
    expect(tests.install!.strategy!.matrix).toMatchObject({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      manager: ['npm', 'pnpm', 'yarn', 'bun'],
    });
  });
});

describe('a checkout on Windows', () => {
  it('has the bytes that were committed, and no link that Windows would not make', () => {
    expect(read('.gitattributes')).toMatch(/^\* -text$/m);
    const links = projectFiles().filter((path) => lstatSync(join(ROOT, path)).isSymbolicLink());
    expect(links).toEqual([]);
  });

  it('has no name that Windows refuses, and no two that it takes for one', () => {
    const files = projectFiles();
    const refused = /[<>:"|?*\\]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
    expect(files.filter((path) => path.split('/').some((name) => refused.test(name)))).toEqual([]);
    expect(files.filter((path) => path.length > 160)).toEqual([]);
    expect(new Set(files.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(files.length);
  });
});

describe('the container', () => {
  const dockerfile = read('Dockerfile');

  it('runs as nobody special, with or without a browser', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    const named = stages.map((stage) => /^\S+ AS (\w+)/.exec(stage)![1]);
    expect(named).toEqual(['build', 'plain', 'chromium']);
    for (const stage of stages.slice(1)) {
      expect(stage.match(/^USER .*$/gm)!.at(-1)).toBe('USER 1000:1000');
    }
  });

  it('has a Node of its own SQLite, and what is left out of it is left out of the context', () => {
    expect(dockerfile).toMatch(/^FROM node:24-/m);
    const ignored = read('.dockerignore').trim().split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist']));
  });
});
