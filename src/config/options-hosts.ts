import type { OptionSpec } from './option-spec.js';

/** What holds for some hosts only. Its entries are read by host-entries.ts. */
export const HOST_OPTIONS = {
  hosts: {
    flag: 'host',
    configKey: 'hosts',
    type: 'list',
    item: 'host',
    default: [],
    placeholder: 'ENTRY',
    group: 'Politeness',
    sentence:
      "Settings for the hosts that match, 'PATTERN delay=5s max-inflight=2 …': delay, max-inflight, max-urls, depth, header, user-agent, proxy, timeout, render, include, exclude. The first entry that matches and has the setting counts",
    advanced: false,
    resumable: true,
    commands: ['crawl', 'check', 'docs', 'preview'],
    secret: true,
  },
} as const satisfies Record<string, OptionSpec>;
