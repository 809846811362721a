import { createHash } from 'node:crypto';
import type { SiteMemory } from '../content/extract/site-memory.js';
import type { LinkedPlace } from '../content/markdown/linked-places.js';
import type { KnownDocument, KnownPages } from '../corpus/document.js';
import type { DocsReader, KeptFacts } from '../store/docs-reader.js';
import type { PageMemory } from '../store/page-memory.js';
import { CONVERTER_VERSION } from './convert/converter-version.js';

/** What is known of a page before it is read. */
interface KnownFacts {
  fingerprints: Uint32Array;
  linked: readonly LinkedPlace[];
}

/**
 * Finds pages of which an earlier run made what this one would make: the same bytes and headers, the same words about each of their blocks in the
 * memory of the site, and the same places on them that others link to. `mainContent` asks the memory about nothing but the fingerprints that it
 * names itself, so the answers to these decide what comes out.
 */
export class KnownConversions {
  /** Of the program and of the options that decide what comes out of a page. */
  readonly settings: string;
  readonly #store: DocsReader;
  readonly #memory: PageMemory | null;

  constructor(store: DocsReader, memory: PageMemory | null, settings: string) {
    this.#store = store;
    this.#memory = memory;
    this.settings = JSON.stringify([CONVERTER_VERSION, settings]);
  }

  factsOf(id: number): KnownFacts | null {
    const page = this.#pageOf(id);
    const facts = page === null ? null : (this.#memory?.factsOf(page.url, this.#factsKey(page)) ?? null);
    return facts === null ? null : { fingerprints: facts.fingerprints, linked: JSON.parse(facts.linked) };
  }

  learned(id: number, fingerprints: readonly number[], linked: readonly LinkedPlace[]): void {
    const page = this.#pageOf(id);
    if (page !== null) {
      const facts = { fingerprints: Uint32Array.from(fingerprints), linked: JSON.stringify(linked) };
      this.#memory?.setFacts(page.url, this.#factsKey(page), facts);
    }
  }

  /** Of all that decides what comes out of a page; null if that cannot be said. */
  keyOf(id: number, memory: SiteMemory, linkedIds: readonly string[]): string | null {
    const page = this.#pageOf(id);
    const facts = page === null ? null : (this.#memory?.factsOf(page.url, this.#factsKey(page)) ?? null);
    if (page === null || facts === null) {
      return null;
    }
    this.#memory?.name(page.url);
    const verdicts = Buffer.alloc(facts.fingerprints.length);
    for (const [i, fingerprint] of facts.fingerprints.entries()) {
      verdicts[i] = (memory.isFrequent(fingerprint) ? 1 : 0) | (memory.isNearlyEverywhere(fingerprint) ? 2 : 0);
    }
    const { title, description, lang, canonical } = page;
    const ids = linkedIds.toSorted();
    return sha256(this.#factsKey(page), JSON.stringify([title, description, lang, canonical, ids]), verdicts);
  }

  /** The page as the corpus has it, where that is what would come out. */
  inputOf(id: number, key: string, known: KnownPages): KnownDocument | null {
    const page = this.#pageOf(id);
    const before = page === null ? null : (this.#memory?.pageOf(page.url) ?? null);
    if (page === null || before === null || before.key !== key || known.hashOf(page.url) !== before.hash) {
      return null;
    }
    const { url, etag, lastModified } = page;
    return { url, isKnown: true, hash: before.hash, etag, lastModified };
  }

  converted(url: string, key: string, hash: string): void {
    this.#memory?.setPage(url, { key, hash });
  }

  /** Of all that is the page's own. */
  pageKey(id: number): string | null {
    const page = this.#pageOf(id);
    return page === null ? null : sha256(JSON.stringify(page));
  }

  #pageOf(id: number): KeptFacts | null {
    return this.#memory === null ? null : this.#store.keptFactsOf(id);
  }

  #factsKey({ url, type, hash }: KeptFacts): string {
    return sha256(this.settings, JSON.stringify([url, type, hash]));
  }
}

function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part).update('\0');
  }
  return hash.digest('hex');
}
