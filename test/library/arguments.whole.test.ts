import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as gossamer from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asKey } from './support.js';

const { GossamerError, UsageError } = gossamer;

const folder = mkdtempSync(join(tmpdir(), 'gossamer-arguments-'));
const nowhere = join(folder, 'nowhere');
const unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
  rmSync(folder, { recursive: true });
});

const throwing = Object.defineProperty({}, 'seeds', {
  enumerable: true,
  get() {
    throw new Error('this getter has nothing');
  },
});
const closed = Proxy.revocable({}, {});
closed.revoke();
const circle: Record<string, unknown> = {};
circle.self = circle;

/** What nobody should give, whatever is asked for. */
const ODD: readonly unknown[] = [
  ...[undefined, null, 5, Number.NaN, 10n, '', '\0', true, Symbol('odd'), () => {}, [null], [5], ['\0'], {}],
  ...[{ seeds: null }, { seeds: 'a.test' }, { seeds: 5 }, { seeds: [null] }, { seeds: [5] }, { seeds: [{}] }],
  ...[{ seeds: [{ url: 5 }] }, { seeds: ['a.test'], onEdge: 5 }, { seeds: ['a.test'], fetch: 'yes' }],
  ...[
    { seeds: ['a.test'], resolve: null },
    { seeds: ['a.test'], signal: {} },
    { seeds: ['a.test'], queueSize: 'x' },
  ],
  ...[
    { seeds: ['a.test'], headers: 5 },
    { seeds: ['a.test'], include: [null] },
    { seeds: ['a.test'], delayMs: 10n },
  ],
  ...[{ seeds: ['a.test'], reports: [null] }, { seeds: ['a.test'], seedingStrategy: 5 }, { onNotice: 5 }, { rules: 5 }],
  ...[{ agent: 5 }, { limit: 'x' }, { limit: {} }, { input: 5 }, { output: 5 }, { nonsense: 1 }, { seeds: circle }],
  ...[throwing, closed.proxy, circle, { __proto__: null, nonsense: 1 }, new Map(), new Date()],
];

const FUNCTIONS: Readonly<Record<string, unknown>> = { ...gossamer };
type Call = (...given: never[]) => unknown;
/** Every function, and what stands before the argument that is odd. */
const CALLS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  addToCrawl: [[], [nowhere]],
  checkLinks: [[], [[join(nowhere, '*.md')]]],
  corpusStatus: [[]],
  crawl: [[]],
  crawlStatus: [[]],
  deleteCorpus: [[]],
  deleteCrawl: [[]],
  diff: [[], [nowhere], [nowhere, nowhere]],
  audit: [[], [nowhere, { failOn: 'errors' }], [nowhere, { titleLength: 5 }]],
  explain: [[], [nowhere]],
  exportCrawl: [[], [nowhere], [nowhere, 'csv']],
  graph: [[], [nowhere]],
  listCorpora: [[]],
  listCorpus: [[]],
  listCrawls: [[]],
  makeDocs: [[], [['ftp://a.test/']]],
  matchRobots: [[], ['User-agent: *'], ['User-agent: *', 'https://a.test/']],
  pageAsMarkdown: [[]],
  preview: [[]],
  readCrawl: [[]],
  readDocument: [[], [nowhere]],
  recheckLinks: [[], [nowhere]],
  resumeCheck: [[], [nowhere]],
  resumeCrawl: [[], [nowhere]],
  resumeDocs: [[], [nowhere]],
  robotsVerdict: [[]],
  searchCorpus: [[], [nowhere], [nowhere, 'words']],
  correctQuery: [[], [nowhere], [nowhere, 'words']],
  searchCrawl: [[], [nowhere], [nowhere, 'words']],
  serveMcp: [[], [[nowhere]]],
  splitCrawl: [[], [nowhere]],
  mergeCrawls: [[], [[nowhere]]],
};

it('every function of the surface is called below', () => {
  const functions = Object.entries(FUNCTIONS)
    .filter(([name, value]) => typeof value === 'function' && !name.endsWith('Error') && !name.startsWith('define'))
    .map(([name]) => name);
  expect(Object.keys(CALLS).sort()).toEqual(functions.sort());
});

