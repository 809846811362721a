import type { OutputFiles, OutputNotes } from '../report/output.js';
import type { MeasuredGraph } from './measured-graph.js';
export async function writeHtml(_g: MeasuredGraph, _f: OutputFiles): Promise<OutputNotes> {
  throw new Error('later');
}
