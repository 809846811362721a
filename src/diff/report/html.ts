import { counted, formatCount } from '../../base/figures.js';
import { DIFF_ASPECTS } from '../../config/option-spec.js';
import { xmlText } from '../../report/output.js';
import { PAGE_STYLE } from '../../report/page-style.js';
import { embedded, policyOf } from '../../report/safe-page.js';
import type { BeforeAfter, ComparedCrawl, CrawlDiff, LinkChange, PageChange } from '../result.js';
import { DIFF_SCRIPT } from './html-script.js';
import { ASPECT_WORDS, plainText, summaryLine, TEXT_LENGTH, URL_LENGTH } from './words.js';

/** How many changes one HTML page can show and stay quick. The JSON formats hold all of them. */
const MOST_CHANGES = 50_000;

/** What a report of a check does not have. */
const STYLE = `${PAGE_STYLE}
.good.badge { background: var(--good-back); color: var(--good); }
summary > .badge { min-width: 88px; }
ins, del { text-decoration: none; border-radius: 3px; padding: 0 3px; overflow-wrap: anywhere; }
ins { background: var(--good-back); color: var(--good); }
del { background: var(--bad-back); color: var(--bad); }
ul.urls { list-style: none; margin: 0; padding: 0; }
ul.urls li { overflow-wrap: anywhere; }
ul.urls li::before { display: inline-block; width: 1.2em; font-weight: 700; }
ul.urls li.came::before { content: "+"; color: var(--good); }
ul.urls li.went::before { content: "−"; color: var(--bad); }
`;

/**
 * One file that asks nobody for anything, as the report of a check is: the changes stand in it as JSON, which the script turns into elements and
 * never into markup, and the policy lets no other script run.
 */
export function* htmlDiff(diff: CrawlDiff): Iterable<string> {
  yield headOf(diff);
  yield '<script type="application/json" id="changes">[\n';
  let written = 0;
  let leftOut = 0;
  for (const record of records(diff)) {
    if (written === MOST_CHANGES) {
      leftOut++;
      continue;
    }
    yield `${written === 0 ? '' : ',\n'}${embedded(record)}`;
    written++;
  }
  const facts = { aspects: DIFF_ASPECTS, words: ASPECT_WORDS, leftOut };
  yield `\n]</script>\n<script type="application/json" id="facts">${embedded(facts)}</script>\n`;
  yield `<script>${DIFF_SCRIPT}</script>\n</body>\n</html>\n`;
}

function* records(diff: CrawlDiff): Iterable<object> {
  for (const change of diff.changes()) {
    yield shortened(change);
  }
  for (const { change, rule, severity, url, target, detail } of diff.findings()) {
    yield {
      ...{ change, rule, severity, url: cut(url, URL_LENGTH) },
      ...{ target: target && cut(target, URL_LENGTH), detail: detail && cut(detail, TEXT_LENGTH) },
    };
  }
}

const POLICY = policyOf(STYLE, DIFF_SCRIPT);

function headOf(diff: CrawlDiff): string {
  const { before, after, counts, differs, ignored } = diff;
  const changes = counts.added + counts.removed + counts.changed;
  const state = !differs
    ? 'Nothing differs'
    : changes > 0
      ? counted(changes, 'page differs', 'pages differ')
      : `${counted(counts.findingsCame + counts.findingsWent, 'finding differs', 'findings differ')}`;
  const [seed = ''] = after.seeds;
  const site = `${plainText(seed, TEXT_LENGTH)}${after.seeds.length > 1 ? ` and ${formatCount(after.seeds.length - 1)} more` : ''}`;
  const remarks = [...diff.remarks, ...(ignored.length === 0 ? [] : [`Not compared: ${ignored.join(', ')}.`])];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${xmlText(`${state}: ${site}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="top">
<div class="state ${differs ? 'warn' : 'good'}"><span aria-hidden="true">${differs ? '≠' : '='}</span></div>
<div class="heading">
<h1>${state}</h1>
<p class="site"><bdi>${xmlText(site)}</bdi></p>
<p class="facts">${[crawlWords('Before', before), crawlWords('After', after)].map((fact) => `<span>${xmlText(fact)}</span>`).join('')}</p>
<p class="found">${xmlText(summaryLine(diff))}</p>
</div>
</header>
${remarks.map((remark) => `<p class="remark">${xmlText(remark)}</p>\n`).join('')}${CONTROLS}`;
}

const crawlWords = (name: string, { directory, startedAt, pages }: ComparedCrawl): string =>
  `${name}: ${plainText(directory.split(/[\\/]/).at(-1) ?? '', TEXT_LENGTH)}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${counted(pages, 'page', 'pages')}`;

const CONTROLS = `<noscript><p class="remark">The list of changes needs JavaScript, which is off here; the report in JSON does not.</p></noscript>
<section class="bar" aria-label="Filter">
<div class="row">
<input id="search" type="search" placeholder="Search URL, title, link… ( / )" aria-label="Search" autocomplete="off" spellcheck="false">
<div class="segments" role="group" aria-label="Which changes" id="sorts"></div>
</div>
<div class="chips" role="group" aria-label="What has changed" id="aspects"></div>
</section>
<main>
<p id="count" role="status" aria-live="polite"></p>
<ol id="list"></ol>
<nav class="pager" id="pager" aria-label="Pages of this list"></nav>
</main>
<footer>
<p><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next and previous <kbd>Enter</kbd> open <kbd>o</kbd> open all <kbd>n</kbd> <kbd>p</kbd> leaf through <kbd>Esc</kbd> clear</p>
</footer>
`;

/** The parts that people read, with long texts cut. */
function shortened({ change, url, oldUrl, status, title, differences = {} }: PageChange): object {
  return {
    ...{ change, status, url: cut(url, URL_LENGTH), oldUrl: oldUrl && cut(oldUrl, URL_LENGTH) },
    title: title && cut(title, TEXT_LENGTH),
    differences: Object.fromEntries(
      Object.entries(differences as Record<string, BeforeAfter | LinkChange>).map(([aspect, difference]) => [
        aspect,
        'addedCount' in difference
          ? { ...difference, added: difference.added.map(cutUrl), removed: difference.removed.map(cutUrl) }
          : {
              before: difference.before && cutUrl(difference.before),
              after: difference.after && cutUrl(difference.after),
            },
      ]),
    ),
  };
}

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;

const cutUrl = (text: string): string => cut(text, URL_LENGTH);
