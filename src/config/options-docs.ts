import type { OptionSpec } from './option-spec.js';

const DOCS = ['docs'] as const;

/** What a corpus is made like. */
export const DOCS_OPTIONS = {
  chunkTokens: {
    flag: 'chunk-tokens',
    type: 'integer',
    min: 64,
    max: 100_000,
    default: 512,
    group: 'Output',
    sentence: 'The most tokens that a piece in chunks.jsonl has',
    advanced: false,
    resumable: true,
    commands: DOCS,
  },
  render: {
    flag: 'render',
    type: 'enum',
    values: ['never', 'auto', 'always'],
    default: 'auto',
    group: 'Fetching',
    sentence:
      'Which pages a browser renders before they are read: those that are nearly empty without it, all, or none',
    advanced: false,
    resumable: true,
    commands: DOCS,
  },
} as const satisfies Record<string, OptionSpec>;
