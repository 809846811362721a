import { printable } from '../base/text.js';
import { INVALID_SCHEME } from '../lane/link-facts.js';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import { jsonLine } from '../report/output.js';
import { CheckReader } from '../store/check-reader.js';
import { fragmentOf } from './anchors.js';
import { factsOf, placeOf } from './findings.js';
import { LinkTable, linksOf } from './link-table.js';
import type { PageNames } from './local-folder.js';
import type { LinkSource } from './report/result.js';

/** A link that would be checked, and where it stands. */
export interface DumpedLink extends Omit<LinkSource, 'selector'> {
  url: string;
  fragment: string | null;
}

/** Reasons for which a link is left out, whatever the scope is. */
const LEFT_OUT: ReadonlySet<string | null> = new Set(['scheme', 'ignored', 'offline', 'nofollow']);

export const DUMP_FORMATS: readonly string[] = ['terminal', 'json', 'jsonl'];

/** The links of all pages that were read, in their order, without those that a check would leave out. */
export async function* dumpedLinks(
  directory: string,
  names: PageNames,
  isWanted: (url: string) => boolean,
): AsyncIterableIterator<DumpedLink> {
  const store = CheckReader.open(directory);
  try {
    const links = await LinkTable.build(store);
    for await (const row of links.pages()) {
      const facts = factsOf(row);
      const page = await names.page(store.urlOf(row.page));
      for (const link of linksOf(row)) {
        const url = store.urlOf(link.target);
        const isInvalid = url.startsWith(INVALID_SCHEME);
        const isLeftOut =
          LEFT_OUT.has(store.reasonOf(link.target)) || link.kind === LINK_KIND_NUMBER.form || !isWanted(url);
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
    store.close();
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
