import { join } from 'node:path';
import { checkLinks, crawl, makeDocs, StateError, searchCrawl, UsageError } from 'gossamer';
import { expect, it } from 'vitest';
import { box } from '../crawl/box.js';
import { chapters, Manual } from '../docs/manual.js';

const b = box();

it('a program keeps a crawl, and searches it, makes a corpus of it and checks its links without a network', async () => {
  b.web.site('127.0.0.1', new Manual(chapters(5)));
  const seed = `${b.web.origin}/docs/`;
  const directory = join(b.folder, 'kept');
  const { summary } = await crawl({ seeds: [seed], dataDir: directory, keep: 'body', searches: ['details of 3'] })
    .finished;
  expect(summary.found).toEqual([{ text: 'details of 3', pages: 1, count: 1 }]);
  b.web.clearLog();
  const [hit, ...others] = await searchCrawl(directory, '"Details of 3"');
  expect([hit?.url, others]).toEqual([`${b.web.origin}/docs/chapter-3.html`, []]);
  const docs = await makeDocs(directory, { output: join(b.folder, 'corpus') });
  expect([docs.directory, docs.corpora[0]?.report?.pages]).toEqual([directory, 6]);
  const check = await checkLinks([directory]);
  // Each chapter names the next one, and the last has none.
  const broken = [...check.links()].filter(({ verdict }) => verdict === 'dead').map(({ url }) => url);
  expect(broken).toEqual([`${b.web.origin}/docs/chapter-6.html`]);
  check.close();
  expect(b.web.log).toEqual([]);
});

it('is told what a directory has not kept, and what cannot be asked', async () => {
  b.web.site('127.0.0.1', new Manual(chapters(1)));
  const directory = join(b.folder, 'plain');
  await crawl({ seeds: [`${b.web.origin}/docs/`], dataDir: directory }).finished;
  await expect(makeDocs(directory)).rejects.toThrow(/--keep body/);
  await expect(checkLinks(directory)).rejects.toThrow(StateError);
  await expect(searchCrawl(directory, 'x')).rejects.toThrow(/--keep text or --keep body/);
  await expect(searchCrawl(directory, '')).rejects.toThrow(UsageError);
  await expect(searchCrawl(directory, 'x', { limit: 0 })).rejects.toThrow('limit must be a whole number from 1 to 100');
});
