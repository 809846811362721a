import type { HostResult, Reader } from '../store/reader.js';
import { jsonLine } from './json-line.js';
import { recordOutput } from './output.js';

/** A line of JSON for every host: how many of its URLs ended how, and what its robots.txt asks for. */
export const hostsJsonl = recordOutput(lines);

function* lines(reader: Reader): IterableIterator<string> {
  for (const host of reader.hosts()) {
    yield hostLine(host);
  }
}

function hostLine(host: HostResult): string {
  const {
    name,
    unicodeName,
    urls,
    done,
    failed,
    skipped,
    deferred,
    dispatched,
    deferredReason,
    robots,
    crawlDelayMs,
    address,
  } = host;
  return jsonLine({
    name,
    unicodeName,
    urls,
    done,
    failed,
    skipped,
    deferred,
    dispatched,
    deferredReason,
    robots,
    crawlDelayMs,
    address,
  });
}
