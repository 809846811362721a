import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
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

  /** What node does for the step: the build leaves a bundle, the program notes its arguments and writes its last report. */
  const NODE = (code: number, hasReport: boolean) => `#!/usr/bin/env bash
if [ "$1" = scripts/build.js ]; then mkdir -p dist/bundle && touch dist/bundle/main.js; exit; fi
printf '%s\n' "$@" >"$RUNNER_TEMP/arguments"
report=/dev/null
for each in "$@"; do
  [ "$each" = -- ] && break
  case "$each" in markdown=*) report="\${each#markdown=}" ;; esac
done
${hasReport ? 'echo "# Links" >"$report"' : ''}
exit ${code}
`;

  interface Played {
    code?: number;
    hasReport?: boolean;
    installs?: boolean;
  }

  /** Runs it in a checkout that is not built, with a node and an npm that only play their parts. */
  function run(inputs: Record<string, string>, { code = 0, hasReport = true, installs = true }: Played = {}) {
    const file = (name: string) => join(folder, name);
    mkdirSync(file('tools'), { recursive: true });
    mkdirSync(file('checkout'), { recursive: true });
    writeFileSync(file('tools/node'), NODE(code, hasReport), { mode: 0o755 });
    writeFileSync(
      file('tools/npm'),
      `#!/usr/bin/env bash\necho "$PWD $*" >>"$RUNNER_TEMP/installed"\nexit ${installs ? 0 : 1}\n`,
      { mode: 0o755 },
    );
    const env = {
      ...process.env,
      ...inputs,
      PATH: `${file('tools')}${delimiter}${process.env.PATH}`,
      GITHUB_ACTION_PATH: file('checkout'),
      GITHUB_STEP_SUMMARY: file('summary'),
      GITHUB_OUTPUT: file('output'),
      RUNNER_TEMP: folder,
    };
    const { status, stdout } = spawnSync(join(ROOT, SCRIPT), { env, encoding: 'utf8', cwd: folder });
    const text = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
    return {
      status,
      stdout,
      args: text('arguments').trimEnd().split('\n'),
      installed: text('installed').trimEnd().split('\n'),
      summary: text('summary'),
      output: text('output').trim(),
    };
  }

  const HARMLESS = { INPUT_URLS: 'https://a.test/' };
  const FORGIVING = { ...HARMLESS, INPUT_FAIL: 'false' };

  it('runs what is checked out with what the inputs say, and nothing in them is code', () => {
    const { args, status, summary, output } = run({
      INPUT_URLS: "https://a.test/\n\n  docs/**/*.md  \n$(touch hacked) `touch hacked` ; touch hacked 'x y'",
      INPUT_ARGS: '--accept=200..299,403\n--exclude=/a b/**',
      INPUT_BASELINE: 'known links.json',
      INPUT_REPORT: 'junit=out.xml',
    });
    expect(args.slice(0, -1)).toEqual([
      join(folder, 'checkout/bin/gossamer.js'),
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
      '--no-exit-simple',
      '--report',
    ]);
    expect([status, summary, output]).toEqual([0, '# Links\n', 'exit-code=0']);
    expect(readdirSync(folder).sort()).toEqual(['arguments', 'checkout', 'installed', 'output', 'summary', 'tools']);
  });

  it('keeps its own options before a -- among the arguments', () => {
    const { args, summary } = run({
      INPUT_URLS: 'docs',
      INPUT_ARGS: '--delay=0\n--\n-odd.md',
      INPUT_REPORT: 'csv=a.csv',
    });
    expect(args.slice(2, 8)).toEqual(['docs', '--delay=0', '--report', 'csv=a.csv', '--no-exit-simple', '--report']);
    expect(args.slice(9)).toEqual(['--', '-odd.md']);
    expect(summary).toBe('# Links\n');
  });

  it('builds the checkout once, by the lock file and without scripts of packages', () => {
    run(HARMLESS);
    expect(run(HARMLESS).installed).toEqual([
      `${realpathSync(join(folder, 'checkout'))} ci --ignore-scripts --include=dev`,
    ]);
  });

  it('that cannot be installed fails, though npm ends with the code of dead links and they may pass', () => {
    const { status, output, args, stdout } = run(FORGIVING, { installs: false });
    expect([status, output, args]).toEqual([3, 'exit-code=3', ['']]);
    expect(stdout).toContain('::error::gossamer could not be installed: no link was checked');
  });

  it.each([
    [1, 'true', 1],
    [1, 'false', 0],
    [1, 'False', 0],
    [1, ' FALSE ', 0],
    [2, 'false', 2],
    [3, 'false', 3],
    [4, 'false', 4],
    [0, 'false', 0],
    [143, 'false', 143],
  ])('ends with code %d and fail: %s as %d', (code, fail, expected) => {
    const { status, output } = run({ ...HARMLESS, INPUT_FAIL: fail }, { code });
    expect([status, output]).toEqual([expected, `exit-code=${code}`]);
  });

  it.each([
    [0, 3],
    [1, 3],
    [2, 2],
  ])('that ends with code %d and no report has checked nothing, and fails with %d', (code, expected) => {
    const { status, output, stdout } = run(FORGIVING, { code, hasReport: false });
    expect([status, output]).toEqual([expected, `exit-code=${expected}`]);
    expect(stdout).toContain('::error::gossamer ended without a report: no link was checked');
  });

  it('of this repository lets dead links pass and nothing else', () => {
    const site = join(folder, 'site');
    mkdirSync(site);
    writeFileSync(join(site, 'index.html'), '<a href="gone.html">gone</a>');
    const step = (args: string) =>
      spawnSync(join(ROOT, SCRIPT), {
        env: {
          ...process.env,
          ...{ INPUT_URLS: 'site', INPUT_ARGS: args, INPUT_FAIL: 'false' },
          ...{ GITHUB_ACTION_PATH: ROOT, GITHUB_STEP_SUMMARY: join(folder, 'summary'), RUNNER_TEMP: folder },
        },
        encoding: 'utf8',
        cwd: folder,
      }).status;
    expect(step('--exit-simple')).toBe(0);
    expect(readFileSync(join(folder, 'summary'), 'utf8')).toContain('gone.html');
    expect(step('--no-such-option')).toBe(2);
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
