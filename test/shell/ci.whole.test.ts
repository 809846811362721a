import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT, read } from './repository.js';

const SCRIPT = join(ROOT, '.ci/run');

describe('.ci/run', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gossamer-ci-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it with an npm that only plays its part. */
  function run(npm: { ci: string; test: string }): { status: number | null; lines: string[] } {
    const path = join(folder, 'npm');
    writeFileSync(path, `#!/usr/bin/env bash\ncase "$1" in\nci) ${npm.ci} ;;\ntest) ${npm.test} ;;\nesac\n`);
    chmodSync(path, 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { status, stdout } = spawnSync(SCRIPT, { env, encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  }

  it('is what a user types, and may be run', () => {
    expect(read('.ci/run')).toContain('npm ci && npm test');
    expect(statSync(SCRIPT).mode & 0o111).toBe(0o111);
  });

  it('passes when everything passes, and its last line says how many tests did', () => {
    const { status, lines } = run({ ci: 'echo installed', test: 'echo "12 passed, 0 failed"' });
    expect(lines).toEqual(['installed', '12 passed, 0 failed']);
    expect(status).toBe(0);
  });

  it('fails when a test fails, and its last line is still that of the tests, whatever npm adds', () => {
    const { status, lines } = run({ ci: 'true', test: 'echo "11 passed, 1 failed"; echo "npm error" >&2; exit 7' });
    expect(lines.at(-1)).toBe('11 passed, 1 failed');
    expect(status).toBe(7);
  });

  it('fails when the installation fails, and runs no test then', () => {
    const { status, lines } = run({ ci: 'exit 3', test: 'echo "12 passed, 0 failed"' });
    expect(lines.at(-1)).toBe('0 passed, 1 failed');
    expect(lines).not.toContain('12 passed, 0 failed');
    expect(status).toBe(3);
  });
});
