import { UrlKind } from '../../src/store/url-state.js';
import { plainHost, VirtualWeb } from './virtual-web.js';

export interface ManyHosts {
  hosts: number;
  seed: number;
  /** Time to the headers, by chance. */
  headersMs?: readonly [number, number];
  /** This share of all first attempts fails for a moment. */
  trouble?: number;
}

/** So many hosts that never run out: the first page of each leads to the next three, and page n to n + 3. */
export function manyHosts({ hosts, seed, headersMs = [20, 180], trouble = 0 }: ManyHosts): {
  web: VirtualWeb;
  urls: string[];
} {
  const web = new VirtualWeb(seed);
  const urls: string[] = [];
  for (let i = 0; i < hosts; i++) {
    const name = `h${i}.test`;
    const host = plainHost({
      headersMs,
      bodyMs: 10,
      links: (path) => {
        const page = Number(path.slice(2));
        return (page === 0 ? [1, 2, 3] : [page + 3]).map((next) => `http://${name}/p${next}`);
      },
    });
    web.add(name, (request) => {
      const troubled =
        request.kind !== UrlKind.robots && request.attempt === 1 && (request.chance * 1_000) % 1 < trouble;
      return troubled ? { headersMs: 50, endMs: 50, status: 503 } : host(request);
    });
    urls.push(`http://${name}/`);
  }
  return { web, urls };
}
