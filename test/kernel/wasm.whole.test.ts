import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('is what its sources compile to; else: node scripts/compile-assembly.js', () => {
  const compiled = () =>
    execFileSync(process.execPath, ['scripts/compile-assembly.js', '--check'], { encoding: 'utf8' });
  expect(compiled()).toBe('up to date\n');
});
