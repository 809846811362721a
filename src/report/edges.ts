import { LINK_KINDS } from '../parse/links.js';
import type { EdgeResult, Reader } from '../store/reader.js';
import { jsonLine } from './json-line.js';
import { recordOutput } from './output.js';

/** A line of JSON for every link, one per occurrence, in document order. */
export const edgesJsonl = recordOutput(lines);

function* lines(reader: Reader): IterableIterator<string> {
  for (const edge of reader.edges()) {
    yield edgeLine(edge);
  }
}

export function edgeLine({ from, to, kind, rel, text, outside }: EdgeResult): string {
  const name = LINK_KINDS[kind] ?? String(kind);
  return jsonLine({ from, to, kind: name, rel, text, ...(outside === null ? {} : { outside }) });
}
