import { TO_ALL, TO_SEEDS } from '../base/header-line.js';
import type { CrawlOptions } from '../config/options.js';
import type { FetchOptions, Header } from '../fetch/contract.js';
import { basicAuthorization, overlay, parseHeaderOption, parseUserOption } from '../fetch/headers.js';
import type { SeedRow } from '../store/transaction.js';
import { isHttp, originOf } from '../url/host.js';
import type { Credentials } from '../url/identity.js';

/**
 * Which headers go to which origin. `-H` and `--user` go to the origins of the seeds as the user gave them, with the spellings that a bare
 * domain is tried in. A redirect of a seed may widen the scope, but it is the server that chose its target: that gets nothing.
 * Where two name the same header, the one that is meant for fewer origins wins.
 */
export function bindHeaders(
  options: Pick<CrawlOptions, 'headers' | 'user'>,
  seeds: readonly Pick<SeedRow, 'url' | 'fallbacks'>[],
  credentials: ReadonlyMap<string, Credentials>,
): Pick<FetchOptions, 'headers' | 'originHeaders'> {
  const lines = options.headers.map(parseHeaderOption);
  const linesTo = (whom: string): Header[] => lines.filter(({ to }) => to === whom).map(({ header }) => header);
  const user = options.user === null ? [] : [parseUserOption(options.user)];
  const forSeeds = overlay([linesTo(TO_SEEDS), user]);
  const seedOrigins = forSeeds.length === 0 ? new Set<string>() : originsOf(seeds);
  const originHeaders: Record<string, Header[]> = {};
  for (const origin of seedOrigins) {
    originHeaders[origin] = forSeeds;
  }
  for (const [origin, { username, password }] of credentials) {
    originHeaders[origin] = overlay([originHeaders[origin] ?? [], [basicAuthorization(username, password)]]);
  }
  for (const origin of new Set(lines.map(({ to }) => to).filter((to) => to !== TO_SEEDS && to !== TO_ALL))) {
    originHeaders[origin] = overlay([originHeaders[origin] ?? [], linesTo(origin)]);
  }
  return { headers: linesTo(TO_ALL), originHeaders };
}

function originsOf(seeds: readonly Pick<SeedRow, 'url' | 'fallbacks'>[]): Set<string> {
  const origins = new Set<string>();
  for (const { url, fallbacks } of seeds) {
    for (const each of [url, ...fallbacks]) {
      if (isHttp(each)) {
        origins.add(originOf(each));
      }
    }
  }
  return origins;
}
