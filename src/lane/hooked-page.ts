import type { ResponseHeaders } from '../fetch/response-headers.js';
import type { HookAddOptions, HookLink, HookPage } from '../hooks/contract.js';
import type { LaneHooks, PageDecision } from '../hooks/lane-hooks.js';
import { checkRank, FOLLOW } from '../hooks/link-verdict.js';
import { headersByName, LazyContent } from '../hooks/page-content.js';

/** What of a page only its reader knows. */
export interface HookedPageParts {
  id: number;
  url: string;
  depth: number;
  status: number;
  headers: ResponseHeaders | null;
  body: Uint8Array;
  contentType: string | null;
  /** Where it is known already. */
  encoding: string | null;
  /** The links of the page, resolved. */
  links(): string[];
  /** What is written resolves to this, or to nothing. */
  resolve(href: string): string | null;
}

/** A URL that a page hook has added. */
export interface AddedUrl {
  url: string;
  rank: number | null;
}

/** No page honestly names more. */
const MOST_ADDED = 50_000;
/** So many different words are counted for a page. */
const MOST_WORDS = 20;
const OTHER_WORDS = 'other reasons';
const NO_WORDS = 'no reason given';

/** A page as the hooks of the user's see it, and what they have said of it. */
export class HookedPage {
  readonly added: AddedUrl[] = [];
  /** What the first hook that failed threw, in words. */
  failure: string | null = null;
  /** Links that the link hook did not want followed, by its words. */
  readonly skips = new Map<string, number>();
  readonly #hooks: LaneHooks;
  readonly #parts: HookedPageParts;
  readonly #view: PageView;
  readonly #words = new Set<string>();
  #takesMore = true;
  #linkFailed = false;

  constructor(hooks: LaneHooks, parts: HookedPageParts) {
    this.#hooks = hooks;
    this.#parts = parts;
    this.#view = new PageView(parts, hooks);
  }

  get hasLinkHook(): boolean {
    return this.#hooks.hasLink;
  }

  /** Its links are judged otherwise than without hooks. */
  get hasSayInLinks(): boolean {
    return this.#hooks.hasLink || this.added.length > 0;
  }

  /** Calls the page hook; a promise where that is async. */
  call(): PageDecision | Promise<PageDecision> {
    return this.#hooks.page(this.#view, this.#parts.id, (url, options) => this.#add(url, options));
  }

  /** The page hook is over. */
  called(decision: PageDecision): string | null {
    this.#takesMore = false;
    if ('failed' in decision) {
      this.failure = decision.failed;
      return null;
    }
    return decision.data;
  }

  #add(url: string, options?: HookAddOptions | null): void {
    if (!this.#takesMore) {
      throw new Error('add was called after the hook had returned');
    }
    const rank = options?.rank === undefined ? null : checkRank(options.rank);
    const resolved = typeof url === 'string' ? this.#parts.resolve(url) : null;
    if (resolved === null) {
      throw new Error(`add: ${typeof url === 'string' ? url.slice(0, 200) : typeof url} is no URL`);
    }
    if (this.added.length === MOST_ADDED) {
      throw new Error(`add: a page may add at most ${MOST_ADDED} URLs`);
    }
    this.added.push({ url: resolved, rank });
  }

  /** The hooks of the links that follow share one bound on time. */
  enterLinks(): void {
    this.#hooks.enterLinks(this.#parts.id);
  }

  leaveLinks(): void {
    this.#hooks.leaveLinks();
  }

  /**
   * A rank; null: it is followed as it would have been; a text: it is not followed, in the words of the hook. After a throw none is followed
   * that was not asked about.
   * @param counts it would have been followed now
   */
  judge(link: HookLink, counts: boolean): number | null | string {
    if (this.#linkFailed) {
      return '';
    }
    try {
      const verdict = this.#hooks.link(link, this.#view);
      if (typeof verdict === 'string') {
        return this.#wordsFor(verdict, counts);
      }
      return verdict === FOLLOW ? null : verdict;
    } catch (error) {
      this.#linkFailed = true;
      this.failure ??= (error as Error).message;
      return '';
    }
  }

  /** The words as they are kept: of very many that differ, only the first are. */
  #wordsFor(words: string, counts: boolean): string {
    const kept = this.#words.has(words) || this.#words.size < MOST_WORDS ? words : OTHER_WORDS;
    this.#words.add(kept);
    if (counts) {
      const name = kept === '' ? NO_WORDS : kept;
      this.skips.set(name, (this.skips.get(name) ?? 0) + 1);
    }
    return kept;
  }

  /** Its bytes are used for another page from now on. */
  close(): void {
    this.#view.close();
  }
}

class PageView extends LazyContent implements HookPage {
  readonly url: string;
  readonly depth: number;
  readonly status: number;
  readonly #parts: HookedPageParts;
  #headers: Readonly<Record<string, string>> | null = null;
  #links: readonly string[] | null = null;

  constructor(parts: HookedPageParts, { tools }: LaneHooks) {
    super(parts.body, parts.contentType, tools, parts.encoding);
    this.url = parts.url;
    this.depth = parts.depth;
    this.status = parts.status;
    this.#parts = parts;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= this.#parts.headers === null ? {} : headersByName(this.#parts.headers);
    return this.#headers;
  }

  get links(): readonly string[] {
    this.#links ??= this.#parts.links();
    return this.#links;
  }
}
