import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The compiled files lie one folder deeper (dist/bench) than the sources (bench). */
const PROJECT = fileURLToPath(new URL(import.meta.url.endsWith('.js') ? '../../' : '../', import.meta.url));

export const GOSSAMER_BIN = `${PROJECT}bin/gossamer.js`;
/** Our own programs that drive peers which are libraries. */
export const DRIVERS_FOLDER = `${PROJECT}bench/peers`;
/** Where the peers are installed; ignored by git. */
export const PEERS_FOLDER = `${PROJECT}bench/.peers`;
export const RESULTS_FOLDER = `${PROJECT}bench/results`;
/** Pages with a label at each block; docs/EXTRACTION.md says how they came about. */
export const SAMPLE_FOLDER = `${PROJECT}test/content/sample`;

export const DISK_FOLDER = tmpdir();
/** Memory where the system offers it as a folder, else the disk. */
export const RAM_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const temporary = new Set<string>();
process.on('exit', () => temporary.forEach(removeFolder));

/** Gone at the end of the process at the latest. */
export function temporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'gossamer-bench-'));
  temporary.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  temporary.delete(folder);
}
