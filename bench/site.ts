import { compete, say } from './compete.js';
import { OURS } from './ours.js';
import { realSites } from './real-sites.js';
import type { Scenario } from './scenario.js';

export const site: Scenario = {
  word: 'site',
  sentence: 'one big site (openjdk-17-doc by nginx on loopback): ours, the raw dispatch floor and every peer',
  run: async (wishes) => {
    const { nginx, sites } = await realSites(say);
    const jdk = sites.find(({ name }) => name === 'jdk')!;
    await compete(
      {
        word: 'site',
        title: 'One big site',
        about: `${jdk.packageName} ${jdk.version}, nginx on the same machine, no delay, 64 requests at a time.`,
        measure: 'pages/s',
        ours: OURS,
        nginx,
        sites: [jdk],
        rounds: wishes.rounds ?? 5,
        options: { watchesThreads: true },
      },
      wishes,
    );
  },
};
