import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // End-to-end tests wait more than they work: for delays, backoff and processes of their own.
    maxWorkers: 3,
    // What is built is loaded as node loads it.
    server: { deps: { external: [/\/dist\//] } },
  },
});
