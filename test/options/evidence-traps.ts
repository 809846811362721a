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
  check: NonNullable<Row['check']>,
): Row => ({
  key,
  stage: garden,
  values: [[], [flag, limit]],
  sees: (seen) => [
    ...has(seen, `www.garden.test${path}`),
    // Of a URL that is too long only its beginning and a hash are kept.
    seen.pages.find((page) => page.url.replace(/…sha256:[0-9a-f]{64}$/, '').endsWith(path))?.reason,
    seen.kept?.traps.length,
  ],
  gives: [
    [true, 'http_4xx', 0],
    [false, 'trap', 1],
  ],
  check,
  docs: 'same',
});

/** A check asks for it all the same, and does not follow it. */
const ASKED_ALL_THE_SAME = [
  [true, 'http_4xx', 0],
  [true, 'http_4xx', 1],
];

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
    check: [
      [12, [MONTHS_PATTERN], null],
      [42, [], 'max_urls'],
      [42, [], 'max_urls'],
    ],
    docs: 'same',
  },
  cutLink('maxUrlLength', '--max-url-length', '80', `/${'long'.repeat(20)}`, 'same'),
  cutLink('maxPathSegments', '--max-path-segments', '5', '/s/e/g/m/n/t', ASKED_ALL_THE_SAME),
  cutLink('maxSegmentRepeats', '--max-segment-repeats', '3', '/r/x/r/y/r', ASKED_ALL_THE_SAME),
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
    check: [
      [12, 1],
      [16, 1],
    ],
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
    check: [
      [12, [expect.objectContaining({ pattern: MONTHS_PATTERN, count: 1 })]],
      [42, []],
    ],
    docs: 'same',
  },
];
