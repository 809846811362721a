import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { assetOffer, type Offer } from '../frontier/outcome.js';
import type { KeptAnswer } from '../store/rendering-reader.js';
import { UrlState } from '../store/url-state.js';
import { isHttp, originOf } from '../url/host.js';
import { normaliseUrl } from '../url/identity.js';
import type { Asset } from './render/asset.js';

export interface PageAssetsParts {
  /** Resolves with the ids of the URLs once they are durable. */
  admit(offers: Offer[]): Promise<number[]>;
  kept(id: number): Promise<KeptAnswer | null>;
  /** It looks like a trap: too long, too many segments. */
  isTrap(url: string): boolean;
  /** Whether the user's headers, cookies or certificate go to this origin: only its own pages may see what it answers. */
  isGuarded(origin: string): boolean;
}

/** An asset, and where it came from in the end. */
type FoundAsset = Asset & { origin: string };

const MOST_HOPS = 10;
const MOST_IDS = 1_000;
const MOST_GENERATIONS = 1_000;
const inflate = promisify(inflateRaw);

/**
 * Files that pages load while they are rendered go through the crawl like any URL: by their host's queue, robots.txt, delay, guard, retries and
 * limits. A file that is in the store already is not requested again.
 */
export class PageAssets {
  readonly #parts: PageAssetsParts;
  readonly #waiting = new Map<number, Set<() => void>>();
  /** Assets by URL: a known one can be found without a commit. */
  readonly #ids = new Map<string, number>();
  /** How often the file with this URL was dropped, as far as is known. */
  readonly #generations = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<FoundAsset | null>>();
  #isStopped = false;

  constructor(parts: PageAssetsParts) {
    this.#parts = parts;
  }

  /** The asset for a page at `pageUrl`. The target of a redirect counts, not its source. */
  async get(written: string, pageUrl: string): Promise<Asset | null> {
    const found = await this.#find(written);
    const isForeign = found !== null && found.origin !== originOf(pageUrl);
    return isForeign && this.#parts.isGuarded(found.origin) ? null : found;
  }

  #find(written: string): Promise<FoundAsset | null> {
    const url = normaliseUrl(written)?.url ?? '';
    if (this.#isStopped || !isHttp(url) || this.#parts.isTrap(url)) {
      return Promise.resolve(null);
    }
    let asset = this.#underWay.get(url);
    if (asset === undefined) {
      // The run may end while it waits.
      asset = this.#fetched(url).catch(() => null);
      this.#underWay.set(url, asset);
      void asset.then(() => this.#underWay.delete(url));
    }
    return asset;
  }

  /** These are settled; `others` means that any others may be too. */
  settled(ids: readonly number[], others: boolean): void {
    for (const id of others ? [...this.#waiting.keys()] : ids) {
      this.#tell(id);
    }
  }

  /** No more assets will come. */
  stop(): void {
    this.#isStopped = true;
    this.settled([], true);
  }

  async #fetched(url: string, generation = this.#generations.get(url) ?? 0): Promise<FoundAsset | null> {
    let id = this.#ids.get(url) ?? (await this.#admit(url, generation));
    for (let hops = 0; hops <= MOST_HOPS; hops++) {
      const answer = await this.#answerOf(id);
      if (answer?.packed?.length === 0) {
        return this.#fetchedAgain(answer.url, answer.url === url ? generation : 0);
      }
      if (answer === null || answer.redirectTo === null) {
        return answer === null ? null : assetOf(answer);
      }
      id = answer.redirectTo;
    }
    return null;
  }

  /** The store has dropped it to make room. */
  #fetchedAgain(url: string, generation: number): Promise<FoundAsset | null> {
    const known = this.#generations.get(url) ?? 0;
    const next = Math.max(known, generation + 1);
    if (next > MOST_GENERATIONS) {
      return Promise.resolve(null);
    }
    this.#ids.delete(url);
    if (this.#generations.size >= MOST_IDS) {
      this.#generations.clear();
    }
    this.#generations.set(url, next);
    return this.#fetched(url, next);
  }

  async #admit(url: string, generation: number): Promise<number> {
    const [id] = await this.#parts.admit([assetOffer(url, 0, generation)]);
    if (this.#ids.size >= MOST_IDS) {
      this.#ids.clear();
    }
    this.#ids.set(url, id!);
    return id!;
  }

  /** Waits until the URL is settled. */
  async #answerOf(id: number): Promise<KeptAnswer | null> {
    while (!this.#isStopped) {
      const settled = this.#whenSettled(id);
      const answer = await this.#parts.kept(id);
      if (answer?.state !== UrlState.queued && answer?.state !== UrlState.leased) {
        this.#tell(id);
        return answer?.state === UrlState.done ? answer : null;
      }
      await settled;
    }
    return null;
  }

  #whenSettled(id: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting.add(resolve));
    });
  }

  #tell(id: number): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    for (const resolve of waiting ?? []) {
      resolve();
    }
  }
}

async function assetOf({ url, status, type, packed }: KeptAnswer): Promise<FoundAsset | null> {
  return packed === null ? null : { status: status ?? 200, type, body: await inflate(packed), origin: originOf(url) };
}
