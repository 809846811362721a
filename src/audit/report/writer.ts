import { formatCount } from '../../base/figures.js';
import { printable } from '../../base/text.js';
import type { AuditFinding, AuditPlace, AuditReport } from './result.js';

/** As Terminal.paint does it, or the text as it is. */
export type AuditPaint = (color: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

export interface AuditReportOptions {
  readonly paint: AuditPaint;
}

/** One report as pieces of text. Nothing is held: an audit may have a million places. */
export type AuditReportWriter = (report: AuditReport, options: AuditReportOptions) => Iterable<string>;

export const TEXT_LENGTH = 200;
export const URL_LENGTH = 2_000;

/** Text from the net in a line for people, or for a CI system, to which `##[` would be a command. */
export const plainText = (text: string, most: number): string =>
  printable(text, most).replace(/##(?=\w*\[)/g, '#\ufffd');

/** `404 https://a.test/gone, “text”, 3 times`. */
export function placeWords({ target, detail, text, times }: AuditPlace): string {
  return [
    target === null || detail?.includes(target) ? null : plainText(target, URL_LENGTH),
    detail === null ? null : plainText(detail, URL_LENGTH),
    text === null ? null : `“${plainText(text, TEXT_LENGTH)}”`,
    times > 1 ? `${formatCount(times)} times` : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** The first of the findings, and how many are left. */
export function* firstPlaces(report: AuditReport, { rule }: AuditFinding, most: number): IterableIterator<AuditPlace> {
  yield* report.places(rule, 0, most);
}
