import { DRAWN_BY_SCRIPT } from './anchor-hash.js';
import { decodeReferences } from './entities.js';
import { decodeSitemap } from './sitemap-charset.js';

const ID = /\s(?:xml:)?id\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const SCRIPT = /<(?:[\w-]+:)?script[\s/>]/;

/**
 * What a fragment can point at in an SVG document: ids, wherever they seem to stand. One in a comment is taken for an id too: better a link
 * that is wrongly fine than one that is wrongly missing.
 */
export function svgAnchors(bytes: Uint8Array): string[] {
  const text = decodeSitemap(bytes);
  const ids = Array.from(text.matchAll(ID), ([, double, single]) => decodeReferences((double ?? single)!.trim(), true));
  return SCRIPT.test(text) ? [...ids, DRAWN_BY_SCRIPT] : ids;
}
