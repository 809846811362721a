import type { FieldOf, PageFields, ResultValue } from './page-fields.js';

/** One URL and what became of it: a line of pages.jsonl. The package has it written out, with a sentence at each field (scripts/build.js). */
export type PageResult = { [Name in FieldOf<'kept'>]: ResultValue<PageFields[Name]> };

/**
 * A URL and what became of it, as an iteration gives it. What only the end of a crawl can tell is not in it: the first parent, and where
 * a chain of redirects ends (or that it never does). A kept crawl has both, see `readCrawl`.
 */
export type CrawledPage = { [Name in FieldOf<'live'>]: ResultValue<PageFields[Name]> };
