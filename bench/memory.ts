import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;

/** Of a process and all that came from it; 0 where the system does not tell, or they have ended. */
export function residentBytes(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((total, child) => total + residentBytes(Number(child)), own);
  } catch {
    return 0;
  }
}
