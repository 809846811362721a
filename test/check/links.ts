import type { CheckedLink, Verdict } from '../../src/check/report/result.js';

/** A link as a check would give it. */
export function checkedLink(url: string, verdict: Verdict, more: Partial<CheckedLink> = {}): CheckedLink {
  const look = { at: '2026-01-01T00:00:00.000Z', status: 404, error: null, message: null };
  return {
    url,
    fragment: null,
    verdict,
    unchecked: null,
    fails: verdict === 'dead',
    external: true,
    status: verdict === 'dead' ? 404 : 200,
    finalUrl: null,
    suggestion: null,
    remappedFrom: null,
    firstSeen: null,
    evidence: { why: 'because', chain: [], headers: {}, looks: [look, look] },
    sourceCount: 1,
    sources: [],
    ...more,
  };
}
