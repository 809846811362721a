import type { OptionSpec } from './option-spec.js';

const SERVE = ['serve'] as const;

/** How a run is watched from a browser. */
export const DASHBOARD_OPTIONS = {
  dashboard: {
    flag: 'dashboard',
    type: 'integer',
    min: 0,
    max: 65_535,
    default: null,
    defaultText: 'no dashboard; without a port, or with 0, any port that is free',
    bare: '0',
    placeholder: 'PORT',
    group: 'Watching',
    sentence: 'Show the run in a browser on this machine, where you can pause and change it',
    advanced: false,
    resumable: true,
    commands: ['crawl', 'check', 'docs'],
    perRun: true,
  },
  port: {
    flag: 'port',
    type: 'integer',
    min: 0,
    max: 65_535,
    default: 0,
    defaultText: '0, any that is free',
    placeholder: 'PORT',
    group: 'Watching',
    sentence: 'The port to listen on',
    advanced: false,
    resumable: false,
    commands: SERVE,
    perRun: true,
  },
  address: {
    flag: 'address',
    type: 'text',
    default: '127.0.0.1',
    placeholder: 'ADDRESS',
    group: 'Watching',
    sentence:
      'The address to listen on; on other addresses than those of this machine, only the printed URL with its token gets answers',
    advanced: false,
    resumable: false,
    commands: SERVE,
    perRun: true,
  },
} as const satisfies Record<string, OptionSpec>;
