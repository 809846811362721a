import { UsageError } from '../base/errors.js';
import type { Reader } from '../store/reader.js';
import { originOf } from '../url/host.js';
import type { Output, OutputFile, OutputFiles, OutputNotes } from './output.js';
import { LEFT_OUT, type LeftOut, sitemapEntry, whyLeftOut } from './sitemap-entry.js';
import { fileNamePart } from './sitemap-names.js';
import { type SitemapCaps, SitemapSet } from './sitemap-set.js';

/** Of the protocol: https://www.sitemaps.org/protocol.html */
const PROTOCOL_CAPS: SitemapCaps = { maxUrls: 50_000, maxBytes: 50 * 1024 * 1024 };

/**
 * sitemap.xml. A sitemap may only list URLs of the origin it is served from, so each origin has its own: the first seed's is the file
 * that was asked for, the others stand beside it under the name of their host.
 */
export function sitemapOutput(caps: SitemapCaps = PROTOCOL_CAPS): Output {
  return {
    async write(reader, files) {
      if (!files.several) {
        await refuseSeveral(reader, caps);
      }
      return writeSitemaps(reader, files, caps);
    },
  };
}

async function writeSitemaps(reader: Reader, files: OutputFiles, caps: SitemapCaps): Promise<OutputNotes> {
  const leftOut = Object.fromEntries(LEFT_OUT.map((cause) => [cause, 0])) as Record<LeftOut, number>;
  const remarks = reader.remarks();
  const sets: SitemapSet[] = [];
  let records = 0;
  for (const page of reader.pagesByOrigin()) {
    const cause = whyLeftOut(page);
    if (cause !== null) {
      leftOut[cause]++;
      continue;
    }
    const origin = originOf(page.url);
    let set = sets.at(-1);
    if (set?.origin !== origin) {
      await set?.close();
      set = new SitemapSet(origin, files, caps, remarks);
      sets.push(set);
    }
    await set.add(sitemapEntry(page));
    records++;
  }
  await sets.at(-1)?.close();
  return { records, files: await placeSets(reader, sets), leftOut };
}

async function placeSets(reader: Reader, sets: readonly SitemapSet[]): Promise<number> {
  const main = mainSet(reader, sets);
  if (main === undefined) {
    return 0;
  }
  const usualScheme = main.origin.slice(0, main.origin.indexOf(':'));
  let count = 0;
  for (const set of sets) {
    count += await set.place(set === main ? '' : `-${fileNamePart(set.origin, usualScheme)}`);
  }
  return count;
}

/** The first seed's, where it has pages: of the origins it was redirected through the last that has. */
function mainSet(reader: Reader, sets: readonly SitemapSet[]): SitemapSet | undefined {
  const seed = reader.seeds()[0];
  const urls = seed === undefined ? [] : [seed.url, ...seed.scopeUrls].reverse();
  const found = urls.map((url) => sets.find((set) => set.origin === originOf(url))).find((set) => set !== undefined);
  return found ?? sets[0];
}

/** Found out before the first byte is written: half a sitemap on stdout helps nobody. */
async function refuseSeveral(reader: Reader, caps: SitemapCaps): Promise<void> {
  const { files } = await writeSitemaps(reader, NOWHERE, caps);
  if (files > 1) {
    throw new UsageError(`the sitemap of this crawl is ${files} files: give it a file with --output`);
  }
}

const NO_FILE: OutputFile = { write() {}, close() {}, place: (suffix) => suffix };
const NOWHERE: OutputFiles = { several: true, create: () => NO_FILE };
