import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printableJson } from '../../src/report/output.js';
import { pageLine } from '../../src/report/page-line.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { StoreFixture } from './store-fixture.js';

const text = fc.option(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '"\\/\b\f\n\r\t\u0000\u001b\u007f', '\u0001', '\u2028é😀'),
  ),
);
const milliseconds = fc.option(
  fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.double({ min: 0.001, max: 1e5, noNaN: true }), fc.constant(5)),
);
const count = fc.option(fc.integer({ min: 0, max: 1e9 }));
const data = fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value)));
const page = fc.option(
  fc.record(
    {
      status: fc.option(fc.integer({ min: 0, max: 999 })),
      title: text,
      content_type: text,
      bytes: count,
      links: count,
      hash: text,
      description: text,
      etag: text,
      fetched_at: fc.option(fc.integer({ min: 0, max: 1.6e13 }).map((quarters) => quarters / 4)),
      ttfb_ms: milliseconds,
      total_ms: milliseconds,
      message: text,
      note: text,
      links_cut: count,
      word_count: count,
      h1_count: count,
      text_hash: text,
      headers: data,
      hreflang: data,
      extras: data,
      data,
      redirect_to: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 6 }),
    },
    { requiredKeys: [] },
  ),
);
const url = fc.record(
  {
    state: fc.constantFrom(...Object.values(UrlState)),
    reason: fc.constantFrom('robots', 'hook', 'limit', 'http_4xx', 'depth'),
    flags: fc.constantFrom(0, UrlFlag.external, UrlFlag.seed, UrlFlag.candidate),
    depth: fc.integer({ min: 0, max: 20 }),
    page,
  },
  { requiredKeys: [] },
);

describe('the lines that the store makes itself', () => {
  it('are byte by byte what JavaScript writes, of all pages and by their ids', () => {
    fc.assert(
      fc.property(fc.array(url, { minLength: 1, maxLength: 6 }), fc.boolean(), (urls, isCut) => {
        const store = new StoreFixture(urls.map((each, i) => ({ url: `https://a.test/${i}`, ...each })));
        if (isCut) {
          store.setMeta('ended', JSON.stringify({ reason: 'max-urls', truncated: 'max-urls' }));
        }
        const { reader } = store;
        const lines = [...reader.lines(pageLine)];
        const pages = [...reader.pages()];
        expect(printableJson(lines.map((each) => each.text).join(''))).toBe(pages.map(pageLine).join(''));
        expect(lines.reduce((sum, each) => sum + each.count, 0)).toBe(pages.length);
        const ids = urls.map((_, i) => urls.length - i);
        expect(printableJson([...reader.linesById(ids, pageLine)].join(''))).toBe(
          [...reader.pagesById(ids)].map(pageLine).join(''),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('are all there where they are more than one text holds', () => {
    const { reader } = new StoreFixture(Array.from({ length: 1_201 }, (_, i) => ({ url: `https://a.test/${i}` })));
    const texts = [...reader.lines(pageLine)];
    expect(texts.map(({ count: lines }) => lines)).toEqual([500, 500, 201]);
    expect(texts.map((each) => each.text).join('') === [...reader.pages()].map(pageLine).join('')).toBe(true);
  });
});
