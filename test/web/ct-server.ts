import { gzipSync } from 'node:zlib';
import type { Site, SiteAnswer } from './site.js';

/** A stand-in for crt.sh: what it answers, and how it goes wrong. */
export interface CtOptions {
  /** The value of `name_value` of each certificate: names, one a line. */
  certificates: readonly string[];
  /** Certificates of nobody's interest in front of them. */
  filler?: number;
  /** So many bytes of the answer come, and then the end, as if there were no more. */
  endsAfter?: number;
  /** The same, but the connection is reset. */
  breaksAfter?: number;
  gzip?: boolean;
  /** What the first requests get instead, one each. */
  first?: readonly SiteAnswer[];
}

/** One certificate as crt.sh writes it; braces and quotes in its fields are no structure. */
export function certificate(names: string, number = 0): string {
  return JSON.stringify({
    issuer_ca_id: 16_418,
    issuer_name: 'C=US, O="Let\'s Encrypt {R3}", CN=R3 \\"quoted\\" [list]',
    common_name: names.split('\n')[0],
    name_value: names,
    id: 1_000_000 + number,
    entry_timestamp: '2024-03-01T10:11:12.345',
    not_before: '2024-03-01T00:00:00',
    serial_number: '03f1',
  });
}

export function ctServer(options: CtOptions): Site {
  let asked = 0;
  return {
    handle({ path }) {
      const instead = path === '/robots.txt' ? undefined : options.first?.[asked++];
      return instead ?? answer(path, options);
    },
  };
}

function answer(path: string, options: CtOptions): SiteAnswer {
  if (!/^\/\?q=%25\.[\w.-]+&output=json$/.test(path)) {
    return { status: 400, body: `not a question: ${path}` };
  }
  const { certificates, filler = 0, endsAfter, breaksAfter, gzip = false } = options;
  const fillers = Array.from({ length: filler }, (_, n) => certificate(`filler-${n}.elsewhere.example`, n));
  const list = Buffer.from(`[${[...fillers, ...certificates.map((names) => certificate(names))].join(',')}]`);
  const whole = gzip ? gzipSync(list) : list;
  const headers = { 'content-type': 'application/json', ...(gzip ? { 'content-encoding': 'gzip' } : {}) };
  if (breaksAfter !== undefined) {
    const pieces = (n: number) => (n === 0 ? whole.subarray(0, breaksAfter) : null);
    return { headers: { ...headers, 'content-length': String(whole.length) }, pieces, everyMs: 0, end: 'reset' };
  }
  return { headers, body: whole.subarray(0, endsAfter ?? whole.length) };
}
