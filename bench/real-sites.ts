import { type Installation, installRealSites } from '../test/real/install.js';

/** The documentation sites of the tests, but for one start page: that of the JDK is a meta refresh, which few peers follow. */
export async function realSites(say: (line: string) => void): Promise<Installation> {
  const { nginx, sites } = await installRealSites(say);
  return {
    nginx,
    sites: sites.map((site) => (site.name === 'jdk' ? { ...site, startPage: 'api/index.html' } : site)),
  };
}
