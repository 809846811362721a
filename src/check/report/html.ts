import { counted, formatCount } from '../../base/figures.js';
import { xmlText } from '../../report/output.js';
import { PAGE_STYLE } from '../../report/page-style.js';
import { embedded, policyOf } from '../../report/safe-page.js';
import { PAGE_SCRIPT } from './html-script.js';
import { type CheckedLink, type CheckReport, type LinkSource, VERDICTS } from './result.js';
import { uncheckedTotal } from './unchecked.js';
import { VERDICT_HELP } from './verdict-help.js';
import {
  findings,
  formatElapsed,
  needsAttention,
  plainText,
  remarks,
  TEXT_LENGTH,
  tally,
  URL_LENGTH,
} from './words.js';

/** How many links one HTML page can show and stay quick. The JSON formats hold all of them. */
const MOST_LINKS = 50_000;
const MOST_SOURCES = 100;
const MOST_STEPS = 20;

/**
 * One file that asks nobody for anything. Findings stand in it as JSON, which the script turns into elements and never into markup; the
 * policy lets no other script run, and forbids the script to make markup from text.
 */
export function* htmlReport(report: CheckReport): Iterable<string> {
  yield headOf(report);
  yield '<script type="application/json" id="links">[\n';
  let written = 0;
  let leftOut = 0;
  for (const link of report.links()) {
    if (link.verdict === 'ok' && !link.fails) {
      continue;
    }
    if (written === MOST_LINKS) {
      leftOut++;
      continue;
    }
    yield `${written === 0 ? '' : ',\n'}${embedded(shortened(link))}`;
    written++;
  }
  yield `\n]</script>\n<script type="application/json" id="facts">${embedded({ verdicts: VERDICTS, help: VERDICT_HELP, leftOut })}</script>\n`;
  yield `<script>${PAGE_SCRIPT}</script>\n</body>\n</html>\n`;
}

const POLICY = policyOf(PAGE_STYLE, PAGE_SCRIPT);

function headOf(report: CheckReport): string {
  const { summary, seeds, startedAt } = report;
  const tallies = tally(report);
  const [seed = ''] = seeds;
  const site = `${plainText(seed, TEXT_LENGTH)}${seeds.length > 1 ? ` and ${formatCount(seeds.length - 1)} more` : ''}`;
  const unseen = uncheckedTotal(summary.unchecked);
  const [look, mark, state] =
    summary.failing > 0
      ? ['bad', '✗', counted(summary.failing, 'link fails', 'links fail')]
      : unseen > 0
        ? ['warn', '!', `Nothing fails, ${formatCount(unseen)} not looked at`]
        : ['good', '✓', 'Nothing fails'];
  const facts = [
    counted(summary.pages, 'page', 'pages'),
    counted(summary.links, 'link', 'links'),
    formatElapsed(summary.durationMs),
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${xmlText(`${state}: ${site}`)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header class="top">
<div class="state ${look}"><span aria-hidden="true">${mark}</span></div>
<div class="heading">
<h1>${state}</h1>
<p class="site"><bdi>${xmlText(site)}</bdi></p>
<p class="facts">${facts.map((fact) => `<span>${xmlText(fact)}</span>`).join('')}</p>
<p class="found">${xmlText(findings(summary, tallies))}</p>
</div>
</header>
${remarks(summary)
  .map((remark) => `<p class="remark">${xmlText(remark)}</p>\n`)
  .join('')}${CONTROLS}`;
}

const CONTROLS = `<noscript><p class="remark">The list of links needs JavaScript, which is off here; the report in JSON or CSV does not.</p></noscript>
<section class="bar" aria-label="Filter">
<div class="row">
<input id="search" type="search" placeholder="Search URL, page, text… ( / )" aria-label="Search" autocomplete="off" spellcheck="false">
<div class="segments" role="group" aria-label="Which links" id="scope"></div>
<label>Group by <select id="by"><option value="target">link</option><option value="page">page</option></select></label>
<label>Sort by <select id="sort"></select></label>
</div>
<div class="chips" role="group" aria-label="Verdicts" id="verdicts"></div>
</section>
<main>
<p id="count" role="status" aria-live="polite"></p>
<ol id="list"></ol>
<nav class="pager" id="pager" aria-label="Pages of this list"></nav>
</main>
<footer>
<p><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next and previous <kbd>Enter</kbd> open <kbd>o</kbd> open all <kbd>g</kbd> group by link or page <kbd>n</kbd> <kbd>p</kbd> leaf through <kbd>Esc</kbd> clear</p>
</footer>
`;

/** The parts of a link that people read, with long texts and lists cut. `sourceCount` tells how many sources there were. */
function shortened(link: CheckedLink): object {
  const { url, fragment, verdict, fails, external, status, finalUrl, suggestion, firstSeen, evidence } = link;
  return {
    url: cut(url, URL_LENGTH),
    fragment: fragment && cut(fragment, TEXT_LENGTH),
    verdict,
    fails,
    attention: needsAttention(link),
    external,
    status,
    finalUrl: finalUrl && cut(finalUrl, URL_LENGTH),
    suggestion: suggestion && cut(suggestion, URL_LENGTH),
    firstSeen,
    why: cut(evidence.why, URL_LENGTH),
    chain: evidence.chain.slice(0, MOST_STEPS).map((step) => ({ ...step, url: cut(step.url, URL_LENGTH) })),
    headers: Object.entries(evidence.headers)
      .slice(0, MOST_STEPS)
      .map(([name, value]) => [cut(name, TEXT_LENGTH), cut(value, TEXT_LENGTH)]),
    looks: evidence.looks
      .slice(0, MOST_STEPS)
      .map((look) => ({ ...look, message: look.message && cut(look.message, URL_LENGTH) })),
    sourceCount: link.sourceCount,
    sources: link.sources.slice(0, MOST_SOURCES).map(shortenedSource),
  };
}

const shortenedSource = ({ page, kind, href, text, line, column, selector }: LinkSource): object => ({
  page: cut(page, URL_LENGTH),
  kind,
  href: cut(href, URL_LENGTH),
  text: cut(text, TEXT_LENGTH),
  line,
  column,
  selector: selector && cut(selector, TEXT_LENGTH),
});

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
