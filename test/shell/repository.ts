import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What is made on the spot and never kept under version control. */
const LEFT_OUT = new Set(['.git', '.tmp', 'node_modules', 'dist', 'gossamer-data', 'coverage', 'results', '.peers']);

/** Paths of all files of the project, from its root, with `/`. */
export function projectFiles(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name)) {
      return [];
    }
    const path = join(folder, entry.name);
    return entry.isDirectory() ? projectFiles(path) : [relative(ROOT, path).split(sep).join('/')];
  });
}

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
