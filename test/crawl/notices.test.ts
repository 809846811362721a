import { describe, expect, it } from 'vitest';
import { Notices } from '../../src/crawl/notices.js';

describe('notices', () => {
  it('are told up to twenty of a sort, then once that there are more; the summary has a thousand', () => {
    const told: string[] = [];
    const notices = new Notices((text) => told.push(text));
    for (let i = 1; i <= 2_000; i++) {
      notices.add(`seed ${i}`, 'seeds that redirect');
    }
    notices.add('another matter', 'traps');
    notices.add('and one without a sort');
    expect(told).toHaveLength(23);
    expect(told.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => `seed ${i + 1}`));
    expect(told.slice(20)).toEqual([
      'and more seeds that redirect: those that follow are not shown; summary.json has the first 1000 notices',
      'another matter',
      'and one without a sort',
    ]);
    expect(notices.kept).toHaveLength(1_000);
  });
});
