/** many-pages.mjs DIR COUNT CHARACTERS [KILLED]: writes a corpus of so many pages, with little memory or until it kills itself. */
import { writeCorpus } from '../../dist/src/corpus/write-corpus.js';

const [dir, count, characters, killed] = process.argv.slice(2);

function* pages() {
  for (let i = 0; i < Number(count); i++) {
    if (i === Number(killed)) {
      process.kill(process.pid, 'SIGKILL');
    }
    const sentence = `Page ${i} of many says this, and it says it again. `;
    const text = sentence.repeat(Math.ceil(Number(characters) / sentence.length));
    const url = `https://docs.test/${i % 100}/${i}`;
    yield {
      url,
      finalUrl: url,
      title: `Page ${i}`,
      description: null,
      lang: null,
      markdown: text,
      text,
      canonical: null,
      etag: null,
      lastModified: null,
      crawledAt: '2026-01-01T00:00:00.000Z',
    };
  }
}

const report = await writeCorpus(dir, pages(), {
  title: 'Many',
  summary: null,
  source: 'https://docs.test/',
  origin: 'https://docs.test',
  chunkTokens: 512,
  // Counting is not what is looked at here, and would take most of the time.
  tokens: { count: (text) => Math.ceil(text.length / 4), isEstimate: true },
  now: '2026-01-01T00:00:00.000Z',
});
process.stdout.write(JSON.stringify(report));
