import { inflateRawSync } from 'node:zlib';
import type { CorpusImage } from '../corpus/images.js';
import { imageNamed } from '../corpus/images.js';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import type { DocsReader } from '../store/docs-reader.js';
import { isHttp } from '../url/host.js';
import { type IdentityOptions, normaliseUrl } from '../url/identity.js';

/** So many images of all pages together are asked for, the first by their URLs. */
export const MOST_IMAGES = 10_000;

/** The images that pages show, by their URLs, and how many there are. Pictures that are written into a page are none. */
export function imageUrls(store: DocsReader, identity: IdentityOptions): { urls: string[]; of: number } {
  const urls = new Set<string>();
  for (const shown of store.shownUrls(LINK_KIND_NUMBER.img)) {
    const url = isHttp(shown) ? (normaliseUrl(shown, identity)?.url ?? null) : null;
    if (url !== null) {
      urls.add(url);
    }
  }
  return { urls: [...urls].sort().slice(0, MOST_IMAGES), of: urls.size };
}

/** The images that were downloaded, for the corpora of one run. */
export class DownloadedImages {
  /** Stands for all of them. */
  readonly hash: string;
  readonly #store: DocsReader;
  readonly #identity: IdentityOptions;

  constructor(store: DocsReader, identity: IdentityOptions) {
    this.#store = store;
    this.#identity = identity;
    this.hash = store.indexAssets();
  }

  /** What Markdown is to show in the place of this URL; null if it was not asked for; `left` where it could not be had, or is none that is saved. */
  at(written: string): CorpusImage | 'left' | null {
    const url = isHttp(written) ? (normaliseUrl(written, this.#identity)?.url ?? null) : null;
    const found = url === null ? null : this.#store.assetAt(url);
    if (found === null || found === 'failed') {
      return found === null ? null : 'left';
    }
    return imageNamed(inflateRawSync(found.packed)) ?? 'left';
  }
}
