import { formatCount } from '../../base/figures.js';
import type { AuditFinding, AuditPlace, AuditReport } from './result.js';
import type { Severity } from './rules.js';
import { sumOf } from './terminal.js';
import { plainText, TEXT_LENGTH } from './writer.js';

/** A comment on GitHub holds 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const SHOWN = 10;
const SHORT_URL_LENGTH = 500;
const MARKS = { error: '❌', warning: '⚠️', notice: 'ℹ️' } as const satisfies Record<Severity, string>;

/** For a comment or a page of a wiki: a table, and below it the first places of each finding. It ends where a comment would be full, and says so. */
export function* markdownAudit(report: AuditReport): Iterable<string> {
  const { summary, findings, gaps } = report;
  const [seed = ''] = summary.seeds;
  const head = [
    `## Audit of ${linked(seed)}`,
    '',
    `${sumOf(summary)}.`,
    ...summary.remarks.map((remark) => `\n> ${escaped(remark)}`),
    '',
    '| | finding | places | rule |',
    '|---|---|---:|---|',
    ...findings.map(
      ({ severity, title, count, rule, fails }) =>
        `| ${MARKS[severity]} | ${escaped(title)}${fails ? ' (fails)' : ''} | ${formatCount(count)} | \`${rule}\` |`,
    ),
    ...gaps.map(({ title, reason, rule }) => `| ❔ | ${escaped(title)}: ${escaped(reason)} | | \`${rule}\` |`),
    '',
  ].join('\n');
  yield head;
  let room = MOST_CHARACTERS - head.length;
  let leftOut = 0;
  for (const finding of findings) {
    const text = blockOf(report, finding);
    if (leftOut > 0 || text.length > room) {
      leftOut++;
      continue;
    }
    room -= text.length;
    yield text;
  }
  if (leftOut > 0) {
    yield `\nThe places of ${formatCount(leftOut)} more findings do not fit in here.\n`;
  }
}

function blockOf(report: AuditReport, { rule, title, why, advice, count, counted }: AuditFinding): string {
  const places = [...report.places(rule, 0, SHOWN)].map((place) => `- ${itemOf(place)}`);
  return [
    `\n<details><summary>${title}: ${counted}</summary>`,
    '',
    `${escaped(why)} ${escaped(advice)}`,
    '',
    ...places,
    ...(count > SHOWN ? [`- and ${formatCount(count - SHOWN)} more`] : []),
    '',
    '</details>',
    '',
  ].join('\n');
}

function itemOf({ url, target, detail, text, times }: AuditPlace): string {
  const parts = [
    linked(url),
    target === null || detail?.includes(target) ? null : `→ ${linked(target)}`,
    detail === null ? null : code(plainText(detail, SHORT_URL_LENGTH)),
    text === null ? null : code(plainText(text, TEXT_LENGTH)),
    times > 1 ? `${formatCount(times)} times` : null,
  ];
  return parts.filter((part) => part !== null).join(' ');
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

const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>()#|@~]/g, '\\$&');
