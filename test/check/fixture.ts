import { CHECK_REPORTS, type CheckFormat, PLAIN_REPORT, type ReportOptions } from '../../src/check/report/index.js';
import {
  type CheckedLink,
  type CheckReport,
  type CheckSummary,
  type Evidence,
  type LinkSource,
  VERDICTS,
  type Verdict,
} from '../../src/check/report/result.js';
import type { UncheckedCounts } from '../../src/check/report/unchecked.js';

export const sourceOf = (some: Partial<LinkSource> = {}): LinkSource => ({
  page: 'https://a.test/',
  kind: 'a',
  href: 'old',
  text: 'The old page',
  line: 12,
  column: 5,
  selector: 'body > a',
  ...some,
});

export const evidenceOf = (some: Partial<Evidence> = {}): Evidence => ({
  why: 'the server says that it is not there',
  chain: [],
  headers: {},
  looks: [{ at: '2024-05-06T07:08:09.000Z', status: 404, error: null, message: null }],
  ...some,
});

export function linkOf(verdict: Verdict, some: Partial<CheckedLink> = {}): CheckedLink {
  const sources = some.sources ?? [sourceOf()];
  return {
    url: 'https://a.test/old',
    fragment: null,
    verdict,
    unchecked: verdict === 'unchecked' ? 'robots' : null,
    fails: verdict === 'dead' || verdict === 'missing_fragment',
    external: false,
    status: verdict === 'dead' ? 404 : null,
    finalUrl: null,
    suggestion: null,
    remappedFrom: null,
    firstSeen: null,
    evidence: evidenceOf(),
    sourceCount: sources.length,
    sources,
    ...some,
  };
}

/** A report of these links, in the order that is promised, with a summary that agrees with them. */
export function reportOf(links: readonly CheckedLink[], some: Partial<CheckSummary> = {}): CheckReport {
  const sorted = [...links].sort(
    (a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) || (a.url < b.url ? -1 : a.url > b.url ? 1 : 0),
  );
  const verdicts: Partial<Record<Verdict, number>> = {};
  const counts: UncheckedCounts = {};
  for (const { verdict, unchecked } of sorted) {
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    if (unchecked !== null) {
      counts[unchecked] = (counts[unchecked] ?? 0) + 1;
    }
  }
  const failing = links.filter(({ fails }) => fails).length;
  return {
    seeds: ['https://a.test/'],
    startedAt: '2024-05-06T07:08:00.000Z',
    links: () => sorted,
    summary: {
      verdicts,
      unchecked: counts,
      links: links.length,
      pages: 3,
      failing,
      ignored: 0,
      baseline: null,
      truncated: null,
      ignoredRobots: false,
      durationMs: 130_000,
      exitCode: failing > 0 ? 1 : 0,
      ...some,
    },
  };
}

export const textOf = (format: CheckFormat, report: CheckReport, options: Partial<ReportOptions> = {}): string =>
  [...CHECK_REPORTS[format](report, { ...PLAIN_REPORT, ...options })].join('');

/** One link of each verdict. */
export const everyVerdict = (): CheckReport =>
  reportOf(
    VERDICTS.map((verdict, number) =>
      linkOf(verdict, {
        url: `https://a.test/${number}`,
        ...(verdict === 'ok' || verdict === 'skipped' ? { sources: [], sourceCount: 3 } : {}),
        ...(verdict === 'missing_fragment' ? { fragment: 'part' } : {}),
        ...(verdict === 'moved'
          ? {
              status: 301,
              finalUrl: 'https://a.test/new',
              suggestion: 'https://a.test/new',
              evidence: evidenceOf({
                chain: [{ url: 'https://a.test/new', status: 200 }],
                headers: { location: '/new' },
              }),
            }
          : {}),
      }),
    ),
  );
