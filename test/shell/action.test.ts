import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT, read } from './repository.js';

const SCRIPT = 'scripts/action.sh';

describe('the action', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gossamer-action-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it with an npx that notes its arguments, writes a report and ends with a code. */
  function run(code: number, inputs: Record<string, string>) {
    const npx = join(folder, 'npx');
    writeFileSync(
      npx,
      `#!/usr/bin/env bash\nprintf '%s\\n' "$@" >"${folder}/arguments"\nlast="\${@: -1}"\necho "# Links" >"\${last#markdown=}"\nexit ${code}\n`,
    );
    chmodSync(npx, 0o755);
    const file = (name: string) => join(folder, name);
    const env = {
      ...process.env,
      ...inputs,
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      GITHUB_ACTION_PATH: ROOT,
      GITHUB_STEP_SUMMARY: file('summary'),
      GITHUB_OUTPUT: file('output'),
      RUNNER_TEMP: folder,
    };
    const { status } = spawnSync(join(ROOT, SCRIPT), { env, encoding: 'utf8', cwd: folder });
    const text = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
    return {
      status,
      args: text('arguments').trimEnd().split('\n'),
      summary: text('summary'),
      output: text('output').trim(),
    };
  }

  it('runs the version of this repository with what the inputs say, and nothing in them is code', () => {
    const { version } = JSON.parse(read('package.json'));
    const { args, status, summary, output } = run(0, {
      INPUT_URLS: "https://a.test/\n\n  docs/**/*.md  \n$(touch hacked) `touch hacked` ; touch hacked 'x y'",
      INPUT_ARGS: '--accept=200..299,403\n--exclude=/a b/**',
      INPUT_BASELINE: 'known links.json',
      INPUT_REPORT: 'junit=out.xml',
    });
    expect(args.slice(0, -1)).toEqual([
      '--yes',
      `gossamer@${version}`,
      'check',
      'https://a.test/',
      'docs/**/*.md',
      "$(touch hacked) `touch hacked` ; touch hacked 'x y'",
      '--accept=200..299,403',
      '--exclude=/a b/**',
      '--baseline',
      'known links.json',
      '--report',
      'junit=out.xml',
      '--report',
    ]);
    expect([status, summary, output]).toEqual([0, '# Links\n', 'exit-code=0']);
    expect(readdirSync(folder).sort()).toEqual(['arguments', 'npx', 'output', 'summary']);
  });

  it.each([
    [1, 'true', 1],
    [1, 'false', 0],
    [2, 'false', 2],
    [3, 'false', 3],
    [4, 'false', 4],
    [0, 'false', 0],
  ])('ends with code %d and fail: %s as %d', (code, fail, expected) => {
    const { status, output } = run(code, { INPUT_URLS: 'https://a.test/', INPUT_FAIL: fail });
    expect([status, output]).toEqual([expected, `exit-code=${code}`]);
  });

  it('hands every input on as a variable, never into the text of a command', () => {
    const definition = read('action.yml');
    const inputs = [...definition.matchAll(/^ {2}([a-z]+):\n {4}description/gm)].map((match) => match[1]!);
    expect(inputs).toEqual(['urls', 'args', 'fail', 'baseline', 'report']);
    for (const input of inputs) {
      expect(definition).toContain(`INPUT_${input.toUpperCase()}: \${{ inputs.${input} }}`);
      expect(read(SCRIPT)).toContain(`INPUT_${input.toUpperCase()}`);
    }
    expect(definition.split('\n').filter((line) => /run:.*\$\{\{/.test(line))).toEqual([]);
    expect(statSync(join(ROOT, SCRIPT)).mode & 0o111).toBe(0o111);
  });
});
