import type { GossamerConfig } from './gossamer-config.js';

/** Gives an editor the names and types of a config file; the values come back as they are. */
export const defineConfig = (config: GossamerConfig): GossamerConfig => config;
