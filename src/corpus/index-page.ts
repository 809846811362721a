import { readable } from './passages.js';

/** Names that generators give to pages which list what is on others. */
const NAMED =
  /(?:^|\/)(?:genindex(?:-[^/]*)?|[\w-]*modindex|contents|bookindex|index-all|index-files\/[^/]+|all(?:classes|packages)(?:-[a-z]+)?|doc-index(?:-[^/]*)?)\.md$/i;
/** A page of such a name is one where so much of its text is links. */
const NAMED_SHARE = 0.5;
const FEWEST_NAMED = 30;
/** One of any name where nearly all of it is, and there are very many. */
const ANY_SHARE = 0.85;
const FEWEST_ANY = 400;
/** The way into a site or a folder of it is read, however many links it has. */
const ENTRANCE = /(?:^|\/)index\.md$/i;

const LINK = /\[([^[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: "[^"\n]*")?\)/g;
const BLANK = /\s+/g;

/** Whether a page only says where things are, as the index at the end of a book. */
export function isIndexPage(path: string, markdown: string): boolean {
  const isNamed = NAMED.test(path);
  if (!isNamed && ENTRANCE.test(path)) {
    return false;
  }
  let links = 0;
  let linked = 0;
  for (const [, label] of markdown.matchAll(LINK)) {
    links++;
    linked += label!.replace(BLANK, '').length;
  }
  if (links < (isNamed ? FEWEST_NAMED : FEWEST_ANY)) {
    return false;
  }
  const all = readable(markdown).replace(/[\s#*|`-]+/g, '').length;
  return linked >= all * (isNamed ? NAMED_SHARE : ANY_SHARE);
}
