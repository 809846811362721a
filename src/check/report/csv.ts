import { csvRow } from '../../report/output.js';
import type { CheckedLink, CheckReport, LinkSource } from './result.js';

const COLUMNS = [
  ...['url', 'fragment', 'verdict', 'fails', 'status', 'finalUrl'],
  ...['page', 'line', 'column', 'text', 'href', 'unchecked', 'suggestion', 'remappedFrom'],
];

/** What a cell of the usual spreadsheet can hold is 32,767 characters. */
const CELL_LENGTH = 32_000;

/** For a spreadsheet: a row for each place where a link stands; one without a place where none is listed. */
export function* csvReport(report: CheckReport): Iterable<string> {
  yield csvRow(COLUMNS);
  for (const link of report.links()) {
    for (const source of link.sources.length === 0 ? [null] : link.sources) {
      yield csvRow(cellsOf(link, source).map((cell) => (typeof cell === 'string' ? cut(cell) : cell)));
    }
  }
}

function cellsOf(link: CheckedLink, source: LinkSource | null): (string | number | boolean | null)[] {
  const { url, fragment, verdict, fails, status, finalUrl, unchecked, suggestion, remappedFrom } = link;
  const { page = null, line = null, column = null, text = null, href = null } = source ?? {};
  return [
    url,
    fragment,
    verdict,
    fails,
    status,
    finalUrl,
    page,
    line,
    column,
    text,
    href,
    unchecked,
    suggestion,
    remappedFrom,
  ];
}

const cut = (text: string): string => (text.length > CELL_LENGTH ? `${text.slice(0, CELL_LENGTH - 1)}…` : text);
