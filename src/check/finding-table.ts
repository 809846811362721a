import type { LinkKind } from '../parse/links.js';
import type { FindingRows, SourceRow } from '../store/check-tables.js';
import { type CheckedLink, type LinkSource, VERDICTS, type Verdict } from './report/result.js';
import type { UncheckedCounts } from './report/unchecked.js';

/** A verdict on one target, without the places where links to it stand. */
export type Finding = Omit<CheckedLink, 'sources' | 'sourceCount' | 'firstSeen'>;
export type FoundSource = Omit<LinkSource, 'selector'>;

const NO_HTML = /\.(?:md|markdown|mdx|rst|txt)$/i;

/** The findings of a check. They are counted as they are added. */
export class FindingTable {
  readonly verdicts: Partial<Record<Verdict, number>> = {};
  readonly unchecked: UncheckedCounts = {};
  size = 0;
  failing = 0;
  readonly #rows: FindingRows;

  constructor(rows: FindingRows) {
    this.#rows = rows;
  }

  /** Ends adding, so that the findings can be read. */
  complete(): void {
    this.#rows.complete();
  }

  /** @param links how many lead there, as far as they are counted already */
  add(finding: Finding, links: number): number {
    const { verdict, unchecked, fails, url, fragment } = finding;
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + 1;
    if (unchecked !== null) {
      this.unchecked[unchecked] = (this.unchecked[unchecked] ?? 0) + 1;
    }
    this.failing += fails ? 1 : 0;
    this.size++;
    const rank = VERDICTS.indexOf(verdict);
    this.#rows.add({ number: this.size, rank, url, fragment, fails, links, body: JSON.stringify(finding) });
    return this.size;
  }

  addSource(finding: number, source: FoundSource): void {
    this.#rows.addSource(finding, source);
  }

  /** Counts one more link to the target of a finding. */
  countUp(finding: number): void {
    this.#rows.countUp(finding);
  }

  /** In the order of VERDICTS, then of URLs. */
  *links(withSources = true): IterableIterator<CheckedLink> {
    const sourcesOf = this.#rows.sources();
    for (const { number, links, fails, firstSeen, body } of this.#rows.inOrder()) {
      yield {
        ...(JSON.parse(body) as Finding),
        fails,
        firstSeen,
        sourceCount: links,
        sources: withSources ? sourcesOf(number).map(withSelector) : [],
      };
    }
  }

  /** Sets the copy in an archive that is suggested for a dead link. */
  suggest(url: string, copy: string): void {
    this.#rows.suggest(url, copy);
  }

  /** Findings that the baseline knows do not make the run fail. */
  acquit(known: readonly CheckedLink[]): void {
    this.failing -= this.#rows.acquit(known);
  }
}

function withSelector(source: SourceRow): LinkSource {
  const { page, kind, href, line } = source as FoundSource;
  // A source in a sitemap has no line. One with a line is a link of a page, which a selector can find.
  const selector = line === null || NO_HTML.test(page) ? null : cssPath(kind as LinkKind, href);
  return { ...(source as FoundSource), selector };
}

/** The element and attribute of each kind of link; null if it is no element of the page. */
const PLACES: Readonly<Record<LinkKind, readonly [element: string, attribute: string] | null>> = {
  a: ['a', 'href'],
  area: ['area', 'href'],
  iframe: ['iframe', 'src'],
  frame: ['frame', 'src'],
  refresh: ['meta', 'content'],
  next: ['link', 'href'],
  prev: ['link', 'href'],
  canonical: ['link', 'href'],
  alternate: ['link', 'href'],
  link: ['link', 'href'],
  stylesheet: ['link', 'href'],
  img: ['img', 'src'],
  srcset: ['[srcset]', 'srcset'],
  script: ['script', 'src'],
  media: ['[src]', 'src'],
  embed: ['embed', 'src'],
  object: ['object', 'data'],
  form: ['form', 'action'],
  redirect: null,
  css: null,
  hook: null,
};

/** A CSS path that finds the link on its page. */
export function cssPath(kind: LinkKind, href: string): string | null {
  const place = PLACES[kind];
  if (place === null || href === '') {
    return null;
  }
  const [element, attribute] = place;
  const within = attribute === 'srcset' || attribute === 'content' ? '*=' : '=';
  return `${element.startsWith('[') ? '' : element}[${attribute}${within}"${escaped(href)}"]`;
}

const escaped = (text: string): string =>
  text.replace(/["\\]/g, '\\$&').replace(/[\0-\x1f\x7f]/g, (unit) => `\\${unit.charCodeAt(0).toString(16)} `);
