import { checkApiUrl } from './checks.js';
import type { OptionSpec } from './option-spec.js';
import { checkDocsSeeding, checkSeeding, SEEDING_VALUES } from './seeding.js';

const CRAWL = ['crawl', 'check', 'docs'] as const;

/** Where URLs come from besides links on pages. */
export const SEEDING_OPTIONS = {
  seedingStrategy: {
    flag: 'seeding-strategy',
    type: 'text',
    check: checkSeeding,
    checkFor: { docs: checkDocsSeeding },
    default: 'sitemap',
    defaultFor: { docs: 'auto' },
    defaultText: 'sitemap; docs auto: links are followed only where sitemaps yield nothing',
    boundsText: SEEDING_VALUES,
    placeholder: 'WAYS',
    group: 'Input and scope',
    sentence: 'Where URLs come from besides links on pages; ct and commoncrawl ask third parties',
    advanced: false,
    resumable: false,
    commands: CRAWL,
  },
  ctUrl: {
    flag: 'ct-url',
    type: 'text',
    check: checkApiUrl,
    default: 'https://crt.sh',
    placeholder: 'URL',
    group: 'Input and scope',
    sentence: 'Who is asked for names in the logs of certificates: crt.sh, or what answers like it',
    advanced: true,
    resumable: true,
    commands: CRAWL,
  },
  commoncrawlUrl: {
    flag: 'commoncrawl-url',
    type: 'text',
    check: checkApiUrl,
    default: 'https://index.commoncrawl.org',
    placeholder: 'URL',
    group: 'Input and scope',
    sentence: 'Who is asked for URLs that Common Crawl has: its index, or what answers like it',
    advanced: true,
    resumable: true,
    commands: CRAWL,
  },
  maxCtNames: {
    flag: 'max-ct-names',
    type: 'integer',
    min: 1,
    max: 1_000_000,
    default: 50_000,
    group: 'Limits',
    sentence: 'Names taken from the logs of certificates at most',
    advanced: true,
    resumable: true,
    commands: CRAWL,
  },
  maxCommoncrawlUrls: {
    flag: 'max-commoncrawl-urls',
    type: 'integer',
    min: 1,
    max: 1_000_000,
    default: 100_000,
    group: 'Limits',
    sentence: 'URLs taken from Common Crawl at most',
    advanced: true,
    resumable: true,
    commands: CRAWL,
  },
} as const satisfies Record<string, OptionSpec>;
