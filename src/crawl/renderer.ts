import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { Clock } from '../base/clock.js';
import type { StateError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import type { CrawlOptions } from '../config/options.js';
import type { Outcome, RenderedOutcome, SettledPage } from '../frontier/outcome.js';
import type { HostManners } from '../lane/host-manners.js';
import type { RenderedHtml } from '../lane/lane.js';
import type { KeptAnswer, PageToRender } from '../store/rendering-reader.js';
import { isRoute } from '../url/routes.js';
import { PageAssets, type PageAssetsParts } from './page-assets.js';
import type { Visit, VisitLimits } from './render/asset.js';
import { Browser } from './render/browser.js';
import { type Decision, RenderShapes } from './render-shapes.js';
import type { StoreThread } from './store-thread.js';

export interface RendererParts {
  /** Which pages a browser has to see. */
  manners: Pick<HostManners, 'renderFor' | 'needsBrowser'>;
  /** Whether pages stay in the store; otherwise each stays only until it is decided on. */
  keepsBodies: boolean;
  browser: Browser;
  assets: PageAssets;
  shapes: RenderShapes;
  /** Waiting pages with ids above the given one. */
  waiting(beyond: number, limit: number): Promise<PageToRender[]>;
  kept(id: number): Promise<KeptAnswer | null>;
  /** Reads a page as a lane does: its links, its facts, its text. */
  read(page: RenderedHtml): Promise<Outcome>;
  /** Whether a function of the user's gets each page, once: one that is not rendered follows when that is known. */
  showsAll: boolean;
  /** Commits the pages; they are durable when the promise resolves. */
  rendered(pages: RenderedOutcome[]): Promise<void>;
  /** How many pages wait already. */
  waitingAtStart: number;
  /** Called with true when too many pages wait: then no further page is fetched. */
  hold(holds: boolean): void;
  /** Called when nobody waits for the pages' files any more. */
  dropAssets(): Promise<void>;
  notice(text: string): void;
  /** Called when a page is done, because there may be nothing left to do, and with any unexpected error. */
  changed(error: Error | null): void;
}

/** How many pages are rendered at once. Each has a process of its own in the browser. */
const PAGES_AT_ONCE = 2;

const BATCH = 50;

/** When this many pages wait, no further page is fetched until few are left. */
const MANY_WAIT = 1_000;
const FEW_WAIT = 500;

/** A page during which the browser died this often may be the cause. */
const MOST_TRIES = 2;

const inflate = promisify(inflateRaw);

/**
 * Has a browser render pages, a few at a time. Only the store knows which ones wait, so that a resumed run finds them there. A rendered
 * page is committed with its links, as if it had just been fetched.
 */
export class Renderer {
  readonly #parts: RendererParts;
  /** Pages that are with the browser, by id. */
  readonly #visited = new Map<number, Promise<void>>();
  readonly #tries = new Map<number, number>();
  /** Pages up to this id have been looked at. */
  #beyond = 0;
  #looking: Promise<void> | null = null;
  /** Whether nothing else is left to do, and all pages have been looked at since. */
  #isOver = false;
  #hasLookedAtAll = false;
  /** Whether nothing is left that could speak for rendering a page that still waits. */
  #isLastLook = false;
  /** Whether something has changed since the look through the waiting pages began. */
  #isStale = false;
  #state: 'open' | 'noBrowser' | 'stopped' = 'open';
  #missing: StateError | null = null;
  #hasWorked = false;
  /** Pages that wait. */
  #count: number;
  #holds = false;

  constructor(parts: RendererParts) {
    this.#parts = parts;
    this.#count = parts.waitingAtStart;
  }

  /** Pages were fetched. */
  settled(pages: readonly SettledPage[]): void {
    for (const { url, outcome } of pages) {
      if (outcome.measured !== undefined) {
        if (!isRoute(url)) {
          this.#parts.shapes.came(url, outcome.measured.needsBrowser);
        }
        if (outcome.measured.needsBrowser) {
          this.#counted(1);
          this.#lookFrom(outcome.id - 1);
        }
      }
    }
    this.#work();
  }

  /** Files that pages load are settled; `others` means that any others may be too. */
  assetsSettled(ids: readonly number[], others: boolean): void {
    this.#parts.assets.settled(ids, others);
  }

  /** Whether something is still to be rendered. Asked when nothing else is left to do. */
  goesOn(): boolean {
    if (this.#looking === null && (this.#mayRenderMore || this.#mayLeaveRest)) {
      this.#isLastLook = !this.#mayRenderMore;
      this.#isOver = true;
      this.#beyond = 0;
      this.#work();
    }
    return this.#visited.size > 0 || this.#looking !== null;
  }

  get #mayRenderMore(): boolean {
    return this.#state === 'open' && !this.#hasLookedAtAll;
  }

  /** Pages that nothing speaks for would wait for ever, and so would their records. */
  get #mayLeaveRest(): boolean {
    return !this.#parts.keepsBodies && !this.#isLastLook && this.#visited.size === 0 && this.#state !== 'stopped';
  }

  /** Pages that the browser is rendering. */
  get visiting(): number {
    return this.#visited.size;
  }

  stop(): void {
    this.#state = 'stopped';
    this.#parts.assets.stop();
  }

  /** Resolves when nothing of it is under way any more. */
  async close(): Promise<void> {
    this.stop();
    if (this.#visited.size > 0) {
      // The run was told to stop: nobody waits for a page any more.
      await this.#parts.browser.close();
    }
    await Promise.all([this.#looking, ...this.#visited.values()]);
  }

  /** Reports once, at the end, how many pages a browser might have improved, and why there was none. */
  get missed(): string | null {
    const pages = this.#missing === null ? 0 : this.#parts.shapes.wanting;
    if (pages === 0) {
      return null;
    }
    const which = pages === 1 ? '1 page is' : `${formatCount(pages)} pages are`;
    return `${which} nearly empty without JavaScript and stay as they came; ${this.#missing!.message}`;
  }

  /** When bodies are not kept, the store holds only those that wait, so fetching must not run far ahead of the browser. */
  #counted(more: number): void {
    this.#count += more;
    const holds = this.#count >= (this.#holds ? FEW_WAIT : MANY_WAIT);
    if (holds !== this.#holds && !this.#parts.keepsBodies) {
      this.#holds = holds;
      this.#parts.hold(holds);
    }
  }

  async #rendered(pages: RenderedOutcome[]): Promise<void> {
    await this.#parts.rendered(pages);
    this.#counted(-pages.length);
  }

  #lookFrom(id: number): void {
    this.#beyond = Math.min(this.#beyond, id);
    this.#isOver = false;
    this.#hasLookedAtAll = false;
    this.#isLastLook = false;
    this.#isStale = true;
  }

  #work(): void {
    const mayLook = this.#state === 'open' || (this.#state === 'noBrowser' && this.#isLastLook);
    if (mayLook && this.#looking === null && this.#visited.size < PAGES_AT_ONCE) {
      this.#looking = this.#look()
        .catch((error: Error) => this.#failed(error))
        .finally(() => {
          this.#looking = null;
          if (this.#isStale) {
            this.#work();
          }
          this.#parts.changed(null);
        });
    }
  }

  /** Goes through the waiting pages until there is no place for another. */
  async #look(): Promise<void> {
    const isOver = this.#isOver;
    const isLast = this.#isLastLook;
    this.#isStale = false;
    for (;;) {
      const pages = await this.#parts.waiting(this.#beyond, BATCH);
      if (this.#isStale) {
        return;
      }
      const left: (RenderedOutcome & { page: PageToRender })[] = [];
      for (const page of pages) {
        if (!this.#mayGoOn(isLast)) {
          break;
        }
        this.#beyond = page.id;
        if (isLast) {
          left.push({ page, text: null, outcome: null, keepsBody: false, isUntried: true });
        } else if (!this.#visited.has(page.id) && this.#decide(page, isOver) === 'leave') {
          left.push({ page, text: null, outcome: null, keepsBody: this.#parts.keepsBodies });
        }
      }
      if (left.length > 0) {
        await this.#rendered(await Promise.all(left.map((each) => this.#shown(each))));
      }
      if (!this.#mayGoOn(isLast)) {
        return;
      }
      if (pages.length === 0) {
        this.#hasLookedAtAll = isOver;
        if (isLast) {
          await this.#parts.dropAssets();
        }
        return;
      }
    }
  }

  #mayGoOn(isLast: boolean): boolean {
    return isLast ? this.#state !== 'stopped' : this.#state === 'open' && this.#visited.size < PAGES_AT_ONCE;
  }

  #decide(page: PageToRender, isOver: boolean): Decision {
    const { manners, shapes } = this.#parts;
    const mode = manners.renderFor(page.url);
    // A route is known because a browser has rendered its page.
    const isWanted = mode === 'always' || isRoute(page.url);
    const decision = isWanted ? 'render' : mode === 'never' ? 'leave' : shapes.decide(page.url, isOver);
    if (decision === 'render') {
      shapes.began(page.url);
      const visit = this.#visit(page)
        .catch((error: Error) => this.#failed(error))
        .finally(() => {
          this.#visited.delete(page.id);
          this.#work();
          this.#parts.changed(null);
        });
      this.#visited.set(page.id, visit);
    }
    return decision;
  }

  async #visit(page: PageToRender): Promise<void> {
    const { browser, assets, kept, shapes } = this.#parts;
    const source = await kept(page.id);
    const body = await inflate(source!.packed!);
    let visit: Visit;
    try {
      visit = await browser.visit({ url: page.url, type: source!.type, body }, (url) => assets.get(url, page.url));
    } catch (error) {
      shapes.leftOff(page.url);
      this.#noBrowser(error as StateError);
      return;
    }
    if (this.#state !== 'open') {
      shapes.leftOff(page.url);
    } else if ('gone' in visit && this.#tried(page) < MOST_TRIES) {
      shapes.leftOff(page.url);
      this.#lookFrom(page.id - 1);
    } else {
      this.#tries.delete(page.id);
      this.#hasWorked = true;
      await this.#take(page, 'html' in visit ? visit : null);
    }
  }

  /** The rendered page is kept if it has more text than before, or if the user wants every page rendered. */
  async #take(page: PageToRender, visit: Extract<Visit, { html: string }> | null): Promise<void> {
    const { manners, shapes, keepsBodies } = this.#parts;
    const { url } = page;
    const moreThan = manners.renderFor(url) === 'always' || isRoute(url) ? -1 : page.text;
    let outcome: Outcome | null = null;
    if (visit !== null) {
      const { html, ...seen } = visit;
      outcome = await this.#read(page, { html, came: null, seen: { ...seen, moreThan } });
    }
    const text = outcome?.measured?.text ?? null;
    const isTaken = (text !== null && text > moreThan) || outcome?.errorClass === 'hook';
    const rendered = { page, text, outcome: isTaken ? outcome : null, keepsBody: keepsBodies };
    await this.#rendered([isTaken ? rendered : await this.#shown(rendered)]);
    if (shapes.ended(url, page.text, text)) {
      this.#lookFrom(0);
    }
  }

  /** The page stays as it came; the user's functions have not seen it yet. */
  async #shown(rendered: RenderedOutcome & { page: PageToRender }): Promise<RenderedOutcome> {
    const { showsAll, keepsBodies, kept } = this.#parts;
    if (!showsAll || keepsBodies) {
      return rendered;
    }
    const source = (await kept(rendered.page.id))!;
    const came = { status: source.status ?? 200, type: source.type, body: await inflate(source.packed!) };
    const seen = { drawsByRoutes: false, route: null, moreThan: -1 };
    return { ...rendered, asItCame: await this.#read(rendered.page, { html: null, came, seen }) };
  }

  /** Null if the page takes the lane down. */
  #read(
    { id, url, depth, seed, flags, robots }: PageToRender,
    parts: Pick<RenderedHtml, 'html' | 'came' | 'seen'>,
  ): Promise<Outcome | null> {
    return this.#parts.read({ id, url, depth, seed, flags, robots, ...parts }).catch(() => null);
  }

  #tried({ id }: PageToRender): number {
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    return tries;
  }

  /** If a browser was only to be tried, the crawl goes on without one. */
  #noBrowser(error: StateError): void {
    if (this.#state !== 'open') {
      return;
    }
    this.#state = 'noBrowser';
    this.#missing = error;
    if (this.#parts.manners.needsBrowser || error.code !== 'no_browser') {
      this.#parts.changed(error);
    } else if (this.#hasWorked) {
      this.#parts.notice(`${error.message}; the remaining pages stay as they came`);
    }
  }

  #failed(error: Error): void {
    if (this.#state !== 'stopped') {
      this.#parts.changed(error);
    }
  }
}

