import type { Breaks } from '../base/breaks.js';
import type { AlikePage, DuplicatePages } from '../store/corpus-duplicates.js';
import { bandsOf, resemblance, type Signature, sharedRuns, signatureOf } from './fingerprint.js';

/** Texts this much alike, under the same title and first heading, are one. Decision 17 has the measurements. */
const NEAR = 0.92;
/** Below this estimate two texts are not compared. In most cases the estimate is off by 0.03. */
const PERHAPS_NEAR = 0.85;
const MOST_COMPARED = 3;
/** Some sites name one page as the canonical one of all: a page that has little of it is no copy. */
const CANONICAL = 0.5;
/** A title that more pages have says nothing about them. */
const LARGEST_GROUP = 1_000;

/**
 * Finds pages of state.db that have the content of another and says which is kept: the one that a canonical link names, then the one with
 * the shortest path, then the first. Never a chain: whoever is a duplicate names a page that is kept.
 */
export async function decideDuplicates(pages: DuplicatePages, breaks: Breaks): Promise<void> {
  await pages.decide(async () => {
    await byCanonical(pages, breaks);
    byText(pages);
    await byResemblance(pages, breaks);
  });
}

async function byCanonical(pages: DuplicatePages, breaks: Breaks): Promise<void> {
  const likeness = new Likeness(pages);
  for (const { url, canonical } of pages.namingAnother()) {
    if (pages.canonicalOf(canonical) === undefined || leadsBack(url, canonical, pages)) {
      continue;
    }
    if (likeness.to(canonical, url) >= CANONICAL) {
      pages.set(url, canonical, 'canonical');
    }
    await breaks.take();
  }
}

/** Pages that name each other as canonical do not tell which one to keep. */
function leadsBack(url: string, first: string, pages: DuplicatePages): boolean {
  const seen = new Set<string>();
  for (let at: string | null = first; at !== null && !seen.has(at); at = pages.canonicalOf(at) ?? null) {
    if (at === url) {
      return true;
    }
    seen.add(at);
  }
  return false;
}

function byText(pages: DuplicatePages): void {
  for (const key of pages.sharedTexts()) {
    const [kept, ...others] = bestFirst(pages, 'text', key);
    for (const { url } of others) {
      pages.set(url, kept!.url, 'exact');
    }
  }
}

async function byResemblance(pages: DuplicatePages, breaks: Breaks): Promise<void> {
  for (const key of pages.sharedTitles(LARGEST_GROUP)) {
    const kept = new Map<string, Fingerprint[]>();
    for (const { url } of bestFirst(pages, 'title', key)) {
      const text = pages.textOf(url);
      const page = { url, signature: signatureOf(text) };
      const bands = bandsOf(page.signature);
      const alike = mostAlike(new Set(bands.flatMap((band) => kept.get(band) ?? [])), page);
      const like = alike.find((each) => sharedRuns(pages.textOf(each.url), text) >= NEAR);
      if (like !== undefined) {
        pages.set(url, like.url, 'near');
      } else {
        for (const band of bands) {
          kept.set(band, [...(kept.get(band) ?? []), page]);
        }
      }
      await breaks.take();
    }
  }
}

interface Fingerprint {
  url: string;
  signature: Signature;
}

/** The few whose texts are worth comparing. */
function mostAlike(fingerprints: Iterable<Fingerprint>, { signature }: Fingerprint): Fingerprint[] {
  return [...fingerprints]
    .map((page) => ({ page, estimate: resemblance(page.signature, signature) }))
    .filter(({ estimate }) => estimate >= PERHAPS_NEAR)
    .sort((a, b) => b.estimate - a.estimate)
    .slice(0, MOST_COMPARED)
    .map(({ page }) => page);
}

/** Pages of one group that are not yet known as duplicates, the one to keep first. */
const bestFirst = (pages: DuplicatePages, by: 'text' | 'title', key: string): AlikePage[] =>
  pages
    .alike(by, key)
    .sort((a, b) => b.isCanonical - a.isCanonical || pathLength(a.url) - pathLength(b.url) || a.ordinal - b.ordinal);

const pathLength = (url: string): number => url.length - url.indexOf('/', url.indexOf('//') + 2);

/** Compares pages with one that many of them may name. */
class Likeness {
  readonly #pages: DuplicatePages;
  #target: { url: string; text: string; signature: Signature } | null = null;

  constructor(pages: DuplicatePages) {
    this.#pages = pages;
  }

  to(target: string, url: string): number {
    if (this.#target?.url !== target) {
      const text = this.#pages.textOf(target);
      this.#target = { url: target, text, signature: signatureOf(text) };
    }
    const text = this.#pages.textOf(url);
    return text === this.#target.text ? 1 : resemblance(signatureOf(text), this.#target.signature);
  }
}
