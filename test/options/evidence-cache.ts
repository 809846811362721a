import { html, linkPage, pathSite, type WholeAnswer } from '../web/site.js';
import { CORPUS, DATA, type Row, type Seen, type Stage } from './harness.js';
import { timesAsked } from './questions.js';
import { here } from './stages.js';

const lasting = (answer: WholeAnswer): WholeAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'cache-control': 'max-age=3600' },
});
const fleeting = (answer: WholeAnswer): WholeAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'cache-control': 'max-age=0' },
});
const LONG = 'word '.repeat(150_000);

/** The same site twice, each time into another place. */
const twice = (name: string, args: readonly string[], inFirst: readonly string[]): Stage => ({
  name,
  async play(values, trial) {
    const web = await trial.web();
    web.site(
      'cached.test',
      pathSite({
        '/': lasting(html(linkPage('Home', ['/stale', '/long', '/longer'], 'Words.'))),
        '/stale': fleeting(html(linkPage('Stale', [], 'Words.'))),
        '/long': lasting(html(linkPage('Long', [], LONG))),
        '/longer': lasting(html(linkPage('Longer', [], LONG))),
      }),
    );
    const line = [...trial.walk, 'http://cached.test/', ...here(web), '--delay', '0', ...args];
    const corpus = (place: string): string[] => (trial.walk[0] === 'docs' ? ['--output', place] : []);
    await trial.run([...line, '--data-dir', 'first', ...corpus('first-corpus'), ...inFirst]);
    return trial.run([...line, '--data-dir', DATA, ...corpus(CORPUS), ...values]);
  },
});

const CACHE = ['--http-cache', 'cache'];
const bytesKept = (seen: Seen): number =>
  [...seen.files].filter(([path]) => path.startsWith('cache/')).reduce((sum, [, content]) => sum + content.length, 0);

/** What is told again from earlier runs. */
export const CACHE_EVIDENCE: Row[] = [
  {
    key: 'httpCache',
    stage: twice('a site whose answers last', [], CACHE),
    values: [[], CACHE],
    sees: (seen) => timesAsked(seen, 'cached.test/long'),
    gives: [2, 1],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'httpCacheOnly',
    stage: twice('a site of which one answer is stale', CACHE, []),
    values: [[], ['--http-cache-only']],
    sees: (seen) => timesAsked(seen, 'cached.test/stale'),
    gives: [2, 1],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'httpCacheBytes',
    stage: twice('a cache and a long page', CACHE, []),
    values: [[], ['--http-cache-size', '1MiB']],
    sees: (seen) => bytesKept(seen) > 1_048_576,
    gives: [true, false],
    check: 'same',
    docs: 'same',
  },
];
