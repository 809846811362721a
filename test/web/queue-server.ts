import { inWords } from './random.js';
import { html, linkPage, notFound, type Site, type SiteAnswer, type SiteRequest } from './site.js';

/**
 * A site that works on `slots` requests at once, each for `serviceMs`, and lets the rest wait in line: time to first byte grows
 * as soon as a client keeps more than `slots` in flight. That is what auto-tuning must find out.
 */
export class QueueServer implements Site {
  readonly #serviceMs: number;
  readonly #pages: number;
  readonly #line: (() => void)[] = [];
  #slots: number;
  #serving = 0;
  #peakServing = 0;

  /** Page 0 links to all others. */
  constructor(options: { slots: number; serviceMs: number; pages: number }) {
    this.#slots = options.slots;
    this.#serviceMs = options.serviceMs;
    this.#pages = options.pages;
  }

  get slots(): number {
    return this.#slots;
  }

  /** May change while it runs; requests in service are finished first. */
  set slots(slots: number) {
    this.#slots = slots;
    this.#startNext();
  }

  get waiting(): number {
    return this.#line.length;
  }

  get peakServing(): number {
    return this.#peakServing;
  }

  handle(request: SiteRequest): SiteAnswer | Promise<SiteAnswer> {
    if (request.path === '/robots.txt' || /sitemap/.test(request.path)) {
      return notFound;
    }
    return new Promise((resolve) => {
      this.#line.push(() => {
        setTimeout(() => {
          this.#serving--;
          resolve(this.#page(request.path));
          this.#startNext();
        }, this.#serviceMs);
      });
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#serving < this.#slots && this.#line.length > 0) {
      this.#peakServing = Math.max(this.#peakServing, ++this.#serving);
      this.#line.shift()!();
    }
  }

  #page(path: string): SiteAnswer {
    const number = path === '/' ? 0 : Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (!(number < this.#pages)) {
      return notFound;
    }
    const links = number === 0 ? Array.from({ length: this.#pages - 1 }, (_, i) => `/p${i + 1}`) : ['/'];
    return html(linkPage(`Served page ${number}`, links, inWords(number)));
  }
}
