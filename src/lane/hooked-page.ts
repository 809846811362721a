import type { ResponseHeaders } from '../fetch/response-headers.js';
import type { HookAddOptions, HookLink, HookPage } from '../hooks/contract.js';
import type { LaneHooks, PageDecision } from '../hooks/lane-hooks.js';
import { checkRank, FOLLOW } from '../hooks/link-verdict.js';
import { headersByName, LazyContent } from '../hooks/page-content.js';

/** What only the reader of a page knows about it. */
export interface HookedPageParts {
  id: number;
  url: string;
  depth: number;
  status: number;
  headers: ResponseHeaders | null;
  body: Uint8Array;
  contentType: string | null;
  /** The encoding, if it is known already. */
  encoding: string | null;
  /** The links of the page, resolved. */
  links(): string[];
  /** Resolves a link as written; null if it leads nowhere. */
  resolve(href: string): string | null;
}

/** A URL that a page hook has added. */
export interface AddedUrl {
  url: string;
  rank: number | null;
}

/** No page honestly names more. */
const MOST_ADDED = 50_000;
/** How many different reasons are counted for a page. */
const MOST_WORDS = 20;
const OTHER_WORDS = 'other reasons';
const NO_WORDS = 'no reason given';

/** A page as the user's hooks see it, and what they have said about it. */
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

  /** Whether hooks may change how its links are judged. */
  get hasSayInLinks(): boolean {
    return this.#hooks.hasLink || this.added.length > 0;
  }

  /** Calls the page hook; returns a promise if that is async. */
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
   * Returns a rank; null if the link is followed as without hooks; or the hook's reason as text if it is not followed. After an error, links
   * that the hook has not judged are not followed.
   * @param counts whether it would have been followed now
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

  /** The reason as it is kept: of very many different ones, only the first are kept. */
  #wordsFor(words: string, counts: boolean): string {
    const kept = this.#words.has(words) || this.#words.size < MOST_WORDS ? words : OTHER_WORDS;
    this.#words.add(kept);
    if (counts) {
      const name = kept === '' ? NO_WORDS : kept;
      this.skips.set(name, (this.skips.get(name) ?? 0) + 1);
    }
    return kept;
  }

  /** From now on its bytes are used for another page. */
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
