import type { ShownRun } from '../watch/live.js';

/** The dashboard of a run. */
export interface RunDashboard {
  /** From now on this run is shown. */
  watch(run: ShownRun): void;
  close(): Promise<void>;
}

/** Where a run is kept, and the corpora that it writes. */
export interface RunPlace {
  readonly directory: string;
  readonly corpora?: readonly string[];
}

/**
 * Listens before the run begins, so that a port that is taken ends the command before anything is asked for. A run without a dashboard loads
 * nothing of it.
 */
export async function openRunDashboard(port: number, { directory, corpora = [] }: RunPlace): Promise<RunDashboard> {
  const { Dashboard } = await import('../dashboard/server.js');
  let watched: ShownRun | null = null;
  const dashboard = await Dashboard.open({
    host: '127.0.0.1',
    port,
    shown: { run: () => watched, isLive: true, crawls: [directory], corpora: () => corpora },
  });
  // Also with --quiet: whoever asks for a dashboard needs its URL.
  process.stderr.write(`dashboard: ${dashboard.url}\n`);
  return {
    watch: (run) => {
      watched = run;
    },
    close: () => dashboard.close(),
  };
}
