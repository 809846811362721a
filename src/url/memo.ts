import { ownCopy } from '../base/text.js';

/**
 * What a href in a directory resolved to, bounded by two generations: when the young one is full it becomes the old one and
 * the old one is dropped, so that what is in use stays and nothing has to be ordered. Holds at most twice `capacity`.
 */
export class ResolveMemo<Target> {
  readonly #capacity: number;
  #young = new Map<string, Map<string, Target | null>>();
  #old = new Map<string, Map<string, Target | null>>();
  #youngSize = 0;
  #directory = '';
  #here: Map<string, Target | null> | undefined;
  #hereOld: Map<string, Target | null> | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** All that follows is about this directory. */
  enter(directory: string): void {
    this.#directory = directory;
    this.#here = this.#young.get(directory);
    this.#hereOld = this.#old.get(directory);
  }

  /** undefined where nothing is known; null is an answer. */
  get(href: string): Target | null | undefined {
    const known = this.#here?.get(href);
    if (known !== undefined) return known;
    const old = this.#hereOld?.get(href);
    if (old !== undefined) this.set(ownCopy(href), old);
    return old;
  }

  set(href: string, target: Target | null): void {
    if (this.#youngSize >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
      this.enter(this.#directory);
    }
    if (this.#here === undefined) {
      this.#here = new Map();
      this.#young.set(this.#directory, this.#here);
    }
    this.#here.set(href, target);
    this.#youngSize++;
  }

  get size(): number {
    let size = this.#youngSize;
    for (const entries of this.#old.values()) size += entries.size;
    return size;
  }
}
