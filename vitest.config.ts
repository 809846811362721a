import { defineConfig } from 'vitest/config';

/** The ending of a file says which tests it holds. */
const WHOLE = 'test/**/*.whole.test.ts';

const EVERY = { testTimeout: 120_000, hookTimeout: 180_000 };
/** Libraries as their users have them: what some have for developers (the condition `development`) checks itself at every step. */
const ssr = { resolve: { conditions: ['node'] } };

export default defineConfig({
  test: {
    // Tests of the whole program wait more than they work: for delays, backoff and processes of their own.
    maxWorkers: 3,
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
          // What is built is loaded as node loads it.
          server: { deps: { external: [/\/dist\//] } },
        },
      },
    ],
  },
});
