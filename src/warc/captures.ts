import { normaliseUrl } from '../url/identity.js';
import type { ReadRecord } from './reader.js';
import { fieldsIn } from './reader.js';

/** What a record says of the requests that an archive has; null if it says nothing of any. */
export type Said =
  | { what: 'answer'; id: string; concurrentTo: string | null; capture: RecordedAnswer }
  | { what: 'request'; id: string; concurrentTo: string | null; method: string }
  | { what: 'failure'; url: string; at: number; error: string; message: string | null };

export interface RecordedAnswer {
  url: string;
  at: number;
  digest: string | null;
  isRevisit: boolean;
}

const IDENTICAL = /^https?:\/\/netpreserve\.org\/warc\/1\.\d\/revisit\/identical-payload-digest$/;
const LONGEST_URL = 64 * 1024;

/** Reads what matters of a record. Nothing in it is believed to be well-formed. */
export function saidBy({ fields, block }: ReadRecord): Said | null {
  const type = fields.get('warc-type');
  const url = urlOf(fields.get('warc-target-uri'));
  const at = Date.parse(fields.get('warc-date') ?? '');
  if (url === null || Number.isNaN(at)) {
    return null;
  }
  const id = fields.get('warc-record-id') ?? '';
  const concurrentTo = fields.get('warc-concurrent-to') ?? null;
  const isHttp = /^application\/http\b/i.test(fields.get('content-type') ?? '');
  switch (type) {
    case 'request': {
      const method = /^([A-Z]{3,10}) /.exec(block.subarray(0, 16).toString('latin1'))?.[1];
      return method === undefined ? null : { what: 'request', id, concurrentTo, method };
    }
    case 'response':
    case 'revisit': {
      const isRevisit = type === 'revisit';
      // A 304 says that an earlier answer stands, and that is in the archive or not.
      const isUsable = isRevisit ? IDENTICAL.test(fields.get('warc-profile') ?? '') : isHttp;
      const digest = fields.get('warc-payload-digest') ?? null;
      return !isUsable || (isRevisit && digest === null)
        ? null
        : { what: 'answer', id, concurrentTo, capture: { url, at, digest, isRevisit } };
    }
    case 'metadata': {
      const notes = fieldsIn(`\n${block.toString('utf8')}`);
      const error = notes.get('error');
      return error === undefined
        ? null
        : { what: 'failure', url, at, error, message: notes.get('error-message') ?? null };
    }
    default:
      return null;
  }
}

/** The URLs that the crawl of an archive began with, as its first record says; other programs say nothing of that. */
export const seedsIn = ({ fields, block }: ReadRecord): string[] =>
  fields.get('warc-type') !== 'warcinfo'
    ? []
    : block
        .toString('utf8')
        .split(/\r?\n/)
        .flatMap((line) => urlOf(/^seed: (\S+)$/.exec(line)?.[1]) ?? []);

/** Old programs wrote it in angle brackets. */
function urlOf(text: string | undefined): string | null {
  if (text === undefined || text.length > LONGEST_URL) {
    return null;
  }
  const url = normaliseUrl(text.replace(/^<(.*)>$/, '$1'))?.url ?? null;
  return url !== null && /^https?:/.test(url) ? url : null;
}
