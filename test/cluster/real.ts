import { edgesFromBlob } from '../../src/store/page-row.js';
import { UNANSWERED, UrlKind } from '../../src/store/url-state.js';
import { slotOf } from '../../src/url/slots.js';
import { inStore } from '../kill/killing.js';

/** What SPEC promises of a URL, whoever asked for it; and where its links lead. */
export interface KeptUrl {
  state: number;
  reason: string | null;
  depth: number;
  status: number | null;
  title: string | null;
  contentType: string | null;
  bytes: number | null;
  hash: string | null;
  edges: string[];
}

/** All listed pages of the crawl in one directory, by URL. */
export function keptUrls(directory: string): Map<string, KeptUrl> {
  return inStore(directory, (all) => {
    const urls = new Map(all('SELECT id, url FROM urls').map(({ id, url }) => [Number(id), String(url)]));
    const edges = new Map(
      all('SELECT page, packed FROM edges').map(({ page, packed }) => {
        const words = edgesFromBlob(packed as Uint8Array);
        const ends = Array.from(
          { length: words.length / 2 },
          (_, i) => `${urls.get(words[2 * i]!)} ${words[2 * i + 1]}`,
        );
        return [Number(page), ends];
      }),
    );
    const rows = all(
      `SELECT urls.id, url, state, reason, depth, status, title, content_type AS contentType, bytes, hash
       FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE kind = ${UrlKind.page} AND state <> 6 AND NOT ${UNANSWERED}`,
    );
    return new Map(
      rows.map(({ id, url, hash, ...row }) => [
        String(url),
        { ...row, hash: hash === null ? null : String(hash), edges: edges.get(Number(id)) ?? [] } as KeptUrl,
      ]),
    );
  });
}

/** Of all parts together. Throws where one lists what is another's, or two list the same. */
export function unionOf(directories: readonly string[]): Map<string, KeptUrl> {
  const union = new Map<string, KeptUrl>();
  for (const directory of directories) {
    // Who joins takes any slot that is free.
    const { slot } = inStore(directory, (all) =>
      JSON.parse(String(all("SELECT value FROM meta WHERE key = 'cluster'")[0]!.value)),
    );
    for (const [url, kept] of keptUrls(directory)) {
      if (slotOf(url, directories.length) !== slot) {
        throw new Error(`slot ${slot} lists ${url}`);
      }
      union.set(url, kept);
    }
  }
  return union;
}

/** URLs of which the two say other things, in words; a few of them. */
export function differences(here: ReadonlyMap<string, KeptUrl>, there: ReadonlyMap<string, KeptUrl>): string[] {
  const urls = new Set([...here.keys(), ...there.keys()]);
  return [...urls]
    .filter((url) => JSON.stringify(here.get(url)) !== JSON.stringify(there.get(url)))
    .slice(0, 5)
    .map((url) => `${url}: ${JSON.stringify(here.get(url))} and ${JSON.stringify(there.get(url))}`);
}
