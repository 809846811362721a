import { LINK_KIND_NUMBER as KIND } from './links.js';
import { foldSpace } from './scan-values.js';

/** What a rel attribute says. */
export interface Relation {
  /** White space folded, lower case. */
  readonly rel: string;
  /** The kind of a link element that has it, without and with hreflang. */
  readonly kind: number;
  readonly kindWithLanguage: number;
  readonly isCanonical: boolean;
  /** The page in another form, such as a feed, that may be followed. */
  readonly isAlternate: boolean;
  /** Whether a link element that has it names no document. */
  readonly isIgnored: boolean;
}

/** Relations that only prepare a connection, and those of programs that take messages: a GET finds nothing there. */
const NO_DOCUMENT_RELS = new Set([
  ...['dns-prefetch', 'preconnect'],
  ...['pingback', 'webmention', 'micropub', 'microsub', 'authorization_endpoint', 'token_endpoint'],
]);

function kindOf(rels: readonly string[], hasLanguage: boolean): number {
  if (rels.includes('next')) return KIND.next;
  if (rels.includes('prev')) return KIND.prev;
  if (rels.includes('canonical')) return KIND.canonical;
  if (rels.includes('alternate') && hasLanguage) return KIND.alternate;
  return rels.includes('stylesheet') ? KIND.stylesheet : KIND.link;
}

function readRelation(attribute: string): Relation {
  const rel = foldSpace(attribute).toLowerCase();
  const rels = rel.split(' ');
  return {
    rel,
    kind: kindOf(rels, false),
    kindWithLanguage: kindOf(rels, true),
    isCanonical: rels.includes('canonical'),
    isAlternate: rels.includes('alternate') && !rels.includes('stylesheet') && !rels.includes('nofollow'),
    isIgnored: rel === '' || rels.every((token) => NO_DOCUMENT_RELS.has(token)),
  };
}

/** The web uses few; the bounds keep a hostile page from filling the memory with others. */
const MAX_REMEMBERED = 200;
const MAX_REMEMBERED_LENGTH = 100;
const remembered = new Map<string, Relation>();

export function relationOf(attribute: string): Relation {
  const known = remembered.get(attribute);
  if (known !== undefined) return known;
  const relation = readRelation(attribute);
  if (remembered.size < MAX_REMEMBERED && attribute.length <= MAX_REMEMBERED_LENGTH)
    remembered.set(attribute, relation);
  return relation;
}
