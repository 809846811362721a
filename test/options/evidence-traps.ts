import { expect } from 'vitest';
import { calendar, pagination } from '../web/traps.js';
import { garden, has } from './garden.js';
import type { Row, Seen } from './harness.js';
import { askedPages } from './questions.js';
import { crawlOf } from './stages.js';

const months = crawlOf({
  name: 'a calendar without end',
  seeds: ['http://months.test/'],
  args: ['--seeding-strategy', 'none', '--max-urls', '45'],
  sites: () => ({ 'months.test': calendar() }),
});
const lists = crawlOf({
  name: 'a list without end',
  seeds: ['http://lists.test/'],
  args: ['--seeding-strategy', 'none', '--max-urls', '45'],
  sites: () => ({ 'lists.test': pagination() }),
});

const monthsAsked = (seen: Seen): number => askedPages(seen).filter((url) => url.includes('/calendar/')).length;
const MONTHS_PATTERN = 'http://months.test/calendar/0/0';

/** A link of the garden that a rule on single URLs cuts. */
const cutLink = (
  key: 'maxUrlLength' | 'maxPathSegments' | 'maxSegmentRepeats',
  flag: string,
  limit: string,
  path: string,
): Row => ({
  key,
  stage: garden,
  values: [[], [flag, limit]],
  sees: (seen) => [
    ...has(seen, `www.garden.test${path}`),
    seen.pages.find((page) => page.url.endsWith(path))?.reason,
    seen.kept?.traps.length,
  ],
  gives: [
    [true, 'http_4xx', 0],
    [false, 'trap', 1],
  ],
  check: 'same',
  docs: 'same',
});

/** Where endless sites are cut: at the limit, when nothing new comes. */
export const TRAP_EVIDENCE: Row[] = [
  {
    key: 'allowTraps',
    stage: months,
    values: [
      ['--max-shape-variants', '12'],
      ['--max-shape-variants', '12', '--allow-trap', MONTHS_PATTERN],
      ['--max-shape-variants', '12', '--allow-trap', '**/calendar/**'],
    ],
    sees: (seen) => [monthsAsked(seen), seen.kept?.traps.map(({ pattern }) => pattern), seen.kept?.truncated],
    gives: [
      [11, [MONTHS_PATTERN], null],
      [42, [], 'max_urls'],
      [42, [], 'max_urls'],
    ],
    check: 'same',
    docs: 'same',
  },
  cutLink('maxUrlLength', '--max-url-length', '80', `/${'long'.repeat(20)}`),
  cutLink('maxPathSegments', '--max-path-segments', '5', '/s/e/g/m/n/t'),
  cutLink('maxSegmentRepeats', '--max-segment-repeats', '3', '/r/x/r/y/r'),
  {
    key: 'maxQueryVariants',
    stage: lists,
    values: [
      ['--max-query-variants', '12'],
      ['--max-query-variants', '16'],
    ],
    sees: (seen) => [askedPages(seen).filter((url) => url.includes('/list?')).length, seen.kept?.traps.length],
    gives: [
      [11, 1],
      [15, 1],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxShapeVariants',
    stage: months,
    values: [
      ['--max-shape-variants', '12'],
      ['--max-shape-variants', '0'],
    ],
    sees: (seen) => [monthsAsked(seen), seen.kept?.traps],
    gives: [
      [11, [expect.objectContaining({ pattern: MONTHS_PATTERN, count: 1 })]],
      [42, []],
    ],
    check: 'same',
    docs: 'same',
  },
];
