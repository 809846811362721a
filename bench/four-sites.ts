import { compete, say } from './compete.js';
import { OURS } from './ours.js';
import { realSites } from './real-sites.js';
import type { Scenario } from './scenario.js';

/** One process where it takes several start pages, else one a site at the same time. */
export const fourSites: Scenario = {
  word: 'four-sites',
  sentence: 'four documentation sites at once: ours, the raw dispatch floor and every peer',
  run: async (wishes) => {
    const { nginx, sites } = await realSites(say);
    await compete(
      {
        word: 'four-sites',
        title: 'Four sites at once',
        about: `${sites.map(({ packageName }) => packageName).join(', ')}; nginx on the same machine, no delay.`,
        measure: 'pages/s',
        ours: OURS,
        nginx,
        sites,
        rounds: wishes.rounds ?? 5,
      },
      wishes,
    );
  },
};
