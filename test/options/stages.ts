import type { Site } from '../web/site.js';
import type { WebInABox } from '../web/web.js';
import { DATA, type Stage } from './harness.js';

export interface CrawlStage {
  name: string;
  /** By host name. */
  sites: () => Record<string, Site>;
  seeds: readonly string[];
  args?: readonly string[];
  /** Stages have `--delay 0`; this one leaves it alone. */
  delay?: 'default';
}

/** A crawl (or a check) of sites made for the purpose, all names on one loopback port. */
export const crawlOf = ({ name, sites, seeds, args = [], delay }: CrawlStage): Stage => ({
  name,
  async play(values, trial) {
    const web = await trial.web();
    for (const [host, site] of Object.entries(sites())) {
      web.site(host, site);
    }
    const pace = delay === 'default' ? [] : ['--delay', '0'];
    return trial.run([...trial.walk, ...seeds, ...here(web), ...pace, '--data-dir', DATA, ...args, ...values]);
  },
});

export const here = (web: WebInABox): string[] => web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
