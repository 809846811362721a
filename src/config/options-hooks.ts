import { checkContentType } from './checks.js';
import type { OptionSpec } from './option-spec.js';

/** Functions of the user's that run inside a crawl. */
export const HOOK_OPTIONS = {
  hooks: {
    flag: 'hooks',
    type: 'path',
    default: null,
    defaultText: 'none',
    placeholder: 'FILE',
    group: 'Hooks',
    sentence: 'Your own module, in TypeScript or JavaScript, with functions that see requests, pages and links',
    advanced: false,
    resumable: true,
    commands: ['crawl'],
  },
  hookTimeoutMs: {
    flag: 'hook-timeout',
    type: 'duration',
    min: 100,
    max: 3_600_000,
    default: 10_000,
    group: 'Hooks',
    sentence: 'Time for one call of a hook; after that its page fails, and the thread is replaced',
    advanced: true,
    resumable: true,
    commands: ['crawl'],
  },
  onHookError: {
    flag: 'on-hook-error',
    type: 'enum',
    values: ['fail', 'stop'],
    default: 'fail',
    group: 'Hooks',
    sentence: 'What happens when a hook throws: its page fails, or the run stops',
    advanced: true,
    resumable: true,
    commands: ['crawl'],
  },
  contentTypes: {
    flag: 'content-types',
    type: 'list',
    item: 'text',
    default: [],
    splitsAtComma: true,
    check: checkContentType,
    placeholder: 'TYPE',
    group: 'Hooks',
    sentence:
      'Content types besides HTML that the page hook sees: application/json, text/plain, or text/* for all of them',
    advanced: true,
    resumable: true,
    commands: ['crawl'],
  },
} as const satisfies Record<string, OptionSpec>;

/** For commands whose crawls have no hooks and carry nothing over from an earlier one: the values, and where they come from. */
export const WITHOUT_HOOKS = {
  options: {
    hooks: null,
    hookTimeoutMs: HOOK_OPTIONS.hookTimeoutMs.default,
    onHookError: 'fail',
    contentTypes: [],
    since: null,
    maxAgeMs: null,
  },
  sources: {
    hooks: 'default',
    hookTimeoutMs: 'default',
    onHookError: 'default',
    contentTypes: 'default',
    since: 'default',
    maxAgeMs: 'default',
  },
} as const;