/** What is thrown, or nothing where the call went well. */
async function errorOf(name: string, given: readonly unknown[]): Promise<unknown> {
  try {
    const answer = (FUNCTIONS[name] as Call)(...(given as never[]));
    if (name === 'crawl' || name === 'resumeCrawl') {
      return undefined;
    }
    await (name === 'listCorpus' ? (answer as AsyncGenerator).next() : answer);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('what is no argument is refused in one sentence', () => {
  it.each(Object.entries(CALLS))('%s', async (name, places) => {
    const calls = places.flatMap((before) => [before, ...ODD.map((odd) => [...before, odd])]);
    for (const given of calls) {
      const error = await errorOf(name, given);
      if (error !== undefined) {
        expect(error, `${name}: ${(error as Error).stack}`).toBeInstanceOf(GossamerError);
        expect((error as Error).message).not.toMatch(/\n|undefined|\[object|ERR_|ENOENT/);
      }
    }
  });

  it('a call with nothing says what it takes and how that looks', async () => {
    expect(await errorOf('crawl', [])).toEqual(
      new UsageError("the options of crawl must be an object: crawl({ seeds: ['https://example.com/'] }); got nothing"),
    );
    expect(await errorOf('resumeCrawl', [])).toMatchObject({
      code: 'usage',
      message:
        "the directory of resumeCrawl must be a text: resumeCrawl('gossamer-data/example.com', { delayMs: 2000 }); got nothing",
    });
    for (const name of Object.keys(CALLS)) {
      expect(await errorOf(name, []), name).toBeInstanceOf(UsageError);
    }
  });

  it.each([
    [{ seeds: 'a.test' }, `seeds must be a list: { seeds: ['https://example.com/'] }; got "a.test"`],
    [
      { seeds: [{ uri: 'a.test' }] },
      'each of seeds must be a text or { url, scope?, depth?, maxUrls? }, got {"uri":"a.test"}',
    ],
    [{ seeds: [{ url: 'a.test', depht: 2 }] }, 'a seed takes no option depht; did you mean depth?'],
    [{ seeds: [{ url: 'a.test', depth: '2' }] }, 'depth of the seed a.test must be a number, got "2"'],
    [{ seeds: ['a.test'], onEdge: 'log' }, 'onEdge must be a function, got "log"'],
    [{ seeds: ['a.test'], signal: 5 }, 'signal must be an AbortSignal, got 5'],
    [{ seeds: ['a.test'], delayMs: '2s' }, 'delayMs must be a number of milliseconds, got "2s"'],
    [throwing, 'seeds of crawl cannot be read: this getter has nothing'],
  ] as const)('crawl: %#', async (options, message) => {
    expect(await errorOf('crawl', [options])).toEqual(new UsageError(message));
  });

  it('a format that there is none of is named, with those that there are', async () => {
    expect(await errorOf('exportCrawl', [nowhere, 'cvs', 'x'])).toMatchObject({
      code: 'usage',
      message: expect.stringContaining(
        'must be one of jsonl, sitemap, csv, parquet, edges, hosts, seeds, warc, wacz, cdxj, got "cvs"; did you mean csv?',
      ),
    });
  });

  it('no rejection is left unhandled', async () => {
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
  });
});

describe('a key that is no option is suggested', () => {
  it.each([
    ['delay', 'delayMs'],
    ['dealyMs', 'delayMs'],
    ['--max-urls', 'maxUrls'],
    ['max-urls', 'maxUrls'],
    ['max_urls', 'maxUrls'],
    ['GOSSAMER_MAX_BODY', 'maxBodyBytes'],
    ['maxBody', 'maxBodyBytes'],
    ['concurrency', 'workers'],
    ['MAX_INFLIGHT_PER_HOST', 'maxInflightPerHost'],
    ['seed', 'seeds'],
    ['onedge', 'onEdge'],
    ['abortSignal', null],
  ])('%s', async (key, meant) => {
    const error = (await errorOf('crawl', [{ seeds: ['a.test'], [key]: 1 }])) as Error;
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe(`unknown option ${key}${meant === null ? '' : `; did you mean ${meant}?`}`);
  });

  it('in every function that takes options', async () => {
    for (const [name, before] of [
      ['checkLinks', [['README.md']]],
      ['makeDocs', [['a.test']]],
      ['preview', []],
      ['robotsVerdict', ['https://a.test/']],
    ] as const) {
      const options = { ...(name === 'preview' ? { seeds: ['a.test'] } : {}), delay: 5 };
      expect(await errorOf(name, [...before, options]), name).toEqual(
        new UsageError('unknown option delay; did you mean delayMs?'),
      );
    }
  });

  it('one of another command is said to be that', async () => {
    expect(await errorOf('crawl', [{ seeds: ['a.test'], chunkTokens: 5 }])).toEqual(
      new UsageError('crawl takes no option chunkTokens: it belongs to other commands'),
    );
  });
});

it('options are read once: what is changed afterwards changes nothing', async () => {
  const seeds = ['root'];
  const run = gossamer.crawl({ seeds, fetch: () => ({ links: [] }), resolve: asKey });
  seeds[0] = 'other';
  const { summary } = await run.finished;
  expect(summary.done).toBe(1);
  expect((await run.finished).seeds[0]?.label).toBe('root');
});

it('a run refuses events that it does not have, and listeners that are none', () => {
  const run = gossamer.crawl({ seeds: ['root'], fetch: () => null, resolve: asKey });
  expect(() => run.on('pages' as never, () => {})).toThrow(
    new UsageError(
      'a run has the events page, notice, tick, governed, sitemap, problem, retry, event, got "pages"; did you mean page?',
    ),
  );
  expect(() => run.on('page', 5 as never)).toThrow(new UsageError('the listener of page must be a function, got 5'));
});
