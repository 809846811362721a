import { printable } from '../base/text.js';
import type { SourceEnd } from '../seeding/source.js';
import type { Taken } from './seeding-ledger.js';
import type { Question } from './seeding-questions.js';

const MOST_NAMED = 3;

/** Whom the crawl asks, and about what. */
export function announcement(hosts: string[], about: string[]): string {
  const named = about.slice(0, MOST_NAMED).map((name) => printable(name));
  const more = about.length - named.length;
  return `asks ${hosts.join(' and ')} about ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What a third party told about one question. */
export function told(host: string, { source, about }: Question, taken: Taken, { cut }: SourceEnd): string {
  const names = source === 'ct';
  const what = counted(taken.found, names ? 'name' : 'capture');
  const addresses = names ? `, ${taken.withAddress.toLocaleString('en-US')} with an address` : '';
  const ends = {
    limit: `; ${names ? '--max-ct-names' : '--max-commoncrawl-urls'} is reached`,
    'too large': '; the answer was too large to be read to its end',
    'broken off': '; the answer broke off',
  };
  const end = cut === null ? '' : ends[cut];
  return `${host} about ${printable(about)}: ${what}, ${taken.inScope.toLocaleString('en-US')} in scope${addresses}${end}`;
}

const counted = (number: number, one: string): string =>
  `${number.toLocaleString('en-US')} ${one}${number === 1 ? '' : 's'}`;
