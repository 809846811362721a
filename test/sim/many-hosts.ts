import { plainHost, VirtualWeb } from './virtual-web.js';

export interface ManyHosts {
  hosts: number;
  seed: number;
  /** Time to the headers, by chance. */
  headersMs?: readonly [number, number];
}

/** So many hosts that never run out: page n of each leads to 2n + 1 and 2n + 2. */
export function manyHosts({ hosts, seed, headersMs = [20, 180] }: ManyHosts): { web: VirtualWeb; urls: string[] } {
  const web = new VirtualWeb(seed);
  const urls: string[] = [];
  for (let i = 0; i < hosts; i++) {
    const name = `h${i}.test`;
    const host = plainHost({
      headersMs,
      bodyMs: 10,
      links: (path) => {
        const page = Number(path.slice(2) || 0);
        return [`http://${name}/p${2 * page + 1}`, `http://${name}/p${2 * page + 2}`];
      },
    });
    web.add(name, host);
    urls.push(`http://${name}/`);
  }
  return { web, urls };
}
