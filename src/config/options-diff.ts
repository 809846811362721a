import { checkDiffParts, checkMapHost } from './checks.js';
import type { OptionSpec } from './option-spec.js';

const DIFF = ['diff'] as const;

/** What counts when two crawls are compared. */
export const DIFF_OPTIONS = {
  ignoredParts: {
    flag: 'ignore',
    configKey: 'ignoredParts',
    type: 'text',
    default: null,
    defaultText: 'none',
    check: checkDiffParts,
    placeholder: 'PART,…',
    group: 'Question',
    sentence:
      'What to leave out of the comparison: status, redirect, title, description, h1, canonical, robots, content, links, assets, findings',
    advanced: false,
    resumable: false,
    commands: DIFF,
    perRun: true,
  },
  mapHosts: {
    flag: 'map-host',
    type: 'list',
    item: 'text',
    default: [],
    splitsAtComma: true,
    check: checkMapHost,
    placeholder: 'OLD=NEW',
    group: 'Question',
    sentence: 'Treat the host OLD of the first crawl as the host NEW, such as staging.example.com=example.com',
    advanced: false,
    resumable: false,
    commands: DIFF,
    perRun: true,
  },
} as const satisfies Record<string, OptionSpec>;
