import { jsonLine } from '../../report/output.js';
import type { CrawlDiff } from '../result.js';

const aboutOf = ({ before, after, ignored, remarks, counts, differs }: CrawlDiff) => ({
  ...{ before, after, ignored, remarks, counts, differs },
});

/** One document: what was compared and how much differs, then every page and every finding. */
export function* jsonDiff(diff: CrawlDiff): Iterable<string> {
  const about = jsonLine(aboutOf(diff)).trimEnd();
  yield `${about.slice(0, -1)},"pages":[`;
  yield* items(diff.changes());
  yield '],"findings":[';
  yield* items(diff.findings());
  yield ']}\n';
}

/** A line for each page and finding, and at the end one that sums up. */
export function* jsonlDiff(diff: CrawlDiff): Iterable<string> {
  for (const change of diff.changes()) {
    yield jsonLine({ type: 'page', ...change });
  }
  for (const finding of diff.findings()) {
    yield jsonLine({ type: 'finding', ...finding });
  }
  yield jsonLine({ type: 'summary', ...aboutOf(diff) });
}

function* items(records: Iterable<object>): Iterable<string> {
  let isFirst = true;
  for (const record of records) {
    yield `${isFirst ? '\n' : ',\n'}${jsonLine(record).trimEnd()}`;
    isFirst = false;
  }
  yield isFirst ? '' : '\n';
}
