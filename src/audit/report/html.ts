import { counted, formatCount } from '../../base/figures.js';
import { xmlText } from '../../report/output.js';
import { PAGE_STYLE } from '../../report/page-style.js';
import { embedded, policyOf } from '../../report/safe-page.js';
import { AUDIT_SCRIPT } from './html-script.js';
import type { AuditFinding, AuditPlace, AuditReport, AuditSummary } from './result.js';
import { SEVERITIES, type Severity } from './rules.js';
import { plainText, TEXT_LENGTH, URL_LENGTH } from './writer.js';

/** How many places one page can show and stay quick, of a rule and of all. JSON and CSV hold all of them. */
const MOST_OF_RULE = 1_000;
const MOST_PLACES = 30_000;

/**
 * One file that asks nobody for anything. Findings stand in it as JSON, which the script turns into elements and never into markup; the policy
 * lets no other script run, and forbids the script to make markup from text.
 */
export function* htmlAudit(report: AuditReport): Iterable<string> {
  yield headOf(report.summary, report.findings);
  yield '<script type="application/json" id="findings">[\n';
  let room = MOST_PLACES;
  for (const [place, finding] of report.findings.entries()) {
    yield `${place === 0 ? '' : ',\n'}{"finding":${embedded(finding)},"places":[`;
    let shown = 0;
    // What is left of the room is for all findings that are to come: one without a place could not be shown.
    const share = Math.floor(room / (report.findings.length - place));
    for (const each of report.places(finding.rule, 0, Math.min(MOST_OF_RULE, share))) {
      yield `${shown === 0 ? '' : ','}\n${embedded(shortened(each))}`;
      shown++;
    }
    room -= shown;
    yield ']}';
  }
  yield '\n]</script>\n';
  yield `<script type="application/json" id="rest">${embedded({ gaps: report.gaps, passed: report.passed.map(({ id, title }) => ({ id, title })) })}</script>\n`;
  yield `<script>${AUDIT_SCRIPT}</script>\n</body>\n</html>\n`;
}

const cut = (text: string | null, most: number): string | null =>
  text !== null && text.length > most ? `${text.slice(0, most - 1)}…` : text;

const shortened = ({ url, target, detail, text, times }: AuditPlace): AuditPlace => ({
  url: cut(url, URL_LENGTH)!,
  target: cut(target, URL_LENGTH),
  detail: cut(detail, URL_LENGTH),
  text: cut(text, TEXT_LENGTH),
  times,
});

const STYLE = `${PAGE_STYLE}
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 16px; padding: 0; list-style: none; }
.tiles li { flex: 1 1 150px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.tiles b { display: block; font-size: 26px; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--quiet); font-size: 14px; }
.tiles .bad b { color: var(--bad); } .tiles .warn b { color: var(--warn); } .tiles .note b { color: var(--note); }
summary > .badge { min-width: 84px; }
summary .url { white-space: normal; }
.body .why { margin-bottom: 4px; }
td.page, th.page { width: 36%; } td.what, th.what { width: 16%; } td.said, th.said { width: 16%; } td.times, th.times { width: 64px; text-align: right; }
h2 { margin: 28px 0 8px; font-size: 17px; }
.gaps { margin: 0; padding-left: 20px; } .gaps li { margin: 2px 0; } .gaps .id, .passed .id { color: var(--quiet); font-size: 13px; }
.passed { color: var(--quiet); }
.more { margin: 8px 0 0; }
@media (max-width: 640px) { td.page, td.what, td.said, td.times { width: auto; text-align: left; } td:empty { display: none; } .tiles li { flex-basis: 40%; } }
`;

const POLICY = policyOf(STYLE, AUDIT_SCRIPT);

const LOOKS = { error: 'bad', warning: 'warn', notice: 'note' } as const satisfies Record<Severity, string>;

function headOf(summary: AuditSummary, findings: readonly AuditFinding[]): string {
  const { seeds, pages, indexable, rules, places, failing } = summary;
  const [seed = ''] = seeds;
  const site = `${plainText(seed, TEXT_LENGTH)}${seeds.length > 1 ? ` and ${formatCount(seeds.length - 1)} more` : ''}`;
  const [look, mark, state] =
    failing > 0
      ? ['bad', '✗', counted(failing, 'finding fails', 'findings fail')]
      : places.error > 0
        ? ['bad', '✗', `${counted(places.error, 'error')} to mend`]
        : findings.length > 0
          ? ['warn', '!', counted(findings.length, 'kind of finding', 'kinds of findings')]
          : rules.unanswered > 0
            ? ['warn', '!', 'Nothing found, not all rules answered']
            : ['good', '✓', 'Nothing found'];
  const facts = [
    counted(pages, 'page'),
    `${formatCount(indexable)} for search engines`,
    counted(rules.checked, 'rule'),
    ...(rules.unanswered > 0 ? [`${formatCount(rules.unanswered)} not answered`] : []),
  ];
  const tiles = SEVERITIES.map((severity) => {
    const kinds = findings.filter((finding) => finding.severity === severity).length;
    return `<li class="${LOOKS[severity]}"><b>${formatCount(places[severity])}</b><span>${places[severity] === 1 ? severity : `${severity}s`}, ${counted(kinds, 'kind')}</span></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${xmlText(`Audit: ${site}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="top">
<div class="state ${look}"><span aria-hidden="true">${mark}</span></div>
<div class="heading">
<h1>${xmlText(state)}</h1>
<p class="site"><bdi>${xmlText(site)}</bdi></p>
<p class="facts">${facts.map((fact) => `<span>${xmlText(fact)}</span>`).join('')}</p>
</div>
</header>
<ul class="tiles">${tiles.join('')}</ul>
${summary.remarks.map((remark) => `<p class="remark">${xmlText(remark)}</p>\n`).join('')}<noscript><p class="remark">The list of findings needs JavaScript, which is off here; the report in JSON or CSV does not.</p></noscript>
<section class="bar" aria-label="Filter">
<div class="row">
<input id="search" type="search" placeholder="Search page, target, text… ( / )" aria-label="Search" autocomplete="off" spellcheck="false">
<div class="segments" role="group" aria-label="Severity" id="severities"></div>
</div>
</section>
<main>
<p id="count" role="status" aria-live="polite"></p>
<ol id="list"></ol>
<section id="gaps"></section>
<section id="passed"></section>
</main>
<footer>
<p><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next and previous <kbd>Enter</kbd> open <kbd>o</kbd> open all <kbd>Esc</kbd> clear</p>
</footer>
`;
}
