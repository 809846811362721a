import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.js';

/** The package as npm would publish it, unpacked in a project's node_modules, where a user has it. Nothing else is installed there. */
export function installPacked(folder: string, project: string): string {
  const installed = join(project, 'node_modules', 'gossamer');
  mkdirSync(installed, { recursive: true });
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  execFileSync('tar', ['xzf', join(folder, tarball), '-C', installed, '--strip-components', '1']);
  return installed;
}
