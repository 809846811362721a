import type { CheckReport } from './result.js';

/** As Terminal.paint does it, or the text as it is. */
export type Paint = (color: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

/** Only the report for terminals looks at them. */
export interface ReportOptions {
  readonly paint: Paint;
  /** All links, not only those that fail or need attention. */
  readonly verbose: boolean;
}

/** One report as pieces of text. Nothing is held: a report may be of a hundred thousand links. */
export type ReportWriter = (report: CheckReport, options: ReportOptions) => Iterable<string>;
