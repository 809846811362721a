import { readFileSync } from 'node:fs';

export interface SocketBudget {
  /** For pages, of all lanes together. */
  pages: number;
  /** For third parties that are asked for URLs. */
  thirdParties: number;
  /** For the user: fewer than were asked for. */
  notice: string | null;
}

const MOST = 16_384;
/** What the program itself has open: its own files, those of the store and the outputs, four for each thread, name servers. */
const OWN_FILES = 52;
/** Where the system does not say. */
const USUAL_LIMIT = 2_048;

/** How many sockets may be open, and for whom: what the user said, and no more than the system has descriptors for. */
export function socketBudget(given: number | null, asksThirdParties: boolean): SocketBudget {
  const limit = openFileLimit() ?? USUAL_LIMIT;
  const wanted = given ?? Math.min(MOST, Math.floor(limit / 2));
  const sockets = Math.min(wanted, spareDescriptors());
  const thirdParties = asksThirdParties ? (sockets >= 16 ? 2 : 1) : 0;
  return {
    pages: Math.max(1, sockets - thirdParties),
    thirdParties,
    notice:
      given === null || given <= sockets
        ? null
        : `--max-sockets ${given} is more than ${limit} open files leave room for: lowered to ${sockets} (see \`ulimit -n\`)`,
  };
}

/** Descriptors that sockets may have; at least one. */
export const spareDescriptors = (): number => Math.max(1, (openFileLimit() ?? USUAL_LIMIT) - OWN_FILES);

function openFileLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}
