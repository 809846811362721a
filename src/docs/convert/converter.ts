import type { SiteMemory } from '../../content/extract/site-memory.js';
import type { WhyBlock } from '../../content/extract/why.js';
import type { PreparedDocument } from '../../corpus/document.js';
import { type MeasureOptions, preparePage } from '../../corpus/prepare.js';
import type { DocsReader, PageToConvert } from '../../store/docs-reader.js';
import type { Job, Learned } from './conversion.js';
import { linkPlaces } from './link-places.js';
import { factsOf, readPage, whyOfPage } from './page-content.js';
import { ANY_SHAPE, type ShapeOf } from './page-shape.js';

/** Makes documents of kept pages, one at a time. What comes out of a page depends on it and on the memory, not on the thread. */
export class Converter {
  readonly #store: DocsReader;
  readonly #measure: MeasureOptions;
  readonly #shapeOf: ShapeOf;

  constructor(store: DocsReader, measure: MeasureOptions, shapeOf: ShapeOf = () => ANY_SHAPE) {
    this.#store = store;
    this.#measure = measure;
    this.#shapeOf = shapeOf;
  }

  learn(id: number, memory: SiteMemory): Learned {
    const page = this.#page(id);
    const { fingerprints, linked } = factsOf(page, this.#shapeOf(page.url));
    memory.learn(fingerprints);
    return { fingerprints, linked };
  }

  /** @param memory shared by all that convert pages of the site; complete before the first is converted */
  convert(
    { id, knownHash, linkedIds }: Pick<Job, 'id' | 'knownHash' | 'linkedIds'>,
    memory: SiteMemory,
  ): PreparedDocument {
    const row = this.#page(id);
    const { url } = row;
    const { title, markdown, text, kept } = readPage(row, memory, new Set(linkedIds), this.#shapeOf(url));
    const document = {
      ...{ url, finalUrl: url, title: title || row.title || url, description: row.description, lang: row.lang },
      // A page of which nothing is left has lost all of it.
      kept: text.trim() === '' ? 0 : kept,
      ...{ markdown, text, canonical: row.canonical, etag: row.etag, lastModified: row.lastModified },
      // Only the day is kept, so that the same site gives the same bytes.
      crawledAt: new Date(row.fetchedAt).toISOString().slice(0, 10),
    };
    return preparePage(document, this.#measure, linkPlaces, knownHash);
  }

  /** What `convert` keeps of each block of a page, and why; null for a page that is Markdown already. */
  why(id: number, memory: SiteMemory): WhyBlock[] | null {
    const page = this.#page(id);
    return whyOfPage(page, memory, this.#shapeOf(page.url));
  }

  #page(id: number): PageToConvert {
    const page = this.#store.pageToConvert(id);
    if (page === null) {
      throw new Error('it is not in the store');
    }
    return page;
  }
}
