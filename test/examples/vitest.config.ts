import { defineConfig } from 'vitest/config';

/** For the example of a test: who has the package in node_modules needs none of this. */
export default defineConfig({ test: { server: { deps: { external: [/\/dist\//] } } } });
