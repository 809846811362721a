import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT, read } from './repository.js';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe('npm start', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gossamer-start-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function start(...args: string[]): Promise<Ended> {
    const child = spawn(process.execPath, [join(ROOT, 'scripts/start.js'), ...args], { cwd: folder });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      ended.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      ended.stderr += chunk;
    });
    return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
  }

  const kept = (): string[] => readdirSync(join(folder, 'gossamer-data')).sort();

  it('crawls a site that it brings along, says where the results are, and what to type next', async () => {
    const { code, stderr } = await start();
    expect(code).toBe(0);
    expect(stderr).toContain('complete');
    for (const name of ['pages.jsonl', 'sitemap.xml', 'summary.json', 'crawl.sqlite']) {
      const path = join(folder, 'gossamer-data/demo', name);
      expect(existsSync(path)).toBe(true);
      expect(stderr).toContain(path);
    }
    expect(stderr).toContain('npm start -- crawl https://example.com');
    const pages = readFileSync(join(folder, 'gossamer-data/demo/pages.jsonl'), 'utf8').trim().split('\n');
    const states = pages.map((line) => (JSON.parse(line) as { state: string }).state);
    expect(new Set(states)).toEqual(new Set(['done', 'failed', 'skipped']));
  });

  it('begins anew each time, and piles nothing up', async () => {
    await start();
    const { code } = await start();
    expect(code).toBe(0);
    expect(kept()).toEqual(['demo']);
  });

  it('never deletes a crawl that it did not make', async () => {
    const theirs = join(folder, 'gossamer-data/demo/crawl.sqlite');
    mkdirSync(join(folder, 'gossamer-data/demo'), { recursive: true });
    writeFileSync(theirs, 'somebody else put this here');
    const { code } = await start();
    expect(code).toBe(0);
    expect(readFileSync(theirs, 'utf8')).toBe('somebody else put this here');
    expect(kept()).toEqual(['demo', 'demo-2']);
  });

  it('with arguments is the command line itself, exit code included', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(await start('--version')).toMatchObject({ code: 0, stdout: expect.stringContaining(version) });
    expect(await start('crawl')).toMatchObject({ code: 2 });
    expect(existsSync(join(folder, 'gossamer-data'))).toBe(false);
  });
});
