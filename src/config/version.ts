import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** From package.json, two folders up. The build writes the number in its place: a bundle may be anywhere. */
export const VERSION = readVersion(path.dirname(fileURLToPath(import.meta.url)));

function readVersion(folder: string): string {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) {
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  }
  return readVersion(path.dirname(folder));
}
