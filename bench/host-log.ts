/** A request as the server saw it; times in ms since 1970. */
export interface Turn {
  readonly host: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Lines of `$msec $request_time $host`, in the order in which the responses ended. */
export function readTurns(log: string): Turn[] {
  return log
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [end, seconds, host] = line.split(' ') as [string, string, string];
      const endedAt = Math.round(Number(end) * 1000);
      return { host, startedAt: endedAt - Math.round(Number(seconds) * 1000), endedAt };
    });
}

/** The times between the starts of two requests in a row at one host. */
export function gapsOf(turns: readonly Turn[]): { smallestMs: number; below(limitMs: number): number } {
  const last = new Map<string, number>();
  const gaps: number[] = [];
  for (const { host, startedAt } of [...turns].sort((a, b) => a.startedAt - b.startedAt)) {
    const before = last.get(host);
    if (before !== undefined) {
      gaps.push(startedAt - before);
    }
    last.set(host, startedAt);
  }
  return {
    smallestMs: gaps.reduce((smallest, gap) => Math.min(smallest, gap), Number.POSITIVE_INFINITY),
    below: (limitMs) => gaps.filter((gap) => gap < limitMs).length,
  };
}
