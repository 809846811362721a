import type { start } from '../crawl/support.js';

/** The URL that a command prints for its dashboard. */
export async function dashboardUrl({ child, stderr }: ReturnType<typeof start>): Promise<string> {
  for (;;) {
    const url = /^dashboard: (\S+)$/m.exec(stderr())?.[1];
    if (url !== undefined) {
      return url;
    }
    await new Promise((resolve, reject) => {
      child.stderr.once('data', resolve);
      child.once('close', () => reject(new Error(`it ended without a dashboard: ${stderr()}`)));
    });
  }
}
