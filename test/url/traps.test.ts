import { describe, expect, it } from 'vitest';
import { isTrapByLooks, queryPatternOf, shapeOf, TrapRules, TrapWatch, trapCause } from '../../src/url/traps.js';

const LIMITS = { maxQueryVariants: 500, maxShapeVariants: 500, allow: [] };

interface Page {
  text: string;
  links: string[];
}

/** A crawl with the watch in place; `rules` for what single URLs tell. Ends by itself or at `stopAt` pages. */
function crawl(site: (url: URL) => Page, seed: string, options = LIMITS, stopAt = 60_000) {
  const watch = new TrapWatch(options);
  const rules = new TrapRules({ maxUrlLength: 4096, maxPathSegments: 32, maxSegmentRepeats: 4, allow: options.allow });
  const seen = new Set([seed]);
  const queue = [seed];
  const cut = new Map<string, number>();
  const fetched: string[] = [];
  for (const url of queue) {
    if (fetched.length >= stopAt) {
      break;
    }
    const trap = rules.check(url) ?? watch.cutBy(url);
    if (trap !== null) {
      cut.set(trap, (cut.get(trap) ?? 0) + 1);
      continue;
    }
    fetched.push(url);
    const page = site(new URL(url));
    const fresh = page.links.map((href) => new URL(href, url).href).filter((link) => !seen.has(link));
    const textHash = watch.wantsText(url) ? hashOf(page.text) : null;
    watch.fetched(url, { newShapes: fresh.some((link) => watch.isNews(url, link)), textHash });
    for (const link of fresh) {
      seen.add(link);
      queue.push(link);
    }
  }
  return { fetched, cut };
}

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text.replace(/\d+/g, '0')) {
    hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  }
  return hash;
}

const words = (number: number) => number.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);

describe('crawls that would never end', () => {
  it('a calendar by query ends, and is named', () => {
    const site = (url: URL): Page => {
      const month = Number(url.searchParams.get('month') ?? 0);
      return { text: `Month ${month}, no events`, links: [`?month=${month + 1}`, `?month=${month - 1}`] };
    };
    const { fetched, cut } = crawl(site, 'http://h.test/cal');
    expect(fetched.length).toBeGreaterThanOrEqual(500);
    expect(fetched.length).toBeLessThan(520);
    expect([...cut.keys()]).toEqual(['http://h.test/cal?*']);
  });

  it('a calendar by path ends, though months lead to days and days to months', () => {
    const site = (url: URL): Page => {
      const [year = 2000, month = 1, day] = (url.pathname.match(/\d+/g) ?? []).map(Number);
      const next = month === 12 ? `/cal/${year + 1}/1/` : `/cal/${year}/${month + 1}/`;
      if (day !== undefined) {
        return { text: 'no events', links: [`/cal/${year}/${month}/${day + 1}`, next, '/cal/'] };
      }
      return {
        text: 'a month',
        links: [next, ...Array.from({ length: 28 }, (_, index) => `/cal/${year}/${month}/${index}`)],
      };
    };
    const { fetched, cut } = crawl(site, 'http://h.test/cal/');
    expect(fetched.length).toBeLessThan(20_000);
    expect([...cut.keys()].sort()).toEqual(['http://h.test/cal/0/0/', 'http://h.test/cal/0/0/0']);
  });

  it('facets that pile up in the query end', () => {
    const colours = ['red', 'green', 'blue', 'black'];
    const site = (url: URL): Page => {
      const chosen = url.searchParams.getAll('c');
      return { text: `Shoes ${chosen.at(-1)}`, links: colours.map((colour) => `${url.search || '?'}&c=${colour}`) };
    };
    const { fetched, cut } = crawl(site, 'http://h.test/shoes');
    expect(fetched.length).toBeLessThan(520);
    expect([...cut.keys()]).toEqual(['http://h.test/shoes?*']);
  });

  it('session ids, new on every page, end', () => {
    let session = 0;
    const pages = ['a', 'b', 'c', 'd'];
    const site = (url: URL): Page => {
      session++;
      return {
        text: `Page ${url.pathname.split(';')[0]}`,
        links: pages.map((page) => `/${page};jsessionid=${words(session)}`),
      };
    };
    const { fetched, cut } = crawl(site, 'http://h.test/a');
    expect(fetched.length).toBeLessThan(4 * 520);
    expect([...cut.keys()].sort()).toEqual(pages.map((page) => `http://h.test/${page};jsessionid=f`));
  });

  it('relative links that repeat their folders end', () => {
    const site = (): Page => ({ text: 'oops', links: ['a/b/', 'b/a/'] });
    const { fetched, cut } = crawl(site, 'http://h.test/');
    expect(fetched.length).toBeLessThan(200);
    expect([...cut.keys()].every((pattern) => / repeats "[ab]"$/.test(pattern))).toBe(true);
  });
});

