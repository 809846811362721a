import type { Database } from '../store/sqlite.js';
import { compileAliases, NO_FILES } from '../url/aliases.js';
import { asText, type IdentityOptions, UrlResolver } from '../url/identity.js';
import { type LinkTable, linksOf } from './link-table.js';

/** Targets that --remap led to, and the URL that the first link to each has written; found out again from what is written on the pages. */
export async function remappedTargets(
  database: Database,
  links: LinkTable,
  remaps: readonly string[],
  identity: IdentityOptions,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const remap = compileAliases({ remaps, ...NO_FILES });
  if (remap === null) {
    return found;
  }
  const urlOf = database.prepare('SELECT url FROM urls WHERE id = ?');
  const resolver = new UrlResolver(identity, asText);
  for await (const row of links.pages()) {
    const hrefs: string[] = row.hrefs === null ? [] : JSON.parse(row.hrefs);
    const page: string = urlOf.get(row.page)!.url;
    for (const { target, place } of linksOf(row)) {
      const written = found.has(target) ? null : resolver.resolve(hrefs[place] ?? '', page);
      if (written !== null && remap(written) !== written) {
        found.set(target, written);
      }
    }
  }
  return found;
}
