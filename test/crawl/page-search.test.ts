import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { PageSearch } from '../../src/lane/page-search.js';

const find = (search: string, text: string) => new PageSearch([search]).find(text).found[0] ?? null;

describe('what --search finds on a page', () => {
  it('is a text whatever its case and however its words are parted', () => {
    expect(find('  rate   LIMIT ', 'One\nRate\nlimit and rate limit')).toMatchObject({ count: 2 });
    expect(find('rate limit', 'ratelimit')).toBeNull();
    expect(find('a.c', 'abc')).toBeNull();
  });

  it('is an expression as it is written, over lines too', () => {
    expect(find('re:(?m)^two$', 'one\ntwo\nthree')).toMatchObject({ count: 1, snippet: 'one two three' });
    expect(find('re:TWO', 'one two')).toBeNull();
  });

  it('is counted up to a thousand, also where it is nothing at all', () => {
    expect(find('a', 'a'.repeat(5_000))).toMatchObject({ count: 1_000 });
    expect(find('re:x*', 'y'.repeat(5_000))).toMatchObject({ count: 1_000 });
  });

  it('has a snippet around its first place that a terminal can be shown', () => {
    const { snippet } = find('needle', `${'hay '.repeat(100)}\u001b[31mneedle\u202e${' straw'.repeat(100)}`)!;
    expect(snippet).toMatch(/^… (?:hay )+.\[31mneedle.(?: straw)+ …$/);
    expect(snippet).not.toMatch(/[\u001b\u202e]/);
    expect(snippet.length).toBeLessThan(220);
    // This letter is longer in lower case.
    expect(find('needle', `${'\u0130'.repeat(90)} a needle here`)!.snippet).toContain('needle');
    expect(find('re:(?s)begin.*', `begin${'x'.repeat(100_000)}`)!.snippet.length).toBeLessThan(220);
  });

  it('is refused where the expression is none', () => {
    expect(() => new PageSearch(['re:(a'])).toThrow(UsageError);
  });
});