describe('crawls that end by themselves', () => {
  it('a shop of 20,000 products that differ in their text loses none', () => {
    const site = (url: URL): Page => {
      const id = url.searchParams.get('id');
      if (id !== null) {
        return { text: `Product ${words(Number(id))}`, links: [] };
      }
      const page = Number(url.searchParams.get('page') ?? 0);
      const links = Array.from({ length: 20 }, (_, index) => `/p?id=${page * 20 + index}`);
      return { text: 'Our products', links: page === 999 ? links : [...links, `/list?page=${page + 1}`] };
    };
    const { fetched, cut } = crawl(site, 'http://h.test/list');
    expect(cut.size).toBe(0);
    expect(new Set(fetched.filter((url) => url.includes('?id='))).size).toBe(20_000);
  });

  it('pages whose text cannot be known are not cut', () => {
    const watch = new TrapWatch({ ...LIMITS, maxQueryVariants: 5, maxShapeVariants: 5 });
    for (let id = 0; id < 100; id++) {
      expect(watch.cutBy(`http://h.test/?${id}`)).toBeNull();
      watch.fetched(`http://h.test/?${id}`, { newShapes: false, textHash: null });
    }
  });
});

describe('TrapWatch', () => {
  const barren = { newShapes: false, textHash: 1 };

  /** Dispatches and fetches `count` URLs of one path that bring nothing new; the number of those that were cut. */
  function feed(watch: TrapWatch, count: number, page = barren, from = 0): number {
    let cut = 0;
    for (let id = from; id < from + count; id++) {
      if (watch.cutBy(`http://h.test/x?id=${id}`) !== null) {
        cut++;
      } else {
        watch.fetched(`http://h.test/x?id=${id}`, page);
      }
    }
    return cut;
  }

  it('cuts the 500th and not the 499th', () => {
    const watch = new TrapWatch(LIMITS);
    expect(feed(watch, 499)).toBe(0);
    expect(watch.cutBy('http://h.test/x?id=500')).toBe('http://h.test/x?*');
    expect(watch.cutBy('http://h.test/y?id=500')).toBeNull();
  });

  it('goes on where two of the last ten brought something, and cuts where only one did', () => {
    for (const [fruitful, cut] of [
      [2, 0],
      [1, 1],
    ] as const) {
      const watch = new TrapWatch(LIMITS);
      feed(watch, 499 - fruitful);
      feed(watch, fruitful, { newShapes: true, textHash: 1 }, 1000);
      expect(feed(watch, 1, barren, 2000)).toBe(cut);
    }
  });

  it('cuts by shape where the path holds the number', () => {
    const watch = new TrapWatch(LIMITS);
    for (let id = 1; id <= 499; id++) {
      expect(watch.cutBy(`http://h.test/x/${id}`)).toBeNull();
      watch.fetched(`http://h.test/x/${id}`, barren);
    }
    expect(watch.cutBy('http://h.test/x/500')).toBe('http://h.test/x/0');
  });

  it('waits for ten pages, however low the limit', () => {
    const watch = new TrapWatch({ ...LIMITS, maxQueryVariants: 2, maxShapeVariants: 0 });
    // The first text is new, so the window has one that is until it is full.
    expect(feed(watch, 10)).toBe(0);
    expect(feed(watch, 1, barren, 10)).toBe(1);
  });

  it('wants texts from nine tenths of the limit on, and always where the limit is low', () => {
    const watch = new TrapWatch({ ...LIMITS, maxShapeVariants: 0 });
    feed(watch, 449);
    expect(watch.wantsText('http://h.test/x?id=1')).toBe(false);
    feed(watch, 1, barren, 449);
    expect(watch.wantsText('http://h.test/x?id=1')).toBe(true);
    expect(watch.wantsText('http://h.test/x')).toBe(false);
    expect(new TrapWatch({ ...LIMITS, maxQueryVariants: 19 }).wantsText('http://h.test/x?y')).toBe(true);
  });

  it('takes a URL of another shape for news until its pattern shows nothing but known texts', () => {
    const watch = new TrapWatch(LIMITS);
    expect(watch.isNews('http://h.test/x?id=1', 'http://h.test/x?id=2')).toBe(false);
    expect(watch.isNews('http://h.test/', 'http://h.test/x?id=2')).toBe(true);
    feed(watch, 498);
    expect(watch.isNews('http://h.test/', 'http://h.test/x?id=2')).toBe(true);
    feed(watch, 1, barren, 498);
    expect(watch.isNews('http://h.test/', 'http://h.test/x?id=2')).toBe(false);
  });

  it('cuts nothing where its limits are 0', () => {
    expect(feed(new TrapWatch({ ...LIMITS, maxQueryVariants: 0, maxShapeVariants: 0 }), 2000)).toBe(0);
  });

  it.each(['http://h.test/x?*', 'http://h.test/**', '/x?*', 're:/x\\?'])(
    'lets through what --allow-trap %s names',
    (name) => {
      expect(feed(new TrapWatch({ ...LIMITS, allow: [name] }), 2000)).toBe(0);
      expect(feed(new TrapWatch({ ...LIMITS, allow: ['http://other.test/**'] }), 2000)).toBe(1501);
    },
  );

  it('takes a name from the summary that makes no glob', () => {
    expect(new TrapWatch({ ...LIMITS, allow: ['http://h.test/x?a[=0'] }).cutBy('http://h.test/x?a[=1')).toBeNull();
  });

  it('goes on after a restart where it stood', () => {
    const watch = new TrapWatch(LIMITS);
    feed(watch, 490);
    const again = TrapWatch.fromJSON(JSON.parse(JSON.stringify(watch)), LIMITS);
    expect(again.toJSON()).toEqual(watch.toJSON());
    expect(feed(again, 9, barren, 490)).toBe(0);
    expect(again.cutBy('http://h.test/x?id=500')).not.toBeNull();
  });

  it('stores a bounded part, the latest', () => {
    const watch = new TrapWatch(LIMITS);
    for (let path = 0; path < 30_000; path++) {
      watch.cutBy(`http://h.test/${words(path)}?x`);
      watch.fetched(`http://h.test/${words(path)}?x`, { newShapes: false, textHash: path });
    }
    for (let text = 0; text < 10_000; text++) {
      feed(watch, 1, { newShapes: true, textHash: text }, text);
    }
    const { patterns } = watch.toJSON();
    expect(patterns.length).toBe(5_000);
    expect(patterns.at(-1)![4].length).toBe(256);
    expect(patterns.reduce((sum, pattern) => sum + pattern[4].length, 0)).toBeLessThanOrEqual(100_000);
  });

  it('forgets the pattern that was dispatched longest ago, and what it forgot is not cut', () => {
    const watch = new TrapWatch(LIMITS);
    feed(watch, 499);
    for (let path = 0; path < 20_000; path++) {
      watch.cutBy(`http://h.test/${words(path)}?x`);
    }
    expect(watch.cutBy('http://h.test/x?id=500')).toBeNull();
  });
});

