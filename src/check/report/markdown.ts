import { counted, formatCount } from '../../base/figures.js';
import type { CheckedLink, CheckReport, LinkSource, Verdict } from './result.js';
import { uncheckedTotal } from './unchecked.js';
import { VERDICT_HELP } from './verdict-help.js';
import {
  findings,
  formatElapsed,
  isCopy,
  needsAttention,
  plainText,
  reasonOf,
  remarks,
  type Tally,
  TEXT_LENGTH,
  tally,
  targetOf,
} from './words.js';

/** A comment on GitHub holds 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const SHOWN_SOURCES = 10;
/** Shorter than elsewhere: a comment is soon full. */
const SHORT_URL_LENGTH = 500;

/** For a comment on a pull request: a table, and below it what fails. It ends where a comment would be full, and says so. */
export function* markdownReport(report: CheckReport): Iterable<string> {
  const tallies = tally(report);
  const head = headOf(report, tallies);
  yield head;
  let room = MOST_CHARACTERS - head.length;
  for (const { title, links, block } of SECTIONS) {
    let shown = 0;
    let leftOut = 0;
    for (const link of report.links()) {
      if (!links(link)) {
        continue;
      }
      const text = leftOut > 0 ? null : `${shown === 0 ? `\n### ${title}\n\n` : ''}${block(link)}`;
      if (text === null || text.length > room) {
        leftOut++;
        continue;
      }
      shown++;
      room -= text.length;
      yield text;
    }
    if (leftOut > 0) {
      yield `\n${counted(leftOut, `more link (${title.toLowerCase()}) does`, `more links (${title.toLowerCase()}) do`)} not fit in here.\n`;
    }
  }
}

const SECTIONS: readonly { title: string; links(link: CheckedLink): boolean; block(link: CheckedLink): string }[] = [
  { title: 'Failing', links: ({ fails }) => fails, block: detailsOf },
  { title: 'To be looked at', links: (link) => !link.fails && needsAttention(link), block: itemOf },
];

function headOf(report: CheckReport, tallies: ReadonlyMap<Verdict, Tally>): string {
  const { summary } = report;
  const unseen = uncheckedTotal(summary.unchecked);
  const failing = summary.failing === 0 ? 'nothing fails' : counted(summary.failing, 'link fails', 'links fail');
  const state = unseen === 0 ? failing : `${failing}, ${formatCount(unseen)} not looked at`;
  const rows = [...tallies].map(([verdict, { links, failing }]) => {
    const mark = failing > 0 ? '❌' : VERDICT_HELP[verdict].weight === 'attention' ? '⚠️' : '';
    return `| ${mark} | ${verdict.replaceAll('_', '\\_')} | ${formatCount(links)} | ${formatCount(failing)} |`;
  });
  return [
    `## Link check: ${state}`,
    '',
    `${findings(summary, tallies)}, read from ${counted(summary.pages, 'page', 'pages')} in ${formatElapsed(summary.durationMs)}.`,
    ...remarks(summary).map((remark) => `\n> ${escaped(remark)}`),
    '',
    '| | verdict | links | failing |',
    '|---|---|---:|---:|',
    ...rows,
    '',
  ].join('\n');
}

function detailsOf(link: CheckedLink): string {
  const shown = link.sources.slice(0, SHOWN_SOURCES);
  const rest = link.sourceCount - shown.length;
  return [
    `<details><summary>${link.verdict} <code>${htmlText(plainText(targetOf(link), SHORT_URL_LENGTH))}</code>, in ${counted(link.sourceCount, 'place', 'places')}</summary>`,
    '',
    `${linked(targetOf(link))}: ${code(reasonOf(link))}. ${VERDICT_HELP[link.verdict].advice}`,
    ...(link.suggestion === null ? [] : ['', `${isCopy(link) ? 'Archived copy' : 'New'}: ${linked(link.suggestion)}`]),
    '',
    ...shown.map((source) => `- ${sourceOf(source)}`),
    ...(rest > 0 ? [`- and ${formatCount(rest)} more`] : []),
    '',
    '</details>',
    '',
  ].join('\n');
}

function itemOf(link: CheckedLink): string {
  const places = counted(link.sourceCount, 'place', 'places');
  return `- ${link.verdict.replaceAll('_', '\\_')}: ${linked(targetOf(link))}, in ${places}: ${code(reasonOf(link))}\n`;
}

function sourceOf({ page, line, column, text }: LinkSource): string {
  const position = line === null ? '' : ` ${line}${column === null ? '' : `:${column}`}`;
  return `${linked(page)}${position}${text === '' ? '' : ` ${code(plainText(text, TEXT_LENGTH))}`}`;
}

/** Text from the net stands in code only: there is no markup, no mention of a user and no reference to an issue in code. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return text === '' ? '' : `${fence}${/^[ `]|[ `]$/.test(text) ? ` ${text} ` : text}${fence}`;
}

/** A URL that is too long to be shown, or holds what cannot be shown, would lead elsewhere: it is no link then. */
function linked(url: string): string {
  const shown = plainText(url, SHORT_URL_LENGTH);
  return shown === url && /^https?:\/\//i.test(url) ? `[${code(shown)}](<${destination(url)}>)` : code(shown);
}

const destination = (url: string): string =>
  url.replace(/[<>\\]/g, (character) => encodeURIComponent(character)).replaceAll('&', '&amp;');

const htmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>()#|@~]/g, '\\$&');
