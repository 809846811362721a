import { tokenize } from './tokenizer.js';

/** Where on a page a link stands, by how much it says of the order of a site: the lowest first. */
export const LinkZone = { contents: 0, navigation: 1, content: 2, footer: 3 } as const;
export type LinkZone = (typeof LinkZone)[keyof typeof LinkZone];

const CONTENTS_NAME = /(?:^|[^a-z])(?:toc|toctree|contents|chapter)(?:[^a-z]|$)|sidebar/i;
const ZONE_OF_ROLE: ReadonlyMap<string, LinkZone> = new Map([
  ['doc-toc', LinkZone.contents],
  ['navigation', LinkZone.navigation],
  ['banner', LinkZone.navigation],
  ['main', LinkZone.content],
  ['contentinfo', LinkZone.footer],
]);
const ZONE_OF_ELEMENT: ReadonlyMap<string, LinkZone> = new Map([
  ['nav', LinkZone.navigation],
  ['header', LinkZone.navigation],
  ['main', LinkZone.content],
  ['article', LinkZone.content],
  ['footer', LinkZone.footer],
]);
const VOID = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
/** The most zones within each other. Deeper ones count as the zone around them; no ordinary page has as many. */
const MOST_ZONES = 64;

interface OpenZone {
  name: string;
  zone: LinkZone;
  /** Elements of that name that are open since. */
  depth: number;
}

/** Where the links of a page stand. */
export class LinkZones {
  readonly #zones = new Map<string, { best: LinkZone; each: LinkZone[]; asked: number }>();

  add(href: string, zone: LinkZone): void {
    const known = this.#zones.get(href);
    if (known === undefined) {
      this.#zones.set(href, { best: zone, each: [zone], asked: 0 });
    } else {
      known.best = Math.min(known.best, zone) as LinkZone;
      known.each.push(zone);
    }
  }

  /** The first, in their order, of those that the address stands in. */
  best(href: string): LinkZone {
    return this.#zones.get(href)?.best ?? LinkZone.content;
  }

  /** Of one link after another to the same address, in the order of the page. */
  next(href: string): LinkZone {
    const known = this.#zones.get(href);
    return known?.each[known.asked++] ?? LinkZone.content;
  }
}

export function linkZones(html: string): LinkZones {
  const zones = new LinkZones();
  const open: OpenZone[] = [];
  const current = (): LinkZone => open.at(-1)?.zone ?? LinkZone.content;
  tokenize(html, {
    isForeign: false,
    text: () => {},
    start: (name, attributes, selfClosing) => {
      if (name === 'a' || name === 'area') {
        const href = attributeOf(attributes, 'href');
        if (href !== null) {
          zones.add(href, current());
        }
        return;
      }
      if (selfClosing || VOID.has(name)) {
        return;
      }
      const last = open.at(-1);
      const zone = zoneOf(name, attributes);
      if (zone !== null && zone !== current() && open.length < MOST_ZONES) {
        open.push({ name, zone, depth: 1 });
      } else if (last?.name === name) {
        last.depth++;
      }
    },
    end: (name) => {
      const last = open.at(-1);
      if (last?.name === name && --last.depth === 0) {
        open.pop();
      }
    },
  });
  return zones;
}

function zoneOf(name: string, attributes: readonly string[]): LinkZone | null {
  for (let i = 0; i < attributes.length; i += 2) {
    const isName = attributes[i] === 'class' || attributes[i] === 'id';
    if (isName && attributes[i + 1]!.length <= 500 && CONTENTS_NAME.test(attributes[i + 1]!)) {
      return LinkZone.contents;
    }
  }
  return ZONE_OF_ROLE.get(attributeOf(attributes, 'role') ?? '') ?? ZONE_OF_ELEMENT.get(name) ?? null;
}

function attributeOf(attributes: readonly string[], name: string): string | null {
  for (let i = 0; i < attributes.length; i += 2) {
    if (attributes[i] === name) {
      return attributes[i + 1]!;
    }
  }
  return null;
}
