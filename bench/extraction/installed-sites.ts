import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where packages of Debian have the sites that pages of the sample are from. */
const FOLDERS: Readonly<Record<string, string>> = {
  python: '/usr/share/doc/python3.11-doc/html',
  postgresql: '/usr/share/doc/postgresql-doc-15/html',
  openjdk: '/usr/share/doc/openjdk-17-jre-headless/api',
  cppreference: '/usr/share/cppreference/doc/html',
  django: '/usr/share/doc/python-django-doc/html',
  rust: '/usr/share/doc/rust-doc/html',
  mkdocs: '/usr/share/doc/mkdocs/html',
};
const LARGEST = 1_000_000;

export const installedSites = (): string[] => Object.keys(FOLDERS).filter((name) => existsSync(FOLDERS[name]!));

/** Null where it is not there. */
export const installedFolder = (name: string): string | null =>
  installedSites().includes(name) ? FOLDERS[name]! : null;

/** Pages of an installed site, evenly spread over it; none where it is not there. */
export function readInstalled(source: string, count: number): string[] {
  const folder = FOLDERS[source];
  if (folder === undefined || !existsSync(folder)) {
    return [];
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size <= LARGEST)
    .sort();
  const step = Math.max(1, Math.ceil(files.length / count));
  return files.filter((_, i) => i % step === 0).map((file) => readFileSync(file, 'utf8'));
}
