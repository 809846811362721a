import type { CheckReport } from '../../src/check/report/result.js';
import { VERDICTS } from '../../src/check/report/result.js';
import { evidenceOf, linkOf, reportOf, sourceOf } from './fixture.js';

/** What pages have put into titles, URLs and texts, or might. */
export const HOSTILE: readonly string[] = [
  '</script><script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 2">',
  '"><svg onload=window.pwned=3>',
  '<!--<script>',
  "javascript:window.pwned = 4//'",
  'data:text/html,<script>window.pwned=5</script>',
  ']]><x/>&amp;&#10;&lt;',
  '=HYPERLINK("http://evil.test/";"x")',
  "+1+cmd|' /C calc'!A0",
  '@SUM(A1)',
  '-2+3',
  '\t=1',
  '\r\n::error file=x::injected',
  '::stop-commands::x',
  '##[stop-commands]x ##vso[task.complete]',
  '%0A::set-output name=a::b,c:d',
  '\u001b[2J\u001b]0;title\u0007\u009b31m',
  '\u202egnp.exe\u2066\u200b\u2028\u2029\ufeff',
  '\u0000\u0001\u0008\u000b\u001f\u007f\u0085',
  '\ud800 alone \udc00',
  '\ufffe\uffff',
  'a,b;"c"\n"d"\r\ne',
  '`` ` ```x``` | * _ [x](javascript:alert(1)) ![i](http://evil.test/i.png) @somebody #1',
  '[text](http://evil.test/) {0} {{1}} \\',
  '__proto__',
  'constructor',
  '$& $1 $` $$',
  '\\u003c/script\\u003e \\" \\',
  'é 日本語 👩‍👩‍👧 ﷽',
  '',
  ' ',
  `${'long '.repeat(20_000)}end`,
];

/** Each of them in every place where a text from the net can stand, as a link that fails and as one that does not. */
export function hostileReport(): CheckReport {
  const links = HOSTILE.flatMap((text, number) =>
    [true, false].map((fails) =>
      linkOf(fails ? 'dead' : VERDICTS[(number % 18) + 1]!, {
        url: fails ? `https://a.test/${text}` : text,
        fragment: number % 2 === 0 ? text : null,
        fails,
        finalUrl: text,
        suggestion: text,
        remappedFrom: text,
        firstSeen: null,
        evidence: evidenceOf({
          why: text,
          chain: [{ url: text, status: 301 }],
          headers: { 'x-hostile': text },
          looks: [{ at: '2024-05-06T07:08:09.000Z', status: null, error: 'dns', message: text }],
        }),
        sources: [
          sourceOf({ page: `https://a.test/${text}`, href: text, text, selector: text }),
          sourceOf({ page: text, href: text, text, line: null, column: null, selector: null }),
        ],
        sourceCount: 14,
      }),
    ),
  );
  const report = reportOf(links, { truncated: HOSTILE[0]!, baseline: { new: 1, fixed: [...HOSTILE], known: 2 } });
  return { ...report, seeds: HOSTILE };
}
