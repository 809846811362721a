import { INPUT_EVIDENCE } from './evidence-input.js';
import { LAYER_EVIDENCE } from './evidence-layers.js';
import { POLITENESS_EVIDENCE } from './evidence-politeness.js';
import { TRAP_EVIDENCE } from './evidence-traps.js';
import type { Row } from './harness.js';

/** For every option what shows, outside of the process, that it is not dead. In the order of the table of options. */
export const EVIDENCE: readonly Row[] = [...INPUT_EVIDENCE, ...TRAP_EVIDENCE, ...LAYER_EVIDENCE, ...POLITENESS_EVIDENCE];
