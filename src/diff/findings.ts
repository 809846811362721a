import type { DiffReader } from '../store/diff-reader.js';
import { compareBytes } from './order.js';
import type { FindingChange } from './result.js';

/** Something that is wrong in a crawl. Two of the same rule and URL are the same finding, whatever its words. */
export interface Finding {
  readonly rule: string;
  readonly url: string;
  readonly detail: string;
}

/**
 * All findings of a crawl, in the order of their rules and within each in that of the bytes of their URLs. This is the one place that says what
 * counts as a finding; whoever makes more of them yields them here.
 */
export function* findingsOf(crawl: DiffReader): IterableIterator<Finding> {
  for (const { url, reason, status } of crawl.failed()) {
    yield { rule: 'broken_link', url, detail: status === null ? reason : `${reason}, status ${status}` };
  }
}

/** Which of them came and which went, by one walk over both. */
export function* compareFindings(before: Iterator<Finding>, after: Iterator<Finding>): IterableIterator<FindingChange> {
  let [old, now] = [before.next(), after.next()];
  while (!old.done || !now.done) {
    const order = old.done ? 1 : now.done ? -1 : compareFindingPlaces(old.value, now.value);
    if (order < 0) {
      yield { change: 'went', ...old.value! };
    } else if (order > 0) {
      yield { change: 'came', ...now.value! };
    }
    if (order <= 0) {
      old = before.next();
    }
    if (order >= 0) {
      now = after.next();
    }
  }
}

const compareFindingPlaces = (a: Finding, b: Finding): number =>
  compareBytes(a.rule, b.rule) || compareBytes(a.url, b.url);
