import { counted } from '../../base/figures.js';
import { markdownReport } from './markdown.js';
import type { CheckedLink, CheckReport, LinkSource } from './result.js';
import { VERDICT_HELP } from './verdict-help.js';
import {
  findings,
  formatElapsed,
  isCopy,
  isUrl,
  needsAttention,
  placeOf,
  plainText,
  reasonOf,
  remarks,
  tally,
  targetOf,
  URL_LENGTH,
} from './words.js';

/** GitHub shows ten of each kind a step and fifty a job; more would only fill the log. */
const MOST_OF_A_KIND = 50;
/** A file is annotated in every place where the link stands. A page on the web cannot be annotated, so its link is reported once. */
const MARKED_FILES = 10;

type Kind = 'error' | 'warning' | 'notice';

/** Workflow commands, which GitHub turns into annotations. */
export function* githubReport(report: CheckReport): Iterable<string> {
  const { summary } = report;
  for (const kind of ['error', 'warning'] as const) {
    let written = 0;
    let leftOut = 0;
    for (const link of report.links()) {
      if (needsAttention(link) && link.fails === (kind === 'error')) {
        for (const source of markedSources(link)) {
          if (written < MOST_OF_A_KIND) {
            yield annotation(kind, link, source);
            written++;
          } else {
            leftOut++;
          }
        }
      }
    }
    if (leftOut > 0) {
      yield command('notice', {}, `${counted(leftOut, `more ${kind} is`, `more ${kind}s are`)} in the other reports`);
    }
  }
  for (const remark of remarks(summary)) {
    yield command('notice', {}, remark);
  }
  yield `check: ${findings(summary, tally(report))} (${formatElapsed(summary.durationMs)}) → exit ${summary.exitCode}\n`;
}

/** What belongs into the file that $GITHUB_STEP_SUMMARY names. */
export const githubStepSummary = (report: CheckReport): string => [...markdownReport(report)].join('');

function markedSources({ sources }: CheckedLink): (LinkSource | null)[] {
  const files = sources.filter(({ page }) => !isUrl(page)).slice(0, MARKED_FILES);
  return files.length > 0 ? files : [sources[0] ?? null];
}

function annotation(kind: Kind, link: CheckedLink, source: LinkSource | null): string {
  const place =
    source === null || isUrl(source.page)
      ? {}
      : { file: plainText(source.page.replace(/^(?:\.\/+)+/, ''), URL_LENGTH), line: source.line, col: source.column };
  const where = source === null ? [] : [`on ${placeOf(source)}${more(link)}`];
  const message = [
    `${plainText(targetOf(link), URL_LENGTH)}`,
    reasonOf(link),
    ...where,
    ...(link.suggestion === null
      ? []
      : [`${isCopy(link) ? 'archived copy' : 'new'}: ${plainText(link.suggestion, URL_LENGTH)}`]),
    VERDICT_HELP[link.verdict].advice,
  ].join('\n');
  return command(kind, { ...place, title: `Link: ${link.verdict}` }, message);
}

const more = ({ sourceCount }: CheckedLink): string =>
  sourceCount > 1 ? ` and ${counted(sourceCount - 1, 'other place', 'other places')}` : '';

function command(kind: Kind, properties: Readonly<Record<string, string | number | null>>, message: string): string {
  const written = Object.entries(properties)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${propertyValue(String(value))}`)
    .join(',');
  return `::${kind}${written === '' ? '' : ` ${written}`}::${commandText(message)}\n`;
}

const commandText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const propertyValue = (text: string): string => commandText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
