import type { Lease, Outcome } from './frontier.js';

/** An outcome in which nothing came back. */
export function failure(
  lease: Pick<Lease, 'id'>,
  endedAt: number,
  errorClass: Outcome['errorClass'],
  message: string | null,
): Outcome {
  return {
    id: lease.id,
    status: null,
    errorClass,
    message,
    unsent: null,
    headersAt: null,
    endedAt,
    ttfbMs: null,
    retryAfterMs: null,
    address: null,
    heldBytes: 0,
    parseMs: 0,
    page: null,
    askAgain: null,
    ...nothingRead(),
    robots: null,
    scopeVersion: 0,
  };
}

/** What reading a page fills in, before anything was found. */
export function nothingRead() {
  return {
    redirect: null,
    redirectUrl: null,
    edges: null,
    rels: [],
    texts: null,
    targets: null,
    offers: [],
    found: [],
    skippedLinks: 0,
    textHash: null,
  } satisfies Partial<Outcome>;
}
