import { counted, formatCount } from '../../base/figures.js';
import { printable } from '../../base/text.js';
import type { DiffAspect } from '../../config/option-spec.js';
import type { CrawlDiff } from '../result.js';

/** As Terminal.paint does it, or the text as it is. */
export type Paint = (color: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

/** Longest text of a page, and longest URL, that a report for people shows. */
export const TEXT_LENGTH = 200;
export const URL_LENGTH = 2000;

/** Text from the net in a line that a CI system may read: `##[` and `##vso[` would be commands to it wherever they stand. */
export const plainText = (text: string, maxLength: number): string =>
  printable(text, maxLength).replace(/##(?=\w*\[)/g, '#\ufffd');

/** The whole answer in one line. */
export function summaryLine({ counts, differs }: CrawlDiff): string {
  const { added, removed, changed, unchanged, findingsCame, findingsWent } = counts;
  const findings =
    findingsCame + findingsWent === 0
      ? ''
      : `; ${counted(findingsCame, 'finding', 'findings')} came, ${formatCount(findingsWent)} went`;
  return differs
    ? `${formatCount(added)} added, ${formatCount(removed)} removed, ${formatCount(changed)} changed, ${formatCount(unchanged)} as before${findings}`
    : `nothing differs: ${counted(unchanged, 'page is', 'pages are')} as before`;
}

/** Names of aspects as people read them. */
export const ASPECT_WORDS: Readonly<Record<DiffAspect, string>> = {
  status: 'status',
  redirect: 'redirects to',
  title: 'title',
  description: 'description',
  h1: 'h1',
  canonical: 'canonical',
  robots: 'robots',
  content: 'content',
  links: 'links',
  assets: 'assets',
};
