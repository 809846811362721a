import { formatCount } from '../../base/figures.js';
import { DIFF_ASPECTS, type DiffAspect } from '../../config/option-spec.js';
import type { BeforeAfter, CrawlDiff, FindingChange, LinkChange, PageChange } from '../result.js';
import { ASPECT_WORDS, type Paint, plainText, summaryLine, TEXT_LENGTH, URL_LENGTH } from './words.js';

/** Of each sort so many are shown: the other formats have all. */
const SHOWN = 100;
const SHOWN_LINKS = 5;
/** Colour and sign. */
const MARKS = { added: ['green', '+'], removed: ['red', '-'], changed: ['yellow', '~'] } as const;
const FINDING_MARKS = { came: ['red', '!'], went: ['green', '✓'] } as const;
const LABEL_WIDTH = 13;

/** For people at a terminal: sort by sort, and below each changed page what has changed. No line begins with text from the net. */
export function* terminalDiff(diff: CrawlDiff, paint: Paint): Iterable<string> {
  const { counts, before, after } = diff;
  yield `${paint('dim', 'before')} ${plainText(before.directory, URL_LENGTH)} ${paint('dim', `(${before.startedAt.slice(0, 16).replace('T', ' ')} UTC)`)}\n`;
  yield `${paint('dim', 'after ')} ${plainText(after.directory, URL_LENGTH)} ${paint('dim', `(${after.startedAt.slice(0, 16).replace('T', ' ')} UTC)`)}\n`;
  for (const sort of ['added', 'removed', 'changed'] as const) {
    yield* list(`${sort} (${formatCount(counts[sort])})`, diff.changes(sort), counts[sort], paint, (change) =>
      pageLines(change, paint),
    );
  }
  yield* findingLists(diff, paint);
  yield '\n';
  for (const remark of diff.remarks) {
    yield `${paint('yellow', 'note:')} ${plainText(remark, URL_LENGTH)}\n`;
  }
  if (diff.ignored.length > 0) {
    yield `${paint('yellow', 'note:')} Not compared: ${diff.ignored.join(', ')}.\n`;
  }
  yield `${paint(diff.differs ? 'yellow' : 'green', `diff: ${summaryLine(diff)} → exit ${diff.differs ? 1 : 0}`)}\n`;
}

function* list<T>(
  heading: string,
  items: IterableIterator<T>,
  count: number,
  paint: Paint,
  linesOf: (item: T) => Iterable<string>,
): Iterable<string> {
  if (count === 0) {
    return;
  }
  yield `\n${paint('bold', heading)}\n`;
  let shown = 0;
  for (const item of items) {
    if (shown === SHOWN) {
      yield `  ${paint('dim', `and ${formatCount(count - SHOWN)} more (--format jsonl has all of them)`)}\n`;
      return;
    }
    shown++;
    yield* linesOf(item);
  }
}

/** What came and what went, each by rule, because the first hundred may all be of one. */
function* findingLists(diff: CrawlDiff, paint: Paint): Iterable<string> {
  const { byRule, findingsCame, findingsWent } = diff.counts;
  for (const [change, count] of [
    ['came', findingsCame],
    ['went', findingsWent],
  ] as const) {
    const rules = Object.entries(byRule).filter(([, counts]) => counts[change] > 0);
    const sums = rules.map(([rule, counts]) => `${rule} ${formatCount(counts[change])}`).join(', ');
    yield* list(
      `findings that ${change} (${formatCount(count)}: ${sums})`,
      diff.findings(change),
      count,
      paint,
      (finding) => findingLines(finding, paint),
    );
  }
}

function* findingLines({ change, rule, url, target, detail }: FindingChange, paint: Paint): Iterable<string> {
  const [color, sign] = FINDING_MARKS[change];
  const to = target === null ? '' : ` → ${plainText(target, URL_LENGTH)}`;
  const words =
    detail === null ? '' : ` ${paint('dim', `(${change === 'came' ? '' : 'was '}${plainText(detail, TEXT_LENGTH)})`)}`;
  yield `  ${paint(color, sign)} ${rule} ${plainText(url, URL_LENGTH)}${to}${words}\n`;
}

function* pageLines({ change, url, oldUrl, status, title, differences }: PageChange, paint: Paint): Iterable<string> {
  const about =
    change === 'changed'
      ? ''
      : ` ${paint('dim', [status, title === null ? '' : `“${plainText(title, TEXT_LENGTH)}”`].join(' ').trimEnd())}`;
  yield `  ${paint(MARKS[change][0], MARKS[change][1])} ${plainText(url, URL_LENGTH)}${about}\n`;
  if (oldUrl !== undefined) {
    yield `      ${paint('dim', 'was'.padEnd(LABEL_WIDTH))} ${plainText(oldUrl, URL_LENGTH)}\n`;
  }
  for (const aspect of DIFF_ASPECTS) {
    const difference = differences?.[aspect];
    if (difference !== undefined) {
      yield* aspectLines(aspect, difference, paint);
    }
  }
}

function* aspectLines(aspect: DiffAspect, difference: BeforeAfter | LinkChange, paint: Paint): Iterable<string> {
  const label = paint('dim', ASPECT_WORDS[aspect].padEnd(LABEL_WIDTH));
  if ('addedCount' in difference) {
    const { added, removed, addedCount, removedCount } = difference;
    yield `      ${label} ${formatCount(addedCount)} came, ${formatCount(removedCount)} went\n`;
    yield* linkLines(added, addedCount, paint('green', '+'), paint);
    yield* linkLines(removed, removedCount, paint('red', '-'), paint);
  } else if (aspect === 'content') {
    yield `      ${label} other bytes\n`;
  } else {
    yield `      ${label} ${quoted(difference.before)} → ${quoted(difference.after)}\n`;
  }
}

const quoted = (text: string | null): string => (text === null ? 'none' : `“${plainText(text, TEXT_LENGTH)}”`);

function* linkLines(urls: readonly string[], count: number, mark: string, paint: Paint): Iterable<string> {
  const indent = ' '.repeat(LABEL_WIDTH + 7);
  for (const url of urls.slice(0, SHOWN_LINKS)) {
    yield `${indent}${mark} ${plainText(url, URL_LENGTH)}\n`;
  }
  if (count > SHOWN_LINKS) {
    yield `${indent}${paint('dim', `and ${formatCount(count - SHOWN_LINKS)} more`)}\n`;
  }
}
