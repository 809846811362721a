import { defineConfig } from 'vitest/config';

/** Their tests leave nothing behind in the process, so they share a few: a process a file would cost more than most of the files. */
const UNITS = 'bench config content corpus fetch frontier hosts kernel parse report store url'
  .split(' ')
  .map((folder) => `test/${folder}/**/*.test.ts`);
/** What a test replaces must not have been loaded by another one. */
const ALONE = 'test/fetch/resolver-shortage.test.ts';

const EVERY = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  pool: 'forks' as const,
  // What is built is loaded as node loads it.
  server: { deps: { external: [/\/dist\//] } },
};

export default defineConfig({
  test: {
    // End-to-end tests wait more than they work: for delays, backoff and processes of their own.
    maxWorkers: 3,
    projects: [
      { test: { ...EVERY, name: 'runs', include: ['test/**/*.test.ts'], exclude: UNITS } },
      { test: { ...EVERY, name: 'alone', include: [ALONE] } },
      { test: { ...EVERY, name: 'units', include: UNITS, exclude: [ALONE], isolate: false } },
    ],
  },
});
