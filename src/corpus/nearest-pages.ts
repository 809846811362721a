import { listCorpus } from './read-corpus.js';

const MOST_NAMED = 3;
/** Of letter pairs in common; what has less is no slip of the keyboard. */
const FEWEST_COMMON = 0.5;
const LONGEST_ASKED = 300;

/** Paths that were most likely meant, the nearest first. One pass over the index, whatever was asked. */
export async function nearestPages(dir: string, asked: string): Promise<string[]> {
  const wanted = pairsOf(asked.slice(-LONGEST_ASKED));
  let best: { path: string; share: number }[] = [];
  for await (const { path, url, title } of listCorpus(dir)) {
    const names = [path, path.slice(path.lastIndexOf('/') + 1), url, title];
    const share = Math.max(...names.map((name) => inCommon(wanted, pairsOf(name.slice(-LONGEST_ASKED)))));
    if (share >= FEWEST_COMMON) {
      best = [...best, { path, share }].sort((a, b) => b.share - a.share).slice(0, MOST_NAMED);
    }
  }
  return best.map(({ path }) => path);
}

function pairsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replace(/\.(?:md|html?)$/, '');
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** Dice's coefficient. */
function inCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of one) common += other.has(pair) ? 1 : 0;
  return common === 0 ? 0 : (2 * common) / (one.size + other.size);
}