type Given = Pick<
  RendererParts,
  | 'manners'
  | 'keepsBodies'
  | 'showsAll'
  | 'waitingAtStart'
  | 'hold'
  | 'browser'
  | 'read'
  | 'rendered'
  | 'notice'
  | 'changed'
> &
  Pick<PageAssetsParts, 'admit' | 'isTrap' | 'isGuarded'> & {
    store: StoreThread;
    shapes: ConstructorParameters<typeof RenderShapes>[0];
  };

export function browserFor(
  { timeoutMs, maxBodyBytes }: Pick<CrawlOptions, 'timeoutMs' | 'maxBodyBytes'>,
  clock: Clock,
  routes: VisitLimits['routes'] = 'ignored',
): Browser {
  return new Browser({ timeoutMs, maxBytes: maxBodyBytes, routes }, clock);
}

export function openRenderer({ store, shapes, admit, isTrap, isGuarded, ...parts }: Given): Renderer {
  const kept = (id: number) => store.kept(id);
  return new Renderer({
    ...parts,
    assets: new PageAssets({ admit, kept, isTrap, isGuarded }),
    shapes: new RenderShapes(shapes),
    waiting: (beyond, limit) => store.toRender(beyond, limit),
    kept,
    dropAssets: () => store.dropAssets(),
  });
}
