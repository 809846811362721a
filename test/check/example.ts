import type { CheckReport } from '../../src/check/report/result.js';
import { evidenceOf, linkOf, reportOf, sourceOf } from './fixture.js';

const SITE = 'https://docs.example.com';
const at = '2024-05-06T07:09:41.000Z';

const sources = (count: number, text: string, href: string) =>
  Array.from({ length: count }, (_, number) =>
    sourceOf({
      page: `${SITE}/guide/${['install', 'first-steps', 'configuration', 'plugins', 'deploy', 'faq'][number % 6]}${number < 6 ? '' : `-${number}`}`,
      line: 40 + number * 17,
      column: 9 + number,
      text,
      href,
      selector: `main > p:nth-of-type(${number + 1}) > a`,
    }),
  );

/** What a check of a site of some size finds: for docs/images/check-report.png, and for tests that need something ordinary. */
export function exampleReport(): CheckReport {
  const links = [
    linkOf('dead', {
      url: `${SITE}/guide/getting-started`,
      status: 404,
      evidence: evidenceOf({ why: '404 on both looks', looks: twice(404) }),
      sources: sources(14, 'Getting started', '../guide/getting-started'),
    }),
    linkOf('dead', {
      url: 'https://github.com/example/plugin-old',
      external: true,
      status: 404,
      evidence: evidenceOf({ why: '404 on both looks', looks: twice(404) }),
      sources: sources(2, 'the old plug-in', 'https://github.com/example/plugin-old'),
    }),
    linkOf('dead', {
      url: `${SITE}/img/overview.svg`,
      status: 410,
      evidence: evidenceOf({ why: '410 on both looks', looks: twice(410) }),
      sources: [sourceOf({ page: `${SITE}/`, kind: 'img', text: '', href: '/img/overview.svg', line: 88, column: 3 })],
    }),
    linkOf('missing_fragment', {
      url: `${SITE}/reference/options`,
      fragment: 'max-wait',
      status: 200,
      evidence: evidenceOf({ why: 'no id or name “max-wait” on the page', looks: twice(200).slice(0, 1) }),
      sources: sources(3, '--max-wait', '/reference/options#max-wait'),
    }),
    linkOf('dns', {
      url: 'https://community.exmaple.com/',
      external: true,
      fails: true,
      evidence: evidenceOf({ why: 'no such name: community.exmaple.com' }),
      sources: sources(1, 'community forum', 'https://community.exmaple.com/'),
    }),
    linkOf('timeout', {
      url: 'https://slow.example.org/paper.pdf',
      external: true,
      evidence: evidenceOf({ why: 'no answer in 10 s, twice' }),
      sources: sources(1, 'the paper', 'https://slow.example.org/paper.pdf'),
    }),
    linkOf('soft_404', {
      url: 'https://blog.example.org/2019/crawling',
      external: true,
      status: 200,
      evidence: evidenceOf({ why: 'as the answer to a path that cannot exist', looks: twice(200) }),
      sources: sources(1, 'a post on crawling', 'https://blog.example.org/2019/crawling'),
    }),
    linkOf('blocked', {
      url: 'https://shop.example.net/book',
      external: true,
      status: 403,
      evidence: evidenceOf({ why: '403 with a challenge header', headers: { 'cf-mitigated': 'challenge' } }),
      sources: sources(2, 'the book', 'https://shop.example.net/book'),
    }),
    linkOf('unverifiable', {
      url: 'https://api.example.net/status',
      external: true,
      status: 200,
      evidence: evidenceOf({
        why: '503 at first, then 200',
        looks: [...twice(503).slice(0, 1), ...twice(200).slice(1)],
      }),
      sources: sources(1, 'status', 'https://api.example.net/status'),
    }),
    ...Array.from({ length: 6 }, (_, number) =>
      linkOf('moved', {
        url: `http://example.org/page-${number}`,
        external: true,
        status: 301,
        finalUrl: `https://example.org/page-${number}`,
        suggestion: `https://example.org/page-${number}`,
        evidence: evidenceOf({
          why: '301 to a page that answers',
          chain: [
            { url: `http://example.org/page-${number}`, status: 301 },
            { url: `https://example.org/page-${number}`, status: 200 },
          ],
        }),
        sources: sources(1 + number, `page ${number}`, `http://example.org/page-${number}`),
      }),
    ),
  ];
  const report = reportOf(links, { links: 1204, pages: 240 });
  return { ...report, seeds: [`${SITE}/`] };
}

const twice = (status: number) => [
  { at: '2024-05-06T07:08:12.000Z', status, error: null, message: null },
  { at, status, error: null, message: null },
];
