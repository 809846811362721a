import { printable } from '../base/text.js';
import { INVALID_SCHEME } from '../crawl/link-facts.js';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import { jsonLine } from '../report/json-line.js';
import { storePath } from '../store/directory.js';
import { openStoreFile } from '../store/store.js';
import { factsOf, type PageNames, placeOf } from './findings.js';
import { fragmentOf } from './fragment.js';
import { LinkTable, linksOf } from './link-table.js';
import type { LinkSource } from './result.js';

/** A link that would be checked, and where it stands. */
export interface DumpedLink extends Omit<LinkSource, 'selector'> {
  url: string;
  fragment: string | null;
}

/** Whatever the scope says. */
const LEFT_OUT: ReadonlySet<string | null> = new Set(['scheme', 'ignored', 'offline', 'nofollow']);

export const DUMP_FORMATS: readonly string[] = ['terminal', 'json', 'jsonl'];

/** The links of all pages that were read, in their order. What would be left out is left out here too. */
export async function* dumpedLinks(
  directory: string,
  names: PageNames,
  isWanted: (url: string) => boolean,
): AsyncIterableIterator<DumpedLink> {
  const database = openStoreFile(storePath(directory), { create: false, readOnly: true });
  try {
    const links = await LinkTable.build(database);
    const urlOf = database.prepare('SELECT url, reason FROM urls WHERE id = ?');
    for await (const row of links.pages()) {
      const facts = factsOf(row);
      const page = await names.page(urlOf.get(row.page)!.url);
      for (const link of linksOf(row)) {
        const { url, reason } = urlOf.get(link.target)!;
        const isInvalid: boolean = url.startsWith(INVALID_SCHEME);
        const isLeftOut = LEFT_OUT.has(reason) || link.kind === LINK_KIND_NUMBER.form || !isWanted(url);
        if (!link.ignored && (isInvalid || !isLeftOut)) {
          const place = placeOf(link, facts);
          yield {
            url: isInvalid ? url.slice(INVALID_SCHEME.length) : names.url(url),
            fragment: isInvalid ? null : fragmentOf(place.href),
            page,
            ...place,
          };
        }
      }
    }
  } finally {
    database.close();
  }
}

/** `terminal`: a link a line, and behind it where it stands. */
export async function* dumpText(links: AsyncIterable<DumpedLink>, format: string): AsyncIterableIterator<string> {
  let before = '[\n';
  for await (const link of links) {
    if (format === 'terminal') {
      const { url, fragment, page, line, column } = link;
      const target = printable(fragment === null ? url : `${url}#${fragment}`, 2_000);
      yield `${target}  ${printable(page, 500)}${line === null ? '' : `:${line}:${column}`}\n`;
    } else if (format === 'jsonl') {
      yield jsonLine(link);
    } else {
      yield before + jsonLine(link).trimEnd();
      before = ',\n';
    }
  }
  if (format === 'json') {
    yield before === '[\n' ? '[]\n' : '\n]\n';
  }
}
