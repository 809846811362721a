/**
 * What tests need beyond npm: Chromium for the HTML report, xmllint for the schema of JUnit's, Redis for crawls on several machines. What is missing is installed where that is
 * allowed (root, apt), at once and before the tests, which run beside each other. It never fails: a test that lacks its tool names it.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const TOOLS = [
  { package: 'chromium', names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] },
  { package: 'libxml2-utils', names: ['xmllint'] },
  { package: 'redis-server', names: ['redis-server'] },
];

const missing = TOOLS.filter(({ names }) => !names.some(isThere)).map((tool) => tool.package);
if (missing.length > 0) {
  const mayInstall = process.getuid?.() === 0 && isThere('apt-get');
  console.log(`${missing.join(', ')}: not installed${mayInstall ? '; apt-get install' : ''}`);
  if (mayInstall && !install() && apt('update')) {
    install();
  }
}

function install() {
  return apt('install', '-y', '--no-install-recommends', ...missing);
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function isThere(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
