import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const isBuilt = () => existsSync(new URL('../dist/src/cli/main.js', import.meta.url));

/** What `npm run build` does, without a second npm. Ends the process where it fails. */
export function build() {
  const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error('the build failed');
    process.exit(status ?? 1);
  }
}