describe('TrapRules', () => {
  const rules = new TrapRules({ maxUrlLength: 60, maxPathSegments: 6, maxSegmentRepeats: 4 });

  it.each([
    [`http://h.test/${'x'.repeat(47)}`, 'length>60'],
    ['http://h.test/1/2/3/4/5/6/7', 'segments>6'],
    ['http://h.test/x/a/b/a/a/a', 'http://h.test/x/a/… repeats "a"'],
    ['http://h.test/aa/a/a/a/a/', 'http://h.test/aa/a/… repeats "a"'],
  ])('quarantines %s under %s', (url, pattern) => {
    expect(rules.check(url)).toBe(pattern);
  });

  it.each([
    `http://h.test/${'x'.repeat(46)}`,
    'http://h.test/1/2/3/4/5/6/',
    'http://h.test/a/b/a/b/a/b',
    'http://h.test/////////',
    'http://h.test/?/a/a/a/a/a/a/a',
  ])('lets %s pass', (url) => {
    expect(rules.check(url)).toBeNull();
  });

  it('has a switch for each rule, and lets through what --allow-trap names', () => {
    const url = `http://h.test${'/a'.repeat(3000)}`;
    expect(new TrapRules({ maxUrlLength: 0, maxPathSegments: 0, maxSegmentRepeats: 0 }).check(url)).toBeNull();
    const all = { maxUrlLength: 60, maxPathSegments: 6, maxSegmentRepeats: 4 };
    expect(new TrapRules({ ...all, allow: ['length>60'] }).check(url)).toBeNull();
    expect(new TrapRules({ ...all, allow: ['/a/**'] }).check(url)).toBeNull();
    expect(new TrapRules({ ...all, allow: ['segments>6'] }).check(url)).toBe('length>60');
  });
});

