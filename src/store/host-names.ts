import type { Database } from './sqlite.js';

/** Other names for hosts: what the crawl calls the first is the second in the crawl that it is compared with. */
export type HostNames = ReadonlyMap<string, string>;

/** Scheme, host and port of a URL stay, but for a host that has another name there. */
export function renamed(url: string, names: HostNames): string {
  if (names.size === 0) {
    return url;
  }
  const [, scheme = '', host = ''] = /^(https?:\/\/)([^/?#]*)/.exec(url) ?? [];
  const name = names.get(host);
  return name === undefined ? url : scheme + name + url.slice(scheme.length + host.length);
}

/** The same in SQL, because URLs are sorted by it. `table` is `urls` by this or another name, or `origins`. */
export function renamedUrl(
  database: Database,
  names: HostNames,
  table: string,
  column: 'url' | 'origin' = 'url',
): string {
  const [text, id] = column === 'url' ? [`${table}.url`, `${table}.origin`] : [`${table}.origin`, `${table}.id`];
  const origins = names.size === 0 ? [] : database.prepare('SELECT id, origin FROM origins').all();
  const cases = origins.flatMap(({ id: number, origin }) => {
    const name = renamed(origin, names);
    return name === origin
      ? []
      : [`WHEN ${number} THEN '${name.replaceAll("'", "''")}' || substr(${text}, ${origin.length + 1})`];
  });
  return cases.length === 0 ? text : `CASE ${id} ${cases.join(' ')} ELSE ${text} END`;
}
