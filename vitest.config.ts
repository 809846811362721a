import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';

/** The ending of a file says which tests it holds. */
const WHOLE = 'test/**/*.whole.test.ts';

const EVERY = { testTimeout: 120_000, hookTimeout: 180_000 };
/** Libraries as their users have them: what some have for developers (the condition `development`) checks itself at every step. */
const ssr = { resolve: { conditions: ['node'] } };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ssr,
        test: {
          ...EVERY,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [WHOLE],
          // They stay within their thread and leave nothing behind in it (the setup file holds them to that), so they share a few.
          pool: 'threads',
          isolate: false,
          // Each thread loads all modules anew, and a third has no core to work on.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          setupFiles: ['test/unit-setup.ts'],
        },
      },
      {
        ssr,
        test: {
          ...EVERY,
          name: 'whole',
          include: [WHOLE],
          pool: 'forks',
          // They wait for delays, backoff and processes of their own. With more at once on two cores, what goes by the clock
          // (the governor, time-outs of hooks) meets a machine that is too busy.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          // What is built is loaded as node loads it.
          server: { deps: { external: [/\/dist\//] } },
        },
      },
    ],
  },
});
