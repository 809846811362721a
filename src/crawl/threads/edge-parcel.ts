/** The edges of many pages in one block, which changes its thread without being copied. */
export interface EdgeParcel {
  /** Words of each page, -1 where it has none at all. */
  lengths: number[];
  words: Uint32Array<ArrayBuffer>;
}

export function packEdges(all: readonly (Uint32Array | null)[]): EdgeParcel {
  const lengths = all.map((edges) => edges?.length ?? -1);
  const words = new Uint32Array(lengths.reduce((sum, length) => sum + Math.max(0, length), 0));
  let at = 0;
  for (const edges of all) {
    if (edges !== null) {
      words.set(edges, at);
      at += edges.length;
    }
  }
  return { lengths, words };
}

export function unpackEdges({ lengths, words }: EdgeParcel): (Uint32Array | null)[] {
  let at = 0;
  return lengths.map((length) => {
    if (length < 0) {
      return null;
    }
    at += length;
    return words.subarray(at - length, at);
  });
}
