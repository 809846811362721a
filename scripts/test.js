/**
 * `npm test`: build, types and lint, then all tests, those of `unit` and of `whole`. Stops where a step fails; the last line is always
 * `N passed, N failed`, in which a step that failed without naming a test counts as one. What is needed beyond npm is found, or
 * installed where that is allowed (root, apt), or named by the test that lacks it (test-tools.js).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'gossamer-test-'));
const report = join(scratch, 'report.json');

/** What stands in one line is done at the same time, each on a core of its own. */
const STEPS = [
  [['tools', 'scripts/test-tools.js']],
  [['build', 'scripts/build.js']],
  [
    ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
    ['types of the dashboard', 'node_modules/typescript/bin/tsc', '-p', 'src/dashboard/ui'],
    ['lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '.', '--diagnostic-level=warn'],
  ],
  [
    [
      'tests',
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
  ],
];

let hasFailed = false;
for (const steps of STEPS) {
  const succeeded = await Promise.all(steps.map(run));
  if (succeeded.includes(false)) {
    hasFailed = true;
    break;
  }
}
const { passed, failed } = counts();
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Whether the step succeeded. */
async function run([name, program, ...args]) {
  console.log(`\n▸ ${name}`);
  const startedAt = performance.now();
  const [status] = await once(
    spawn(process.execPath, [join(root, program), ...args], { cwd: root, stdio: 'inherit' }),
    'exit',
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
  return status === 0;
}

function counts() {
  let passed = 0;
  let failed = 0;
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    passed = numPassedTests;
    for (const { status, assertionResults } of testResults) {
      const broken = assertionResults.filter((result) => result.status === 'failed').length;
      // A file that could not even be loaded has no failed test in it.
      failed += broken === 0 && status === 'failed' ? 1 : broken;
    }
  } catch {
    // The tests were not reached, or died before they could report: the step counts.
  }
  // No test at all is no success either.
  return { passed, failed: failed === 0 && (hasFailed || passed === 0) ? 1 : failed };
}
