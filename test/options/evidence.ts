import { ADD_EVIDENCE } from './evidence-add.js';
import { CACHE_EVIDENCE } from './evidence-cache.js';
import { CHECK_EVIDENCE } from './evidence-check.js';
import { CLUSTER_EVIDENCE } from './evidence-cluster.js';
import { CORPUS_EVIDENCE } from './evidence-corpus.js';
import { DASHBOARD_EVIDENCE } from './evidence-dashboard.js';
import { DOCS_EVIDENCE } from './evidence-docs.js';
import { FETCH_EVIDENCE, SLOW_FETCH_EVIDENCE } from './evidence-fetch.js';
import { GENERAL_EVIDENCE } from './evidence-general.js';
import { GRAPH_EVIDENCE } from './evidence-graph.js';
import { HOOK_EVIDENCE } from './evidence-hooks.js';
import { INPUT_EVIDENCE } from './evidence-input.js';
import { LAYER_EVIDENCE } from './evidence-layers.js';
import { MD_EVIDENCE } from './evidence-md.js';
import { NETWORK_EVIDENCE } from './evidence-network.js';
import { OUTPUT_EVIDENCE } from './evidence-output.js';
import { POLITENESS_EVIDENCE } from './evidence-politeness.js';
import { PRESET_EVIDENCE } from './evidence-presets.js';
import { PREVIEW_EVIDENCE } from './evidence-preview.js';
import { RENDER_EVIDENCE } from './evidence-render.js';
import { ROBOTS_EVIDENCE } from './evidence-robots.js';
import { SEEDING_EVIDENCE } from './evidence-seeding.js';
import { SINCE_EVIDENCE } from './evidence-since.js';
import { SPLIT_EVIDENCE } from './evidence-split.js';
import { TRAP_EVIDENCE } from './evidence-traps.js';
import { WATCH_EVIDENCE } from './evidence-watch.js';
import { type Row, withWalkers } from './harness.js';

/** For every option what shows, outside of the process, that it is not dead. */
export const EVIDENCE: readonly Row[] = withWalkers([
  ...PRESET_EVIDENCE,
  ...SLOW_FETCH_EVIDENCE,
  ...CHECK_EVIDENCE,
  ...DOCS_EVIDENCE,
  ...INPUT_EVIDENCE,
  ...SEEDING_EVIDENCE,
  ...TRAP_EVIDENCE,
  ...LAYER_EVIDENCE,
  ...POLITENESS_EVIDENCE,
  ...FETCH_EVIDENCE,
  ...HOOK_EVIDENCE,
  ...NETWORK_EVIDENCE,
  ...CACHE_EVIDENCE,
  ...SINCE_EVIDENCE,
  ...ADD_EVIDENCE,
  ...PREVIEW_EVIDENCE,
  ...ROBOTS_EVIDENCE,
  ...MD_EVIDENCE,
  ...CORPUS_EVIDENCE,
  ...GRAPH_EVIDENCE,
  ...SPLIT_EVIDENCE,
  ...CLUSTER_EVIDENCE,
  ...RENDER_EVIDENCE,
  ...OUTPUT_EVIDENCE,
  ...DASHBOARD_EVIDENCE,
  ...GENERAL_EVIDENCE,
  ...WATCH_EVIDENCE,
]);
