/**
 * Makes a corpus of a documentation site, puts its chunks into a vector store and answers a question from it. A second run brings it up to
 * date. The embedding here is a hash of words, so that it runs anywhere: put your model's function in its place.
 *
 *     node examples/vector-store.ts https://example.com/docs/ ./corpus 'how do I install it'
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeDocs } from 'gossamer';

/** From texts to vectors, many at a time: what models take. */
type Embed = (texts: string[]) => Promise<number[][]>;

interface Chunk {
  id: string;
  url: string;
  title: string;
  headings: string[];
  text: string;
}

class VectorStore {
  readonly #embed: Embed;
  readonly #entries = new Map<string, { chunk: Chunk; vector: number[] }>();

  constructor(embed: Embed) {
    this.#embed = embed;
  }

  /** A chunk with the same id is the same text under the same headings: it need not be embedded again. */
  async add(chunks: readonly Chunk[]): Promise<void> {
    const fresh = chunks.filter(({ id }) => !this.#entries.has(id));
    for (let i = 0; i < fresh.length; i += 100) {
      const batch = fresh.slice(i, i + 100);
      const vectors = await this.#embed(
        batch.map(({ title, headings, text }) => [title, ...headings, text].join('\n')),
      );
      for (const [n, chunk] of batch.entries()) {
        this.#entries.set(chunk.id, { chunk, vector: vectors[n]! });
      }
    }
  }

  async search(question: string, limit: number): Promise<{ chunk: Chunk; score: number }[]> {
    const [asked] = await this.#embed([question]);
    return [...this.#entries.values()]
      .map(({ chunk, vector }) => ({ chunk, score: cosine(asked!, vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / (Math.sqrt(dot(a, a) * dot(b, b)) || 1);
}

/** Each word counts in one of 1,024 places. It finds words, not meanings. */
const hashWords: Embed = async (texts) =>
  texts.map((text) => {
    const vector = new Array<number>(1_024).fill(0);
    for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
      const place = createHash('sha1').update(word).digest().readUInt16BE() % vector.length;
      vector[place]! += 1;
    }
    return vector;
  });

const [seed = 'https://example.com/docs/', output = './corpus', question = 'how do I install it'] =
  process.argv.slice(2);
await makeDocs(seed, { output, dataDir: `${output}.crawl`, chunkTokens: 256 });

const store = new VectorStore(hashWords);
const lines = readFileSync(`${output}/chunks.jsonl`, 'utf8').split('\n');
await store.add(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Chunk));
for (const { chunk, score } of await store.search(question, 3)) {
  console.log(`${score.toFixed(2)} ${chunk.url} ${chunk.headings.join(' › ')}`);
}
