import { execFile } from 'node:child_process';
import { access, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { REAL_SITES, type RealSite, WORK_FOLDER } from './sites.js';

export interface InstalledSite extends RealSite {
  /** Folder that holds the pages. */
  readonly root: string;
  readonly version: string;
}

export interface Installation {
  readonly nginx: string;
  readonly sites: InstalledSite[];
}

/** Something is not on this machine and cannot be put there; the message names it and the line to type. */
export class MissingPackagesError extends Error {
  constructor(missing: readonly string[], cause: unknown) {
    super(`missing: ${missing.join(' ')}; as root: apt-get update && apt-get install ${missing.join(' ')}`, { cause });
    this.name = 'MissingPackagesError';
  }
}

const UNPACKED_FOLDER = join(WORK_FOLDER, 'packages');
const NGINX_PACKAGE = 'nginx-light';
const NGINX_PLACES = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/local/nginx/sbin/nginx', '/usr/bin/nginx'];

/** Finds nginx and the documentation packages, and installs or unpacks what is missing. */
export async function installRealSites(say: (line: string) => void): Promise<Installation> {
  let nginx = await findNginx();
  let found = await Promise.all(REAL_SITES.map(findSite));
  const wanted = [
    ...(nginx === null ? [NGINX_PACKAGE] : []),
    ...REAL_SITES.filter((_, i) => found[i] === null).map((site) => site.packageName),
  ];
  if (wanted.length > 0) {
    const failure = await aptInstall(wanted, say);
    nginx = await findNginx();
    if (nginx === null) {
      throw new MissingPackagesError([NGINX_PACKAGE], failure);
    }
    found = await Promise.all(REAL_SITES.map((site, i) => found[i] ?? findSite(site)));
  }
  const sites: InstalledSite[] = [];
  const missing: string[] = [];
  let lastFailure: unknown;
  for (const [i, site] of REAL_SITES.entries()) {
    try {
      sites.push(found[i] ?? (await downloadSite(site, say)));
    } catch (error) {
      missing.push(site.packageName);
      lastFailure = error;
    }
  }
  if (missing.length > 0) {
    throw new MissingPackagesError(missing, lastFailure);
  }
  return { nginx: nginx as string, sites };
}

/** The root of a site among the files of its package: the shortest path that ends in the landmark wins. */
export function rootAmong(files: Iterable<string>, site: Pick<RealSite, 'landmark' | 'startPage'>): string | null {
  let best: string | null = null;
  for (const file of files) {
    if (file.endsWith(`/${site.landmark}`) && (best === null || file.length < best.length)) {
      best = file;
    }
  }
  return best === null ? null : best.slice(0, -site.startPage.length - 1);
}

/** The site where dpkg put it, or where an earlier run unpacked it. */
async function findSite(site: RealSite): Promise<InstalledSite | null> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are for dpkg-query
  const version = await outputOf('dpkg-query', ['-W', '-f', '${db:Status-Status} ${Version}', site.packageName]);
  if (version?.startsWith('installed ')) {
    const files = ((await outputOf('dpkg', ['-L', site.packageName])) ?? '').split('\n');
    const root = await existingRoot(files, site);
    if (root !== null) {
      return { ...site, root, version: version.slice('installed '.length) };
    }
  }
  const unpacked = await readdir(UNPACKED_FOLDER).catch(() => []);
  for (const name of unpacked.filter((each) => each.startsWith(`${site.packageName}_`))) {
    const root = await unpackedRoot(join(UNPACKED_FOLDER, name), site);
    if (root !== null) {
      return { ...site, root, version: decodeURIComponent(name.slice(site.packageName.length + 1)) };
    }
  }
  return null;
}

/** dpkg lists files that a path-exclude kept from the disk (slim images leave out /usr/share/doc): so look. */
async function existingRoot(files: string[], site: RealSite): Promise<string | null> {
  const root = rootAmong(files, site);
  if (root === null) {
    return null;
  }
  return (await exists(join(root, site.startPage))) ? realpath(root) : null;
}

async function unpackedRoot(folder: string, site: RealSite): Promise<string | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return existingRoot(
    entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)),
    site,
  );
}

/** Returns why it failed; a package that did not arrive may still be downloaded and unpacked. */
export async function aptInstall(packages: readonly string[], say: (line: string) => void): Promise<unknown> {
  if (process.getuid?.() !== 0) {
    return new Error('apt-get install needs root');
  }
  try {
    say(`apt-get install ${packages.join(' ')}`);
    const arguments_ = ['install', '-y', '--no-install-recommends', ...packages];
    await run('apt-get', arguments_).catch(async () => {
      await run('apt-get', ['update']);
      await run('apt-get', arguments_);
    });
    return null;
  } catch (error) {
    return error;
  }
}

/** Needs no root, only package lists: the way where the package is installed without its documentation. */
async function downloadSite(site: RealSite, say: (line: string) => void): Promise<InstalledSite> {
  say(`apt-get download ${site.packageName}, unpacked into ${UNPACKED_FOLDER}`);
  const partial = join(UNPACKED_FOLDER, `partial-${site.packageName}`);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  // apt drops its rights for downloads and says so when it cannot write here as its own user; as root it then goes on.
  await run('apt-get', ['download', site.packageName], partial);
  const archive = (await readdir(partial)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) {
    throw new Error(`apt-get download ${site.packageName} left no .deb`);
  }
  const version = (await run('dpkg-deb', ['-f', join(partial, archive), 'Version'])).trim();
  await run('dpkg-deb', ['-x', join(partial, archive), join(partial, 'files')]);
  const folder = join(UNPACKED_FOLDER, `${site.packageName}_${encodeURIComponent(version)}`);
  await rm(folder, { recursive: true, force: true });
  await rename(join(partial, 'files'), folder);
  await rm(partial, { recursive: true });
  const root = await unpackedRoot(folder, site);
  if (root === null) {
    throw new Error(`${site.packageName} ${version} has no ${site.landmark}`);
  }
  return { ...site, root, version };
}

async function findNginx(): Promise<string | null> {
  const onPath = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'nginx'));
  for (const file of [...onPath, ...NGINX_PLACES]) {
    if (await exists(file)) {
      return file;
    }
  }
  return null;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function run(command: string, arguments_: readonly string[], cwd = dirname(WORK_FOLDER)): Promise<string> {
  await mkdir(cwd, { recursive: true });
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  return (await promisify(execFile)(command, arguments_, { cwd, env, maxBuffer: 2 ** 28 })).stdout;
}

/** What a query prints; null where the command fails or does not exist, which here means: not installed. */
async function outputOf(command: string, arguments_: readonly string[]): Promise<string | null> {
  return run(command, arguments_).catch(() => null);
}
