import { type Kernel, NO_ROOM, PAGE_ITSELF, UNKNOWN_URL } from '../kernel/kernel.js';
import type { ScannedLinks } from '../parse/links.js';
import { inEncodingOfPage } from '../parse/query-encoding.js';
import { scanKernel } from '../parse/scan.js';
import type { Alias } from '../url/aliases.js';
import { folderOf, isHttp, originOf } from '../url/host.js';
import { asText, type IdentityOptions, UrlResolver } from '../url/identity.js';
import type { LinkJudge, Target } from './link-judge.js';

/** Identity of the library user's own making. */
export type OwnResolve = (href: string, base: string) => string | null;

/** Before the label of a reference that is nowhere defined; no href begins so. */
export const NO_DEFINITION = '\0';
/** Bases that are remembered. */
const MOST_BASES = 100;

/** From what is written in a link to what a lane remembers of the URL that it means. */
export class LinkTargets {
  /** Reads pages, and knows their links by the bytes. */
  readonly kernel: Kernel = scanKernel();
  readonly #judge: LinkJudge;
  readonly #resolver: UrlResolver<Target>;
  readonly #bases: UrlResolver<string>;
  readonly #own: OwnResolve | null;
  readonly #hasAliases: boolean;
  /** By the kernel's number. */
  readonly #known: (Target | null)[] = [];
  #base = '';
  #encoding = 'utf-8';
  #isInKernel = false;
  /** The page itself, once a link has led there. */
  #here: Target | null = null;

  /** @param alias the URL that is asked for instead of one that is written */
  constructor(identity: IdentityOptions, judge: LinkJudge, own: OwnResolve | null, alias: Alias | null = null) {
    this.#judge = judge;
    this.#hasAliases = alias !== null;
    this.#resolver = new UrlResolver(identity, (url) => judge.recall(alias === null ? url : alias(url)));
    this.#bases = new UrlResolver(identity, asText, MOST_BASES);
    this.#own = own;
  }

  /** What was worked out under another scope no longer holds. */
  forget(): void {
    this.#resolver.forget();
    this.#forgetKnown();
  }

  /**
   * null where it is no URL.
   * @param encoding of the page in which it stands: a query is written in it
   */
  of(href: string, base: string, encoding = 'utf-8'): Target | null {
    if (href.startsWith(NO_DEFINITION)) {
      return null;
    }
    if (this.#own === null) {
      return this.#resolver.resolve(inEncodingOfPage(href, encoding), base);
    }
    const key = this.#own(href, base);
    return key === null ? null : this.#judge.recall(key);
  }

  /** The URL itself, whole even where it is too long to be kept: a base. */
  urlOf(href: string, base: string): string | null {
    return this.#own === null ? (this.#bases.resolve(href, base) ?? null) : this.#own(href, base);
  }

  /** The links of this page come next. Where they are very many, what is new among them is not remembered: the page would crowd out all others. */
  enter(links: ScannedLinks, base: string, encoding: string, learns: boolean): void {
    this.#encoding = encoding;
    this.#resolver.learns = learns;
    this.#judge.learns = learns;
    this.#base = base;
    this.#here = null;
    this.#isInKernel = this.#own === null && isHttp(base) && links.kernelPage === this.kernel.page;
    if (this.#isInKernel) {
      this.kernel.enterFolder(folderOf(base), originOf(base).length);
    }
  }

  /** Of a URL that the kernel knows, no text is made. */
  ofLink(links: ScannedLinks, link: number): Target | null {
    const start = links.starts[link]!;
    if (start < 0 || !this.#isInKernel) {
      return this.of(links.href(link), this.#base, this.#encoding);
    }
    const number = this.kernel.findUrl(start, links.ends[link]!);
    if (number > 0) {
      return this.#known[number]!;
    }
    if (number === PAGE_ITSELF) {
      // A base is in normal form, so it is the URL of the page as it stands.
      this.#here ??= this.#judge.recall(this.#base);
      return this.#here;
    }
    return this.#learn(links.href(link), number === UNKNOWN_URL && this.#judge.learns);
  }

  #learn(href: string, isPlain: boolean): Target | null {
    const target = this.of(href, this.#base, this.#encoding);
    // The kernel would take the name that is asked for as one that is written.
    if (target !== null && isPlain && !this.#hasAliases) {
      const number = this.kernel.rememberUrl(target.url);
      if (number > 0) {
        this.#known[number] = target;
      } else if (number === NO_ROOM) {
        this.#forgetKnown();
      }
    }
    return target;
  }

  #forgetKnown(): void {
    this.kernel.forgetUrls();
    this.#known.length = 0;
  }
}
