import type { OptionSpec } from './option-spec.js';

/** What a crawl keeps of pages beside their facts and links, and what it looks for on them. */
export const KEEP_OPTIONS = {
  keep: {
    flag: 'keep',
    type: 'enum',
    values: ['none', 'text', 'body'],
    default: 'none',
    group: 'Output',
    sentence:
      'Keep the text of pages, for `gossamer search`, or every answer as it came (body): then `gossamer docs` and `gossamer check` work on the directory without a network',
    advanced: false,
    resumable: false,
    commands: ['crawl'],
  },
  searches: {
    flag: 'search',
    type: 'list',
    item: 'text',
    default: [],
    check: checkSearch,
    placeholder: 'TEXT',
    group: 'Output',
    sentence: 'Say which pages show TEXT to a reader, in upper or lower case, or match re:EXPRESSION',
    advanced: false,
    resumable: false,
    commands: ['crawl'],
  },
} as const satisfies Record<string, OptionSpec>;

/** For commands whose crawls keep what they need themselves: the values, and where they come from. */
export const WITHOUT_KEEPING = {
  options: { keep: 'none', searches: [], format: 'jsonl', sitemapExtras: false },
  sources: { keep: 'default', searches: 'default', format: 'default', sitemapExtras: 'default' },
} as const;

function checkSearch(text: string): string | null {
  return text.replace(/^re:/, '').trim() === '' ? 'a text to look for, or re: and an expression' : null;
}
