import { median, whole } from './figures.js';
import { idleShare, queuedShare, ROLES, type ThreadUse } from './threads.js';

export const threadHeadings = (unit: string): string[] => [
  `CPU µs/${unit} by thread (time idle, time waiting for a core)`,
  ...ROLES.map((role) => (role === 'V8' ? "V8's helpers" : role)),
];

/** A cell for each role, the median of some runs that each did so many pages or requests: CPU time, the share of their time without, and the part of it that was spent on waiting for a core. */
export function threadCells(
  runs: readonly { readonly threads: readonly ThreadUse[] | null; readonly count: number }[],
): string[] {
  return ROLES.map((role) => {
    const uses = runs.flatMap(({ threads, count }) => {
      const use = threads?.find((each) => each.role === role);
      return use === undefined ? [] : [{ ...use, microseconds: (use.cpuMs * 1000) / count }];
    });
    if (uses.length === 0) {
      return '–';
    }
    const most = Math.max(...uses.map(({ threads }) => threads));
    const cpu = whole(median(uses.map(({ microseconds }) => microseconds)));
    const shares = [idleShare, queuedShare].map((share) => `${(100 * median(uses.map(share))).toFixed(0)} %`);
    return `${most > 1 ? `${most} × ` : ''}${cpu} (${shares.join(', ')})`;
  });
}