describe('shapeOf', () => {
  it.each([
    ['http://h1.test/a', 'http://h1.test/a'],
    ['http://h1.test/p/123?page=4', 'http://h1.test/p/0?page=0'],
    ['http://h.test/2024/01/15/', 'http://h.test/0/0/0/'],
    ['http://h.test/2024-01-15T10%3A00', 'http://h.test/0-0-0T0%3A0'],
    ['http://h.test/page12.html', 'http://h.test/page0.html'],
    ['http://h.test/deadbeef1/x', 'http://h.test/f/x'],
    ['http://h.test/decade', 'http://h.test/decade'],
    ['http://h.test/550e8400-e29b-41d4-a716-446655440000', 'http://h.test/f'],
    ['http://h.test/a;jsessionid=ABCDEF?x=1', 'http://h.test/a;jsessionid=f?x=0'],
    ['http://h.test/?PHPSESSID=abc&sid=x', 'http://h.test/?PHPSESSID=f&sid=f'],
    ['http://h.test/(S(lit3py55t21z5v55vlm25s55))/x', 'http://h.test/(S(f))/x'],
    ['http://h.test/%D0%9F%D1%80', 'http://h.test/%D0%9F%D1%80'],
    ['db:42', 'db:0'],
  ])('of %s is %s', (url, shape) => {
    expect(shapeOf(url)).toBe(shape);
  });
});

it('queryPatternOf is the path with any query, or null', () => {
  expect(queryPatternOf('http://h.test/a?b?c')).toBe('http://h.test/a?*');
  expect(queryPatternOf('http://h.test/a')).toBeNull();
});

describe('the cause of a cut, in words', () => {
  const limits = {
    maxUrlLength: 4096,
    maxPathSegments: 32,
    maxSegmentRepeats: 4,
    maxQueryVariants: 500,
    maxShapeVariants: 700,
  };
  const rules = new TrapRules(limits);
  const nothingNew = 'nine of the last ten that were fetched brought no URL of another shape and no new text';

  it.each([
    [`https://a.test/${'x'.repeat(5_000)}`, 'longer than 4,096 characters'],
    [`https://a.test/${Array.from({ length: 40 }, (_, n) => n).join('/')}`, 'more than 32 path segments'],
    ['https://a.test/b/x/b/y/b/z/b', '"b" stands 4 times in the path'],
  ])('%.40s: %s', (url, cause) => {
    const pattern = rules.check(url)!;
    expect([trapCause(pattern, limits), isTrapByLooks(pattern)]).toEqual([cause, true]);
  });

  it('says for patterns of many URLs how many those are', () => {
    expect(trapCause(queryPatternOf('https://a.test/list?page=1')!, limits)).toBe(
      `500 or more queries of this path; ${nothingNew}`,
    );
    expect(trapCause(shapeOf('https://a.test/2024/01'), limits)).toBe(`700 or more URLs of this shape; ${nothingNew}`);
    expect(isTrapByLooks(shapeOf('https://a.test/2024/01'))).toBe(false);
  });
});
